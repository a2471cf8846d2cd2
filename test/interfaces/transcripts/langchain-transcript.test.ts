import { describe, expect, it } from '@jest/globals';
import { langchainReader } from '../../../src/interfaces/transcripts/langchain-transcript.js';
import { outline, readEvents } from './reader-support.js';
import { jsonl, memorySource, sha256 } from './transcript-support.js';

const reader = langchainReader(sha256);
const read = async (content: string) => readEvents(reader, memorySource(content, 13));

const calls = [{ name: 'search', args: { q: 'x' }, id: 'c1', type: 'tool_call' }];
const constructed = (name: string, kwargs: object): object => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', name],
  kwargs,
});

const shapes = {
  'type and data': [
    { type: 'system', data: { content: 'Be brief.' } },
    { type: 'human', data: { content: 'Find x.' } },
    { type: 'ai', data: { content: '', tool_calls: calls } },
    { type: 'tool', data: { content: 'none', tool_call_id: 'c1', status: 'error' } },
    { type: 'ai', data: { content: [{ type: 'text', text: 'Nothing.' }] } },
  ],
  constructors: [
    constructed('SystemMessage', { content: 'Be brief.' }),
    constructed('HumanMessage', { content: 'Find x.' }),
    constructed('AIMessage', { content: '', tool_calls: calls }),
    constructed('ToolMessage', { content: 'none', tool_call_id: 'c1', status: 'error' }),
    constructed('AIMessage', { content: 'Nothing.' }),
  ],
  'plain types': [
    { type: 'system', content: 'Be brief.' },
    { type: 'human', content: 'Find x.' },
    { type: 'ai', content: '', tool_calls: calls },
    { type: 'tool', content: 'none', tool_call_id: 'c1', status: 'error' },
    { type: 'ai', content: 'Nothing.' },
  ],
  'plain roles': [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Find x.' },
    { role: 'assistant', content: '', tool_calls: calls },
    { role: 'tool', content: 'none', tool_call_id: 'c1', status: 'error' },
    { role: 'assistant', content: 'Nothing.' },
  ],
};

const told = [
  'system/system Be brief.',
  'user/human Find x.',
  'tool_call/agent c1 search {"q":"x"}',
  'tool_result/tool c1 failed none',
  'assistant/agent Nothing.',
];

const piece = (kwargs: object): object =>
  constructed('AIMessageChunk', { id: 'run-1', content: '', tool_calls: [], ...kwargs });

const pieces = [
  piece({ additional_kwargs: { reasoning: { summary: [{ text: 'I ', index: 0 }] } } }),
  piece({ additional_kwargs: { reasoning: { summary: [{ text: 'search.', index: 0 }] } } }),
  piece({ content: [{ type: 'text', text: 'Wait', index: 0 }] }),
  piece({ content: [{ type: 'text', text: ' …', index: 0 }] }),
  piece({ tool_call_chunks: [{ name: 'search', args: '', id: 'c1', index: 1 }] }),
  piece({ tool_call_chunks: [{ args: '{"q":', index: 1 }] }),
  piece({ tool_call_chunks: [{ args: '"x"}', index: 1 }] }),
];

const joined = [
  'thinking/agent I search.',
  'assistant/agent Wait …',
  'tool_call/agent c1 search {"q":"x"}',
];

describe('a conversation of LangChain', () => {
  it.each(Object.entries(shapes))('written as %s is read', async (_, messages) => {
    for (const content of [
      JSON.stringify(messages),
      jsonl(...messages),
      JSON.stringify({ messages }),
    ]) {
      const { entries, problems } = await read(content);
      expect(outline(entries)).toEqual(told);
      expect(problems).toEqual([]);
      expect(reader.detect({ text: content, isWhole: true })).toBe(true);
    }
  });

  it('in pieces of one id is put together', async () => {
    const { entries } = await read(JSON.stringify(pieces));
    expect(outline(entries)).toEqual(joined);
    expect(new Set(entries.map(({ messageKey }) => messageKey))).toEqual(new Set(['run-1']));
  });

  it('in pieces of several ids keeps the order in which the messages began', async () => {
    const other = constructed('AIMessageChunk', { id: 'run-2', content: 'Second' });
    const { entries } = await read(JSON.stringify([pieces[2], other, pieces[3]]));
    expect(outline(entries)).toEqual(['assistant/agent Wait …', 'assistant/agent Second']);
  });

  it('as a stream holds each message once, whatever its snapshots repeat', async () => {
    const human = constructed('HumanMessage', { id: 'h1', content: 'Find x.' });
    const whole = piece({ content: 'Wait …', tool_calls: calls });
    const { entries, repeated, skipped } = await read(
      JSON.stringify([
        ['values', { messages: [human] }],
        ...pieces.map((part) => ['messages', [part, { langgraph_step: 1 }]]),
        ['values', { messages: [human, whole] }],
        ['values', { __interrupt__: [] }],
      ]),
    );
    expect(outline(entries)).toEqual(['user/human Find x.', ...joined]);
    expect([repeated, skipped]).toEqual([2, ['stream/values']]);
  });

  it('in a snapshot alone is whole, though its class says piece', async () => {
    const whole = piece({ content: 'Wait …', tool_calls: calls });
    const snapshot = ['values', { messages: [whole] }];
    const { entries, repeated } = await read(JSON.stringify([snapshot, snapshot]));
    expect(outline(entries)).toEqual(joined.slice(1));
    expect(repeated).toBe(1);
  });

  it('does not repeat calls that its blocks tell too; what it took back is counted', async () => {
    const { entries, skipped } = await read(
      JSON.stringify([
        {
          type: 'ai',
          content: [{ type: 'tool_use', id: 'c1', name: 'search', input: {} }],
          tool_calls: calls,
        },
        { type: 'remove', id: 'x' },
      ]),
    );
    expect(outline(entries)).toEqual(['tool_call/agent c1 search {"q":"x"}']);
    expect(skipped).toEqual(['remove']);
  });

  // prettier-ignore
  it.each([
    { fits: true,  what: 'one message of its own among plain ones',  text: '[{"role":"user","content":"x"},{"role":"ai","content":"y"}]' },
    { fits: false, what: 'plain messages of anybody',                text: '[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]' },
    { fits: false, what: 'roles that nobody has',                    text: '[{"role":"human","content":"x"},{"role":"Orchestrator","content":"y"}]' },
    { fits: false, what: 'records of Claude Code',                   text: '{"type":"system","content":"x","uuid":"x","parentUuid":null,"sessionId":"x"}\n' },
  ])('is told ($fits) by $what', ({ fits, text }) => {
    expect(reader.detect({ text, isWhole: true })).toBe(fits);
  });
});
