import { afterEach, describe, expect, it } from '@jest/globals';
import { createOssature, type Embed, type Ossature } from '../../../src/index.js';

const TEXTS = {
  sea: 'The ferry leaves the harbour at nine and reaches the island before noon.',
  bread: 'Flour, water and salt rest for a night before the oven is heated up.',
};

/** How often a text speaks of the sea, and how often of bread: a space of two dimensions. */
const vectorOf = (text: string): readonly number[] => [
  text.match(/ferry|harbour|island|boat/g)?.length ?? 0,
  text.match(/flour|salt|oven|bake/gi)?.length ?? 0,
];

let core: Ossature;
afterEach(() => core.close());

async function planWith(embed?: Embed): Promise<string> {
  core = await createOssature({
    store: { kind: 'in-memory' },
    ...(embed === undefined ? {} : { embed }),
  });
  await core.projects.create('harbor');
  const { planId } = await core.plans.create({ project: 'harbor', goal: 'g' });
  await core.imports.import(
    planId,
    Object.entries(TEXTS).map(([fragmentId, content]) => ({
      item: 'fragment' as const,
      fragment: { fragmentId, content, relevance: 0.5 },
    })),
  );
  return planId;
}

describe('the semantic strategy', () => {
  it('is not bound where no host brings an embedding', async () => {
    const { strategies } = await assemble(await planWith());

    expect(strategies.map(({ name }) => name)).not.toContain('semantic');
  });

  it('finds by meaning what shares no word with the query, and asks for each text once', async () => {
    const asked: number[] = [];
    const planId = await planWith(async (texts) => {
      asked.push(texts.length);
      return texts.map(vectorOf);
    });

    const first = await assemble(planId);
    const again = await assemble(planId);

    expect(first.fragments.find(({ fragmentId }) => fragmentId === 'sea')).toMatchObject({
      strategy: 'semantic',
      score: { relevance: 1, quality: 0.6 },
    });
    expect(again).toEqual(first);
    expect(asked).toEqual([3, 1]);
  });

  it.each<{ readonly rule: string; readonly embed: Embed }>([
    { rule: 'rejects', embed: () => Promise.reject(new Error('no network')) },
    { rule: 'answers too few vectors', embed: async () => [[1, 0]] },
    { rule: 'answers nothing', embed: async () => null as never },
    { rule: 'answers texts', embed: async (texts) => texts as never },
    { rule: 'answers empty vectors', embed: async (texts) => texts.map(() => []) },
    { rule: 'answers no number', embed: async (texts) => texts.map(() => [1, Number.NaN]) },
    { rule: 'answers infinity', embed: async (texts) => texts.map(() => [1, Infinity]) },
    {
      rule: 'answers vectors of several lengths',
      embed: async (texts) => texts.map((_, at) => Array.from({ length: 2 + (at % 2) }, () => 1)),
    },
  ])('gives nothing and is named where the embedding $rule', async ({ embed }) => {
    const { strategies, fragments } = await assemble(await planWith(embed));

    const failure = strategies.find(({ name }) => name === 'semantic')?.failure;
    expect(failure?.reason).toBe('threw');
    expect(failure?.message).toMatch(/^no network$|^The embedding answered /);
    expect(fragments).toHaveLength(2);
  });

  it('is named where the embedding changes its length from one call to the next, once', async () => {
    let length = 2;
    const planId = await planWith(async (texts) =>
      texts.map(() => Array.from({ length }, () => 1)),
    );
    const failureNow = async () =>
      (await assemble(planId)).strategies.find(({ name }) => name === 'semantic')?.failure;

    expect(await failureNow()).toBeNull();
    length = 3;
    expect((await failureNow())?.message).toContain('3 numbers');
    expect(await failureNow()).toBeNull();
  });
});

function assemble(planId: string) {
  return core.contexts.assemble({ planId, query: 'When does the boat go?' });
}
