/** What models and hosts say in an evaluation goes through the one way in for text, like everything else. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type LanguageModel, type Ossature, TOKENS } from '../../src/index.js';
import { login401Transcript } from '../../src/domain/evaluation/login-401.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { aStoredSession } from '../support/stored-session.js';

const SECRET = `sk-${'a1B2c3D4'.repeat(6)}`;
const LONE = '\ud83d';
const SAID = `The key is ${SECRET} ${LONE}.`;

/** Says a secret and half a character whatever it is asked. */
const model: LanguageModel = {
  name: 'careless',
  complete: async ({ system, messages }) => {
    const asked = `${system}\n${messages.map(({ text }) => text).join('\n')}`;
    const ids = [...asked.matchAll(/"criterionId":"(\w+)"/g)].map(([, id]) => id);
    const answer =
      ids.length > 0
        ? { marks: ids.map((criterionId) => ({ criterionId, score: 3, reason: SAID })) }
        : { answer: SAID };
    return {
      text: JSON.stringify(answer),
      usage: { inputTokens: 1, cachedInputTokens: null, outputTokens: 1 },
      finishReason: 'stop',
    };
  },
};

describe.each(['in memory', 'on Postgres'])('what is said in an evaluation, %s', (kind) => {
  let database: TestDatabase | null = null;
  let core: Ossature;
  let key: { readonly tenantId: string; readonly sessionId: string };
  beforeAll(async () => {
    if (kind === 'on Postgres') database = await createTestDatabase();
    core = await createOssature({
      store: database === null ? { kind: 'in-memory' } : { kind: 'url', url: database.url },
      checkSchema: false,
      languageModel: model,
      evaluationArms: { loud: async () => ({ text: SAID }) },
    });
    if (database !== null) await core.migrate();
    key = await aStoredSession(core, { sessionId: core.resolve(TOKENS.newId)() });
    await core.sessions.ingestion.append({ ...key, entries: login401Transcript(), redact: null });
    await core.sessions.summaries.compact({
      ...key,
      settings: { windowTokens: 100_000, strategy: 'offline' },
      now: true,
    });
  }, 60_000);
  afterAll(async () => {
    await core.close();
    await database?.drop();
  });

  async function stored(runId: string): Promise<string> {
    const evaluations = core.resolve(TOKENS.evaluationRepository);
    return JSON.stringify([
      await evaluations.listAnswers(key.tenantId, runId),
      await evaluations.listMarks(key.tenantId, runId),
      await evaluations.listJudgements(key.tenantId, runId),
      await core.evaluations.runs.get(key.tenantId, runId),
    ]);
  }

  it('by answerers and hosts is stored without its secrets, and well-formed', async () => {
    const { runId } = await core.evaluations.comparisons.compare(
      {
        tenantId: key.tenantId,
        sessionIds: [key.sessionId],
        arms: ['full', 'loud'],
        targetTokens: 20_000,
        cycles: 1,
        seed: 1,
        judge: false,
        judgeRuns: 1,
      },
      new AbortController().signal,
    );
    const text = await stored(runId);
    expect(text).toContain('[redacted:');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('\\ud83d');
  }, 60_000);

  it('by a judge likewise', async () => {
    const { runId } = await core.evaluations.runs.record(
      { tenantId: key.tenantId, kind: 'judge-check', settings: {} },
      (run) => core.evaluations.judge.check(run, new AbortController().signal),
    );
    const text = await stored(runId);
    expect(text).toContain('[redacted:');
    expect(text).not.toContain(SECRET);
  }, 60_000);
});
