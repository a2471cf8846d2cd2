import { describe, expect, it } from '@jest/globals';
import { anthropicReader } from '../../../src/interfaces/transcripts/anthropic-transcript.js';
import { outline, readEvents } from './reader-support.js';
import { jsonl, memorySource, sha256 } from './transcript-support.js';

const reader = anthropicReader(sha256);
const read = async (content: string) => readEvents(reader, memorySource(content, 11));

const messages = [
  { role: 'user', content: 'Look at it.' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 't1', name: 'view', input: { path: 'a.png' } },
      { type: 'tool_use', id: 't2', name: 'bash', input: { command: 'false' } },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: [
          { type: 'text', text: 'A picture' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
      { type: 'tool_result', tool_use_id: 't2', content: 'Exit code 1', is_error: true },
      { type: 'text', text: '<system-reminder>Mind the gap.</system-reminder>' },
    ],
  },
  { role: 'assistant', content: 'Seen.' },
];

const told = [
  'user/human Look at it.',
  'thinking/agent Hm.',
  'assistant/agent I look.',
  'tool_call/agent t1 view {"path":"a.png"}',
  'tool_call/agent t2 bash {"command":"false"}',
  'tool_result/tool t1 A picture',
  'attachment/tool image image/png 3',
  'tool_result/tool t2 failed Exit code 1',
  'user/harness <system-reminder>Mind the gap.</system-reminder>',
  'assistant/agent Seen.',
];

describe('a conversation of Anthropic', () => {
  // prettier-ignore
  it.each([
    { layout: 'an array',                              content: JSON.stringify(messages),                               system: [] },
    { layout: 'JSONL',                                 content: jsonl(...messages),                                     system: [] },
    { layout: 'an object with system before messages', content: JSON.stringify({ system: 'Be brief.', messages }),      system: ['system/system Be brief.'] },
    { layout: 'an object with system behind messages', content: JSON.stringify({ messages, system: 'Be brief.' }, null, 1), system: ['system/system Be brief.'] },
    { layout: 'an object with system in blocks',       content: JSON.stringify({ messages, system: [{ type: 'text', text: 'Be brief.' }] }), system: ['system/system Be brief.'] },
  ])('is read from $layout', async ({ content, system }) => {
    const { entries, problems } = await read(content);
    expect(outline(entries)).toEqual([...system, ...told]);
    expect(problems).toEqual([]);
    expect(reader.detect({ text: content, isWhole: true })).toBe(true);
  });

  it('holds one unit for each message of the agent', async () => {
    const { entries } = await read(JSON.stringify(messages));
    const keys = entries.map(({ messageKey }) => messageKey);
    expect(new Set(keys.slice(1, 5)).size).toBe(1);
    expect(keys.slice(5, 8)).toEqual([null, null, null]);
  });

  it('in an array of objects is a session for each', async () => {
    const { sessions, entries } = await read(
      JSON.stringify([
        { system: 'A', messages },
        { conversation_id: 'b', system: 'B', messages },
      ]),
    );
    expect(sessions).toEqual([null, 'b']);
    expect(entries).toHaveLength(2 * (told.length + 1));
  });

  it('reads what the provider ran itself as call and result of one message', async () => {
    const { entries } = await read(
      JSON.stringify([
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } },
            {
              type: 'web_search_tool_result',
              tool_use_id: 's1',
              content: { type: 'web_search_tool_result_error' },
            },
          ],
        },
      ]),
    );
    expect(outline(entries)).toEqual([
      'tool_call/agent s1 web_search {"query":"x"}',
      'tool_result/tool s1 failed {"type":"web_search_tool_result_error"}',
    ]);
  });

  it('with a message of no known shape is read, and the message is named', async () => {
    const { entries, problems } = await read(JSON.stringify([...messages, { role: 'user' }, 1]));
    expect(entries).toHaveLength(told.length);
    expect(problems.map(({ reason }) => reason)).toEqual(['bad-shape', 'bad-shape']);
  });

  // prettier-ignore
  it.each([
    { fits: true,  what: 'the member system alone',       text: '{"system":"x","messages":[{"role":"user","content":"x"}]}' },
    { fits: true,  what: 'a block of its own',            text: '[{"role":"assistant","content":[{"type":"tool_use","id":"a"}]}]' },
    { fits: false, what: 'nothing of its own',            text: '[{"role":"user","content":"x"}]' },
    { fits: false, what: 'a role of OpenAI',              text: '{"system":"x","messages":[{"role":"tool","content":"x"}]}' },
    { fits: false, what: 'calls of OpenAI',               text: '{"system":"x","messages":[{"role":"assistant","tool_calls":[]}]}' },
    { fits: false, what: 'records of Claude Code',        text: '{"type":"user","sessionId":"x","uuid":"x","parentUuid":null,"message":{"role":"user","content":"x"}}\n' },
  ])('is told ($fits) by $what', ({ fits, text }) => {
    expect(reader.detect({ text, isWhole: true })).toBe(fits);
  });
});
