/** What a host replaces or adds through the container, and what becomes of parts that misbehave. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { ContainerModule } from 'inversify';
import {
  type AssemblyFragment,
  type AssemblyStages,
  type BudgetCompressor,
  type ContextStrategy,
  createOssature,
  orderFragments,
  type Ossature,
  type OssatureOptions,
  provideStrategy,
  provideValue,
  replace,
  STAGE_NAMES,
  type StartTimer,
  type StrategyRequest,
  TOKENS,
} from '../../src/index.js';

const SENTENCE = 'is a sentence of a source of the host, long enough to be worth its place.';

let core: Ossature;
afterEach(() => core.close());

/** A core in memory with one plan that holds these fragments; the plan's id and its project's. */
async function open(options: Partial<OssatureOptions> = {}, ...own: readonly string[]) {
  core = await createOssature({ store: { kind: 'in-memory' }, ...options });
  const { projectId } = await core.projects.create('harbor');
  const { planId } = await core.plans.create({ project: 'harbor', goal: 'mend the login' });
  await importTexts(planId, ...own);
  return { planId, projectId };
}

async function importTexts(planId: string, ...ids: readonly string[]): Promise<void> {
  await core.imports.import(
    planId,
    ids.map((fragmentId) => ({
      item: 'fragment' as const,
      fragment: { fragmentId, content: `${fragmentId} ${SENTENCE}`, relevance: 0.5 },
    })),
  );
}

/** What the bound counter calls itself where a count is stored. */
function counterName(): string {
  const { name, version } = core.resolve(TOKENS.tokenCounter);
  return `${name}@${version}`;
}

function aStrategy(
  name: string,
  assemble: ContextStrategy['assemble'],
  confidence = 0.9,
): ContextStrategy {
  return { name, quality: 0.9, canHandle: () => confidence, assemble };
}

function given(
  { planId }: StrategyRequest,
  fragmentId: string,
  more: Partial<AssemblyFragment> = {},
): AssemblyFragment {
  const content = `${fragmentId} ${SENTENCE}`;
  return { planId, fragmentId, content, tokenCount: 0, relevance: 0.5, ...more };
}

const idsOf = (fragments: readonly { readonly fragmentId: string }[]): readonly string[] =>
  fragments.map(({ fragmentId }) => fragmentId).sort();

/** Timers that elapse when the test says so. */
function manualTimers() {
  const waiting = new Set<() => void>();
  const startTimer: StartTimer = (_, onElapsed) => {
    waiting.add(onElapsed);
    return () => void waiting.delete(onElapsed);
  };
  const elapse = (): void => {
    for (const fire of waiting) fire();
  };
  return { startTimer, elapse };
}

describe('strategies of a host', () => {
  it('stand beside ours, from options and from modules', async () => {
    const { planId } = await open(
      {
        strategies: [aStrategy('option', async (request) => [given(request, 'from-option')])],
        modules: [
          new ContainerModule((options) => {
            provideStrategy(options, [TOKENS.tokenCounter], (counter) =>
              aStrategy('module', async (request) => [given(request, counter.name)]),
            );
          }),
        ],
      },
      'own',
    );

    const { fragments, strategies } = await core.contexts.assemble({ planId });

    expect(idsOf(fragments)).toEqual(['from-option', 'o200k_base', 'own']);
    expect(strategies.map(({ name }) => name)).toEqual([
      'module',
      'option',
      'keyword',
      'plan-decisions',
      'recency',
      'artifact-trail',
      'lesson-recall',
      'session-summary',
    ]);
  });

  it.each([
    {
      rule: 'one that throws is named, with its message',
      assemble: () => {
        throw new Error('no index');
      },
      failure: { reason: 'threw', message: 'no index' },
    },
    {
      rule: 'one that rejects with no error is named',
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- hosts do that
      assemble: () => Promise.reject('text'),
      failure: { reason: 'threw', message: 'It threw.' },
    },
    {
      rule: 'one that answers no list is named',
      assemble: async () => ({}) as never,
      failure: {
        reason: 'invalid-fragment',
        message: 'A strategy must answer a list of fragments.',
      },
    },
    {
      rule: 'one that gives fragments of another plan is named',
      assemble: async (request: StrategyRequest) => [
        given(request, 'x', { planId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' as never }),
      ],
      failure: {
        reason: 'invalid-fragment',
        message: 'Fragment "x" at index 0: planId must name the plan or one of its ancestors.',
      },
    },
    {
      rule: 'one that gives an unsound fragment is named',
      assemble: async (request: StrategyRequest) => [given(request, 'x', { relevance: 7 })],
      failure: {
        reason: 'invalid-fragment',
        message: 'Fragment "x" at index 0: relevance must be a number in [0, 1], got 7.',
      },
    },
    ...(
      [
        [{ group: Symbol('g') }, 'group must be a text'],
        [{ nodeId: 5 }, 'nodeId must be a text'],
        [{ kind: {} }, 'kind must be a text'],
        [{ position: Number.NaN }, 'position must be a finite number'],
        [{ position: Symbol('p') }, 'position must be a finite number'],
        [{ contentDomain: 'poems' }, 'contentDomain must be one of'],
        [{ relevanceTo: 'nothing' }, 'relevanceTo must be query or stored'],
      ] as const
    ).map(([fields, message]) => ({
      rule: `one whose fragment breaks "${message}" is named`,
      assemble: async (request: StrategyRequest) => [given(request, 'x', fields as never)],
      failure: {
        reason: 'invalid-fragment',
        message: expect.stringContaining(message) as unknown as string,
      },
    })),
  ])('$rule, and the others give what they have', async ({ assemble, failure }) => {
    const { planId } = await open({ strategies: [aStrategy('bad', assemble)] }, 'own');

    const payload = await core.contexts.assemble({ planId });

    expect(payload.strategies[0]).toMatchObject({ name: 'bad', fragments: 0, failure });
    expect(idsOf(payload.fragments)).toEqual(['own']);
    expect(payload.preamble).toContain(`nothing came from bad (${failure.reason})`);
  });

  it('one that hangs is told to stop, named, and left alone after three times', async () => {
    const { startTimer, elapse } = manualTimers();
    const told: boolean[] = [];
    let now = 0;
    let calls = 0;
    const hangs = aStrategy('hangs', (_, { signal }) => {
      calls += 1;
      signal.addEventListener('abort', () => told.push(signal.aborted));
      setImmediate(elapse);
      return new Promise(() => {});
    });
    const { planId } = await open(
      {
        clock: () => new Date(now),
        strategies: [hangs],
        modules: [
          new ContainerModule(({ unbind, bind }) => {
            unbind(TOKENS.startTimer);
            provideValue({ bind }, TOKENS.startTimer, startTimer);
          }),
        ],
      },
      'own',
    );
    const reasonAt = async (time: number): Promise<string | undefined> => {
      now = time;
      return (await core.contexts.assemble({ planId })).strategies[0]?.failure?.reason;
    };

    const reasons: unknown[] = [];
    for (const time of [0, 0, 0, 1, 30_000]) reasons.push(await reasonAt(time));

    expect(reasons).toEqual(['timed-out', 'timed-out', 'timed-out', 'circuit-open', 'timed-out']);
    expect(told).toEqual([true, true, true, true]);
    expect(calls).toBe(4);
  });

  it('take more than their share only where others leave room, and the rest is named', async () => {
    const greedy = aStrategy('greedy', async (request) =>
      Array.from({ length: 200 }, (_, at) => given(request, `greedy-${at}`)),
    );
    const { planId } = await open({ strategies: [greedy] }, 'own-1', 'own-2');

    const payload = await core.contexts.assemble({ planId, maxTokens: 400, reservedTokens: 0 });

    const { fragments, excluded, totalTokens } = payload;
    expect(idsOf(fragments)).toEqual(expect.arrayContaining(['own-1', 'own-2']));
    expect(totalTokens).toBeLessThanOrEqual(400);
    expect(new Set(idsOf([...fragments, ...excluded])).size).toBe(202);
  });

  it('may understate their tokens: what is shown is counted by the bound counter', async () => {
    const long = `long ${'word '.repeat(3000)}`;
    const { planId } = await open({
      strategies: [
        aStrategy('liar', async (request) => [
          given(request, 'long', { content: long, tokenCount: 1, tokenCounter: counterName() }),
        ]),
      ],
    });

    const payload = await core.contexts.assemble({ planId, maxTokens: 700, reservedTokens: 0 });

    const counter = core.resolve(TOKENS.tokenCounter);
    const shown = payload.fragments.map(({ content }) => counter.count(content));
    expect(shown.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(700);
    expect(payload.fragments[0]?.reduced?.fullTokenCount ?? 3000).toBeGreaterThan(2000);
  });

  it('of one fragment from two strategies one stays, and the other is named a duplicate', async () => {
    const twin = async (request: StrategyRequest) => [given(request, 'twin')];
    const { planId } = await open({
      strategies: [aStrategy('one', twin), aStrategy('two', twin)],
    });

    const { fragments, excluded } = await core.contexts.assemble({ planId });

    expect(idsOf(fragments)).toEqual(['twin']);
    expect(excluded).toEqual([
      expect.objectContaining({ fragmentId: 'twin', reason: 'duplicate', strategy: 'two' }),
    ]);
  });

  it('of one fragment twice from one strategy one stays, and the other is named a duplicate', async () => {
    const { planId } = await open({
      strategies: [
        aStrategy('stutter', async (request) => [given(request, 'twin'), given(request, 'twin')]),
      ],
    });

    const { fragments, excluded, strategies } = await core.contexts.assemble({ planId });

    expect(idsOf(fragments)).toEqual(['twin']);
    expect(
      excluded.map(({ fragmentId, reason, strategy }) => [fragmentId, reason, strategy]),
    ).toEqual([['twin', 'duplicate', 'stutter']]);
    expect(strategies[0]).toMatchObject({ offered: 2, fragments: 1, failure: null });
  });

  it('of one id with two contents one stays, and the other is named', async () => {
    const { planId } = await open({
      strategies: [
        aStrategy('one', async (request) => [given(request, 'twin')]),
        aStrategy('two', async (request) => [
          given(request, 'twin', { content: `other ${SENTENCE}`, relevance: 0.9 }),
        ]),
      ],
    });

    const { fragments, excluded } = await core.contexts.assemble({ planId });

    expect(fragments.map(({ strategy }) => strategy)).toEqual(['two']);
    expect(excluded.map(({ strategy, reason }) => [strategy, reason])).toEqual([
      ['one', 'shallower'],
    ]);
  });

  it('need a name of their own', async () => {
    const twice = [aStrategy('keyword', async () => [])];

    await expect(open({ strategies: twice })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });

  it('may all be missing', async () => {
    const { planId } = await open(
      {
        modules: [
          new ContainerModule((options) => {
            replace(options, TOKENS.contextStrategies, [], () => []);
          }),
        ],
      },
      'own',
    );

    const payload = await core.contexts.assemble({ planId });

    expect(payload).toMatchObject({ fragments: [], strategies: [] });
    expect(payload.excluded).toEqual([
      expect.objectContaining({ fragmentId: 'own', reason: 'not-offered', strategy: null }),
    ]);
  });

  it('answer a hundred assemblies at once, each with its own payload', async () => {
    let fails = 0;
    const echo = aStrategy('echo', async (request) => {
      await new Promise((resolve) => setTimeout(resolve, request.query.length % 5));
      return [given(request, `echo ${request.query}`)];
    });
    const flaky = aStrategy('flaky', async () => {
      fails += 1;
      throw new Error('down');
    });
    const { planId } = await open({ strategies: [echo, flaky] }, 'own');

    const payloads = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        core.contexts.assemble({ planId, query: `question ${at}` }),
      ),
    );

    payloads.forEach(({ fragments, strategies }, at) => {
      expect(idsOf(fragments)).toContain(`echo question ${at}`);
      expect(strategies.find(({ name }) => name === 'echo')?.failure).toBeNull();
      expect(strategies.find(({ name }) => name === 'flaky')?.failure).not.toBeNull();
    });
    const later = await core.contexts.assemble({ planId });
    expect(later.strategies.find(({ name }) => name === 'flaky')?.failure?.reason).toBe(
      'circuit-open',
    );
    expect(fails).toBeLessThanOrEqual(100);
  });
});

describe('stages of a host', () => {
  const marked =
    (mark: string): AssemblyStages['preambleGenerator'] =>
    () =>
      mark;

  it('hold for all plans, for a project before that, and for a plan before both', async () => {
    const { planId, projectId } = await open(
      { stages: { preambleGenerator: marked('global') } },
      'own',
    );
    const other = await core.plans.create({ project: 'harbor', goal: 'mend it' });
    const preambles = async () => [
      (await core.contexts.assemble({ planId })).preamble,
      (await core.contexts.assemble({ planId: other.planId })).preamble,
    ];

    const global = await preambles();
    core.stages.setProject(projectId, { preambleGenerator: marked('project') });
    const project = await preambles();
    core.stages.setPlan(planId, { preambleGenerator: marked('plan') });
    const plan = await preambles();
    core.stages.setPlan(planId, {});

    expect({ global, project, plan, cleared: await preambles() }).toEqual({
      global: ['global', 'global'],
      project: ['project', 'project'],
      plan: ['plan', 'project'],
      cleared: ['project', 'project'],
    });
  });

  it('may be rebound one by one, and ours used within them', async () => {
    const { planId } = await open(
      {
        modules: [
          new ContainerModule((options) => {
            replace(
              options,
              TOKENS.fragmentOrdererStage,
              [],
              (): AssemblyStages['fragmentOrderer'] => (packed) =>
                [...orderFragments(packed)].reverse(),
            );
          }),
        ],
      },
      'a',
      'b',
      'c',
    );
    const ours = await createOssature({ store: { kind: 'in-memory' } });

    const { fragments } = await core.contexts.assemble({ planId });

    expect(ours.resolve(TOKENS.fragmentOrdererStage)).toBe(orderFragments);
    expect(fragments).toHaveLength(3);
  });

  it('that lose fragments do not lose them silently', async () => {
    const { planId } = await open(
      { stages: { detailDepthResolver: () => ({ kept: [], excluded: [] }) } },
      'own',
    );

    const { fragments, excluded } = await core.contexts.assemble({ planId });

    expect(fragments).toEqual([]);
    expect(excluded.map(({ fragmentId, reason }) => [fragmentId, reason])).toContainEqual([
      'own',
      'unexplained',
    ]);
  });

  it.each<{ readonly stage: keyof AssemblyStages; readonly stages: Partial<AssemblyStages> }>([
    {
      stage: 'budgetAllocator',
      stages: { budgetAllocator: () => [{ name: 'keyword', budgetTokens: 100_000 }] },
    },
    {
      stage: 'budgetPacker',
      stages: {
        budgetPacker: (ranked) => ({
          packed: ranked.map((one) => ({
            ...one,
            shown: { ...one.fragment, tokenCount: 1, content: 'word '.repeat(9000) },
          })),
          excluded: [],
        }),
      },
    },
    { stage: 'preambleGenerator', stages: { preambleGenerator: () => 'word '.repeat(9000) } },
  ])('a $stage that breaks its budget is a breach, and nothing is assembled', async (row) => {
    const { planId } = await open({ stages: row.stages }, 'own');

    await expect(core.contexts.assemble({ planId })).rejects.toMatchObject({
      code: 'STAGE_BREACH',
      details: expect.objectContaining({ stage: row.stage }),
    });
  });

  it.each(STAGE_NAMES)('a %s that throws is a breach with its cause', async (stage) => {
    const cause = new Error('defect of the host');
    const throws = (): never => {
      throw cause;
    };
    const { planId } = await open({ stages: { [stage]: throws } }, 'own');

    await expect(core.contexts.assemble({ planId })).rejects.toMatchObject({
      code: 'STAGE_BREACH',
      details: { stage },
      cause,
    });
  });

  it('must be known, and functions', async () => {
    const { planId } = await open();

    expect(() => core.stages.setPlan(planId, { packer: () => [] } as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
    await expect(open({ stages: { budgetPacker: 3 as never } })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});

describe('skeleton compressors', () => {
  const TITLES = 'Logins Caches Queues Tables Layers Routes Tokens Limits Alerts Owners'.split(' ');

  const everything: BudgetCompressor = {
    compressToBudget: (fragments) => ({ kept: fragments, skipped: [] }),
  };

  async function childOf(planId: string): Promise<string> {
    const { child } = await core.coordinator.spawnChild(planId, { goal: 'mend', skeletonRatio: 0 });
    return child.planId;
  }

  it.each([
    { how: 'a name', settings: { compressor: 'mine' } },
    { how: 'a token', settings: { compressor: Symbol.for('host/compressor') } },
  ])('of a host are found by $how', async ({ settings }) => {
    const asked: number[] = [];
    const mine: BudgetCompressor = {
      compressToBudget: (fragments, budget) => {
        asked.push(budget);
        return { kept: fragments.slice(0, 1), skipped: fragments.slice(1) };
      },
    };
    const { planId } = await open(
      {
        assembly: settings,
        compressors: { mine },
        modules: [
          new ContainerModule(({ bind }) => {
            bind(Symbol.for('host/compressor')).toConstantValue(mine);
          }),
        ],
      },
      'a',
      'b',
    );

    const payload = await core.contexts.assemble({ planId: await childOf(planId) });

    expect(asked).toEqual([537]);
    expect(idsOf(payload.skeletonFragments)).toEqual(['a']);
    expect(idsOf(payload.fragments)).toContain('b');
  });

  it('that give more than their budget are a breach', async () => {
    const { planId } = await open({ compressors: { everything } }, 'a', 'b');
    const child = await childOf(planId);
    const request = { planId: child, compressor: 'everything' };

    await expect(
      core.contexts.assemble({ ...request, maxTokens: 60, reservedTokens: 0 }),
    ).rejects.toMatchObject({ code: 'STAGE_BREACH', details: { budgetTokens: 9 } });
    expect((await core.contexts.assemble(request)).skeletonFragments).toHaveLength(2);
  });

  it.each([
    { rule: 'a fragment twice', kept: (all: readonly never[]) => [...all, ...all] },
    {
      rule: 'one that they were not given',
      kept: () => [{ planId: 'x', fragmentId: 'y', content: 'z', tokenCount: 1, relevance: 1 }],
    },
  ])('that give $rule are a breach', async ({ kept }) => {
    const odd = {
      compressToBudget: (all: readonly never[]) => ({ kept: kept(all), skipped: [] }),
    } as unknown as BudgetCompressor;
    const { planId } = await open({ compressors: { odd } }, 'a');

    await expect(
      core.contexts.assemble({ planId: await childOf(planId), compressor: 'odd' }),
    ).rejects.toMatchObject({ code: 'STAGE_BREACH' });
  });

  it('builtin:depth-reduction shows the title lines of more than fits whole', async () => {
    const { planId } = await open();
    const body = `\n\n${'And this is what stands below the title of it.\n'.repeat(12)}`;
    await core.imports.import(
      planId,
      TITLES.map((title) => ({
        item: 'fragment' as const,
        fragment: { fragmentId: title, content: `${title} of the harbor${body}`, relevance: 0.5 },
      })),
    );
    const child = await childOf(planId);
    const request = { planId: child, maxTokens: 1000, reservedTokens: 0, skeletonRatio: 0.2 };

    const whole = await core.contexts.assemble(request);
    const reduced = await core.contexts.assemble({
      ...request,
      compressor: 'builtin:depth-reduction',
    });

    expect(whole.skeletonFragments).toHaveLength(1);
    expect(reduced.skeletonFragments.length).toBeGreaterThan(2);
    expect(reduced.skeletonFragments[0]?.content).toContain('of the harbor');
    expect(reduced.budget.skeletonTokens).toBeLessThanOrEqual(200);
    expect(reduced.skeletonFragments[0]?.reduced?.fullTokenCount).toBeGreaterThan(100);
  });

  it('builtin:depth-reduction is no second showing of what is shown whole beside it', async () => {
    const { planId } = await open();
    const body = `\n\n${'And this is what stands below the title of it.\n'.repeat(12)}`;
    await core.imports.import(
      planId,
      TITLES.map((title) => ({
        item: 'fragment' as const,
        fragment: { fragmentId: title, content: `${title} of the harbor${body}`, relevance: 0.5 },
      })),
    );
    const payload = await core.contexts.assemble({
      planId: await childOf(planId),
      query: 'queues',
      maxTokens: 600,
      reservedTokens: 0,
      skeletonRatio: 0.2,
      compressor: 'builtin:depth-reduction',
    });

    const whole = payload.fragments.filter(({ reduced }) => reduced === undefined);
    const outlined = payload.skeletonFragments.map(({ fragmentId }) => fragmentId);
    expect(idsOf(whole)).toContain('Queues');
    expect(outlined.length).toBeGreaterThan(0);
    expect(outlined).not.toContain('Queues');
    expect(payload.excluded).toContainEqual(
      expect.objectContaining({ fragmentId: 'Queues', reason: 'shallower', strategy: null }),
    );
    const shown = [...idsOf(payload.fragments), ...outlined];
    expect(new Set(shown).size).toBe(shown.length);
  });
});
