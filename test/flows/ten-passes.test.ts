/** Ten passes without a model on the longest session of the samples: what must stay stays, and nothing is out of reach. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  EXPORT_PROVIDERS,
  type ExportProvider,
} from '../../src/domain/session/export/providers.js';
import { TOKENS } from '../../src/index.js';
import { claudeCodeReader } from '../../src/interfaces/transcripts/claude-code-transcript.js';
import {
  checkAnthropic,
  checkLangchain,
  checkOpenaiChat,
  checkOpenaiResponses,
} from '../contracts/testing.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const FOLDER = join(
  resolve(process.env['OSSATURE_TRANSCRIPTS'] ?? '../shared/transcripts'),
  'claude-code',
);

/** The file with the most records of a conversation; sub-agents are sessions of their own. */
function longestSession(): readonly string[] {
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter(
    ({ name }) => name.endsWith('.jsonl') && !name.startsWith('agent-'),
  );
  const records = files.map(({ parentPath, name }) =>
    readFileSync(join(parentPath, name), 'utf8')
      .split('\n')
      .filter((line) => line !== ''),
  );
  const size = (lines: readonly string[]): number =>
    lines.filter((line) => /"message":/.test(line) && !line.includes('"isSidechain":true')).length;
  return records.reduce((best, lines) => (size(lines) > size(best) ? lines : best), []);
}

const CHECKS = {
  anthropic: checkAnthropic,
  'openai-chat': checkOpenaiChat,
  'openai-responses': checkOpenaiResponses,
  langchain: checkLangchain,
  'langchain-constructor': checkLangchain,
} satisfies Record<ExportProvider, unknown>;

const PINS = ['Never push to main: every change goes through a review.', 'Answers are in English.'];
const PASSES = 10;
const SETTINGS = {
  windowTokens: 24_000,
  outputReserveTokens: 4_000,
  keepTurns: 1,
  keepTokens: 2_000,
  minFreedTokens: 1,
  summaryTokens: 3_000,
  strategy: 'offline',
} as const;

const whereSamplesAre = existsSync(FOLDER) ? describe : describe.skip;

whereSamplesAre.each(Object.keys(STORES))('ten passes on the longest session %s', (name) => {
  let opened: OpenedCore;
  let sessionId: string;
  const reports: object[] = [];
  const tenantId = 'compacted';

  const bring = async (tenant: string, lines: readonly string[]): Promise<string> => {
    const [receipt] = await opened.core.sessions.ingestion.import({
      tenantId: tenant,
      source: memorySource(`${lines.join('\n')}\n`),
      reader: claudeCodeReader(sha256),
      redact,
    });
    return receipt?.sessionId ?? '';
  };

  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
    const { summaries } = opened.core.sessions;
    const lines = longestSession();
    for (let pass = 1; pass <= PASSES; pass += 1) {
      sessionId = await bring(tenantId, lines.slice(0, Math.ceil((lines.length * pass) / PASSES)));
      const key = { tenantId, sessionId };
      if (pass === 1) for (const text of PINS) await summaries.pin({ ...key, text, redact });
      const report = await summaries.compact({ ...key, settings: SETTINGS, now: true });
      reports.push(report);
    }
  }, 300_000);
  afterAll(() => opened.close());

  it('are all adopted', () => {
    expect(reports).toMatchObject(
      Array.from({ length: PASSES }, (_, at) => ({
        outcome: 'adopted',
        cycle: at + 1,
        strategy: 'offline',
      })),
    );
  });

  it('leave every pin word for word, in the summary and in every export', async () => {
    const key = { tenantId, sessionId };
    const { summary } = await opened.core.sessions.summaries.read(key);
    const pinned = summary.items.filter(({ pinned: isPinned }) => isPinned);
    expect(pinned.map(({ text }) => text)).toEqual(expect.arrayContaining(PINS));
    for (const { text, textHash } of pinned) expect(sha256(text)).toBe(textHash);
    for (const provider of EXPORT_PROVIDERS) {
      const { messages } = await opened.core.sessions.exports.export({ ...key, provider });
      const said = JSON.stringify(messages);
      for (const { text } of pinned) expect(said).toContain(JSON.stringify(text).slice(1, -1));
    }
  });

  it('leave the trail as it is without any pass', async () => {
    const { trails } = opened.core.resolve(TOKENS.repositories);
    const untouched = {
      tenantId: 'untouched',
      sessionId: await bring('untouched', longestSession()),
    };
    const compacted = { tenantId, sessionId };
    expect(await trails.read(compacted)).toEqual(await trails.read(untouched));
    expect(await trails.listEvents(compacted)).toEqual(await trails.listEvents(untouched));
  });

  it.each(EXPORT_PROVIDERS)('leave an export that %s takes', async (provider) => {
    const { exports } = opened.core.sessions;
    const { messages } = await exports.export({ tenantId, sessionId, provider });
    expect(CHECKS[provider](messages)).toEqual([]);
  });

  it('leave every dropped entry in reach of expand, in one live cycle', async () => {
    const key = { tenantId, sessionId };
    const { sessions } = opened.core.resolve(TOKENS.repositories);
    const { cycles } = await opened.core.sessions.summaries.read(key);
    const cut = cycles.at(-1)?.cutSeq ?? 0;
    expect(cycles).toHaveLength(PASSES);
    expect(cut).toBeGreaterThan(100);
    const stored = await sessions.listEntries(key, { from: 1, to: cut });
    const reached = new Map<number, string>();
    for (const { cycle } of cycles) {
      for (let after: number | null = 0; after !== null;) {
        const page: {
          readonly entries: readonly { readonly seq: number; readonly content: string }[];
          readonly next: number | null;
        } = await opened.core.sessions.summaries.expand({
          ...key,
          handle: `cycle:${cycle}`,
          after,
        });
        for (const { seq, content } of page.entries) {
          expect(reached.has(seq)).toBe(false);
          reached.set(seq, content);
        }
        after = page.next;
      }
    }
    const left = stored.filter(({ active, kind }) => active && kind !== 'system');
    const missing = left.filter(({ seq }) => !reached.has(seq)).map(({ seq }) => seq);
    expect(missing).toEqual([]);
    const changed = stored.filter(
      ({ seq, content }) => reached.has(seq) && reached.get(seq) !== content,
    );
    expect(changed.map(({ seq }) => seq)).toEqual([]);
  });
});
