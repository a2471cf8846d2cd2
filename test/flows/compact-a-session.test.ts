/** Stored sessions are summarized without a model, pass after pass, and nothing gets lost on the way. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { renderSummary } from '../../src/domain/session/summary/render-summary.js';
import { activePins } from '../../src/domain/session/summary/summary-item.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { TOKENS } from '../../src/index.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const LINES = readFileSync(resolve('examples/session.jsonl'), 'utf8').split('\n');
const [reader] = transcriptReaders(sha256, createEstimateCounter());

/** Small against the example, so that it has to be cut again as it grows. */
const settings = { windowTokens: 6_000, outputReserveTokens: 0, keepTurns: 1, keepTokens: 1_500 };

describe.each(Object.keys(STORES))('a stored session %s', (name) => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  /** @param share of the example, from its beginning. */
  async function imported(tenantId: string, share = 1) {
    if (reader === undefined) throw new Error('no reader');
    const { ingestion, stored } = opened.core.sessions;
    const text = LINES.slice(0, Math.ceil(LINES.length * share)).join('\n');
    await ingestion.import({ tenantId, source: memorySource(text), reader, redact });
    // Its sub-agents are sessions, too.
    const session = (await stored.list(tenantId)).find((one) => one.parentSessionId === null);
    if (session === undefined) throw new Error('no session');
    return session;
  }

  async function compactUntilUnchanged(session: { tenantId: string; sessionId: string }) {
    const outcomes: string[] = [];
    for (let pass = 0; pass < 10; pass += 1) {
      const { tenantId, sessionId } = session;
      const request = { tenantId, sessionId, settings, now: true };
      const report = await opened.core.sessions.summaries.compact(request);
      outcomes.push(report.outcome);
      if (report.outcome !== 'adopted') break;
      expect(report.tokensAfter ?? Infinity).toBeLessThanOrEqual(report.targetTokens ?? 0);
    }
    return outcomes;
  }

  it('is compacted as it grows until nothing is left to do, and loses nothing', async () => {
    const { summaries, trail } = opened.core.sessions;
    const outcomes: string[] = [];
    for (const share of [0.3, 0.6, 0.8, 1]) {
      const session = await imported('compacted', share);
      outcomes.push(...(await compactUntilUnchanged(session)));
    }
    expect(outcomes.filter((outcome) => outcome === 'adopted').length).toBeGreaterThan(1);
    expect(new Set(outcomes)).toEqual(new Set(['adopted', 'unchanged']));

    const session = await imported('compacted');
    const view = await summaries.read(session);
    const { sessions } = opened.core.resolve(TOKENS.repositories);
    const entries = await sessions.listEntries(session, { from: 1, to: null });
    const cutSeq = view.cycles.at(-1)?.cutSeq ?? 0;
    const covered = view.cycles.flatMap(({ span }) =>
      span.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)),
    );
    const left = entries.filter(({ seq, kind }) => seq <= cutSeq && kind !== 'system');
    expect(new Set(covered).size).toBe(covered.length);
    expect(left.filter(({ seq }) => !covered.includes(seq))).toEqual([]);
    expect(covered.filter((seq) => seq > cutSeq)).toEqual([]);

    const pins = activePins(view.summary);
    const rendered = renderSummary(view.summary);
    expect(pins.length).toBeGreaterThan(1);
    for (const { text, sourceEntryIds } of pins) {
      const sources = entries.filter(({ entryId }) => sourceEntryIds.includes(entryId));
      expect(sources.some(({ content }) => content.includes(text))).toBe(true);
      expect(rendered).toContain(text);
    }

    const untouched = await imported('untouched');
    const [told] = await trail.read(session);
    const [expected] = await trail.read(untouched);
    expect(told?.trail).toEqual(expected?.trail);
    expect((await summaries.status({ ...request(session), settings })).lastAttempt).toMatchObject({
      outcome: 'adopted',
      checks: { pins: 'passed', size: 'passed', pairing: 'passed' },
    });
  });

  it('stays as it is in a dry run, below the lines, and where the floor is over the budget', async () => {
    const session = await imported('careful');
    const { summaries } = opened.core.sessions;
    const dry = await summaries.compact({ ...request(session), settings, now: true, dryRun: true });
    expect(dry).toMatchObject({ outcome: 'planned', attemptId: null });
    const wide = { windowTokens: 10_000_000 };
    const idle = await summaries.compact({
      ...request(session),
      settings: { ...wide, slideTurns: 10_000 },
    });
    expect(idle).toMatchObject({
      outcome: 'not_due',
      reasons: [{ code: 'no-trigger' }],
      breakdown: null,
      targetTokens: null,
    });
    const { usedTokens } = await summaries.status({ ...request(session), settings: wide });
    expect(idle.tokensBefore).toBeGreaterThanOrEqual(usedTokens);
    const frame = { systemTokens: 5_000, toolTokens: 0 };
    const over = { ...request(session), settings, frame };
    const stopped = await summaries.compact(over);
    expect(stopped).toMatchObject({ outcome: 'stopped', reasons: [{ code: 'floor-over-budget' }] });
    const again = await summaries.compact(over);
    expect(again.attemptId === stopped.attemptId || again.outcome !== 'stopped').toBe(true);
    expect((await summaries.read(session)).summary.items).toEqual([]);
    expect((await imported('careful')).revision).toBe(session.revision);
  });

  it('is compacted once by two passes at the same moment', async () => {
    const session = await imported('twice');
    const { summaries } = opened.core.sessions;
    const once = () => summaries.compact({ ...request(session), settings, now: true });
    const reports = await Promise.all([once(), once()]);
    expect(reports.filter(({ outcome }) => outcome === 'adopted')).toHaveLength(1);
    expect(await compactUntilUnchanged(session)).toEqual(['unchanged']);
    expect((await summaries.read(session)).cycles).toHaveLength(1);
  });

  it('keeps what a host pins, gives entries back, and is rolled back with every cycle still recorded', async () => {
    const session = await imported('acted', 0.5);
    const { summaries } = opened.core.sessions;
    const own = request(session);
    const text = 'Never touch  the harbor.';
    const pinned = await summaries.pin({ ...own, text, redact });
    expect(pinned).toMatchObject({ changed: true, revision: 2, itemNo: 1 });
    expect((await summaries.pin({ ...own, text, redact })).changed).toBe(false);
    await compactUntilUnchanged(session);
    await imported('acted');
    await compactUntilUnchanged(session);
    const before = await summaries.read(session);
    expect(before.session.cycle).toBe(2);
    expect(renderSummary(before.summary)).toContain(text);

    const [first] = before.cycles;
    const { entries } = await summaries.expand({ ...own, handle: 'cycle:1', maxTokens: 1e9 });
    expect(entries.map(({ seq }) => seq)).toEqual(
      first?.span.flatMap(({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, at) => from + at),
      ),
    );
    const ask = before.summary.items.find(({ sourceEntryIds }) => sourceEntryIds.length > 0);
    const cited = await summaries.expand({ ...own, handle: `#${ask?.itemNo}` });
    expect(cited.entries.map(({ entryId }) => entryId)).toEqual(ask?.sourceEntryIds);
    const call = entries.find(({ kind }) => kind === 'tool_call');
    const both = await summaries.expand({ ...own, handle: `entry:${call?.seq}` });
    const { callId } = { callId: null, ...call };
    expect(both.entries).toMatchObject([
      { kind: 'tool_call', callId },
      { kind: 'tool_result', callId },
    ]);
    const page = await summaries.expand({ ...own, handle: 'cycle:1', maxTokens: 1 });
    expect(page).toMatchObject({ entries: [{ seq: 1 }], next: 1 });
    await expect(summaries.expand({ ...own, handle: '#9999' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });

    await summaries.unpin({ ...own, itemNo: 1 });
    const back = await summaries.rollback({ ...own, toCycle: 1 });
    expect(back).toMatchObject({ changed: true, cycle: 1 });
    const after = await summaries.read(session);
    expect(after.cycles.map(({ state }) => state)).toEqual(['live', 'rolled-back']);
    expect(after.summary.items.every(({ cycleCreated }) => cycleCreated <= 1)).toBe(true);
    expect(activePins(after.summary).some((pin) => pin.text === text)).toBe(false);
    const automatic = await summaries.compact({ ...own, settings });
    expect(automatic).toMatchObject({ outcome: 'not_due', reasons: [{ code: 'no-new-entry' }] });
    expect((await summaries.compact({ ...own, settings, now: true })).cycle).toBe(3);
    expect(await summaries.rollback({ ...own, toCycle: 0 })).toMatchObject({ cycle: 0 });
    const none = await summaries.read(session);
    expect(none.summary.items.map(({ text: kept, state }) => [kept, state])).toEqual([
      [text, 'resolved'],
    ]);
    await expect(summaries.rollback({ ...own, toCycle: 2 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it.each([
    ['no window is known', {}, 'window_tokens'],
    ['a line is out of bounds', { ...settings, drainLine: 0.8 }, 'drain_line'],
  ])('refuses a pass where %s', async (_, given, field) => {
    const session = await imported('refused');
    const { sessions } = opened.core.resolve(TOKENS.repositories);
    const nameless = { ...session, sessionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', vendorSessionId: null };
    await sessions.insert({ ...nameless, model: null, lastSeq: 0, lastTurn: 0 });
    await expect(
      opened.core.sessions.summaries.compact({ ...request(nameless), settings: given }),
    ).rejects.toMatchObject({ code: 'INVALID_CONFIG', details: { field } });
  });

  function request({ tenantId, sessionId }: { tenantId: string; sessionId: string }) {
    return { tenantId, sessionId };
  }
});
