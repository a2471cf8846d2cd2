/** A session that grows entry by entry ends as one that came whole, and so does its trail. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { detectFormat } from '../../src/application/session/detect-format.js';
import { needsOf } from '../../src/domain/session/trail/trail-needs.js';
import type { TranscriptEntry } from '../../src/domain/session/transcript.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { fileSource } from '../../src/interfaces/transcripts/transcript-source.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import { type Session, TOKENS } from '../../src/index.js';
import { aSession } from '../contracts/session-values.js';
import { anyStep } from '../domain/session/trail/any-step.js';
import { entriesOf } from '../domain/session/trail/trail-support.js';
import { redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const SEED = 20_260_131;
const RUNS: Readonly<Record<string, number>> = { 'in memory': 60, 'on Postgres': 20 };
const READERS = transcriptReaders(sha256, createEstimateCounter());
const FOLDER = resolve(process.env['OSSATURE_TRANSCRIPTS'] ?? '../shared/transcripts');
const SAMPLES = [
  'examples/session.jsonl',
  ...['claude-code', 'codex'].flatMap((name) => {
    const folder = join(FOLDER, name);
    return existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [];
  }),
].filter((file) => file.endsWith('.jsonl'));

/** Entries of the longest samples that are looked at: each is appended by itself. */
const MOST_ENTRIES = 200;

async function entriesIn(file: string): Promise<readonly TranscriptEntry[]> {
  const source = fileSource(file);
  const reader = detectFormat(READERS, await source.head(), file);
  const entries: TranscriptEntry[] = [];
  for await (const event of reader.read(source)) {
    if (event.event === 'entry') entries.push(event.entry);
    if (entries.length === MOST_ENTRIES) break;
  }
  return entries;
}

describe.each(Object.keys(STORES))('a session that grows, %s', (name) => {
  let opened: OpenedCore;
  let sessions = 0;
  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  async function appended(
    entries: readonly TranscriptEntry[],
    sizes: readonly number[],
    vendor = 'claude-code',
  ): Promise<Session> {
    sessions += 1;
    const repositories = opened.core.resolve(TOKENS.repositories);
    const session = aSession({
      sessionId: `01KB${String(sessions).padStart(22, '0')}`,
      vendor,
      vendorSessionId: `grown ${sessions}`,
      projectRoot: '/project',
      counterName: opened.core.resolve(TOKENS.tokenCounter).name,
      counterVersion: opened.core.resolve(TOKENS.tokenCounter).version,
    });
    await repositories.sessions.insert(session);
    for (let at = 0, turn = 0; at < entries.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? 1;
      const part = entries.slice(at, at + size);
      const { tenantId, sessionId } = session;
      await opened.core.sessions.ingestion.append({ tenantId, sessionId, entries: part, redact });
      at += size;
    }
    return repositories.sessions.get(session);
  }

  /** Everything that the store keeps of the trail, what is open of it too. */
  async function stored(session: Session) {
    const { trails } = opened.core.resolve(TOKENS.repositories);
    const { seq: _seq, running, contents } = await trails.readOpen(session);
    const paths = [...contents.keys()];
    const texts = (await trails.readPart(session, needsOf({ contents: paths }))).contents;
    return {
      trail: await trails.read(session),
      events: await trails.listEvents(session),
      running: [...running],
      contents: paths.map((path) => [path, texts.get(path)]),
    };
  }

  /** What differs from a session that came whole, and what a rebuild of the trail changes. */
  async function differences(
    entries: readonly TranscriptEntry[],
    sizes: readonly number[],
    vendor = 'claude-code',
  ): Promise<readonly string[]> {
    const grown = await appended(entries, sizes, vendor);
    const whole = await appended(entries, [entries.length], vendor);
    const [kept, expected] = [await stored(grown), await stored(whole)];
    const { tenantId, sessionId } = grown;
    const { changed } = await opened.core.sessions.trail.rebuild({ tenantId, sessionId });
    const rebuilt = await stored(grown);
    return [
      ...(grown.lastSeq === whole.lastSeq ? [] : ['number of entries']),
      ...(isDeepStrictEqual(kept, expected) ? [] : ['trail']),
      ...(changed === 0 && isDeepStrictEqual(rebuilt, kept) ? [] : ['rebuilt trail']),
    ];
  }

  it('has the trail of one that came whole, whatever its calls and in whatever pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 1, maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 }),
        async (steps, sizes) => {
          expect(await differences(entriesOf(steps), sizes)).toEqual([]);
        },
      ),
      { seed: SEED, numRuns: RUNS[name] ?? 1 },
    );
  }, 120_000);

  it('has it where results come late and in another order than their calls', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 2, maxLength: 10 }),
        fc.array(fc.nat({ max: 6 }), { minLength: 10, maxLength: 10 }),
        async (steps, delays) => {
          const placed = entriesOf(steps).map((entry, place) => {
            const delay = delays[place % delays.length] ?? 0;
            return { entry, at: entry.seq + (entry.kind === 'tool_result' ? delay : 0) };
          });
          const late = placed.sort((a, b) => a.at - b.at).map(({ entry }) => entry);
          expect(await differences(late, [1])).toEqual([]);
        },
      ),
      { seed: SEED, numRuns: RUNS[name] ?? 1 },
    );
  }, 120_000);

  it('has it where the session is a sample', async () => {
    for (const file of name === 'on Postgres' ? SAMPLES.slice(0, 4) : SAMPLES) {
      const entries = await entriesIn(file);
      const vendor = file.includes('codex') ? 'codex' : 'claude-code';
      const differing = await differences(entries, [1, 3, 2, 7, 1, 1], vendor);
      expect({ file, differing }).toEqual({ file, differing: [] });
    }
  }, 180_000);
});
