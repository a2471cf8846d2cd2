/** Ways to shrink beside each other: strategies that ask a summarizer, blobs, and arms of a host. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature, type Summarizer, TOKENS } from '../../src/index.js';
import { login401Transcript } from '../../src/domain/evaluation/login-401.js';
import { aStoredSession } from '../support/stored-session.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const TARGET = 20_000;
const USAGE = { uncachedInputTokens: 100, cachedInputTokens: 20, outputTokens: 5 };

/** Says next to nothing, in each of the three ways. */
const scripted: Summarizer = {
  name: 'scripted',
  windowTokens: null,
  overheadTokens: 0,
  summarise: async ({ approach, window }) => {
    const said = {
      text: 'Login: the work went on',
      refs: [],
      sources: [`entry:${window.seqs[0]}`],
      state: 'open',
    };
    const told = { usage: USAGE, end: 'complete' } as const;
    switch (approach) {
      case 'anchored':
        return {
          ...told,
          kind: 'patch',
          patch: { operations: [{ operation: 'add', section: 'current_state', ...said }] },
        };
      case 'regenerative':
        return { ...told, kind: 'document', document: { sections: { current_state: [said] } } };
      case 'opaque':
        return {
          ...told,
          kind: 'opaque',
          blob: {
            provider: 'any',
            format: 'application/octet-stream',
            payload: 'AAAA',
            expiresAt: null,
          },
        };
    }
  },
};

describe.each(['in memory', 'on Postgres'])('a comparison of strategies, %s', (kind) => {
  let database: TestDatabase | null = null;
  let core: Ossature;
  let key: { readonly tenantId: string; readonly sessionId: string };
  const shown: number[] = [];

  beforeAll(async () => {
    if (kind === 'on Postgres') database = await createTestDatabase();
    core = await createOssature({
      store: database === null ? { kind: 'in-memory' } : { kind: 'url', url: database.url },
      checkSchema: false,
      summarizer: scripted,
      evaluationArms: {
        'last-prompt': async ({ entries, targetTokens }) => {
          shown.push(targetTokens);
          return {
            text: entries.findLast(({ author }) => author === 'human')?.content ?? '',
            summarizerTokens: 7,
          };
        },
        broken: async () => {
          throw new Error('the compressor is out');
        },
      },
    });
    if (database !== null) await core.migrate();
    key = await aStoredSession(core, { sessionId: core.resolve(TOKENS.newId)() });
    await core.sessions.ingestion.append({ ...key, entries: login401Transcript(), redact: null });
  }, 60_000);
  afterAll(async () => {
    await core.close();
    await database?.drop();
  });

  const compare = (arms: readonly string[], cycles = 1) =>
    core.evaluations.comparisons.compare(
      {
        tenantId: key.tenantId,
        sessionIds: [key.sessionId],
        arms,
        targetTokens: TARGET,
        cycles,
        seed: 1,
        judge: false,
        judgeRuns: 1,
      },
      new AbortController().signal,
    );

  it('asks every arm the same probes, and tells of each what it can', async () => {
    const arms = ['full', 'offline', 'anchored', 'regenerative', 'opaque', 'last-prompt'];
    const { report } = await compare(arms);
    const figure = (arm: string, name: string) =>
      report.arms.find((one) => one.name === arm)?.figures[name];

    expect(report.failures).toEqual([]);
    expect(report.arms.map(({ name }) => name).sort()).toEqual([...arms].sort());
    expect(report.n).toMatchObject({ sessions: 1, points: 1, failed_passes: 0 });
    expect(figure('full', 'survival')).toMatchObject({ value: 1 });
    // The same code fills the sections of both.
    expect(figure('anchored', 'survival')?.value).toBe(figure('offline', 'survival')?.value);
    expect(figure('last-prompt', 'survival')?.value).toBeLessThan(
      figure('offline', 'survival')?.value ?? 0,
    );
    // A blob is compared by answers alone.
    expect(figure('opaque', 'survival')?.value ?? null).toBeNull();
    expect(report.notAssessed).toContainEqual({
      criterion: 'survival of opaque',
      reason: 'not-applicable',
      count: 1,
    });
    for (const arm of ['anchored', 'regenerative', 'opaque']) {
      expect(figure(arm, 'tokens_after')?.value).toBeLessThanOrEqual(TARGET);
      expect(figure(arm, 'summarizer_tokens')?.value).toBeGreaterThan(0);
    }
    expect(figure('last-prompt', 'summarizer_tokens')?.value).toBe(7);
    expect(new Set(shown)).toEqual(new Set([TARGET]));
    expect(report.warnings).toContain('1 session: too few to rank.');
    // The stored session has no cycle of all this.
    expect((await core.sessions.summaries.read(key)).session).toMatchObject({ cycle: 0 });
  }, 60_000);

  it('an arm that fails is a result that is counted, with its reason', async () => {
    const { report } = await compare(['full', 'broken']);

    expect(report.n).toMatchObject({ failed_passes: 1 });
    expect(report.failures).toEqual([
      {
        what: 'pass of broken',
        reason: expect.stringContaining('the compressor is out'),
        count: 1,
      },
    ]);
  }, 60_000);

  // prettier-ignore
  it.each([
    { rule: 'an unknown arm',     arms: ['full', 'luck'],       said: /luck.*last-prompt/s },
    { rule: 'an unknown chooser', arms: ['offline:luck'],       said: /offline:luck/ },
    { rule: 'no arm',             arms: [],                     said: /No arm is named/ },
  ])('refuses $rule and names what there is', async ({ arms, said }) => {
    await expect(compare(arms)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(said),
    });
  });
});
