/** The pipeline through the container: what a plan inherited reaches the model that works on it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AssemblyPayload, Ossature } from '../../src/index.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const LOGIN =
  'The login form posts to /session and the server answers with a cookie that lasts two hours.';
const CACHE =
  'The cache of rendered pages is cleared by the deploy script, never by the running server itself.';
const TESTS =
  'The integration tests start a database of their own and need about forty seconds to finish.';

async function importTexts(
  core: Ossature,
  planId: string,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  await core.imports.import(
    planId,
    Object.entries(texts).map(([fragmentId, content], at) => ({
      item: 'fragment' as const,
      fragment: { fragmentId, content, relevance: 0.9 - at / 10 },
    })),
  );
}

function textsOf(fragments: readonly { readonly content: string }[]): readonly string[] {
  return fragments.map(({ content }) => content);
}

function idsIn({ fragments, skeletonFragments }: AssemblyPayload): readonly string[] {
  return [...skeletonFragments, ...fragments].map(({ fragmentId }) => fragmentId).sort();
}

describe.each(Object.entries(STORES))('assembling %s', (_, open) => {
  let opened: OpenedCore;
  let core: Ossature;
  beforeAll(async () => {
    opened = await open();
    ({ core } = opened);
    await core.projects.create('harbor');
  });
  afterAll(() => opened.close());

  it('shows a child and a grandchild the texts of the skeleton that they inherited', async () => {
    const root = await core.plans.create({ project: 'harbor', goal: 'repair the login' });
    await importTexts(core, root.planId, { LOGIN, CACHE });
    const { child } = await core.coordinator.spawnChild(root.planId, {
      goal: 'repair the cookie',
      skeletonRatio: 0.5,
    });
    const { child: grandchild } = await core.coordinator.spawnChild(child.planId, {
      goal: 'write a test for the cookie',
      skeletonRatio: 0,
    });

    const ofChild = await core.contexts.assemble({ planId: child.planId });
    const ofGrandchild = await core.contexts.assemble({ planId: grandchild.planId });

    expect(textsOf(ofChild.skeletonFragments)).toEqual([LOGIN]);
    expect(textsOf(ofGrandchild.skeletonFragments)).toEqual([LOGIN]);
    expect(ofChild.query).toBe('repair the cookie');
    expect(ofChild.preamble).toContain('an inherited skeleton (1 fragment)');
  });

  it('shows own fragments and decisions beside the skeleton, each once, within the budget', async () => {
    const root = await core.plans.create({ project: 'harbor', goal: 'speed up the tests' });
    await importTexts(core, root.planId, { CACHE });
    const { child } = await core.coordinator.spawnChild(root.planId, {
      goal: 'find the slow test',
      skeletonRatio: 0,
    });
    await importTexts(core, child.planId, { TESTS });
    await core.plans.decide(child.planId, {
      type: 'implementation_choice',
      question: 'Which runner should measure the single tests?',
      choice: 'the one that the project has',
    });

    const payload = await core.contexts.assemble({
      planId: child.planId,
      query: 'why do the integration tests take forty seconds?',
    });

    expect(textsOf(payload.skeletonFragments)).toEqual([CACHE]);
    expect(textsOf(payload.fragments)).toContain(TESTS);
    expect(textsOf(payload.fragments).join('\n')).toContain('Which runner should measure');
    expect(new Set(idsIn(payload)).size).toBe(idsIn(payload).length);
    expect(payload.totalTokens).toBeLessThanOrEqual(payload.budget.availableTokens);
    expect(payload.strategies.map(({ name }) => name)).toEqual([
      'keyword',
      'plan-decisions',
      'recency',
      'artifact-trail',
      'lesson-recall',
      'session-summary',
    ]);
  });

  it('gives the same payload for the same request', async () => {
    const root = await core.plans.create({ project: 'harbor', goal: 'repeat' });
    await importTexts(core, root.planId, { LOGIN, CACHE, TESTS });

    const request = { planId: root.planId, query: 'cookie of the login', maxTokens: 80 };

    expect(await core.contexts.assemble(request)).toEqual(await core.contexts.assemble(request));
  });

  it('leaves fragments of superseded decisions out, and names them', async () => {
    const root = await core.plans.create({ project: 'harbor', goal: 'supersede' });
    const first = await core.plans.decide(root.planId, {
      type: 'strategy_choice',
      choice: 'keep the session cookie for a whole month after the login',
    });
    await core.imports.import(root.planId, [
      {
        item: 'fragment',
        fragment: {
          fragmentId: 'month',
          content: LOGIN,
          relevance: 1,
          decisionId: first.decisionId,
        },
      },
    ]);
    await core.plans.supersede(first.decisionId, {
      choice: 'keep the session cookie for two hours after the login',
    });

    const { fragments, excluded } = await core.contexts.assemble({
      planId: root.planId,
      query: 'session cookie',
    });

    expect(textsOf(fragments)).toEqual([
      'Decision of this plan (strategy_choice): keep the session cookie for two hours after the login',
    ]);
    expect(excluded).toEqual([
      expect.objectContaining({ fragmentId: 'month', reason: 'superseded' }),
    ]);
  });

  it('gives an empty payload for a plan that knows nothing', async () => {
    const root = await core.plans.create({ project: 'harbor', goal: 'begin' });

    const payload = await core.contexts.assemble({ planId: root.planId });

    expect(payload).toMatchObject({
      fragments: [],
      skeletonFragments: [],
      preamble: '',
      totalTokens: 0,
      budgetUsed: 0,
      excluded: [],
    });
  });
});
