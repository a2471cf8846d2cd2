/** What a transcript tells beside its texts is kept: usage once a request, media, seals of thinking. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/domain/redaction/json-value.js';
import { createOssature, TOKENS } from '../../src/index.js';
import { anthropicReader } from '../../src/interfaces/transcripts/anthropic-transcript.js';
import { claudeCodeReader } from '../../src/interfaces/transcripts/claude-code-transcript.js';
import { codexReader } from '../../src/interfaces/transcripts/codex-transcript.js';
import { openaiReader } from '../../src/interfaces/transcripts/openai-transcript.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

/** One pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const record = (type: string, uuid: string, parentUuid: string | null, message: JsonObject) =>
  JSON.stringify({ type, uuid, parentUuid, sessionId: 'abc', isSidechain: false, message });

const usage = (output: number) => ({
  input_tokens: 10,
  cache_creation_input_tokens: 5,
  cache_read_input_tokens: 100,
  output_tokens: output,
});

const assistant = (uuid: string, parent: string, output: number, block: JsonObject) =>
  record('assistant', uuid, parent, {
    role: 'assistant',
    id: 'm1',
    model: 'claude-opus-4-1',
    stop_reason: 'tool_use',
    content: [block],
    usage: usage(output),
  });

const CLAUDE_CODE = [
  record('user', 'u1', null, { role: 'user', content: 'Look at it' }),
  assistant('a1', 'u1', 2, { type: 'thinking', thinking: 'Hm.', signature: 'sealed' }),
  assistant('a2', 'a1', 40, { type: 'tool_use', id: 'c1', name: 'Read', input: { path: 'a.png' } }),
  record('user', 'u2', 'a2', {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'c1',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        ],
      },
    ],
  }),
];

const envelope = (type: string, payload: object) =>
  JSON.stringify({ timestamp: '2026-01-02T03:04:05.000Z', type, payload });

const tokenCount = (total: number, last: number) =>
  envelope('event_msg', {
    type: 'token_count',
    info: {
      total_token_usage: { input_tokens: total, cached_input_tokens: 0, output_tokens: total },
      last_token_usage: { input_tokens: last, cached_input_tokens: last / 2, output_tokens: 3 },
    },
  });

const CODEX = [
  envelope('session_meta', { id: 'rollout', cwd: '/h' }),
  envelope('turn_context', { model: 'gpt-5', cwd: '/h' }),
  envelope('response_item', {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: 'Patch it' }],
  }),
  envelope('response_item', {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'First a look.' }],
    encrypted_content: 'gAAAAB',
  }),
  envelope('response_item', {
    type: 'custom_tool_call',
    call_id: 'c1',
    name: 'apply_patch',
    input: '*** Begin Patch\n*** End Patch',
  }),
  tokenCount(20, 20),
  tokenCount(20, 20),
  envelope('response_item', { type: 'custom_tool_call_output', call_id: 'c1', output: 'Done' }),
  tokenCount(60, 40),
];

describe.each(Object.keys(STORES))('what an import tells, %s', (name) => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  const imported = async (
    tenantId: string,
    lines: readonly string[],
    reader = claudeCodeReader(sha256),
  ) => {
    const request = { tenantId, source: memorySource(lines.join('\n')), reader, redact };
    const [receipt] = await opened.core.sessions.ingestion.import(request);
    const key = { tenantId, sessionId: receipt?.sessionId ?? '' };
    const sessions = opened.core.resolve(TOKENS.sessionRepository);
    return { receipt, key, sessions };
  };

  it('bills a message spread over several lines once, with what it came to in the end', async () => {
    const begun = await imported('usage', CLAUDE_CODE.slice(0, 2));
    const told = { usageKey: 'm1', model: 'claude-opus-4-1', purpose: 'agent', occurredAt: null };
    const counts = { uncachedInputTokens: 15, cachedInputTokens: 100 };
    expect(await begun.sessions.listUsage(begun.key)).toEqual([
      { ...told, ...counts, outputTokens: 2, seq: 2 },
    ]);
    const { receipt, key, sessions } = await imported('usage', CLAUDE_CODE);
    expect(receipt?.sessionId).toBe(begun.key.sessionId);
    const all = await sessions.listUsage(key);
    expect(all).toEqual([{ ...told, ...counts, outputTokens: 40, seq: 2 }]);
    expect((await imported('usage', CLAUDE_CODE)).receipt?.added).toBe(0);
    expect(await sessions.listUsage(key)).toEqual(all);
    expect((await sessions.get(key)).model).toBe('claude-opus-4-1');
    const [, thinking] = await sessions.listEntries(key, { from: 1, to: null });
    expect(thinking).toMatchObject({ model: 'claude-opus-4-1', vendor: { signature: 'sealed' } });
  });

  it('gives media and seals back to the same vendor', async () => {
    const { key } = await imported('media', CLAUDE_CODE);
    const { messages } = await opened.core.sessions.exports.export({
      ...key,
      provider: 'anthropic',
    });
    expect(messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sealed' },
      { type: 'tool_use', id: 'c1', name: 'Read', input: { path: 'a.png' } },
    ]);
    expect(JSON.stringify(messages[2]?.content)).toContain(PNG);
  });

  it('prices an image by its size', async () => {
    const { key, sessions } = await imported('price', CLAUDE_CODE);
    const entries = await sessions.listEntries(key, { from: 1, to: null }, ['attachment']);
    expect(entries).toMatchObject([
      { width: 1, height: 1, tokenCount: 85, mediaType: 'image/png' },
    ]);
    expect(entries[0]).not.toHaveProperty('data');
  });

  it('tells the requests of a rollout apart by what they came to together', async () => {
    const { key, sessions } = await imported('rollout', CODEX, codexReader(sha256));
    expect(await sessions.listUsage(key)).toMatchObject([
      { uncachedInputTokens: 10, cachedInputTokens: 10, outputTokens: 3, model: 'gpt-5', seq: 3 },
      { uncachedInputTokens: 20, cachedInputTokens: 20, outputTokens: 3, model: 'gpt-5', seq: 4 },
    ]);
    const { messages } = await opened.core.sessions.exports.export({
      ...key,
      provider: 'openai-responses',
    });
    expect(messages).toEqual(
      CODEX.map((line) => JSON.parse(line) as { type: string; payload: JsonObject })
        .filter(({ type }) => type === 'response_item')
        .map(({ payload }) => payload),
    );
  });

  it('gives a conversation of OpenAI back as it was, arguments to the letter', async () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
          { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'see', arguments: '{ "x": 1.0 }' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'A dot.' },
      { role: 'assistant', content: 'A dot.' },
    ];
    const { key } = await imported('chat', [JSON.stringify(messages)], openaiReader(sha256));
    const exported = await opened.core.sessions.exports.export({ ...key, provider: 'openai-chat' });
    expect(exported.messages).toEqual(messages);
  });

  it('gives a conversation of Anthropic back as it was', async () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'Go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'I go.' },
          { type: 'tool_use', id: 't1', name: 'walk', input: { steps: 2 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'fell', is_error: true },
          { type: 'text', text: 'Again' },
        ],
      },
    ];
    const source = [JSON.stringify({ system: 'Walk.', messages })];
    const { key } = await imported('messages', source, anthropicReader(sha256));
    const exported = await opened.core.sessions.exports.export({ ...key, provider: 'anthropic' });
    expect(exported.system).toBe('Walk.');
    expect(exported.messages).toEqual(messages);
  });
});

describe('media above the limit', () => {
  it('are kept as their description', async () => {
    const core = await createOssature({
      store: { kind: 'in-memory' },
      config: { maxAttachmentBytes: 20 },
    });
    const source = memorySource(CLAUDE_CODE.join('\n'));
    const reader = claudeCodeReader(sha256);
    const [receipt] = await core.sessions.ingestion.import({
      tenantId: 't',
      source,
      reader,
      redact,
    });
    const key = { tenantId: 't', sessionId: receipt?.sessionId ?? '' };
    const { messages, notes } = await core.sessions.exports.export({
      ...key,
      provider: 'anthropic',
    });
    expect(JSON.stringify(messages)).toContain('[image, image/png, ');
    expect(notes.map(({ reason }) => reason)).toEqual(['media-described']);
    await core.close();
  });
});
