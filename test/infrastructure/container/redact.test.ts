/** Redaction is a port: what the container binds serves every call that brings none of its own. */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Redact } from '../../../src/index.js';
import { createOssature, type Ossature, TOKENS } from '../../../src/index.js';
import { openaiReader } from '../../../src/interfaces/transcripts/openai-transcript.js';
import { memorySource } from '../../interfaces/transcripts/transcript-support.js';
import { turnEntries } from '../../support/stored-session.js';

const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz';
const TENANT = 'local';

/** Of a host: it hides a name, and nothing else. */
const hideHarbor: Redact = (text) => {
  const found = text.split('Harbor').length - 1;
  return found === 0
    ? { text, redactions: {} }
    : { text: text.replaceAll('Harbor', '[redacted:name]'), redactions: { name: found } };
};

const TEXT = JSON.stringify([{ role: 'user', content: `Harbor has the key ${KEY}` }]);

let core: Ossature;
afterEach(() => core.close());

async function opened(options: { readonly redact?: Redact | null }): Promise<Ossature> {
  core = await createOssature({ store: { kind: 'in-memory' }, ...options });
  return core;
}

async function imported(given: { readonly redact?: Redact | null } = {}) {
  const source = memorySource(TEXT);
  const reader = openaiReader(core.resolve(TOKENS.digest));
  const request = { tenantId: TENANT, source, reader, ...given };
  const [receipt] = await core.sessions.ingestion.import(request);
  const key = { tenantId: TENANT, sessionId: receipt?.sessionId ?? '' };
  const all = { from: 1, to: null };
  const [entry] = await core.resolve(TOKENS.sessionRepository).listEntries(key, all);
  return { receipt, key, content: entry?.content };
}

const OFF = 'Redaction was switched off for this import.';

describe('redaction of sessions', () => {
  it('is ours where a host says nothing', async () => {
    await opened({});
    const { receipt, content } = await imported();
    expect(content).toMatch(/^Harbor has the key \[redacted:anthropic-key:[0-9a-f]{8}\]$/);
    expect(receipt).toMatchObject({ redactions: { 'anthropic-key': 1 }, notes: [] });
  });

  it('is the host’s where it brings one, for imports, appends and pins', async () => {
    await opened({ redact: hideHarbor });
    const { receipt, content, key } = await imported();
    expect(content).toBe(`[redacted:name] has the key ${KEY}`);
    expect(receipt).toMatchObject({ redactions: { name: 1 }, notes: [] });
    const entries = turnEntries(1, { prompt: 'Mend Harbor.' });
    expect(await core.sessions.ingestion.append({ ...key, entries })).toMatchObject({
      redactions: { name: 1 },
      notes: [],
    });
    await core.sessions.summaries.pin({ ...key, text: 'Never delete Harbor.' });
    const { summary } = await core.sessions.summaries.read(key);
    expect(summary.items.map(({ text }) => text)).toContain('Never delete [redacted:name].');
  });

  it('is off where the host says so, which every receipt notes', async () => {
    await opened({ redact: null });
    const { receipt, content, key } = await imported();
    expect(content).toBe(`Harbor has the key ${KEY}`);
    expect(receipt?.notes).toEqual([OFF]);
    const { notes } = await core.sessions.ingestion.append({ ...key, entries: turnEntries(1) });
    expect(notes).toEqual([OFF]);
  });

  it.each([
    { bound: null, given: hideHarbor, content: `[redacted:name] has the key ${KEY}`, notes: [] },
    { bound: hideHarbor, given: null, content: `Harbor has the key ${KEY}`, notes: [OFF] },
  ])('of a call goes before that of the container', async ({ bound, given, ...expected }) => {
    await opened({ redact: bound });
    const { receipt, content } = await imported({ redact: given });
    expect({ content, notes: receipt?.notes }).toEqual(expected);
  });
});
