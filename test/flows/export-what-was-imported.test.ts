/** Without a cycle, a transcript goes out to its own provider as the messages it came from. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TranscriptReader } from '../../src/application/session/transcript-reader.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../src/domain/redaction/json-value.js';
import type { ExportProvider } from '../../src/domain/session/export/providers.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const FOLDER = resolve(process.env['OSSATURE_TRANSCRIPTS'] ?? '../shared/transcripts');
const readers = transcriptReaders(sha256, createEstimateCounter());

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = 'JVBERi0xLjQK';
const WAV = 'UklGRiQAAABXQVZF';

const chatCall = (id: string, written = '{"path": "a.ts"}') => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: written },
});

interface Made {
  readonly rule: string;
  readonly reader: string;
  readonly provider: ExportProvider;
  readonly messages: readonly JsonObject[];
}

// prettier-ignore
const MADE: readonly Made[] = [
  {
    rule: 'roles, names, parts and media of Chat Completions',
    reader: 'openai', provider: 'openai-chat',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'Use tabs.' }] },
      { role: 'user', name: 'ann', content: [
        { type: 'text', text: 'Compare\n\nthese.' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'high' } },
        { type: 'text', text: 'And this.' },
        { type: 'file', file: { filename: 'plan.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
        { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      ] },
      { role: 'assistant', name: 'bot', content: [{ type: 'text', text: 'One.' }, { type: 'text', text: 'Two.' }],
        tool_calls: [chatCall('c1'), chatCall('c2', 'no json')] },
      { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'a\nb' }, { type: 'text', text: 'c' }] },
      { role: 'tool', tool_call_id: 'c1', name: 'read', content: 'x' },
      { role: 'developer', content: 'Be quick.' },
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
      { role: 'assistant', content: null, refusal: 'I cannot.' },
      { role: 'user', content: 'Why?' },
      { role: 'user', content: 'Tell me.' },
    ],
  },
  {
    rule: 'items, their fields and parts of Responses',
    reader: 'openai', provider: 'openai-responses',
    messages: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Use tabs.' }, { type: 'input_text', text: 'Be brief.' }] },
      { type: 'message', role: 'user', content: [
        { type: 'input_text', text: 'Look.' },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'low' },
        { type: 'input_text', text: 'And read.' },
        { type: 'input_file', filename: 'plan.pdf', file_data: `data:application/pdf;base64,${PDF}` },
      ] },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'sealed' },
      { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed',
        content: [{ type: 'output_text', text: 'One.' }, { type: 'output_text', text: 'Two.' }] },
      { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path": "a.ts"}', status: 'completed' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '*** Begin' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'a\nb' }, { type: 'input_text', text: 'c' }] },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'done' },
      { type: 'message', role: 'system', content: 'Be quick.' },
      { type: 'message', role: 'user', content: 'Go on.' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }], phase: 'final_answer' },
    ],
  },
  {
    rule: 'blocks of Anthropic in their order',
    reader: 'anthropic', provider: 'anthropic',
    messages: [
      { role: 'user', content: [
        { type: 'text', text: '<system-reminder>First.</system-reminder>' },
        { type: 'text', text: 'Look\n\nat this.' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        { type: 'text', text: 'And at this.' },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF }, title: 'Plan' },
        { type: 'document', source: { type: 'file', file_id: 'file_1' } },
      ] },
      { role: 'assistant', content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'redacted_thinking', data: 'sealed' },
        { type: 'text', text: 'One.' },
        { type: 'text', text: 'Two.' },
        { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a.ts' } },
        { type: 'tool_use', id: 't2', name: 'read', input: { path: 'b.ts' } },
      ] },
      { role: 'user', content: [
        { type: 'tool_result', tool_use_id: 't2', content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          { type: 'text', text: 'a\nb' },
          { type: 'text', text: 'c' },
        ] },
        { type: 'tool_result', tool_use_id: 't1', content: 'gone', is_error: true },
        { type: 'text', text: 'Go on.' },
      ] },
    ],
  },
  {
    rule: 'fields, blocks and further data of LangChain',
    reader: 'langchain', provider: 'langchain',
    messages: [
      { type: 'system', data: { type: 'system', id: 's1', content: 'Be brief.' } },
      { type: 'human', data: { type: 'human', id: 'h1', name: 'ann', content: [
        { type: 'text', text: 'Look.' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
        { type: 'text', text: 'And tell.' },
      ], additional_kwargs: { priority: 1 } } },
      { type: 'ai', data: { type: 'ai', id: 'a1', name: 'bot', content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a.ts' } },
      ],
        tool_calls: [{ id: 't1', name: 'read', args: { path: 'a.ts' }, type: 'tool_call' }], invalid_tool_calls: [],
        response_metadata: { model_name: 'm', finish_reason: 'tool_calls' },
        usage_metadata: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
        additional_kwargs: { reasoning: { id: 'rs_1' } } } },
      { type: 'tool', data: { type: 'tool', id: 'r1', name: 'read', tool_call_id: 't1', status: 'error', content: 'no', artifact: { rows: 2 } } },
      { type: 'chat', data: { type: 'chat', role: 'critic', content: 'Weak.' } },
    ],
  },
];

/** Fields that the provider's schema has; what programs write beside them is theirs. */
const CHAT_FIELDS = ['role', 'name', 'content', 'refusal', 'tool_calls', 'tool_call_id'];

const isBlank = (value: JsonValue | undefined): boolean =>
  (value ?? null) === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0);

/**
 * Providers take no content without a visible character, which is absent or said to be none, and no id
 * of a call twice: it gets a number.
 */
function chatMessages(messages: readonly JsonObject[]): readonly JsonObject[] {
  const used = new Map<string, number>();
  const numbered = (id: string): string => {
    const count = used.get(id) ?? 1;
    return count === 1 ? id : `${id}_${count}`;
  };
  return messages.flatMap((message) => {
    const fields: JsonObject = Object.fromEntries(
      CHAT_FIELDS.flatMap((name) =>
        isBlank(message[name]) ? [] : [[name, message[name] ?? null]],
      ),
    );
    const ids = message['tool_call_ids'];
    const [first = message['tool_call_id'] ?? null] = Array.isArray(ids)
      ? (ids as readonly JsonValue[])
      : [];
    const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];
    const named = calls.filter(isJsonObject).map((call) => {
      const id = JSON.stringify(call['id']).slice(1, -1);
      used.set(id, (used.get(id) ?? 0) + 1);
      return { ...call, id: numbered(id) };
    });
    const whole = withoutCacheMarks({
      ...fields,
      ...(named.length > 0 && { tool_calls: named }),
      ...(typeof first === 'string' && { tool_call_id: numbered(first) }),
    });
    if (message['role'] === 'tool') return [{ content: '(no output)', ...whole }];
    const isSaid = ['content', 'tool_calls', 'refusal'].some((name) => name in whole);
    return isSaid ? [whole] : [];
  });
}

/** Where a cache ends is said by the host of each request. */
function withoutCacheMarks(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const parts = content.filter(isJsonObject).map(({ cache_control: _mark, ...part }) => part);
  return { ...message, content: parts };
}

describe.each(Object.keys(STORES))('a transcript without a cycle, %s', (store) => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES[store]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  async function sentBack(
    text: string,
    reader: TranscriptReader,
    provider: ExportProvider,
  ): Promise<readonly (readonly JsonObject[])[]> {
    const tenantId = `${provider}-${sha256(text).slice(0, 12)}`;
    const source = memorySource(text);
    const receipts = await opened.core.sessions.ingestion.import({
      tenantId,
      source,
      reader,
      redact,
    });
    const sent: (readonly JsonObject[])[] = [];
    for (const { sessionId } of receipts) {
      const request = { tenantId, sessionId: sessionId ?? '', provider };
      const { messages } = await opened.core.sessions.exports.export(request);
      sent.push(messages as readonly JsonObject[]);
    }
    return sent;
  }

  const readerNamed = (name: string): TranscriptReader => {
    const reader = readers.find((one) => one.name === name);
    if (reader === undefined) throw new Error(`There is no reader ${name}.`);
    return reader;
  };

  it.each(MADE)('keeps $rule', async ({ reader, provider, messages }) => {
    const [sent] = await sentBack(JSON.stringify(messages), readerNamed(reader), provider);
    expect(sent).toEqual(messages);
  });

  it('keeps what LangChain wrote in the form of constructors', async () => {
    const messages = [
      {
        lc: 1,
        type: 'constructor',
        id: ['langchain_core', 'messages', 'HumanMessage'],
        kwargs: { type: 'human', id: 'h1', content: 'Go.' },
      },
      {
        lc: 1,
        type: 'constructor',
        id: ['langchain_core', 'messages', 'AIMessage'],
        kwargs: {
          type: 'ai',
          id: 'a1',
          content: 'Gone.',
          tool_calls: [],
          invalid_tool_calls: [],
          response_metadata: { model_name: 'm' },
        },
      },
    ];
    const [sent] = await sentBack(
      JSON.stringify(messages),
      readerNamed('langchain'),
      'langchain-constructor',
    );
    expect(sent).toEqual(messages);
  });

  it.each(MADE)('is accepted by every other provider too: $rule', async ({ reader, messages }) => {
    const others: readonly ExportProvider[] = [
      'anthropic',
      'openai-chat',
      'openai-responses',
      'langchain',
    ];
    for (const other of others) {
      const [sent] = await sentBack(JSON.stringify(messages), readerNamed(reader), other);
      expect(sent?.length).toBeGreaterThan(1);
    }
  });
});

const CHATS = [
  'chat-json/tau-bench-airline.json',
  'chat-json/anthropic-request-log.json',
  'chat-json/no-function-calling-log.json',
  'mini-swe-agent/github-issue.traj.json',
  'swe-agent/marshmallow-1867.traj',
  'swe-agent/pydicom-1458.traj',
];

const describeSamples = existsSync(FOLDER) ? describe : describe.skip;

describeSamples('a sample without a cycle', () => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES['in memory']?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  async function sentBack(file: string, reader: string, provider: ExportProvider) {
    const source = memorySource(readFileSync(join(FOLDER, file), 'utf8'));
    const one = readers.find(({ name }) => name === reader) as TranscriptReader;
    const receipts = await opened.core.sessions.ingestion.import({
      tenantId: file,
      source,
      reader: one,
      redact: redactNothing,
    });
    const all: JsonObject[][] = [];
    for (const { sessionId } of receipts) {
      const request = { tenantId: file, sessionId: sessionId ?? '', provider };
      const { messages } = await opened.core.sessions.exports.export(request);
      all.push(messages as JsonObject[]);
    }
    return all;
  }

  const redactNothing = (text: string) => ({ text, redactions: {} });
  it.each(CHATS)('%s goes out as the messages it holds', async (file) => {
    const value = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as JsonValue;
    const sent = await sentBack(file, 'openai', 'openai-chat');
    const objects = Array.isArray(value) ? (value as readonly JsonObject[]) : [value as JsonObject];
    const held = objects.map((one) => one['messages'] ?? one['traj'] ?? one['history'] ?? null);
    const expected = held.includes(null) ? [objects] : (held as readonly (readonly JsonObject[])[]);
    expect(sent.map((messages) => chatMessages(messages))).toEqual(
      expected.map((messages) => chatMessages(messages)),
    );
  });

  const ITEM_FIELDS = [
    'type',
    'role',
    'content',
    'call_id',
    'name',
    'arguments',
    'input',
    'output',
    'status',
    'phase',
  ];

  it('of Codex goes out as the items of its rollout', async () => {
    const file = 'codex/rollout-0.125-apply-patch.jsonl';
    const lines = readFileSync(join(FOLDER, file), 'utf8').split('\n');
    const items = lines.flatMap((line): readonly JsonObject[] => {
      const record: unknown = line === '' ? null : JSON.parse(line);
      return isJsonObject(record) &&
        record['type'] === 'response_item' &&
        isJsonObject(record['payload'])
        ? [record['payload']]
        : [];
    });
    const [sent = []] = await sentBack(file, 'codex', 'openai-responses');
    const told = (all: readonly JsonObject[]) =>
      all.map((item) =>
        Object.fromEntries(
          ITEM_FIELDS.flatMap((name) => (name in item ? [[name, item[name]]] : [])),
        ),
      );
    // What the provider searched itself goes out as a call with its result, and reasoning sealed or not at all.
    const searched = sent.flatMap(({ name, call_id: id }) => (name === 'web_search' ? [id] : []));
    const ours = ({ type, call_id: id }: JsonObject): boolean =>
      type !== 'reasoning' && type !== 'web_search_call' && !searched.includes(id);
    expect(told(sent.filter(ours))).toEqual(told(items.filter(ours)));
  });

  /** Numbers of pieces say nothing once these are joined. */
  const withoutIndexes = (content: JsonValue): JsonValue =>
    Array.isArray(content)
      ? content.filter(isJsonObject).map(({ index: _index, ...block }) => block)
      : content;

  /** Pieces of a stream are told apart from messages by their class alone. */
  const toldOf = (messages: readonly JsonObject[]) =>
    messages.map(({ id, kwargs }) => {
      const { content, tool_calls: calls, tool_call_id: callId, ...rest } = kwargs as JsonObject;
      const called = Array.isArray(calls) ? calls.filter(isJsonObject) : [];
      return {
        type: String(Array.isArray(id) ? id.at(-1) : '').replace('Chunk', ''),
        id: rest['id'],
        content: isBlank(content) ? '' : withoutIndexes(content ?? ''),
        calls: called.map((call) => [call['id'], call['name'], call['args']]),
        callId,
      };
    });

  it.each([
    'langgraph/react-agent-tool-calling.json',
    'langgraph/langgraph-response-1.json',
    'langgraph/langgraph-response-2.json',
  ])('%s goes out as the messages of its last snapshot', async (file) => {
    const [sent = []] = await sentBack(file, 'langchain', 'langchain-constructor');
    const snapshots = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as JsonValue[][];
    const held = snapshots.flatMap(([mode, value]) => {
      const messages = mode === 'values' && isJsonObject(value) ? value['messages'] : null;
      return Array.isArray(messages) ? [messages.filter(isJsonObject)] : [];
    });
    // A provider wants an answer to every call: one that waits for a person gets a notice.
    const isNotice = ({ content }: { readonly content: unknown }) =>
      content === '[no result of this call is in the transcript]';
    expect(toldOf(sent).filter((message) => !isNotice(message))).toEqual(toldOf(held.at(-1) ?? []));
    expect(sent.length).toBeGreaterThan(1);
  });
});
