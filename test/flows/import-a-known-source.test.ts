/** A source that the store knows byte for byte is answered without being read, and only while that is right. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IngestionReceipt } from '../../src/application/session/ingestion-receipt.js';
import type { IngestionRequest } from '../../src/application/session/ingestion-request.js';
import type { TranscriptReader } from '../../src/application/session/transcript-reader.js';
import { TOKENS } from '../../src/index.js';
import { claudeCodeReader } from '../../src/interfaces/transcripts/claude-code-transcript.js';
import {
  memorySource,
  redact,
  sha256,
  withoutVersion,
} from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

function record(uuid: string, parentUuid: string | null, message: object, more: object = {}) {
  const type = 'role' in message ? message.role : 'user';
  const common = { sessionId: 'known', isSidechain: false, cwd: '/home/me' };
  return JSON.stringify({ type, uuid, parentUuid, ...common, message, ...more });
}

const PROMPT = record('u1', null, { role: 'user', content: 'Write it. password="hunter2hunter2"' });
const CALL = record('a1', 'u1', {
  role: 'assistant',
  id: 'm1',
  usage: { input_tokens: 5, output_tokens: 7 },
  content: [
    { type: 'tool_use', id: 'c1', name: 'Write', input: { file_path: '/home/me/a.ts' } },
    { type: 'tool_use', id: 'c2', name: 'Task', input: { prompt: 'Look at s1' } },
  ],
});
const RESULT = record('u2', 'a1', {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'done' }],
});
const ORPHAN = record('u3', 'u2', {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'nobody', content: 'lost' }],
});
const CHILD = ['s1', 's2'].map((uuid) =>
  record(
    uuid,
    null,
    { role: 'user', content: `Look at ${uuid}` },
    { isSidechain: true, agentId: 'x' },
  ),
);
const FILE = [
  PROMPT,
  CALL,
  'not json',
  '{"type":"progress"}',
  RESULT,
  RESULT,
  ORPHAN,
  ...CHILD,
  '',
];

let imports = 0;

describe.each(Object.keys(STORES))('a known source %s', (name) => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  /** Imports of one tenant, and how often the reader was asked. */
  const tenant = () => {
    imports += 1;
    const tenantId = `known-${imports}`;
    const own = claudeCodeReader(sha256);
    const asked = { readings: 0 };
    const reader: TranscriptReader = {
      ...own,
      read(source) {
        asked.readings += 1;
        return own.read(source);
      },
    };
    const run = async (
      lines: readonly string[],
      more: Partial<IngestionRequest> = {},
    ): Promise<readonly Omit<IngestionReceipt, 'elapsedMs'>[]> => {
      const source = memorySource(lines.join('\n'));
      const request = { tenantId, source, reader, redact, ...more };
      const receipts = await opened.core.sessions.ingestion.import(request);
      return receipts.map(({ elapsedMs: _elapsedMs, ...receipt }) => receipt);
    };
    return { tenantId, asked, run };
  };

  it('is not read again, under any name, and told as entry by entry', async () => {
    const { asked, run } = tenant();
    const first = await run(FILE);
    const known = await run(FILE, { source: memorySource(FILE.join('\n'), 7, 'other.jsonl') });
    expect(asked.readings).toBe(1);
    const reader = withoutVersion(claudeCodeReader(sha256));
    expect(known).toEqual(await run(FILE, { reader }));
    expect(known[0]).toMatchObject({
      lines: 9,
      entries: 5,
      added: 0,
      ignored: 6,
      isNew: false,
      skipped: { progress: 1 },
      redactions: { assignment: 1 },
      problems: { total: first[0]?.problems.total },
    });
    expect(known[0]?.problems.total).toBeGreaterThanOrEqual(2);
    expect(known.map(({ sessionId }) => sessionId)).toEqual(first.map((one) => one.sessionId));
    expect(known).toHaveLength(2);
  });

  it('answers a dry run, which by itself makes no source known', async () => {
    const { asked, run } = tenant();
    await run(FILE, { dryRun: true });
    await run(FILE);
    expect(asked.readings).toBe(2);
    expect((await run(FILE, { dryRun: true }))[0]).toMatchObject({ added: 0, dryRun: true });
    expect(asked.readings).toBe(2);
  });

  it.each<[string, readonly string[], Partial<IngestionRequest>]>([
    ['with one line more', [...FILE, record('u9', 'u3', { role: 'user', content: 'More' })], {}],
    ['cut short', FILE.slice(0, 5), {}],
    ['with another middle', FILE.map((line) => line.replace('done', 'gone')), {}],
    ['without redaction', FILE, { redact: null }],
    ['with rules of a host', FILE, { redact: (text) => ({ text, redactions: {} }) }],
    ['under a key of its own', FILE, { sessionKey: 'mine' }],
  ])('is read when it comes %s', async (_, lines, more) => {
    const { asked, run } = tenant();
    await run(FILE);
    await run(lines, more);
    expect(asked.readings).toBe(2);
  });

  it('is read when a session of it is gone, and completes it', async () => {
    const { tenantId, asked, run } = tenant();
    const [, child] = await run(FILE);
    const { sessions } = opened.core.resolve(TOKENS.repositories);
    await sessions.delete({ tenantId, sessionId: child?.sessionId ?? '' });
    expect((await run(FILE)).map(({ added }) => added)).toEqual([0, 2]);
    expect(asked.readings).toBe(2);
  });

  it('is read as long as a sub-agent of it has no call', async () => {
    const { asked, run } = tenant();
    const lines = FILE.map((line) => line.replace('Look at s1', 'Look elsewhere'));
    lines.splice(-3, 2, ...CHILD);
    for (const isFirst of [true, false]) {
      const [, child] = await run(lines);
      expect(child).toMatchObject({ isNew: isFirst, parentSessionId: null });
    }
    expect(asked.readings).toBe(2);
  });

  it('is read when the session holds more by now, which it is told of', async () => {
    const { asked, run } = tenant();
    await run(FILE);
    await run([...FILE.slice(0, -1), record('u9', 'u3', { role: 'user', content: 'More' })]);
    const [again] = await run(FILE);
    expect(asked.readings).toBe(3);
    expect(again?.problems.first.map(({ reason }) => reason)).toContain('shrunk');
    await run(FILE);
    expect(asked.readings).toBe(4);
  });

  it('is read when another source has marked its branches otherwise', async () => {
    const { asked, run } = tenant();
    const answer = (uuid: string, parent: string) =>
      record(uuid, parent, {
        role: 'assistant',
        id: uuid,
        content: [{ type: 'text', text: uuid }],
      });
    const prompt = (uuid: string, parent: string) =>
      record(uuid, parent, { role: 'user', content: uuid });
    const branches = [PROMPT, answer('a', 'u1'), prompt('b', 'a'), prompt('c', 'a')];
    const onB = [...branches, answer('d', 'b')];
    const [first] = await run([...onB, answer('e', 'c')]);
    expect(first?.added).toBe(6);
    const [other] = await run([...branches, answer('e', 'c'), answer('d', 'b')]);
    expect(other?.remarked).toBeGreaterThan(0);
    expect((await run([...onB, answer('e', 'c')]))[0]?.remarked).toBe(other?.remarked);
    expect(asked.readings).toBe(3);
  });

  it('is not kept while it changes under the reader', async () => {
    const { asked, run } = tenant();
    const source = memorySource(FILE.join('\n'));
    let openings = 0;
    const open = (): AsyncIterable<Uint8Array> => {
      openings += 1;
      return openings === 1 ? source.open() : memorySource(FILE.join('\n ')).open();
    };
    await run(FILE, { source: { ...source, open } });
    await run(FILE);
    expect(asked.readings).toBe(2);
  });
});
