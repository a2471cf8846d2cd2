/** Laws of an assembly that hold for every plan, query and budget, and inputs that must do no harm. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  createOssature,
  type Ossature,
  parseCompressionRatio,
  parseReserveRatio,
  renderPayload,
  TOKENS,
  tokensLeft,
  tokensReserved,
} from '../../src/index.js';

let core: Ossature;
beforeAll(async () => {
  core = await createOssature({ store: { kind: 'in-memory' } });
  await core.projects.create('harbor');
});
afterAll(() => core.close());

interface Given {
  readonly content: string;
  readonly tokenCount?: number;
}

async function planWith(fragments: readonly Given[]): Promise<string> {
  const { planId } = await core.plans.create({ project: 'harbor', goal: 'mend the login' });
  await importInto(planId, 'own', fragments);
  return planId;
}

async function importInto(
  planId: string,
  prefix: string,
  fragments: readonly Given[],
): Promise<void> {
  await core.imports.import(
    planId,
    fragments.map((fragment, at) => ({
      item: 'fragment' as const,
      fragment: { fragmentId: `${prefix}-${at}`, relevance: (at % 10) / 10, ...fragment },
    })),
  );
}

const countOf = (text: string): number => core.resolve(TOKENS.tokenCounter).count(text);

const word = fc.constantFrom(
  'login',
  'cookie',
  '漢字',
  'مرحبا',
  '😀',
  'readUserFile',
  'ERR_TLS',
  '\n\n',
  '# Head\n',
  'const a = 1;\n',
  ";'漢-\r\n",
  '}\r',
);
const text = fc.array(word, { minLength: 1, maxLength: 120 }).map((words) => words.join(' '));
const fragment = fc.record(
  { content: text, tokenCount: fc.nat({ max: 400 }) },
  { requiredKeys: ['content'] },
);

describe('an assembly', () => {
  it('stays within its budget and names everything that is not in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fragment, { maxLength: 12 }),
        fc.array(fragment, { maxLength: 12 }),
        fc.integer({ min: 1, max: 2000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom('builtin:skeleton', 'builtin:depth-reduction'),
        text,
        fc.record({ reserved: fc.double({ min: 0, max: 1, noNaN: true }), preamble: fc.boolean() }),
        async (inherited, own, maxTokens, skeletonRatio, compressor, query, more) => {
          const reservedTokens = Math.floor((maxTokens - 1) * more.reserved);
          const parent = await planWith(inherited);
          const { child } = await core.coordinator.spawnChild(parent, {
            goal: 'mend it',
            skeletonRatio: 0,
          });
          await importInto(child.planId, 'child', own);
          const request = {
            planId: child.planId,
            query,
            maxTokens,
            reservedTokens,
            skeletonRatio,
            compressor,
            preamble: more.preamble,
          };

          const payload = await core.contexts.assemble(request);

          const { totalTokens, budget, fragments, skeletonFragments, excluded } = payload;
          expect(totalTokens).toBeLessThanOrEqual(maxTokens - reservedTokens);
          expect(countOf(renderPayload(payload))).toBeLessThanOrEqual(totalTokens);
          expect(budget.skeletonTokens).toBeLessThanOrEqual(budget.skeletonBudget);
          const named = new Set(
            [...fragments, ...skeletonFragments, ...excluded].map(({ fragmentId }) => fragmentId),
          );
          const known = [
            ...inherited.map((_, at) => `own-${at}`),
            ...own.map((_, at) => `child-${at}`),
          ];
          expect(known.filter((id) => !named.has(id))).toEqual([]);
          expect(await core.contexts.assemble(request)).toEqual(payload);
        },
      ),
      { seed: 17, numRuns: 40 },
    );
  });

  it.each([0, 1, 3])(
    'fits also where every blank line makes the whole %p tokens longer than its parts',
    async (worse) => {
      const count = (sent: string): number =>
        sent.split(/\s+/).filter(Boolean).length + worse * (sent.match(/\S\n\n\S/g) ?? []).length;
      const odd = await createOssature({
        store: { kind: 'in-memory' },
        tokenCounter: { name: 'odd', version: '1', count },
      });
      await odd.projects.create('harbor');
      const { planId } = await odd.plans.create({ project: 'harbor', goal: 'mend the login' });
      const line = 'the login of the harbor is kept in a cookie that lasts two hours';
      await odd.imports.import(
        planId,
        Array.from({ length: 60 }, (_, at) => ({
          item: 'fragment' as const,
          fragment: { fragmentId: `f${at}`, content: `${at} ${line}`, relevance: 0.5 },
        })),
      );
      const { child } = await odd.coordinator.spawnChild(planId, { goal: 'g', skeletonRatio: 0 });

      const payloads = await Promise.all(
        [1, 20, 60, 300, 700].map((maxTokens) =>
          odd.contexts.assemble({ planId: child.planId, maxTokens, reservedTokens: 0 }),
        ),
      );

      const sizes = payloads.map((payload) => count(renderPayload(payload)));
      payloads.forEach(({ totalTokens, budget }, at) => {
        expect(totalTokens).toBeLessThanOrEqual(budget.availableTokens);
        expect(sizes[at]).toBeLessThanOrEqual(totalTokens);
      });
      expect(sizes.at(-1)).toBeGreaterThan(500);
      await odd.close();
    },
  );

  it.each([
    { skeletonRatio: 0, skeletonBudget: 0, skeletonTokens: 0, roomTokens: 100 },
    { skeletonRatio: 0.29, skeletonBudget: 29, skeletonTokens: 29, roomTokens: 71 },
    { skeletonRatio: 0.58, skeletonBudget: 58, skeletonTokens: 40, roomTokens: 60 },
    { skeletonRatio: 1, skeletonBudget: 100, skeletonTokens: 40, roomTokens: 60 },
  ])(
    'of 100 tokens reserves $skeletonBudget at $skeletonRatio, and what the skeleton leaves is for the others',
    async ({ skeletonRatio, ...budget }) => {
      const parent = await planWith([{ content: 'one', tokenCount: 29 }]);
      await importInto(parent, 'rest', [{ content: 'two', tokenCount: 11 }]);
      const { child } = await core.coordinator.spawnChild(parent, { goal: 'g', skeletonRatio: 0 });
      const request = { maxTokens: 100, reservedTokens: 0, preamble: false, skeletonRatio };

      const payload = await core.contexts.assemble({ planId: child.planId, ...request });

      expect(payload.budget).toMatchObject(budget);
    },
  );

  it.each([0, 20, 512])(
    'sends no more than what is available where %p tokens are reserved',
    async (reservedTokens) => {
      const planId = await planWith(
        Array.from({ length: 60 }, (_, at) => ({
          content: `Line ${at} of the long log of logins, all of them alike.`,
        })),
      );
      const maxTokens = reservedTokens + 600;

      const payload = await core.contexts.assemble({ planId, maxTokens, reservedTokens });

      expect(payload.fragments.length).toBeGreaterThan(3);
      expect(countOf(renderPayload(payload))).toBeLessThanOrEqual(600);
    },
  );

  it('does not compile with the one ratio where the other is meant', () => {
    const removed = parseCompressionRatio(0.25);
    const reserved = parseReserveRatio(0.25);

    // @ts-expect-error -- a share removed is no share reserved
    expect(tokensReserved(100, removed)).toBe(25);
    // @ts-expect-error -- nor the other way round
    expect(tokensLeft(100, reserved)).toBe(75);
  });

  it('reserves where the service removes: the same 0 is everything there and nothing here', async () => {
    const parent = await planWith([{ content: 'The login is broken since the last deploy.' }]);

    const { child, inherited } = await core.coordinator.spawnChild(parent, {
      goal: 'g',
      skeletonRatio: 0,
    });
    const { skeletonFragments } = await core.contexts.assemble({
      planId: child.planId,
      skeletonRatio: 0,
    });

    expect(inherited).toHaveLength(1);
    expect(skeletonFragments).toEqual([]);
  });

  it.each([
    { rule: 'empty', query: '' },
    { rule: 'blank', query: ' \n\t ' },
    { rule: 'one megabyte of one character', query: 'a'.repeat(1_000_000) },
    { rule: 'one megabyte of words', query: 'login cookie '.repeat(80_000) },
    { rule: 'without a known word', query: 'zzyzx qwrtp' },
    { rule: 'Chinese', query: '登录什么时候过期？' },
    { rule: 'Arabic', query: 'متى تنتهي صلاحية تسجيل الدخول؟' },
    { rule: 'emoji', query: '😀👩‍👩‍👧🏽' },
    { rule: 'ill-formed', query: 'a\uD800b' },
  ])('takes a query that is $rule', async ({ query }) => {
    const planId = await planWith([
      { content: 'The login cookie expires after two hours, says the manual.' },
      { content: '登录的有效期是两个小时。之后用户必须重新登录，否则请求会被拒绝。' },
    ]);

    const { fragments, totalTokens } = await core.contexts.assemble({ planId, query });

    expect(fragments).toHaveLength(2);
    expect(totalTokens).toBeLessThanOrEqual(3584);
  });

  it('takes a megabyte of one character as a fragment, and shows what fits of it', async () => {
    const planId = await planWith([
      { content: 'x'.repeat(1_000_000) },
      { content: `# Log\n${'a line of the log that goes on and on\n'.repeat(25_000)}` },
    ]);

    const payload = await core.contexts.assemble({ planId, query: 'log' });

    expect(payload.totalTokens).toBeLessThanOrEqual(3584);
    expect(payload.fragments.length + payload.excluded.length).toBeGreaterThanOrEqual(2);
    expect(payload.fragments.every(({ reduced }) => reduced !== undefined)).toBe(true);
  });

  it.each([
    { given: { maxTokens: 100, reservedTokens: 100 }, code: 'INVALID_BUDGET' },
    { given: { maxTokens: Number.NaN }, code: 'INVALID_BUDGET' },
    { given: { maxTokens: 0 }, code: 'INVALID_BUDGET' },
    { given: { maxTokens: 1.5 }, code: 'INVALID_BUDGET' },
    { given: { maxTokens: null as never }, code: 'INVALID_BUDGET' },
    { given: { maxTokens: Infinity }, code: 'INVALID_BUDGET' },
    { given: { maxTokens: -Infinity }, code: 'INVALID_BUDGET' },
    { given: { maxTokens: '4096' as never }, code: 'INVALID_BUDGET' },
    { given: { maxTokens: 2 ** 53 }, code: 'INVALID_BUDGET' },
    { given: { maxTokens: 100, reservedTokens: 101 }, code: 'INVALID_BUDGET' },
    { given: { reservedTokens: 4096 }, code: 'INVALID_BUDGET' },
    { given: { reservedTokens: Number.NaN }, code: 'INVALID_BUDGET' },
    { given: { reservedTokens: 0.5 }, code: 'INVALID_BUDGET' },
    { given: { reservedTokens: '512' as never }, code: 'INVALID_BUDGET' },
    { given: { smallestFragment: Infinity }, code: 'INVALID_BUDGET' },
    { given: { skeletonRatio: Infinity }, code: 'INVALID_RATIO' },
    { given: { skeletonRatio: -Infinity }, code: 'INVALID_RATIO' },
    {
      given: { weights: { relevance: Number.NaN, hierarchy: 0, quality: 0, recency: 0 } },
      code: 'INVALID_INPUT',
    },
    {
      given: { weights: { relevance: Infinity, hierarchy: 0, quality: 0, recency: 0 } },
      code: 'INVALID_INPUT',
    },
    {
      given: { weights: { relevance: '1', hierarchy: 0, quality: 0, recency: 0 } as never },
      code: 'INVALID_INPUT',
    },
    { given: { strategyCap: 1.01 }, code: 'INVALID_INPUT' },
    { given: { strategyCap: Number.NaN }, code: 'INVALID_INPUT' },
    { given: { strategyTimeoutMs: Infinity }, code: 'INVALID_INPUT' },
    { given: { strategyTimeoutMs: '5' as never }, code: 'INVALID_INPUT' },
    { given: { preamble: 'no' as never }, code: 'INVALID_INPUT' },
    { given: { preferredStrategies: [7] as never }, code: 'INVALID_INPUT' },
    { given: { compressor: '' }, code: 'INVALID_INPUT' },
    { given: { compressor: Symbol.for('nobody') }, code: 'INVALID_CONFIG' },
    { given: { reservedTokens: -1 }, code: 'INVALID_BUDGET' },
    { given: { smallestFragment: -1 }, code: 'INVALID_BUDGET' },
    { given: { skeletonRatio: -0.01 }, code: 'INVALID_RATIO' },
    { given: { skeletonRatio: null as never }, code: 'INVALID_RATIO' },
    { given: { skeletonRatio: 1.01 }, code: 'INVALID_RATIO' },
    { given: { skeletonRatio: Number.NaN }, code: 'INVALID_RATIO' },
    { given: { skeletonRatio: '0.1' as never }, code: 'INVALID_RATIO' },
    { given: { weights: { relevance: -1 } as never }, code: 'INVALID_INPUT' },
    {
      given: { weights: { relevance: 0, hierarchy: 0, quality: 0, recency: 0 } },
      code: 'INVALID_INPUT',
    },
    { given: { weights: null as never }, code: 'INVALID_INPUT' },
    { given: { strategyCap: 0 }, code: 'INVALID_INPUT' },
    { given: { strategyCap: null as never }, code: 'INVALID_INPUT' },
    { given: { budget: 4096 } as never, code: 'INVALID_INPUT' },
    { given: { strategyTimeoutMs: 0 }, code: 'INVALID_INPUT' },
    { given: { query: 7 as never }, code: 'INVALID_INPUT' },
    { given: { preferredStrategies: 'keyword' as never }, code: 'INVALID_INPUT' },
    { given: { compressor: 'none' }, code: 'INVALID_CONFIG' },
    { given: { planId: 'build' }, code: 'INVALID_ID' },
    { given: { planId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }, code: 'NOT_FOUND' },
  ])('refuses $given with $code', async ({ given, code }) => {
    const planId = await planWith([]);

    await expect(core.contexts.assemble({ planId, ...given })).rejects.toMatchObject({ code });
  });

  it.each([
    { assembly: { skeletonRatio: 2 }, code: 'INVALID_RATIO' },
    { assembly: { skeletonRatio: null as never }, code: 'INVALID_RATIO' },
    { assembly: { bogus: 1 } as never, code: 'INVALID_INPUT' },
  ])(
    'refuses the settings $assembly, which no request could mend, at the start',
    async ({ assembly, code }) => {
      await expect(
        createOssature({ store: { kind: 'in-memory' }, assembly }),
      ).rejects.toMatchObject({ code });
    },
  );

  it('takes a setting that is undefined as not given', async () => {
    const planId = await planWith([]);
    const undecided = { planId, maxTokens: undefined } as never;
    const { budget } = await core.contexts.assemble(undecided);
    expect(budget.maxTokens).toBe(4096);
  });
});
