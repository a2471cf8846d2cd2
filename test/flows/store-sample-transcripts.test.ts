/** Every sample transcript is stored whole, once, and its trail follows from what is stored. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { detectFormat } from '../../src/application/session/detect-format.js';
import type { IngestionReceipt } from '../../src/application/session/ingestion-receipt.js';
import type { TranscriptReader } from '../../src/application/session/transcript-reader.js';
import { markedEntry } from '../../src/domain/session/marked-entry.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { fileSource } from '../../src/interfaces/transcripts/transcript-source.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import { TOKENS } from '../../src/index.js';
import { planBothWays } from '../domain/session/pass/plan-both-ways.js';
import {
  memorySource,
  redact,
  sha256,
  withoutVersion,
} from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const FOLDER = resolve(process.env['OSSATURE_TRANSCRIPTS'] ?? '../shared/transcripts');
const READERS = transcriptReaders(sha256, createEstimateCounter());

interface Sample {
  readonly file: string;
  readonly reader: TranscriptReader;
}

async function samples(): Promise<readonly Sample[]> {
  if (!existsSync(FOLDER)) return [];
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const found: Sample[] = [];
  for (const file of files) {
    const head = await fileSource(file)
      .head()
      .catch(() => null);
    if (head === null) continue;
    try {
      found.push({ file, reader: detectFormat(READERS, head, file) });
    } catch {
      // Of a format that no reader of ours knows.
    }
  }
  return found;
}

function untimed(receipt: IngestionReceipt): Omit<IngestionReceipt, 'elapsedMs'> {
  const { elapsedMs: _elapsedMs, ...rest } = receipt;
  return rest;
}

const suite = existsSync(FOLDER) ? describe : describe.skip;

suite.each(Object.keys(STORES))('sample transcripts %s', (name) => {
  let opened: OpenedCore;
  let found: readonly Sample[];
  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
    found = await samples();
  });
  afterAll(() => opened.close());

  it('are stored once, and their trails are what a rebuild makes', async () => {
    const { ingestion, trail } = opened.core.sessions;
    const faults: string[] = [];
    for (const { file, reader } of found) {
      const shown = relative(FOLDER, file);
      const request = { tenantId: shown, source: fileSource(file), reader, redact };
      const first = await ingestion.import(request);
      const again = await ingestion.import(request);
      const read = await ingestion.import({ ...request, reader: withoutVersion(reader) });
      if (!isDeepStrictEqual(again.map(untimed), read.map(untimed))) {
        faults.push(`${shown}: known as a whole it is told otherwise than entry by entry`);
      }
      const added = first.reduce((sum, receipt) => sum + receipt.added, 0);
      const repeated = first.reduce((sum, receipt) => sum + receipt.entries, 0);
      if (added === 0) faults.push(`${shown}: nothing was added`);
      if (added !== repeated) faults.push(`${shown}: ${repeated} entries, ${added} added`);
      if (again.some((receipt) => receipt.added > 0 || receipt.remarked > 0)) {
        faults.push(`${shown}: the second import added ${again.map((one) => one.added).join()}`);
      }
      for (const { sessionId } of first) {
        if (sessionId === null) continue;
        const rebuilt = await trail.rebuild({ tenantId: shown, sessionId });
        if (rebuilt.changed > 0) faults.push(`${shown}: ${rebuilt.changed} rows differ`);
      }
    }
    expect(faults).toEqual([]);
  }, 300_000);

  it('are planned from their marks as from their contents', async () => {
    const { core } = opened;
    const { sessions } = core.resolve(TOKENS.repositories);
    const counter = core.resolve(TOKENS.tokenCounter);
    const outcomes = new Set<string>();
    for (const { file } of found) {
      for (const session of await sessions.list(relative(FOLDER, file))) {
        const all = { from: 1, to: null };
        const entries = await sessions.listEntries(session, all);
        expect(await sessions.listMarks(session, all)).toEqual(entries.map(markedEntry));
        for (const settings of [
          { windowTokens: 8_000, triggers: [['importance' as const]] },
          { windowTokens: 64_000, summaryTokens: 2_000 },
        ]) {
          const given = { settings, cutShare: 0.1, previewEvery: 50 };
          const { fromContents, fromMarks } = planBothWays(entries, counter, given);
          expect(fromMarks).toEqual(fromContents);
          outcomes.add(fromMarks.verdict.outcome);
        }
      }
    }
    expect(outcomes).toContain('pass');
  }, 120_000);

  it('of sub-agents are linked to the calls that started them', async () => {
    const [main, helper] = [
      'a7da6a22-facc-4fcd-8bab-f83c87862004.jsonl',
      'agent-c8d9b115.jsonl',
    ].map((file) => join(FOLDER, 'claude-code', 'subagent-file', file));
    const reader = READERS[0];
    if (main === undefined || helper === undefined || !existsSync(main) || reader === undefined) {
      return;
    }
    const { ingestion } = opened.core.sessions;
    for (const path of [main, helper]) {
      await ingestion.import({ tenantId: 'linked', source: fileSource(path), reader, redact });
    }
    const { sessions } = opened.core.resolve(TOKENS.repositories);
    const child = (await sessions.list('linked')).find(({ parentSessionId }) => parentSessionId);
    const parent = { tenantId: 'linked', sessionId: child?.parentSessionId ?? '' };
    const calls = await sessions.listEntries(parent, { from: 1, to: null }, ['tool_call']);
    expect(calls.find(({ entryId }) => entryId === child?.parentEntryId)).toMatchObject({
      toolName: 'Task',
    });
  }, 120_000);

  it('end at the same whether they come at once or line by line as they grow', async () => {
    const path = join(FOLDER, 'claude-code', 'compact-and-microcompact.jsonl');
    const reader = READERS[0];
    if (!existsSync(path) || reader === undefined) return;
    const lines = readFileSync(path, 'utf8').split('\n');
    const { ingestion } = opened.core.sessions;
    for (const share of [0.1, 0.35, 0.36, 0.8, 1]) {
      const text = lines.slice(0, Math.ceil(lines.length * share)).join('\n');
      await ingestion.import({ tenantId: 'grown', source: memorySource(text), reader, redact });
    }
    const whole = memorySource(lines.join('\n'));
    await ingestion.import({ tenantId: 'whole', source: whole, reader, redact });

    const { sessions, trails } = opened.core.resolve(TOKENS.repositories);
    const stored = async (tenantId: string) => {
      const [session] = await sessions.list(tenantId);
      if (session === undefined) return null;
      const entries = await sessions.listEntries(session, { from: 1, to: null });
      const { artifacts, commands, errors, todos } = await trails.read(session);
      return {
        entries: entries.map(({ entryId: _entryId, ...entry }) => entry),
        events: await trails.listEvents(session),
        artifacts: [...artifacts.values()],
        commands: [...commands.values()],
        errors: [...errors.values()],
        todos,
      };
    };
    expect(await stored('grown')).toEqual(await stored('whole'));
  }, 120_000);
});
