import { describe, expect, it } from '@jest/globals';
import { openaiReader } from '../../../src/interfaces/transcripts/openai-transcript.js';
import { outline, readEvents } from './reader-support.js';
import { jsonl, memorySource, sha256 } from './transcript-support.js';

const reader = openaiReader(sha256);
const read = async (content: string, chunkBytes = 7) =>
  readEvents(reader, memorySource(content, chunkBytes));
const detects = (text: string, isWhole = true) => reader.detect({ text, isWhole });

const chat = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Read "a\\b".' }] },
  {
    role: 'assistant',
    content: null,
    reasoning_content: 'Hm.',
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
      { id: 'c2', type: 'function', function: { name: 'run', arguments: 'not json' } },
    ],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'A' },
  { role: 'tool', tool_call_id: 'c2', content: 'Broken' },
  { role: 'assistant', content: 'Done.' },
];

const told = [
  'system/system Be brief.',
  'user/human Read "a\\b".',
  'thinking/agent Hm.',
  'tool_call/agent c1 read_file {"path":"a"}',
  'tool_call/agent c2 run "not json"',
  'tool_result/tool c1 A',
  'tool_result/tool c2 Broken',
  'assistant/agent Done.',
];

const items = [
  { role: 'user', content: 'Go' },
  { type: 'reasoning', id: 'rs1', summary: [{ type: 'summary_text', text: 'I will look.' }] },
  { type: 'function_call', id: 'fc1', call_id: 'c1', name: 'ls', arguments: '{}' },
  {
    type: 'function_call',
    id: 'fc2',
    call_id: 'c2',
    name: 'shell',
    arguments: '{"command":"rm a"}',
  },
  { type: 'function_call_output', call_id: 'c1', output: 'a' },
  { type: 'function_call_output', call_id: 'c2', output: '' },
  {
    type: 'message',
    id: 'm1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Gone.', annotations: [] }],
  },
];

describe('a conversation of OpenAI', () => {
  // prettier-ignore
  it.each([
    { layout: 'an array',                          content: JSON.stringify(chat) },
    { layout: 'an indented array',                 content: JSON.stringify(chat, null, 2) },
    { layout: 'JSONL',                             content: jsonl(...chat) },
    { layout: 'an object with messages',           content: JSON.stringify({ messages: chat }) },
    { layout: 'an indented object with history',   content: JSON.stringify({ history: chat }, null, 2) },
    { layout: 'an object with the array under traj', content: JSON.stringify({ traj: chat }) },
    { layout: 'an object behind a byte order mark', content: `\uFEFF${JSON.stringify({ messages: chat })}` },
  ])('is read from $layout', async ({ content }) => {
    const { entries, sessions, problems, bytes } = await read(content);
    expect(outline(entries)).toEqual(told);
    expect(sessions).toEqual([null]);
    expect(problems).toEqual([]);
    expect(bytes).toBe(Buffer.byteLength(content));
    expect(detects(content)).toBe(true);
  });

  it('of items has one message of the agent up to the next output', async () => {
    const { entries } = await read(JSON.stringify({ input: items, instructions: 'Be brief.' }));
    expect(outline(entries)).toEqual([
      'system/system Be brief.',
      'user/human Go',
      'thinking/agent I will look.',
      'tool_call/agent c1 ls {}',
      'tool_call/agent c2 shell {"command":"rm a"}',
      'tool_result/tool c1 a',
      'tool_result/tool c2',
      'assistant/agent Gone.',
    ]);
    const keys = entries.map(({ messageKey }) => messageKey);
    expect(keys.slice(2)).toEqual(['rs1', 'rs1', 'rs1', null, null, 'm1']);
    expect(entries.map((entry) => (entry.kind === 'tool_call' ? entry.effect : '')).join('')).toBe(
      'readschanges',
    );
  });

  it('whose objects stand in an array is a session for each, with keys of their own', async () => {
    const { sessions, entries, skipped } = await read(
      JSON.stringify([
        { task_id: 1, traj: chat.slice(0, 2) },
        { thread_id: 'named', traj: chat.slice(0, 2) },
      ]),
    );
    expect(sessions).toEqual([null, 'named']);
    expect(skipped).toEqual(['member/task_id']);
    const third = await read(JSON.stringify([{ traj: chat }, { traj: chat }]));
    expect(new Set(third.entries.map(({ sourceKey }) => sourceKey)).size).toBe(told.length * 2);
    expect(entries).toHaveLength(4);
  });

  it('gives every entry the same key again, in any layout, and new ones to what grew', async () => {
    const keys = async (content: string) =>
      (await read(content)).entries.map(({ sourceKey }) => sourceKey);
    const short = await keys(JSON.stringify(chat.slice(0, 4)));
    const long = await keys(JSON.stringify({ messages: [...chat, chat[1], chat[1]] }));
    expect(long.slice(0, short.length)).toEqual(short);
    expect(new Set(long).size).toBe(told.length + 2);
  });

  it('with an id twice is told once; other content under it is kept and reported', async () => {
    const [first] = [{ id: 'm1', role: 'user', content: 'One' }];
    const { entries, repeated, problems } = await read(
      JSON.stringify([first, first, { ...first, content: 'Two' }]),
    );
    expect(outline(entries)).toEqual(['user/human One', 'user/human Two']);
    expect([repeated, problems.map(({ reason }) => reason)]).toEqual([1, ['key-reused']]);
  });

  // prettier-ignore
  it.each([
    { what: 'a picture',        part: { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }, told: 'attachment/human image image/png 3' },
    { what: 'a picture by URL', part: { type: 'input_image', image_url: 'https://example.invalid/a.png' },      told: 'attachment/human image ? ?' },
    { what: 'a recording',      part: { type: 'input_audio', input_audio: { data: 'AAAAAAAA', format: 'wav' } }, told: 'attachment/human audio audio/wav 6' },
    { what: 'a document',       part: { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } },  told: 'attachment/human pdf application/pdf 3' },
    { what: 'a block of an unknown type, as its JSON', part: { type: 'odd', x: 1 },                              told: 'user/human {"type":"odd","x":1}' },
  ])('holds $what', async ({ part, told: expected }) => {
    const { entries } = await read(JSON.stringify([{ role: 'user', content: [part] }]));
    expect(outline(entries)).toEqual([expected]);
  });

  // prettier-ignore
  it.each([
    { rule: 'a demonstration is no person’s',           messages: [{ role: 'user', content: 'x', is_demo: true }],                                              told: ['user/harness x'] },
    { rule: 'an observation is no person’s',            messages: [{ role: 'assistant', content: 'a' }, { role: 'user', content: '<returncode>0</returncode>' }],  told: ['assistant/agent a', 'user/harness <returncode>0</returncode>'] },
    { rule: 'a result by name finds its call',          messages: [{ role: 'assistant', function_call: { name: 'f', arguments: '{}' } }, { role: 'function', name: 'f', content: 'r' }], told: [/tool_call\/agent (\S+) f/, /tool_result\/tool \S+call-1 r/] },
    { rule: 'a refusal is what the agent said',         messages: [{ role: 'assistant', content: null, refusal: 'No.' }],                                       told: ['assistant/agent No.'] },
    { rule: 'a custom call keeps its text',             messages: [{ role: 'assistant', tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'f', input: 'x y' } }] }], told: ['tool_call/agent c f "x y"'] },
  ])('$rule', async ({ messages, told: expected }) => {
    const lines = outline((await read(JSON.stringify(messages))).entries);
    expect(lines).toHaveLength(expected.length);
    expected.forEach((line, index) => {
      if (typeof line === 'string') expect(lines[index]).toBe(line);
      else expect(lines[index]).toMatch(line);
    });
  });

  // prettier-ignore
  it.each([
    { what: 'an element of no known shape', content: '[{"role":"user","content":"a"},3,{"role":"user","content":"b"}]', reason: 'bad-shape',       entries: 2 },
    { what: 'an element that is no JSON',   content: '[{"role":"user","content":"a"},{"role":x},{"role":"user","content":"b"}]', reason: 'not-json', entries: 2 },
    { what: 'an array without its end',     content: '[{"role":"user","content":"a"},{"role":"us',                      reason: 'incomplete-tail', entries: 1 },
    { what: 'an object without its end',    content: '{"messages":[{"role":"user","content":"a"},\n{"role":"us',        reason: 'incomplete-tail', entries: 1 },
    { what: 'a line that is no JSON',       content: '{"role":"user","content":"a"}\n{"role"\n{"role":"user","content":"b"}\n', reason: 'not-json', entries: 2 },
  ])('with $what is read, and the place is named', async ({ content, reason, entries }) => {
    const reading = await read(content);
    expect(reading.entries).toHaveLength(entries);
    expect(reading.problems).toMatchObject([{ reason }]);
  });

  it('of which most elements are no JSON is refused', async () => {
    await expect(read('[{"role":"user","content":"a"},{x},{y}]')).rejects.toMatchObject({
      code: 'INVALID_TRANSCRIPT',
    });
  });

  it('names the members of its object that were not read', async () => {
    const { skipped } = await read(JSON.stringify({ messages: chat, tools: [], model: 'm' }));
    expect(skipped).toEqual(['member/tools', 'member/model']);
  });

  // prettier-ignore
  it.each([
    { fits: true,  what: 'a head that is cut inside a text',          text: '[{"role":"user","content":"Hello wor',             isWhole: false },
    { fits: true,  what: 'a head that is cut inside an object',       text: '{"tools":[],"messages":[{"role":"system","content":"x"},{"role":', isWhole: false },
    { fits: true,  what: 'steps before messages behind the head',     text: '{"trajectory":[{"action":"ls","observation":"a"},{"acti', isWhole: false },
    { fits: false, what: 'an empty array',                            text: '[]',                                               isWhole: true },
    { fits: false, what: 'a conversation that the agent begins',      text: '[{"role":"assistant","content":"x"}]',             isWhole: true },
    { fits: false, what: 'a role that nobody has',                    text: '[{"role":"user","content":"x"},{"role":"Judge","content":"x"}]', isWhole: true },
    { fits: false, what: 'blocks of Anthropic',                       text: '[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]', isWhole: true },
    { fits: false, what: 'calls of LangChain',                        text: '[{"role":"user","content":"x"},{"role":"assistant","content":"","tool_calls":[{"name":"f","args":{}}]}]', isWhole: true },
    { fits: false, what: 'an envelope of Codex',                      text: '{"timestamp":"x","type":"response_item","payload":{}}\n', isWhole: true },
    { fits: false, what: 'prose',                                     text: 'User: hello',                                      isWhole: true },
  ])('is told ($fits) by $what', ({ fits, text, isWhole }) => {
    expect(detects(text, isWhole)).toBe(fits);
  });
});
