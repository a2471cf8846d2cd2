/**
 * Import, triggers, gate, budgets and reports ask the one counter that is bound: two counters on two
 * paths once let sessions in other scripts overflow unseen.
 */
import { describe, expect, it } from '@jest/globals';
import type { TokenCounter } from '../../src/domain/kernel/measures.js';
import { MESSAGE_OVERHEAD_TOKENS } from '../../src/domain/session/pass/unit-mark.js';
import { renderSummary } from '../../src/domain/session/summary/render-summary.js';
import { createOssature, type Ossature, TOKENS } from '../../src/index.js';
import { claudeCodeReader } from '../../src/interfaces/transcripts/claude-code-transcript.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';

/** A token for each character, so that no other counter gives the same anywhere. */
const characters: TokenCounter = {
  name: 'characters',
  version: '1',
  count: (text) => Array.from(text).length,
};

const twice: TokenCounter = {
  ...characters,
  version: '2',
  count: (text) => Array.from(text).length * 2,
};

const record = (type: string, uuid: string, parentUuid: string | null, message: object) =>
  JSON.stringify({ type, uuid, parentUuid, sessionId: 'abc', isSidechain: false, message });

const said = (turn: number): readonly string[] => [
  record('user', `u${turn}`, turn === 0 ? null : `a${turn - 1}`, {
    role: 'user',
    content: `第${turn}の依頼：ファイル src/部品${turn}.ts を直してください。`,
  }),
  record('assistant', `a${turn}`, `u${turn}`, {
    role: 'assistant',
    id: `m${turn}`,
    content: [{ type: 'text', text: `了解しました。${'進捗を報告します。'.repeat(40)}` }],
  }),
];
const LINES = Array.from({ length: 20 }, (_, turn) => said(turn)).flat();

const settings = {
  windowTokens: 20_000,
  outputReserveTokens: 1_000,
  keepTurns: 2,
  keepTokens: 3_000,
  summaryTokens: 2_500,
};

async function imported(core: Ossature) {
  const reader = claudeCodeReader(sha256);
  const source = memorySource(LINES.join('\n'));
  const request = { tenantId: 't', source, reader, redact };
  const [receipt] = await core.sessions.ingestion.import(request);
  const key = { tenantId: 't', sessionId: receipt?.sessionId ?? '' };
  const entries = await core
    .resolve(TOKENS.sessionRepository)
    .listEntries(key, { from: 1, to: null });
  return { key, entries, receipt };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

describe('the counter that is bound', () => {
  it('counts what is imported, decided, checked, budgeted and reported', async () => {
    const core = await createOssature({ store: { kind: 'in-memory' }, tokenCounter: characters });
    const { key, entries } = await imported(core);
    for (const { content, tokenCount } of entries) {
      expect(tokenCount).toBe(characters.count(content));
    }
    const overheads = entries.length * MESSAGE_OVERHEAD_TOKENS;
    const inAll = sum(entries.map(({ content }) => characters.count(content))) + overheads;

    const status = await core.sessions.summaries.status({ ...key, settings });
    expect(status.usedTokens).toBe(inAll);

    const before = await core.sessions.exports.export({ ...key, provider: 'openai-chat' });
    expect(before.prefixTokens).toBeLessThanOrEqual(inAll);
    expect(before.prefixTokens).toBeGreaterThan(inAll - 1_000);

    const pass = await core.sessions.summaries.compact({ ...key, settings, now: true });
    expect(pass).toMatchObject({ outcome: 'adopted', tokensBefore: inAll });
    const { summary } = await core.sessions.summaries.read(key);
    const cutSeq = pass.span.at(-1)?.to ?? 0;
    const tail = entries.filter(({ seq }) => seq > cutSeq);
    const rendered = characters.count(renderSummary(summary));
    const tailTokens = sum(tail.map(({ content }) => characters.count(content)));
    expect(pass.tokensAfter ?? 0).toBeGreaterThanOrEqual(rendered + tailTokens);
    expect(pass.tokensAfter ?? 0).toBeLessThan(
      rendered + tailTokens + (tail.length + 3) * MESSAGE_OVERHEAD_TOKENS + 100,
    );

    const { text } = await core.sessions.trail.render(key, 200);
    expect(characters.count(text)).toBeLessThanOrEqual(200);

    const { totals } = await core.sessions.tokens.read(key);
    const spoken = entries.filter(({ kind }) => kind === 'assistant');
    expect(totals.outputTokens).toBe(sum(spoken.map(({ content }) => characters.count(content))));
    await core.close();
  });

  it('counts a session anew that another one had counted, before anything is decided', async () => {
    const core = await createOssature({ store: { kind: 'in-memory' }, tokenCounter: characters });
    const { key, entries } = await imported(core);
    const ours = {
      repositories: core.resolve(TOKENS.repositories),
      unitOfWork: core.resolve(TOKENS.unitOfWork),
    };
    const other = await createOssature({
      store: { kind: 'repositories', ...ours },
      tokenCounter: twice,
    });
    const used = (await core.sessions.summaries.status({ ...key, settings })).usedTokens;
    const overheads = entries.length * MESSAGE_OVERHEAD_TOKENS;
    // Below the fill line by the first counter, above it by the other.
    const window = { windowTokens: used * 2, outputReserveTokens: 0, slideTurns: 10_000 };
    const between = { ...key, settings: { ...settings, ...window } };
    expect(await core.sessions.summaries.check(between)).toMatchObject({ isDue: false });
    expect(await core.sessions.summaries.dueTrigger(between)).toBeNull();
    expect(await core.sessions.summaries.compact(between)).toMatchObject({ outcome: 'not_due' });
    expect(await other.sessions.summaries.check(between)).toMatchObject({ isDue: true });
    await core.sessions.summaries.status(between);
    expect(await other.sessions.summaries.dueTrigger(between)).not.toBeNull();
    await core.sessions.summaries.status(between);
    const again = await other.sessions.summaries.status({ ...key, settings });
    expect(again.usedTokens).toBe((used - overheads) * 2 + overheads);
    expect(again.session).toMatchObject({ counterName: 'characters', counterVersion: '2' });
    expect((await core.sessions.summaries.status({ ...key, settings })).usedTokens).toBe(used);

    // An import counts all of the session by the counter at hand too.
    const { receipt, entries: recounted } = await imported(other);
    expect(receipt?.added).toBe(0);
    expect(recounted.map(({ tokenCount }) => tokenCount)).toEqual(
      entries.map(({ tokenCount }) => tokenCount * 2),
    );
    await core.close();
  });
});
