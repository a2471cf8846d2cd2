/** S13: several cores append and compact one session at once; no entry is lost, doubled or moved. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature, TOKENS } from '../../src/index.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { faithfulPatch, scriptedSummarizer } from '../support/scripted-summarizer.js';
import { append, appendTurns, aStoredSession, turnEntries } from '../support/stored-session.js';

const settings = {
  windowTokens: 6_000,
  outputReserveTokens: 0,
  keepTurns: 1,
  keepTokens: 800,
  summaryTokens: 600,
};

describe('several processes on one session', () => {
  let database: TestDatabase;
  const cores: Ossature[] = [];
  let whileAsked = async (): Promise<void> => {};
  beforeAll(async () => {
    database = await createTestDatabase();
    const summarizer = scriptedSummarizer(async (request) => {
      await whileAsked();
      return faithfulPatch(request);
    });
    // Each with connections of its own, as processes have them.
    for (let process = 0; process < 3; process += 1) {
      const store = { kind: 'url', url: database.url } as const;
      const core = await createOssature({ store, checkSchema: false, summarizer });
      if (process === 0) await core.migrate();
      cores.push(core);
    }
  });
  afterAll(async () => {
    for (const core of cores) await core.close();
    await database.drop();
  });

  async function expectWhole(key: { tenantId: string; sessionId: string }, turns: number) {
    const [core] = cores as [Ossature];
    const entries = await core
      .resolve(TOKENS.sessionRepository)
      .listEntries(key, { from: 1, to: null });
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1));
    expect(new Set(entries.map(({ sourceKey }) => sourceKey)).size).toBe(4 * turns);
    expect(entries).toHaveLength(4 * turns);
    const { cycles } = await core.sessions.summaries.read(key);
    const covered = cycles.flatMap(({ span }) =>
      span.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)),
    );
    expect(covered).toEqual(covered.map((_, at) => at + 1));
    expect(covered.length).toBe(cycles.at(-1)?.cutSeq);
    await core.sessions.exports.export({ ...key, provider: 'anthropic' });
  }

  it('what is said while a model writes stands behind the cut, in order', async () => {
    const [one, two] = cores as [Ossature, Ossature];
    const key = await aStoredSession(one);
    await appendTurns(one, key, 1, 8, { words: 25 });
    whileAsked = async () => {
      whileAsked = async () => {};
      await append(two, key, turnEntries(9, { prompt: 'Said while the model was writing.' }));
    };
    const report = await one.sessions.summaries.compact({ ...key, settings, now: true });
    expect(report).toMatchObject({ outcome: 'adopted', cycle: 1 });
    await expectWhole(key, 9);
    const { messages } = await one.sessions.exports.export({ ...key, provider: 'openai-chat' });
    expect(JSON.stringify(messages)).toContain('Said while the model was writing.');
  });

  it('appending, compacting and pinning at once end as if one had gone after the other', async () => {
    const [first] = cores as [Ossature];
    const key = await aStoredSession(first);
    await appendTurns(first, key, 1, 6, { words: 25 });
    const appending = async (core: Ossature, process: number): Promise<void> => {
      for (let turn = 0; turn < 5; turn += 1) {
        const from = 100 * (process + 1) + turn;
        for (let tries = 0; ; tries += 1) {
          try {
            await append(core, key, turnEntries(from, { words: 25 }));
            break;
          } catch (error) {
            if (tries > 20 || (error as { code?: string }).code !== 'STALE') throw error;
          }
        }
      }
    };
    const outcomes: string[] = [];
    const compacting = async (core: Ossature): Promise<void> => {
      for (let pass = 0; pass < 4; pass += 1) {
        const report = await core.sessions.summaries.compact({ ...key, settings, now: true });
        outcomes.push(report.outcome);
      }
    };
    const pinning = first.sessions.summaries.pin({
      ...key,
      text: 'Never touch the harbor.',
      redact: (text) => ({ text, redactions: {} }),
    });
    await Promise.all([...cores.map(appending), ...cores.map(compacting), pinning]);
    expect(outcomes).toContain('adopted');
    expect(new Set(outcomes).has('failed')).toBe(false);
    const last = await first.sessions.summaries.compact({ ...key, settings, now: true });
    expect(['adopted', 'unchanged']).toContain(last.outcome);
    await expectWhole(key, 6 + 15);
  }, 60_000);
});
