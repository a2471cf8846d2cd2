/** What stages and strategies of a host may not do to what others see, and to what is shown. */
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type AssemblyStages,
  type BudgetCompressor,
  type ContextStrategy,
  createOssature,
  dropDuplicates,
  orderFragments,
  type Ossature,
  type OssatureOptions,
  packFragments,
  rankFragments,
  selectStrategies,
  STAGE_NAMES,
  type StrategyRequest,
} from '../../src/index.js';

const SENTENCE = 'is a sentence of a source of the host, long enough to be worth its place.';
const FORGED = 'Something that nobody ever gave, in about as many words as the others have.';

let core: Ossature;
afterEach(() => core.close());

/** A core in memory with a plan of two fragments, and a child that inherits them. */
async function open(options: Partial<OssatureOptions> = {}) {
  core = await createOssature({ store: { kind: 'in-memory' }, ...options });
  await core.projects.create('harbor');
  const { planId } = await core.plans.create({ project: 'harbor', goal: 'mend the login' });
  await core.imports.import(
    planId,
    ['one', 'two'].map((fragmentId) => ({
      item: 'fragment' as const,
      fragment: { fragmentId, content: `${fragmentId} ${SENTENCE}`, relevance: 0.5 },
    })),
  );
  const { child } = await core.coordinator.spawnChild(planId, { goal: 'mend', skeletonRatio: 0 });
  return { planId, childId: child.planId };
}

/** Without what our own strategies say of decisions. */
function importedOf<Shown extends { readonly fragmentId: string }>(
  fragments: readonly Shown[],
): readonly Shown[] {
  return fragments
    .filter(({ fragmentId }) => ['one', 'two'].includes(fragmentId))
    .sort((a, b) => (a.fragmentId < b.fragmentId ? -1 : 1));
}

/** Tries to change the object in place; whether it may is the object's business. */
function tamper(value: object, field: string, wanted: unknown): void {
  Reflect.set(value, field, wanted);
}

function aStrategy(name: string, look: (request: StrategyRequest) => void): ContextStrategy {
  return {
    name,
    quality: 0.9,
    canHandle: () => 0.9,
    assemble: async (request) => {
      look(request);
      return request.context.map((fragment) => ({ ...fragment, relevance: 0.9 }));
    },
  };
}

const breachOf = (stage: string) => ({
  code: 'STAGE_BREACH',
  details: expect.objectContaining({ stage }),
});

describe('what a stage of the host changes in place', () => {
  it.each<{ readonly stage: string; readonly stages: Partial<AssemblyStages> }>([
    {
      stage: 'deduplicator',
      stages: {
        fragmentDeduplicator: (offered, alreadyIn) => {
          for (const { fragment } of offered) {
            tamper(fragment, 'content', FORGED);
            tamper(fragment, 'tokenCount', 1);
          }
          return dropDuplicates(offered, alreadyIn);
        },
      },
    },
    {
      stage: 'packer',
      stages: {
        budgetPacker: (ranked, room, count) => {
          const packing = packFragments(ranked, room, count);
          for (const { fragment, shown } of packing.packed) {
            tamper(fragment, 'content', FORGED);
            tamper(shown, 'tokenCount', 0);
          }
          return packing;
        },
      },
    },
    {
      stage: 'preamble generator',
      stages: {
        preambleGenerator: ({ shown, excluded }) => {
          for (const one of shown) tamper(one, 'content', FORGED);
          tamper(shown, 'length', 0);
          tamper(excluded, 'length', 0);
          return '';
        },
      },
    },
  ])('is not shown: the $stage', async ({ stages }) => {
    const { planId } = await open({ stages });
    const ours = await core.contexts.assemble({ planId });

    expect(importedOf(ours.fragments).map(({ content }) => content)).toEqual([
      `one ${SENTENCE}`,
      `two ${SENTENCE}`,
    ]);
    expect(importedOf(ours.fragments).every(({ tokenCount }) => tokenCount > 10)).toBe(true);
  });

  it('a compressor that rewrites the inherited fragments in place changes none', async () => {
    const rewrites: BudgetCompressor = {
      compressToBudget: (fragments) => {
        for (const fragment of fragments) tamper(fragment, 'content', FORGED);
        return { kept: fragments, skipped: [] };
      },
    };
    const { childId } = await open({ compressors: { rewrites } });
    const request = { planId: childId, compressor: 'rewrites' };

    const { skeletonFragments } = await core.contexts.assemble(request);

    expect(skeletonFragments).toHaveLength(2);
    expect(skeletonFragments.map(({ content }) => content)).not.toContain(FORGED);
  });

  it('one strategy cannot empty or reorder what the others see, or what is named', async () => {
    const seen: string[] = [];
    const empties = aStrategy('a-empties', ({ context, lineage }) => {
      tamper(context, 'length', 0);
      tamper(lineage, 'length', 0);
    });
    const reorders = aStrategy('b-reorders', ({ context }) => {
      (context as unknown[]).reverse();
    });
    const looks = aStrategy('c-looks', ({ context }) => {
      seen.push(...context.map(({ fragmentId }) => fragmentId));
    });
    const { planId } = await open({ strategies: [empties, reorders, looks] });

    const { fragments, excluded, strategies } = await core.contexts.assemble({ planId });

    expect(seen).toEqual(['one', 'two']);
    const named = [...fragments, ...excluded].map(({ fragmentId }) => fragmentId);
    expect(named).toEqual(expect.arrayContaining(['one', 'two']));
    expect(strategies.find(({ name }) => name === 'b-reorders')?.failure?.reason).toBe('threw');
  });
});

describe('a stage that gives back what it was not given', () => {
  it.each<{
    readonly rule: string;
    readonly stage: keyof AssemblyStages;
    readonly stages: Partial<AssemblyStages>;
  }>([
    {
      rule: 'another text',
      stage: 'fragmentDeduplicator',
      stages: {
        fragmentDeduplicator: (offered) => ({
          kept: offered.map((one) => ({ ...one, fragment: { ...one.fragment, content: FORGED } })),
          excluded: [],
        }),
      },
    },
    {
      rule: 'a fragment twice',
      stage: 'detailDepthResolver',
      stages: {
        detailDepthResolver: (offered) => ({ kept: [...offered, ...offered], excluded: [] }),
      },
    },
    {
      rule: 'an exclusion of what it also keeps',
      stage: 'detailDepthResolver',
      stages: {
        detailDepthResolver: (offered) => ({
          kept: offered,
          excluded: offered.map(({ fragment, strategy }) => ({
            ...fragment,
            strategy,
            reason: 'shallower',
          })),
        }),
      },
    },
    {
      rule: 'a score that is no number',
      stage: 'fragmentScorer',
      stages: {
        fragmentScorer: (offered, by) =>
          rankFragments(offered, by).map((one) => ({
            ...one,
            score: { ...one.score, total: Number.NaN },
          })),
      },
    },
    {
      rule: 'a text that is no rendering',
      stage: 'budgetPacker',
      stages: {
        budgetPacker: (ranked, room, count) => {
          const { packed, excluded } = packFragments(ranked, room, count);
          const forged = packed.map((one) => ({
            ...one,
            shown: { ...one.shown, content: FORGED, reduced: { depth: 0, fullTokenCount: 9 } },
          }));
          return { packed: forged, excluded };
        },
      },
    },
    {
      rule: 'a fragment twice',
      stage: 'fragmentOrderer',
      stages: { fragmentOrderer: (packed) => [...orderFragments(packed), ...packed] },
    },
    {
      rule: 'fragments that no run gave',
      stage: 'strategyExecutor',
      stages: {
        strategyExecutor: async (runs) => {
          const signal = new AbortController().signal;
          const given = await Promise.all(runs.map((run) => run.run(signal)));
          return runs.map(({ name }, at) => ({
            name,
            outcome: 'gave',
            fragments: (given[at] ?? []).map((one) => ({ ...one, content: FORGED })),
          }));
        },
      },
    },
    {
      rule: 'fewer results than there were runs',
      stage: 'strategyExecutor',
      stages: { strategyExecutor: async () => [] },
    },
    {
      rule: 'a strategy that there is none of',
      stage: 'strategySelector',
      stages: {
        strategySelector: (strategies, request, preferred) =>
          selectStrategies(strategies, request, preferred).map((one) => ({
            ...one,
            name: `${one.name}!`,
          })),
      },
    },
    {
      rule: 'half a token',
      stage: 'budgetAllocator',
      stages: { budgetAllocator: () => [{ name: 'keyword', budgetTokens: 0.5 }] },
    },
  ])('such as $rule, is a breach of the $stage', async ({ stage, stages }) => {
    const { planId } = await open({ stages });

    await expect(core.contexts.assemble({ planId })).rejects.toMatchObject(breachOf(stage));
  });

  it('such as a skeleton of other words, is a breach', async () => {
    const forges: BudgetCompressor = {
      compressToBudget: (fragments) => ({
        kept: fragments.map((one) => ({ ...one, content: FORGED })),
        skipped: [],
      }),
    };
    const { childId } = await open({ compressors: { forges } });

    await expect(
      core.contexts.assemble({ planId: childId, compressor: 'forges' }),
    ).rejects.toMatchObject(breachOf('skeletonCompressor'));
  });

  it('believes no size that it states', async () => {
    const budgetPacker: AssemblyStages['budgetPacker'] = (ranked) => ({
      packed: ranked.map((one) => ({
        ...one,
        fragment: { ...one.fragment, tokenCount: 0 },
        shown: { ...one.fragment, tokenCount: 0 },
      })),
      excluded: [],
    });
    const { planId } = await open({ stages: { budgetPacker } });

    const { fragments } = await core.contexts.assemble({ planId });
    expect(importedOf(fragments).map(({ tokenCount }) => tokenCount > 10)).toEqual([true, true]);
    await expect(
      core.contexts.assemble({ planId, maxTokens: 30, reservedTokens: 0 }),
    ).rejects.toMatchObject(breachOf('budgetPacker'));
  });
});

describe('a stage that gives another shape', () => {
  const SHAPES: readonly { readonly shape: string; readonly value: () => unknown }[] = [
    { shape: 'undefined', value: () => undefined },
    { shape: 'null', value: () => null },
    { shape: 'an empty object', value: () => ({}) },
    { shape: 'a promise', value: () => Promise.resolve([]) },
    { shape: 'a list of null', value: () => [null] },
    { shape: 'a list with a hole', value: () => Array.from({ length: 1 }) },
    { shape: 'null for its lists', value: () => ({ kept: null, packed: null, excluded: null }) },
    { shape: 'a number', value: () => 7 },
  ];
  const awaited = (stage: string, shape: string) =>
    stage === 'strategyExecutor' && shape === 'a promise';

  it.each(
    STAGE_NAMES.flatMap((stage) => SHAPES.map((shape) => ({ stage, ...shape }))).filter(
      ({ stage, shape }) => !awaited(stage, shape),
    ),
  )('is a breach of its own: $stage, $shape', async ({ stage, value }) => {
    const { planId } = await open({ stages: { [stage]: value } });

    await expect(core.contexts.assemble({ planId })).rejects.toMatchObject(breachOf(stage));
  });

  it.each([undefined, {}, { kept: null }, Promise.resolve({ kept: [] })])(
    'is a breach, too, where a compressor answers %p',
    async (answer) => {
      const odd = { compressToBudget: () => answer } as unknown as BudgetCompressor;
      const { childId } = await open({ compressors: { odd } });

      await expect(
        core.contexts.assemble({ planId: childId, compressor: 'odd' }),
      ).rejects.toMatchObject(breachOf('skeletonCompressor'));
    },
  );
});

describe('what no strategy offered', () => {
  const silent = (name: string): ContextStrategy => ({
    name,
    quality: 0.9,
    canHandle: () => 1,
    assemble: async () => [],
  });
  const preferSilent: AssemblyStages['budgetAllocator'] = (_, roomTokens) => [
    { name: 'silent', budgetTokens: roomTokens },
  ];

  it.each([
    { rule: 'while there was room', maxTokens: 4096, reason: 'not-offered' },
    { rule: 'where there was none', maxTokens: 8, reason: 'over-budget' },
  ])('says so $rule', async ({ maxTokens, reason }) => {
    const { planId } = await open({
      strategies: [silent('silent')],
      stages: { budgetAllocator: preferSilent },
    });

    const payload = await core.contexts.assemble({ planId, maxTokens });

    expect(payload.excluded.map((one) => one.reason)).toEqual([reason, reason]);
  });

  it('says so where every strategy failed, whatever its size', async () => {
    const down: AssemblyStages['strategyExecutor'] = async (runs) =>
      runs.map(({ name }) => ({
        name,
        outcome: 'failed',
        failure: { reason: 'threw', message: 'down' },
      }));
    const { planId } = await open({ stages: { strategyExecutor: down } });

    const { excluded } = await core.contexts.assemble({ planId, maxTokens: 20 });

    expect(excluded.map(({ reason }) => reason)).toEqual(['not-offered', 'not-offered']);
  });
});
