import { existsSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { transcriptReaders } from '../../../src/interfaces/transcripts/transcript-readers.js';
import { foreignFormat } from '../../../src/interfaces/transcripts/foreign-formats.js';
import { fileSource } from '../../../src/interfaces/transcripts/transcript-source.js';
import { readEvents } from './reader-support.js';
import { countQuarters, sha256 } from './transcript-support.js';

const FOLDER = resolve(process.env['OSSATURE_TRANSCRIPTS'] ?? '../shared/transcripts');
const files = existsSync(FOLDER)
  ? readdirSync(FOLDER, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'README.md')
      .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)))
      .sort()
  : [];

/** The reader of a sample by the beginning of its path; others are refused. */
const OWN: readonly (readonly [string, string])[] = [
  ['claude-code/', 'claude-code'],
  ['codex/', 'codex'],
  ['chat-json/', 'openai'],
  ['mini-swe-agent/', 'openai'],
  ['swe-agent/', 'openai'],
  ['langgraph/', 'langchain'],
];

function ownReader(file: string): string | null {
  if (file.endsWith('.meta.json')) return null;
  return OWN.find(([start]) => file.startsWith(start))?.[1] ?? null;
}

const readers = transcriptReaders(sha256, countQuarters);
const source = (file: string) => fileSource(join(FOLDER, file));
const describeWhereSamplesAre = files.length > 0 ? describe : describe.skip;
const read = files.filter((file) => ![null, 'claude-code'].includes(ownReader(file)));

describeWhereSamplesAre('every sample', () => {
  it.each(files)('%s fits its own reader alone, or none', async (file) => {
    const head = await source(file)
      .head()
      .catch(() => null);
    const fitting = head === null ? [] : readers.filter((reader) => reader.detect(head));
    expect([file, ...fitting.map(({ name }) => name)]).toEqual(
      [file, ownReader(file)].filter((name) => name !== null),
    );
  });
});

describeWhereSamplesAre('every sample of a format', () => {
  it.each(read)('%s has entries with keys of their own, the same when read again', async (file) => {
    const reader = readers.find(({ name }) => name === ownReader(file));
    if (reader === undefined) throw new Error(`There is no reader for ${file}.`);
    const [first, second] = [
      await readEvents(reader, source(file)),
      await readEvents(reader, source(file)),
    ];
    expect(second).toEqual(first);
    expect(first.entries.length).toBeGreaterThan(0);
    expect(new Set(first.entries.map(({ sourceKey }) => sourceKey)).size).toBe(
      first.entries.length,
    );
    const reasons = new Set(first.problems.map(({ reason }) => reason));
    expect([...reasons]).toEqual(file.includes('record-types') ? ['key-reused'] : []);
    expect(first.entries.some(({ kind }) => kind === 'assistant' || kind === 'tool_call')).toBe(
      true,
    );
  });

  const recorded = read.filter((file) => !file.includes('record-types'));
  it.each(recorded)('%s has every result beside its call', async (file) => {
    const reader = readers.find(({ name }) => name === ownReader(file));
    const entries = reader === undefined ? [] : (await readEvents(reader, source(file))).entries;
    const called = entries.flatMap((entry) => (entry.kind === 'tool_call' ? [entry.callId] : []));
    const answered = entries.flatMap((entry) =>
      entry.kind === 'tool_result' ? [entry.callId] : [],
    );
    expect(answered.filter((callId) => !called.includes(callId))).toEqual([]);
  });
});

describeWhereSamplesAre('what the samples hold', () => {
  // prettier-ignore
  it.each([
    { file: 'chat-json/tau-bench-airline.json',             sessions: 12, human: 112, calls: 77 },
    { file: 'chat-json/anthropic-request-log.json',         sessions: 1,  human: 1,   calls: 5 },
    { file: 'codex/rollout-0.125-apply-patch.jsonl',        sessions: 1,  human: 2,   calls: 105 },
    { file: 'langgraph/react-agent-tool-calling.json',      sessions: 1,  human: 1,   calls: 2 },
    { file: 'mini-swe-agent/github-issue.traj.json',        sessions: 1,  human: 2,   calls: 0 },
    { file: 'swe-agent/marshmallow-1867.traj',              sessions: 1,  human: 1,   calls: 13 },
    { file: 'swe-agent/pydicom-1458.traj',                  sessions: 1,  human: 1,   calls: 0 },
  ])('$file: $sessions sessions, $human human prompts, $calls calls', async ({ file, ...counted }) => {
    const reader = readers.find(({ name }) => name === ownReader(file));
    if (reader === undefined) throw new Error(`There is no reader for ${file}.`);
    const { sessions, entries } = await readEvents(reader, source(file));
    expect({
      sessions: sessions.length,
      human: entries.filter(({ kind, author }) => kind === 'user' && author === 'human').length,
      calls: entries.filter(({ kind }) => kind === 'tool_call').length,
    }).toEqual(counted);
  });
});

describeWhereSamplesAre('every other sample', () => {
  const refused = files.filter((file) => ownReader(file) === null);
  const agents = refused.filter((file) => !/\.meta\.json$|migration$|\/part\//.test(file));
  it.each(agents)('%s is refused, naming its agent', async (file) => {
    const head = await source(file)
      .head()
      .catch(() => null);
    if (head === null) return;
    expect([file, foreignFormat(head)]).toEqual([file, expect.any(String)]);
  });
});
