/** Bad transcripts and bad requests through the library: read as far as they go, or refused by name. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TranscriptSource } from '../../src/application/session/transcript-reader.js';
import type { JsonObject } from '../../src/domain/redaction/json-value.js';
import { EXPORT_PROVIDERS } from '../../src/domain/session/export/providers.js';
import { createOssature, type Ossature } from '../../src/index.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { openaiReader } from '../../src/interfaces/transcripts/openai-transcript.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import { fileSource } from '../../src/interfaces/transcripts/transcript-source.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const reader = openaiReader(sha256);
const [claudeCode] = transcriptReaders(sha256, createEstimateCounter());

const call = (id: string, written = '{}'): JsonObject => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'frobnicate', arguments: written } }],
});
const result = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: 'done' });
const prompt = (content: string, more: JsonObject = {}): JsonObject => ({
  role: 'user',
  content,
  ...more,
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ossature-bad-input-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(Object.keys(STORES))('bad input, %s', (store) => {
  let opened: OpenedCore;
  let core: Ossature;
  beforeAll(async () => {
    opened = (await STORES[store]?.()) as OpenedCore;
    ({ core } = opened);
  });
  afterAll(() => opened.close());

  async function receiptOf(tenantId: string, source: TranscriptSource, from = reader) {
    const [receipt] = await core.sessions.ingestion.import({
      tenantId,
      source,
      reader: from,
      redact,
    });
    if (receipt === undefined) throw new Error('There is no receipt.');
    return receipt;
  }
  async function entriesOf(tenantId: string, sessionId: string | null, from: number, to: number) {
    const session = await core.sessions.stored.resolve(tenantId, sessionId ?? '');
    return core.sessions.stored.entries(session, { from, to });
  }
  const imported = (tenantId: string, messages: readonly JsonObject[]) =>
    receiptOf(tenantId, memorySource(JSON.stringify(messages)));

  it.each([
    { rule: 'missing', make: () => join(folder, 'missing') },
    { rule: 'a directory', make: () => folder },
    {
      rule: 'under a file',
      make: () => {
        writeFileSync(join(folder, 'plain'), '');
        return join(folder, 'plain', 'x');
      },
    },
    {
      rule: 'a link in a ring',
      make: () => {
        const place = join(folder, `ring-${store.length}`);
        symlinkSync(place, place);
        return place;
      },
    },
    {
      rule: 'binary',
      make: () => {
        const place = join(folder, 'binary');
        writeFileSync(place, new Uint8Array([0x7f, 0x45, 0, 1]));
        return place;
      },
    },
    { rule: 'a device', make: () => '/dev/null' },
  ])('a file that is $rule is INVALID_TRANSCRIPT and names the path', async ({ make }) => {
    const path = make();
    const refused = core.sessions.ingestion.import({
      tenantId: 'files',
      source: fileSource(path),
      reader,
      redact,
    });
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_TRANSCRIPT',
      message: expect.stringMatching(/\. (Check|Name|Give|Pipe) /),
      details: { source: path },
    });
    expect(await core.sessions.stored.list('files')).toEqual([]);
  });

  it.each(['', '\n \r\n'])('nothing in %j is a receipt with zeros', async (text) => {
    expect(await receiptOf('empty', memorySource(text))).toMatchObject({
      sessionId: null,
      added: 0,
      problems: { total: 0 },
    });
  });

  it('a byte order mark, CRLF and no final newline are read as usual', async () => {
    const lines = [prompt('One.'), prompt('Two.')].map((one) => JSON.stringify(one));
    const source = memorySource(`\uFEFF${lines.join('\r\n')}`);
    expect(await receiptOf('marks', source)).toMatchObject({ added: 2, problems: { total: 0 } });
  });

  it.each([
    { rule: 'a result without its call', messages: [prompt('Go.'), result('c9')], id: 'c9' },
    {
      rule: 'a call id that is used twice',
      messages: [prompt('Go.'), call('c1'), result('c1'), call('c1'), result('c1')],
      id: 'c1',
    },
  ])('$rule is a problem with its id, and exports hold', async ({ messages, id }) => {
    const { sessionId, problems } = await imported('odd', messages);
    if (id === 'c9') expect(problems.first.flatMap(({ ids }) => ids)).toContain(id);
    for (const provider of EXPORT_PROVIDERS) {
      const request = { tenantId: 'odd', sessionId: sessionId ?? '', provider };
      expect((await core.sessions.exports.export(request)).messages.length).toBeGreaterThan(0);
    }
  });

  it.each([
    { rule: 'missing', times: [null, null] },
    { rule: 'equal', times: ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'] },
    { rule: 'backwards', times: ['2026-01-31T12:00:00.000Z', '2026-01-30T12:00:00.000Z'] },
  ])('where times are $rule the order of the file decides', async ({ rule, times }) => {
    const messages = times.map((timestamp, n) => prompt(`Prompt ${n}.`, { timestamp }));
    const { sessionId } = await imported(`times ${rule}`, messages);
    const entries = await entriesOf(`times ${rule}`, sessionId, 1, 2);
    expect(entries.map(({ content, occurredAt }) => [content, occurredAt])).toEqual(
      times.map((at, n) => [`Prompt ${n}.`, at]),
    );
  });

  it('arguments that are no JSON stay a text, and unknown tools are counted', async () => {
    const messages = [prompt('Go.'), call('c1', '{"a": '), result('c1')];
    const { sessionId, unmappedTools } = await imported('arguments', messages);
    expect(unmappedTools).toEqual({ frobnicate: 1 });
    expect(await entriesOf('arguments', sessionId, 2, 2)).toMatchObject([{ arguments: '{"a": ' }]);
  });

  it('a file cut short since removes nothing, and the problem is `shrunk`', async () => {
    if (claudeCode === undefined) throw new Error('There is no reader.');
    const line = (uuid: string) =>
      `${JSON.stringify({ type: 'user', uuid, parentUuid: null, sessionId: 's', message: prompt(uuid) })}\n`;
    const whole = await receiptOf('cut', memorySource(line('u1') + line('u2')), claudeCode);
    expect(await receiptOf('cut', memorySource(line('u1')), claudeCode)).toMatchObject({
      sessionId: whole.sessionId,
      added: 0,
      problems: { total: 1, first: [{ reason: 'shrunk' }] },
    });
    expect(await core.sessions.stored.resolve('cut', whole.sessionId ?? '')).toMatchObject({
      lastSeq: 2,
    });
  });

  it('another tenant’s session is answered as an unknown one, whatever is asked of it', async () => {
    const { sessionId } = await imported('owner', [prompt('Go.')]);
    const { stored, summaries, trail, exports, tokens } = core.sessions;
    const asked = (id: string): Readonly<Record<string, Promise<unknown>>> => {
      const request = { tenantId: 'stranger', sessionId: id };
      return {
        resolve: stored.resolve('stranger', id),
        status: summaries.status({ ...request, settings: { windowTokens: 10_000 } }),
        compact: summaries.compact({ ...request, settings: { windowTokens: 10_000 } }),
        read: summaries.read(request),
        expand: summaries.expand({ ...request, handle: 'entry:1' }),
        pin: summaries.pin({ ...request, text: 'Never.' }),
        rollback: summaries.rollback({ ...request, toCycle: 0 }),
        configure: summaries.configure({ ...request, settings: { keep_turns: 3 } }),
        trail: trail.read(request),
        export: exports.export({ ...request, provider: 'anthropic' }),
        tokens: tokens.read(request),
      };
    };
    const unknown = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
    const answers = async (id: string) => {
      const named = Object.entries(asked(id)).map(async ([name, answer]) => {
        const said = await answer.then(
          () => ['answered', ''],
          (error: Error & { code?: string }) => [error.code, error.message.replaceAll(id, 'ID')],
        );
        return [name, ...said];
      });
      return Promise.all(named);
    };
    const foreign = await answers(sessionId ?? '');
    expect(foreign.map(([, code]) => code)).toEqual(foreign.map(() => 'NOT_FOUND'));
    expect(await answers(unknown)).toEqual(foreign);
  });

  it.each(['#99', 'entry:99', 'file:none.ts', 'section:none', 'cycle:9'])(
    'the handle %s that a session does not have is NOT_FOUND',
    async (handle) => {
      const { sessionId } = await imported('handles', [prompt('Go.')]);
      const request = { tenantId: 'handles', sessionId: sessionId ?? '', handle };
      await expect(core.sessions.summaries.expand(request)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    },
  );

  it.each([
    { settings: {}, field: 'window_tokens' },
    { settings: { windowTokens: 999 }, field: 'window_tokens' },
    { settings: { windowTokens: 10_000, fillLine: 0.5, drainLine: 0.5 }, field: 'drain_line' },
    { settings: { windowTokens: 10_000, summaryTokens: 5_000 }, field: 'summary_tokens' },
  ])('$settings is refused by field, and changes nothing', async ({ settings, field }) => {
    const { sessionId } = await imported('settings', [prompt('Go.')]);
    const request = { tenantId: 'settings', sessionId: sessionId ?? '' };
    const before = await core.sessions.stored.resolve('settings', request.sessionId);
    await expect(
      core.sessions.summaries.compact({ ...request, settings, now: true }),
    ).rejects.toMatchObject({ code: 'INVALID_CONFIG', details: { field } });
    expect(await core.sessions.stored.resolve('settings', request.sessionId)).toEqual(before);
  });
});

it('a database that is down is said with the next step', async () => {
  await expect(
    createOssature({ store: { kind: 'url', url: 'postgres://nobody@127.0.0.1:9/none' } }),
  ).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/Check|Start/),
  });
});
