/** Triggers of stored sessions: what leaves out of the middle leaves a line, and ends of tasks are boundaries. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOKENS } from '../../src/index.js';
import { append, appendTurns, aStoredSession, turnEntries } from '../support/stored-session.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const small = { windowTokens: 8_000, outputReserveTokens: 0, summaryTokens: 800 };

describe.each(Object.keys(STORES))('a stored session %s', (name) => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  it('under importance leaves lines with handles in place, and each entry is raw, stubbed or covered once', async () => {
    const { core } = opened;
    const { summaries, exports } = core.sessions;
    const key = await aStoredSession(core);
    const settings = { ...small, triggers: [['importance' as const]] };
    let cycles = 0;
    for (let turn = 1; turn <= 60; turn += 1) {
      await appendTurns(core, key, turn, 1, { words: 70 });
      const { outcome, reasons } = await summaries.compact({ ...key, settings });
      expect([outcome, reasons]).toEqual([outcome, outcome === 'adopted' ? [] : reasons]);
      expect(['adopted', 'not_due', 'unchanged']).toContain(outcome);
      if (outcome === 'adopted') cycles += 1;
    }
    expect(cycles).toBeGreaterThan(1);
    const view = await summaries.read(key);
    const live = view.cycles.filter(({ state }) => state === 'live');
    const covered = live.flatMap(({ span }) =>
      span.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)),
    );
    expect(new Set(covered).size).toBe(covered.length);
    expect(live.some(({ stubs }) => stubs.length > 0)).toBe(true);
    const last = live.at(-1);
    const { messages } = await exports.export({ ...key, provider: 'openai-chat' });
    const text = JSON.stringify(messages);
    for (const stub of last?.stubs ?? []) expect(text).toContain(`entry:${stub.seq}`);
    const entries = await core
      .resolve(TOKENS.sessionRepository)
      .listEntries(key, { from: 1, to: null });
    const gone = new Set(covered);
    for (const entry of entries) {
      if (entry.kind !== 'tool_result' && entry.kind !== 'assistant') continue;
      expect(text.includes(entry.content)).toBe(!gone.has(entry.seq));
    }
    for (const provider of ['anthropic', 'openai-responses', 'langchain'] as const) {
      await exports.export({ ...key, provider });
    }
    const boundary = await summaries.compact({
      ...key,
      settings: { ...small, keepTurns: 1, keepTokens: 700 },
      now: true,
    });
    expect(boundary.outcome).toBe('adopted');
    const after = (await summaries.read(key)).cycles.filter(({ state }) => state === 'live');
    const all = after.flatMap(({ span }) =>
      span.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)),
    );
    expect(new Set(all).size).toBe(all.length);
    const cutSeq = after.at(-1)?.cutSeq ?? 0;
    expect(
      Array.from({ length: cutSeq }, (_, at) => at + 1).filter((seq) => !all.includes(seq)),
    ).toEqual([]);
  }, 60_000);

  it('is compacted at the end of a task that the host names, or a commit or closed todos show', async () => {
    const { core } = opened;
    const { summaries } = core.sessions;
    const settings = { ...small, windowTokens: 9_000, triggers: [['task_boundary' as const]] };
    const named = await aStoredSession(core);
    await appendTurns(core, named, 1, 16, { words: 30 });
    const idle = await summaries.compact({ ...named, settings });
    expect(idle).toMatchObject({ outcome: 'not_due', reasons: [{ code: 'no-trigger' }] });
    expect(await summaries.compact({ ...named, settings, isTaskEnded: true })).toMatchObject({
      outcome: 'adopted',
    });

    const committed = await aStoredSession(core);
    await appendTurns(core, committed, 1, 15, { words: 30 });
    const commit = turnEntries(16).map((entry) => {
      if (entry.kind === 'tool_call') {
        return { ...entry, arguments: { command: 'git commit -m "harbor"' } };
      }
      return entry.kind === 'tool_result'
        ? { ...entry, content: '[main 1a2b3c4] harbor\n 1 file changed' }
        : entry;
    });
    await append(core, committed, commit);
    await appendTurns(core, committed, 17, 2, { words: 30 });
    const report = await summaries.compact({ ...committed, settings });
    expect(report.outcome).toBe('adopted');
    expect(report.span.at(-1)?.to).toBeGreaterThanOrEqual(15 * 4 + 3);
  }, 60_000);

  it('needs all triggers of one list, and any of the lists', async () => {
    const { core } = opened;
    const { summaries } = core.sessions;
    const key = await aStoredSession(core);
    await appendTurns(core, key, 1, 16, { words: 30 });
    const both = [['task_boundary' as const, 'fixed_threshold' as const]];
    const check = async (triggers: readonly (readonly ('task_boundary' | 'fixed_threshold')[])[]) =>
      (
        await summaries.check({
          ...key,
          settings: { ...small, windowTokens: 9_000, triggers },
          isTaskEnded: true,
        })
      ).isDue;
    expect(await check(both)).toBe(false);
    expect(await check([...both, ['task_boundary']])).toBe(true);
  });

  it('moves items to the schema that the session chooses, and archives those without a home', async () => {
    const { core } = opened;
    const { summaries } = core.sessions;
    const key = await aStoredSession(core);
    await appendTurns(core, key, 1, 14, { words: 25 });
    const settings = { ...small, keepTurns: 2, keepTokens: 800 };
    await summaries.compact({ ...key, settings, now: true });
    const own = {
      schemaName: 'own',
      version: 1,
      sections: [
        {
          key: 'rules',
          title: 'Rules',
          filledBy: ['pins'],
          identity: 'text',
          required: true,
          maxTokens: null,
          priority: 100,
        },
        {
          key: 'wishes',
          title: 'Wishes',
          filledBy: ['asks'],
          identity: 'ask',
          required: true,
          maxTokens: null,
          priority: 90,
        },
        {
          key: 'findings',
          title: 'Findings',
          filledBy: ['patch'],
          identity: 'subject',
          required: false,
          maxTokens: null,
          priority: 50,
        },
      ],
    };
    const before = await summaries.read(key);
    const receipt = await summaries.configure({ ...key, settings: { schema: own } });
    expect(receipt).toMatchObject({ changed: true, revision: before.session.revision + 1 });
    expect(receipt.homeless.every(({ reason }) => reason === 'section-not-in-schema')).toBe(true);
    const after = await summaries.read(key);
    expect(after.summary.schema.schemaName).toBe('own');
    expect(after.summary.items).toHaveLength(before.summary.items.length);
    const wishes = after.summary.items.filter(({ section }) => section === 'wishes');
    expect(wishes.length).toBeGreaterThan(0);
    await appendTurns(core, key, 15, 12, { words: 25 });
    expect((await summaries.compact({ ...key, settings, now: true })).outcome).toBe('adopted');
  }, 60_000);
});
