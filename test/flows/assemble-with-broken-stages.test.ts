/** Each of the ten stages, replaced by one that returns nonsense: the stage is named, and nothing is assembled. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AssemblyStages,
  createOssature,
  dropDuplicates,
  type FragmentScorer,
  type Ossature,
  packFragments,
  rankFragments,
  resolveDepth,
  selectStrategies,
  shareBudget,
} from '../../src/index.js';

const LINE = 'is a line of the harbor, long enough to be worth its place in a context.';
const SETTINGS = { maxTokens: 400, reservedTokens: 0, skeletonRatio: 0.5 };

type Odd = { readonly [Name in keyof AssemblyStages]?: (...given: never[]) => unknown };

/** A child that inherits a fragment and has two of its own. */
async function aChild(core: Ossature): Promise<string> {
  await core.projects.create('harbor');
  const { planId } = await core.plans.create({ project: 'harbor', goal: 'mend the login' });
  await importTexts(core, planId, 'inherited');
  const { child } = await core.coordinator.spawnChild(planId, { goal: 'mend', skeletonRatio: 0 });
  await importTexts(core, child.planId, 'one', 'two');
  return child.planId;
}

async function importTexts(core: Ossature, planId: string, ...ids: readonly string[]) {
  await core.imports.import(
    planId,
    ids.map((fragmentId) => ({
      item: 'fragment' as const,
      fragment: { fragmentId, content: `${fragmentId} ${LINE}`, relevance: 0.5 },
    })),
  );
}

describe('a stage that returns nonsense', () => {
  let core: Ossature;
  let planId: string;
  beforeAll(async () => {
    core = await createOssature({ store: { kind: 'in-memory' } });
    planId = await aChild(core);
  });
  afterEach(() => core.stages.setPlan(planId, {}));
  afterAll(() => core.close());

  const assembledWith = (stages: Odd) => {
    core.stages.setPlan(planId, stages as Partial<AssemblyStages>);
    return core.contexts.assemble({ planId, ...SETTINGS });
  };

  const select = (change: object) =>
    ((...given) =>
      selectStrategies(...given).map((one) => ({
        ...one,
        ...change,
      }))) as AssemblyStages['strategySelector'];
  const share = (change: object) =>
    ((...given) =>
      shareBudget(...given).map((one) => ({
        ...one,
        ...change,
      }))) as AssemblyStages['budgetAllocator'];
  const merge =
    (ours: AssemblyStages['detailDepthResolver'], change: (kept: readonly unknown[]) => object) =>
    (offered: Parameters<typeof ours>[0]) => {
      const { kept, excluded } = ours(offered);
      return { kept, excluded, ...change(kept) };
    };
  const distinct = (change: (kept: readonly unknown[]) => object) =>
    merge((offered) => dropDuplicates(offered, []), change);
  const deepest = (change: (kept: readonly unknown[]) => object) => merge(resolveDepth, change);
  const score = (change: object) =>
    ((offered, by) =>
      rankFragments(offered, by).map((one) => ({
        ...one,
        score: { ...one.score, ...change },
      }))) as AssemblyStages['fragmentScorer'];
  const pack = (change: (packed: readonly { readonly shown: object }[]) => readonly unknown[]) =>
    ((ranked, room, count) => ({
      packed: change(packFragments(ranked, room, count).packed),
      excluded: [],
    })) as AssemblyStages['budgetPacker'];
  const stranger = (one: unknown) => ({
    ...(one as { readonly fragment: object }),
    fragment: { ...(one as { readonly fragment: object }).fragment, fragmentId: 'stranger' },
  });
  type Inherited = readonly { readonly content: string }[];

  it('is the built-in one where nothing is set, and assembles', async () => {
    const { fragments, skeletonFragments } = await assembledWith({});
    expect(fragments.length).toBeGreaterThan(2);
    expect(skeletonFragments).toHaveLength(1);
  });

  // prettier-ignore
  it.each<readonly [keyof AssemblyStages, string, Odd]>([
    ['strategySelector', 'a confidence that is NaN',      { strategySelector: select({ confidence: Number.NaN }) }],
    ['strategySelector', 'a confidence above 1',          { strategySelector: select({ confidence: 1.5 }) }],
    ['strategySelector', 'a confidence below 0',          { strategySelector: select({ confidence: -0.1 }) }],
    ['strategySelector', 'a confidence in words',         { strategySelector: select({ confidence: '0.5' }) }],
    ['strategySelector', 'a strategy that there is not',  { strategySelector: select({ name: 'oracle' }) }],
    ['strategySelector', 'one strategy again and again',  { strategySelector: select({ name: 'keyword' }) }],
    ['strategySelector', 'no list',                       { strategySelector: () => undefined }],
    ['strategySelector', 'a promise',                     { strategySelector: async () => [] }],
    ['budgetAllocator',  'shares above the room',         { budgetAllocator: share({ budgetTokens: 399 }) }],
    ['budgetAllocator',  'a share that is NaN',           { budgetAllocator: share({ budgetTokens: Number.NaN }) }],
    ['budgetAllocator',  'a share that is infinite',      { budgetAllocator: share({ budgetTokens: Infinity }) }],
    ['budgetAllocator',  'part of a token',               { budgetAllocator: share({ budgetTokens: 1.5 }) }],
    ['budgetAllocator',  'a share below 0',               { budgetAllocator: share({ budgetTokens: -1 }) }],
    ['budgetAllocator',  'a share of nobody',             { budgetAllocator: share({ name: 'oracle' }) }],
    ['strategyExecutor', 'no results',                    { strategyExecutor: async () => [] }],
    ['strategyExecutor', 'a result without an outcome',   { strategyExecutor: async (runs: { name: string }[]) => runs.map(({ name }) => ({ name })) }],
    ['strategyExecutor', 'fragments that nobody gave',    { strategyExecutor: async (runs: { name: string }[]) => runs.map(({ name }) => ({ name, outcome: 'gave', fragments: [{ planId, fragmentId: 'one', content: 'x' }] })) }],
    ['fragmentDeduplicator', 'a fragment twice',          { fragmentDeduplicator: distinct((kept) => ({ kept: [...kept, ...kept] })) }],
    ['fragmentDeduplicator', 'one that nobody offered',   { fragmentDeduplicator: distinct((kept) => ({ kept: kept.map(stranger) })) }],
    ['fragmentDeduplicator', 'a reason that is none',     { fragmentDeduplicator: (offered: { fragment: object; strategy: string }[]) => ({ kept: [], excluded: offered.map(({ fragment, strategy }) => ({ ...fragment, strategy, reason: 'ugly' })) }) }],
    ['fragmentDeduplicator', 'null',                      { fragmentDeduplicator: () => null }],
    ['detailDepthResolver',  'a fragment twice',          { detailDepthResolver: deepest((kept) => ({ kept: [...kept, ...kept] })) }],
    ['detailDepthResolver',  'one that nobody offered',   { detailDepthResolver: deepest((kept) => ({ kept: kept.map(stranger) })) }],
    ['fragmentScorer', 'a relevance that is NaN',         { fragmentScorer: score({ relevance: Number.NaN }) }],
    ['fragmentScorer', 'a total above 1',                 { fragmentScorer: score({ total: 1.01 }) }],
    ['fragmentScorer', 'a total below 0',                 { fragmentScorer: score({ total: -1 }) }],
    ['fragmentScorer', 'a quality in words',              { fragmentScorer: score({ quality: 'good' }) }],
    ['fragmentScorer', 'no breakdown',                    { fragmentScorer: (offered: object[]) => offered }],
    ['budgetPacker', 'a fragment twice',                  { budgetPacker: pack((packed) => [...packed, ...packed]) }],
    ['budgetPacker', 'one that was not ranked',           { budgetPacker: pack((packed) => packed.map(stranger)) }],
    ['budgetPacker', 'another text',                      { budgetPacker: pack((packed) => packed.map((one) => ({ ...one, shown: { ...one.shown, content: 'better' } }))) }],
    ['fragmentOrderer', 'fewer fragments',                { fragmentOrderer: (packed: object[]) => packed.slice(1) }],
    ['fragmentOrderer', 'none of them',                   { fragmentOrderer: () => [] }],
    ['fragmentOrderer', 'a fragment twice',               { fragmentOrderer: (packed: object[]) => [...packed, packed[0]] }],
    ['fragmentOrderer', 'one that was not packed',        { fragmentOrderer: (packed: object[]) => packed.map(stranger) }],
    ['preambleGenerator', 'more than its budget',         { preambleGenerator: () => 'word '.repeat(400) }],
    ['preambleGenerator', 'no text',                      { preambleGenerator: () => undefined }],
    ['preambleGenerator', 'a promise',                    { preambleGenerator: async () => 'text' }],
    ['skeletonCompressor', 'a fragment twice',            { skeletonCompressor: (all: Inherited) => [...all, ...all] }],
    ['skeletonCompressor', 'another text',                { skeletonCompressor: (all: Inherited) => all.map((one) => ({ ...one, content: 'better' })) }],
    ['skeletonCompressor', 'one that was not inherited',  { skeletonCompressor: (all: Inherited) => all.map((one) => ({ ...one, fragmentId: 'stranger' })) }],
  ])('%s: %s is a breach that names the stage and says what to do', async (stage, _, stages) => {
    await expect(assembledWith(stages)).rejects.toMatchObject({
      name: 'OssatureError',
      code: 'STAGE_BREACH',
      message: expect.stringMatching(new RegExp(`^The stage ${stage} .+ Nothing was assembled: mend it.* to use ours\\.$`)),
      details: expect.objectContaining({ stage }),
    });
  });

  it('a packer that fills its room beyond its share is a breach, and one that forgets the blank lines is not', async () => {
    const everything: AssemblyStages['budgetPacker'] = (ranked) => ({
      packed: ranked.map((one) => ({ ...one, shown: one.fragment })),
      excluded: [],
    });
    core.stages.setPlan(planId, { budgetPacker: everything });
    const request = { planId, reservedTokens: 0, skeletonRatio: 0, preamble: false };
    const { totalTokens, budget } = await core.contexts.assemble({ ...request, maxTokens: 400 });
    const { fragmentTokens, jointTokens } = budget;

    expect(totalTokens).toBe(fragmentTokens + jointTokens);
    await expect(
      core.contexts.assemble({ ...request, maxTokens: fragmentTokens - 1 }),
    ).rejects.toMatchObject({ code: 'STAGE_BREACH', details: { stage: 'budgetPacker' } });

    const greedy: AssemblyStages['budgetPacker'] = (ranked, room, count) =>
      packFragments(ranked, { ...room, joints: { tokens: 0, textsBefore: 0 } }, count);
    core.stages.setPlan(planId, { budgetPacker: greedy });
    const tight = await core.contexts.assemble({ ...request, maxTokens: fragmentTokens });
    expect(tight.totalTokens).toBeLessThanOrEqual(fragmentTokens);
    expect(tight.fragments.length).toBeGreaterThan(0);
  });
});

describe('a fragment scorer of a host that breaks its port', () => {
  // prettier-ignore
  it.each<{ rule: string; score: (goal: string, all: readonly object[]) => unknown }>([
    { rule: 'throws',                       score: () => { throw new Error('no model'); } },
    { rule: 'gives NaN',                    score: (_, all) => all.map(() => Number.NaN) },
    { rule: 'gives a score above 1',        score: (_, all) => all.map(() => 1.5) },
    { rule: 'gives a score below 0',        score: (_, all) => all.map(() => -1) },
    { rule: 'gives too few scores',         score: () => [] },
    { rule: 'gives nothing',                score: () => undefined },
    { rule: 'gives a promise',              score: async (_, all) => all.map(() => 1) },
  ])('is named where it $rule, by an assembly and by a spawn, and nothing is written', async ({ score }) => {
    let isBroken = false;
    const scorer = ((goal, all) =>
      isBroken ? score(goal, all) : all.map(() => 0.5)) as FragmentScorer;
    const core = await createOssature({ store: { kind: 'in-memory' }, fragmentScorer: scorer });
    const planId = await aChild(core);
    isBroken = true;
    const breach = {
      code: 'STAGE_BREACH',
      message: expect.stringMatching(/^The fragment scorer .+ mend it, or leave fragmentScorer out/),
      details: expect.objectContaining({ stage: 'relevance' }),
    };

    await expect(core.contexts.assemble({ planId })).rejects.toMatchObject(breach);
    await expect(
      core.coordinator.spawnChild(planId, { goal: 'g', relevance: 'goal' }),
    ).rejects.toMatchObject(breach);
    isBroken = false;
    const { fragments } = await core.contexts.assemble({ planId });
    expect(fragments.filter(({ strategy }) => strategy === 'keyword')).toHaveLength(2);
    await core.close();
  });
});
