/** A hundred assemblies at once on one core, while strategies fail and hang. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AssemblyPayload,
  type ContextStrategy,
  createOssature,
  type Ossature,
  type OssatureOptions,
  type StrategyRequest,
} from '../../src/index.js';
import { createTestDatabase } from '../support/postgres.js';

const AT_ONCE = 100;
const PLANS = 10;
const CONNECTIONS = 50;
/** Milliseconds; a strategy that hangs is given up after that. */
const TIMEOUT_MS = 1_500;
/** Longer than a breaker stays open. */
const PAUSE_MS = 31_000;

type Store = OssatureOptions['store'];
type Work = (
  request: StrategyRequest,
  signal: AbortSignal,
) => ReturnType<ContextStrategy['assemble']>;

const STORES: readonly {
  readonly kind: string;
  readonly open: () => Promise<{ readonly store: Store; readonly drop: () => Promise<void> }>;
}[] = [
  {
    kind: 'in memory',
    open: async () => ({ store: { kind: 'in-memory' }, drop: async () => undefined }),
  },
  {
    kind: 'on Postgres',
    open: async () => {
      const database = await createTestDatabase();
      return { store: { kind: 'url', url: database.url }, drop: () => database.drop() };
    },
  },
];

function aStrategy(name: string, assemble: Work): ContextStrategy {
  return {
    name,
    quality: 0.5,
    canHandle: () => 0.5,
    assemble: (request, { signal }) => assemble(request, signal),
  };
}

const failureOf = ({ strategies }: AssemblyPayload, name: string) =>
  strategies.find((strategy) => strategy.name === name)?.failure;

describe.each(STORES)('a hundred assemblies at once $kind', ({ open }) => {
  let core: Ossature;
  let drop: () => Promise<void>;
  let planIds: readonly string[];
  let now = Date.now();
  let isDown = true;
  const calls = { failing: 0, hanging: 0, told: 0 };

  const strategies = [
    aStrategy('echo', async ({ planId, query }) => {
      await new Promise((resolve) => setTimeout(resolve, query.length % 7));
      const content = `The echo of ${query} for the plan ${planId}, word for word.`;
      return [{ planId, fragmentId: `echo ${query}`, content, tokenCount: 0, relevance: 1 }];
    }),
    aStrategy('failing', async () => {
      calls.failing += 1;
      if (isDown) throw new Error('The source is down.');
      return [];
    }),
    aStrategy('hanging', (_request, signal) => {
      calls.hanging += 1;
      if (!isDown) return Promise.resolve([]);
      signal.addEventListener('abort', () => (calls.told += 1));
      return new Promise(() => undefined);
    }),
  ];

  beforeAll(async () => {
    const opened = await open();
    drop = opened.drop;
    core = await createOssature({
      store: opened.store,
      checkSchema: false,
      config: { poolSize: CONNECTIONS },
      strategies,
      assembly: { strategyTimeoutMs: TIMEOUT_MS },
      clock: () => new Date(now),
    });
    if (opened.store.kind === 'url') await core.migrate();
    await core.projects.create('harbor');
    planIds = await Promise.all(
      Array.from({ length: PLANS }, async (_, at) => {
        const { planId } = await core.plans.create({ project: 'harbor', goal: `goal ${at}` });
        await core.imports.import(planId, [
          {
            item: 'fragment' as const,
            fragment: {
              fragmentId: 'own',
              content: `What only the plan number ${at} knows of the harbor, and no other plan.`,
              relevance: 0.5,
            },
          },
        ]);
        return planId;
      }),
    );
  });
  afterAll(async () => {
    await core.close();
    await drop();
  });

  const assembleAll = () =>
    Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        core.contexts.assemble({ planId: planIds[at % PLANS] ?? '', query: `question ${at}` }),
      ),
    );

  it('each have their own payload, and name the strategies that fail or hang', async () => {
    const payloads = await assembleAll();

    payloads.forEach((payload, at) => {
      const texts = payload.fragments.map(({ content }) => content).join('\n');
      expect(payload.query).toBe(`question ${at}`);
      expect(texts).toContain(`The echo of question ${at} for the plan ${planIds[at % PLANS]},`);
      expect(texts).toContain(`What only the plan number ${at % PLANS} knows`);
      expect(texts.match(/The echo of/g)).toHaveLength(1);
      expect(texts.match(/What only/g)).toHaveLength(1);
      expect(payload.totalTokens).toBeLessThanOrEqual(payload.budget.availableTokens);
      expect(failureOf(payload, 'echo')).toBeNull();
      expect(failureOf(payload, 'failing')?.reason).toMatch(/^threw$|^circuit-open$/);
      expect(failureOf(payload, 'hanging')?.reason).toMatch(/^timed-out$|^circuit-open$/);
    });
    // Each run that was let in and hung was told to stop.
    expect(calls.told).toBe(calls.hanging);
  }, 60_000);

  it('leave both alone when the circuits are open, without waiting for them', async () => {
    const before = { ...calls };
    const payloads = await assembleAll();

    expect(calls).toEqual(before);
    const reasons = new Set(
      payloads.flatMap((payload) => [
        failureOf(payload, 'failing')?.reason,
        failureOf(payload, 'hanging')?.reason,
      ]),
    );
    expect([...reasons]).toEqual(['circuit-open']);
  }, 60_000);

  it('let one of them probe after the pause, and stay away where it fails', async () => {
    now += PAUSE_MS;
    const before = { ...calls };
    const payloads = await assembleAll();

    expect(calls.failing - before.failing).toBe(1);
    expect(calls.hanging - before.hanging).toBe(1);
    const ofFailing = payloads.map((payload) => failureOf(payload, 'failing')?.reason);
    expect(ofFailing.filter((reason) => reason === 'threw')).toHaveLength(1);
    expect(ofFailing.filter((reason) => reason === 'circuit-open')).toHaveLength(AT_ONCE - 1);
  }, 60_000);

  it('come back to both when the probe succeeds', async () => {
    now += PAUSE_MS;
    isDown = false;
    await core.contexts.assemble({ planId: planIds[0] ?? '', query: 'a probe' });
    const payloads = await assembleAll();

    expect(payloads.map((payload) => failureOf(payload, 'failing') ?? null)).toEqual(
      payloads.map(() => null),
    );
    expect(payloads.map((payload) => failureOf(payload, 'hanging') ?? null)).toEqual(
      payloads.map(() => null),
    );
  }, 60_000);

  it('give what each gives alone', async () => {
    const together = await assembleAll();
    const [at, one] = [17, together[17]];
    const alone = await core.contexts.assemble({
      planId: planIds[at % PLANS] ?? '',
      query: `question ${at}`,
    });

    expect(one).toEqual(alone);
  }, 60_000);
});
