/** What imports and appends make of entries, on a store in memory. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TranscriptReader } from '../../../src/application/session/transcript-reader.js';
import type { SessionEntry } from '../../../src/domain/session/session.js';
import type { TranscriptEntry } from '../../../src/domain/session/transcript.js';
import { createOssature, type Ossature, TOKENS } from '../../../src/index.js';
import { claudeCodeReader } from '../../../src/interfaces/transcripts/claude-code-transcript.js';
import { memorySource, redact, sha256 } from '../../interfaces/transcripts/transcript-support.js';

/** Lines are prompts; a line `---` begins another session. Without ids but their text and number. */
const NOTES: TranscriptReader = {
  name: 'notes',
  detect: () => true,
  async *read(source) {
    const { text } = await source.head();
    yield { event: 'session', vendorSessionId: null };
    for (const [at, line] of text.split('\n').entries()) {
      if (line === '---') yield { event: 'session', vendorSessionId: null };
      else yield { event: 'entry', entry: prompt(`${line}-${at}`, line) };
    }
    yield { event: 'end', lines: text.split('\n').length, bytes: text.length };
  },
};

function prompt(sourceKey: string, content: string): TranscriptEntry {
  return {
    kind: 'user',
    author: 'human',
    sourceKey,
    content,
    occurredAt: null,
    active: true,
    messageKey: null,
  };
}

function call(sourceKey: string, callId: string, messageKey: string): TranscriptEntry {
  return {
    kind: 'tool_call',
    author: 'agent',
    sourceKey,
    content: '',
    occurredAt: null,
    active: true,
    messageKey,
    callId,
    toolName: 'Write',
    arguments: { file_path: `/home/${callId}.ts`, content: 'x' },
    effect: 'changes',
    spawn: null,
  };
}

function result(sourceKey: string, callId: string): TranscriptEntry {
  return {
    kind: 'tool_result',
    author: 'tool',
    sourceKey,
    content: 'written',
    occurredAt: null,
    active: true,
    messageKey: null,
    callId,
    isError: false,
    exitCode: null,
    ruling: null,
  };
}

let core: Ossature;
let tenants = 0;
beforeAll(async () => {
  core = await createOssature({ store: { kind: 'in-memory' } });
});
afterAll(() => core.close());

const newTenant = (): string => `tenant ${(tenants += 1)}`;

async function notes(tenantId: string, text: string, sessionKey: string | null = null) {
  const source = memorySource(text);
  const request = { tenantId, source, reader: NOTES, redact, sessionKey };
  const receipts = await core.sessions.ingestion.import(request);
  return receipts.map(({ sessionId, added, ignored, isNew }) => ({
    sessionId,
    added,
    ignored,
    isNew,
  }));
}

async function entriesOf(tenantId: string, sessionId: string): Promise<readonly SessionEntry[]> {
  const { sessions } = core.resolve(TOKENS.repositories);
  return sessions.listEntries({ tenantId, sessionId }, { from: 1, to: null });
}

async function aSessionOf(tenantId: string, ...entries: TranscriptEntry[]): Promise<string> {
  const [receipt] = await notes(tenantId, 'first');
  const sessionId = receipt?.sessionId ?? '';
  await core.sessions.ingestion.append({ tenantId, sessionId, entries, redact });
  return sessionId;
}

describe('a format without ids of sessions', () => {
  it('goes on with the session of which it is the continuation, or the beginning', async () => {
    const tenant = newTenant();
    const [first] = await notes(tenant, 'a\nb');
    const [grown] = await notes(tenant, 'a\nb\nc');
    const [shorter] = await notes(tenant, 'a');
    expect(first).toMatchObject({ added: 2, isNew: true });
    expect(grown).toEqual({ ...first, added: 1, ignored: 2, isNew: false });
    expect(shorter).toMatchObject({ sessionId: first?.sessionId, added: 0, ignored: 1 });
  });

  it('is another session where it parts from the stored one, and finds that again', async () => {
    const tenant = newTenant();
    const [first] = await notes(tenant, 'a\nb\nc');
    const [other] = await notes(tenant, 'a\nx\ny');
    const [third] = await notes(tenant, 'a\nx\nz');
    const again = await notes(tenant, 'a\nx\nz');
    expect(new Set([first, other, third].map((one) => one?.sessionId)).size).toBe(3);
    expect([other?.added, third?.added]).toEqual([3, 3]);
    expect(again).toEqual([{ ...third, added: 0, ignored: 3, isNew: false }]);
    expect(await notes(tenant, 'a\nb\nc\nd')).toEqual([
      { ...first, added: 1, ignored: 3, isNew: false },
    ]);
  });

  it('belongs to the session that the host names', async () => {
    const tenant = newTenant();
    const [one] = await notes(tenant, 'a', 'k');
    const [two] = await notes(tenant, 'x', 'k');
    const [elsewhere] = await notes(tenant, 'a', 'l');
    expect(two?.sessionId).toBe(one?.sessionId);
    expect(elsewhere?.sessionId).not.toBe(one?.sessionId);
  });

  it('may hold several sessions, each with its receipt', async () => {
    const tenant = newTenant();
    const receipts = await notes(tenant, 'a\nb\n---\nc');
    expect(receipts.map(({ added }) => added)).toEqual([2, 1]);
    const again = await notes(tenant, 'a\nb\n---\nc');
    expect(again.map(({ added, sessionId }) => ({ added, sessionId }))).toEqual(
      receipts.map(({ sessionId }) => ({ added: 0, sessionId })),
    );
  });

  it('is one session a tenant, though the ids are equal', async () => {
    const [mine, theirs] = [await notes(newTenant(), 'a'), await notes(newTenant(), 'a\nb')];
    expect(mine[0]?.sessionId).toBe(theirs[0]?.sessionId);
    expect([mine[0]?.added, theirs[0]?.added]).toEqual([1, 2]);
  });
});

describe('append', () => {
  it('goes on with the last message, and gives late results to their calls', async () => {
    const tenant = newTenant();
    const sessionId = await aSessionOf(tenant, call('c', 'c1', 'm1'));
    const { ingestion } = core.sessions;
    const common = { tenantId: tenant, sessionId, redact };
    await ingestion.append({ ...common, entries: [call('d', 'c2', 'm1')] });
    await ingestion.append({ ...common, entries: [result('e', 'c1'), prompt('p', 'next')] });
    const receipt = await ingestion.append({ ...common, entries: [result('f', 'c2')] });

    expect(receipt).toMatchObject({ added: 1, ignored: 0, lastSeq: 6, problems: [] });
    const stored = await entriesOf(tenant, sessionId);
    expect(stored.map(({ unitId, turn }) => `${unitId} ${turn}`)).toEqual([
      'first-0 1',
      'c 1',
      'c 1',
      'c 1',
      'p 2',
      'c 2',
    ]);
    const [told] = await core.sessions.trail.read({ tenantId: tenant, sessionId });
    expect([...(told?.trail.artifacts.keys() ?? [])]).toEqual(['/home/c1.ts', '/home/c2.ts']);
    expect(await core.sessions.trail.rebuild({ tenantId: tenant, sessionId })).toMatchObject({
      events: 2,
      changed: 0,
    });
  });

  it('passes over what is known and names what is odd', async () => {
    const tenant = newTenant();
    const sessionId = await aSessionOf(tenant, prompt('p', 'one'));
    const receipt = await core.sessions.ingestion.append({
      tenantId: tenant,
      sessionId,
      redact,
      entries: [prompt('p', 'one'), prompt('p', 'two'), result('r', 'nobody')],
    });
    expect(receipt).toMatchObject({
      added: 2,
      ignored: 1,
      problems: [
        { reason: 'result-without-call', ids: ['nobody'] },
        { reason: 'key-reused', ids: ['p'] },
      ],
    });
  });

  it('takes whatever ids a program makes up', async () => {
    const tenant = newTenant();
    const long = 'k'.repeat(5_000);
    const sessionId = await aSessionOf(
      tenant,
      call(`a\u0000b`, '\ud800', long),
      result(long, '\ud800'),
      prompt('', 'no key at all'),
    );
    const stored = await entriesOf(tenant, sessionId);
    expect(stored).toHaveLength(4);
    expect(stored[2]?.unitId).toBe(stored[1]?.unitId);
    for (const { sourceKey } of stored) expect(sourceKey.length).toBeLessThanOrEqual(500);
  });

  it('finds no session of another tenant', async () => {
    const tenant = newTenant();
    const sessionId = await aSessionOf(tenant);
    const entries = [prompt('p', 'x')];
    await expect(
      core.sessions.ingestion.append({ tenantId: newTenant(), sessionId, entries, redact }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a branch that turns out to be rewound', () => {
  const record = (uuid: string, parentUuid: string | null, content: unknown, type = 'user') =>
    `${JSON.stringify({
      type,
      uuid,
      parentUuid,
      sessionId: 'rewound',
      isSidechain: false,
      message: { role: type, id: `m-${uuid}`, content },
    })}\n`;

  it('is marked by the next import, with what it did', async () => {
    const tenant = newTenant();
    const write = {
      type: 'tool_use',
      id: 'c1',
      name: 'Write',
      input: { file_path: '/a.ts', content: 'x' },
    };
    const before =
      record('u1', null, 'Begin.') +
      record('a1', 'u1', [{ type: 'text', text: 'Yes?' }], 'assistant') +
      record('u2', 'a1', 'Do it this way.') +
      record('a2', 'u2', [write], 'assistant') +
      record('u3', 'a2', [{ type: 'tool_result', tool_use_id: 'c1', content: 'written' }]);
    const after = before + record('u4', 'a1', 'No, that way.');
    const load = async (text: string) => {
      const [receipt] = await core.sessions.ingestion.import({
        tenantId: tenant,
        source: memorySource(text),
        reader: claudeCodeReader(sha256),
        redact,
      });
      return receipt;
    };
    const first = await load(before);
    expect(await load(after)).toMatchObject({ added: 1, ignored: 5, remarked: 3 });

    const sessionId = first?.sessionId ?? '';
    const stored = await entriesOf(tenant, sessionId);
    expect(stored.map(({ active }) => active)).toEqual([true, true, false, false, false, true]);
    const events = await core.sessions.trail.events({ tenantId: tenant, sessionId });
    expect(events.map(({ path, active }) => ({ path, active }))).toEqual([
      { path: '/a.ts', active: false },
    ]);
    const rebuilt = await core.sessions.trail.rebuild({ tenantId: tenant, sessionId });
    expect(rebuilt.changed).toBe(0);
    expect(await load(after)).toMatchObject({ added: 0, remarked: 0 });
  });
});
