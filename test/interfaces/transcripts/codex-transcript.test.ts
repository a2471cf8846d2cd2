import { describe, expect, it } from '@jest/globals';
import type { TranscriptEvent } from '../../../src/application/session/transcript-reader.js';
import { codexReader } from '../../../src/interfaces/transcripts/codex-transcript.js';
import { outline, readEvents } from './reader-support.js';
import { jsonl, memorySource, sha256 } from './transcript-support.js';

const reader = codexReader(sha256);
const read = async (...records: readonly object[]) =>
  readEvents(reader, memorySource(jsonl(...records), 17));

const at = '2026-01-31T12:00:00.000Z';
const meta = (id: string, parts: object = {}): object => ({
  timestamp: at,
  type: 'session_meta',
  payload: { id, cwd: '/project', ...parts },
});
const item = (payload: object): object => ({ timestamp: at, type: 'response_item', payload });
const event = (payload: object): object => ({ timestamp: at, type: 'event_msg', payload });
const compacted = (payload: object): object => ({ timestamp: at, type: 'compacted', payload });
const message = (role: string, text: string, parts: object = {}): object => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  ...parts,
});
const typed = (text: string): object => event({ type: 'user_message', message: text });
const call = (callId: string, command: string): object => ({
  type: 'function_call',
  name: 'exec_command',
  arguments: JSON.stringify({ cmd: command }),
  call_id: callId,
});
const output = (callId: string, text: unknown): object => ({
  type: 'function_call_output',
  call_id: callId,
  output: text,
});

describe('a rollout of Codex', () => {
  it('is read item by item; events that repeat items are counted', async () => {
    const { sessions, entries, skipped, problems } = await read(
      meta('s1'),
      item(message('developer', 'Be careful.')),
      item(message('user', '<environment_context>x</environment_context>')),
      item(message('user', 'List it')),
      typed('List it'),
      { timestamp: at, type: 'turn_context', payload: { cwd: '/project', model: 'm' } },
      item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }),
      item({ type: 'reasoning', summary: [], encrypted_content: 'x' }),
      item(call('c1', 'ls')),
      item(output('c1', 'Process exited with code 0\nOutput:\na.txt')),
      item(message('assistant', 'One file.')),
      event({ type: 'agent_message', message: 'One file.' }),
    );
    expect(sessions).toEqual(['s1']);
    expect(outline(entries)).toEqual([
      'system/system Be careful.',
      'user/harness <environment_context>x</environment_context>',
      'user/human List it',
      'thinking/agent Hm.',
      'thinking/agent',
      'tool_call/agent c1 exec_command {"cmd":"ls"}',
      'tool_result/tool c1 Process exited with code 0\nOutput:\na.txt',
      'assistant/agent One file.',
    ]);
    expect(skipped).toEqual([
      'session_meta',
      'event_msg/user_message',
      'turn_context',
      'event_msg/agent_message',
    ]);
    expect(problems).toEqual([]);
    expect(entries[3]?.messageKey).toBe(entries[4]?.messageKey);
    expect(entries[5]).toMatchObject({ effect: 'reads', occurredAt: at, model: 'm' });
    expect(entries[4]?.vendor).toEqual({ encrypted_content: 'x' });
    expect(entries[6]).toMatchObject({ exitCode: 0, isError: false });
  });

  // prettier-ignore
  it.each([
    { rule: 'what the client says was typed is a person’s',         records: [item(message('user', '<b>Bold</b>')), typed('<b>Bold</b>')],                         authors: ['human'] },
    { rule: 'what it does not say so of is no person’s',            records: [item(message('user', 'Notice')), item(message('user', 'Go')), typed('Go')],           authors: ['harness', 'human'] },
    { rule: 'behind the last such line the beginning tells',        records: [typed('Go'), item(message('user', 'Go')), item(message('user', '<turn_aborted>x'))], authors: ['human', 'harness'] },
    { rule: 'without such lines the beginning tells',               records: [item(message('user', '# AGENTS.md instructions for /x')), item(message('user', 'Go'))], authors: ['harness', 'human'] },
    { rule: 'what a sub-agent is told is no person’s',              records: [meta('s', { source: { subagent: 'review' } }), item(message('user', 'Review it'))], authors: ['harness'] },
    { rule: 'what another agent sends is no person’s',              records: [item({ type: 'agent_message', author: 'a', content: [{ type: 'input_text', text: 'Hi' }] })], authors: ['harness'] },
  ])('$rule', async ({ records, authors }) => {
    const { entries } = await read(...records);
    expect(entries.map(({ author }) => author)).toEqual(authors);
  });

  it('tells how commands ended and patches were applied, whether before or after the output', async () => {
    const { entries } = await read(
      item(call('c1', 'npm test')),
      item(output('c1', 'Process running with session ID 7\nOutput:\n')),
      event({
        type: 'exec_command_end',
        call_id: 'c1',
        exit_code: 2,
        cwd: '/project/a',
        status: 'failed',
      }),
      item({
        type: 'custom_tool_call',
        call_id: 'c2',
        name: 'apply_patch',
        input: '*** Begin Patch',
      }),
      event({
        type: 'patch_apply_end',
        call_id: 'c2',
        success: false,
        changes: { '/a': { type: 'update' } },
      }),
      item({ type: 'custom_tool_call_output', call_id: 'c2', output: 'No.' }),
    );
    expect(entries[1]).toMatchObject({
      exitCode: 2,
      isError: true,
      detail: { exit_code: 2, cwd: '/project/a', status: 'failed' },
    });
    expect(entries[2]).toMatchObject({ effect: 'changes', arguments: '*** Begin Patch' });
    expect(entries[3]).toMatchObject({
      isError: true,
      detail: { success: false, changes: { '/a': { type: 'update' } } },
    });
  });

  // prettier-ignore
  it.each([
    { output: 'Exit code: 3\nWall time: 1 s\nOutput:\nx',                              exitCode: 3,    isError: true },
    { output: '{"output":"x","metadata":{"exit_code":1}}',                             exitCode: 1,    isError: true },
    { output: 'Output:\nProcess exited with code 9',                                   exitCode: null, isError: false },
    { output: 'exec_command failed: no such directory',                                exitCode: null, isError: true },
    { output: [{ type: 'input_text', text: 'fine' }],                                  exitCode: null, isError: false },
  ])('finds the exit code $exitCode in $output', async ({ output: text, exitCode, isError }) => {
    const { entries } = await read(item(call('c1', 'x')), item(output('c1', text)));
    expect(entries[1]).toMatchObject({ exitCode, isError });
  });

  it('has a boundary and a summary where it was compacted; what the new history repeats is known', async () => {
    const { entries, repeated } = await read(
      item(message('user', 'One')),
      item(message('assistant', 'Two')),
      compacted({ message: 'In short', replacement_history: [message('user', 'One')] }),
      compacted({
        message: '',
        replacement_history: [
          message('user', 'One'),
          message('user', '<environment_context>x'),
          message('user', 'Another language model started to solve this. Its summary: short'),
        ],
      }),
    );
    expect(outline(entries)).toEqual([
      'user/human One',
      'assistant/agent Two',
      'system/system (boundary)',
      'summary/harness In short',
      'system/system (boundary)',
      'summary/harness Another language model started to solve this. Its summary: short',
    ]);
    expect(repeated).toBe(3);
  });

  it('that was forked knows the copies, and takes the same words said anew as new', async () => {
    const first = [item(message('user', 'yes')), item(message('assistant', 'Ok'))];
    const { sessions, entries, repeated, skipped } = await read(
      meta('fork'),
      ...first,
      meta('origin'),
      ...first,
      item(message('user', 'further')),
      item(message('user', 'yes')),
    );
    expect(sessions).toEqual(['fork']);
    expect(outline(entries)).toEqual([
      'user/human yes',
      'assistant/agent Ok',
      'user/human further',
      'user/human yes',
    ]);
    expect([repeated, skipped]).toEqual([2, ['session_meta', 'session_meta/fork']]);
    expect(new Set(entries.map(({ sourceKey }) => sourceKey)).size).toBe(4);
  });

  it.each([
    { tells: 'no item', items: [], told: ['user/harness [turn aborted: interrupted]'] },
    {
      tells: 'an item',
      items: [item(message('user', '<turn_aborted>x'))],
      told: ['user/harness <turn_aborted>x'],
    },
  ])('names an abort once, where $tells tells it', async ({ items, told }) => {
    const aborted = event({ type: 'turn_aborted', reason: 'interrupted' });
    expect(outline((await read(aborted, ...items)).entries)).toEqual(told);
  });

  it('of an older client has bare items and an unnamed first line', async () => {
    const { sessions, entries, skipped } = await read(
      { id: 's0', timestamp: at, instructions: null },
      { record_type: 'state' },
      message('user', 'Go', { id: 'm1' }),
      { type: 'local_shell_call', call_id: 'c1', action: { type: 'exec', command: ['ls', '-a'] } },
      output('c1', 'a'),
      { role: 'user', message: 'And now', created_at: at },
      { type: 'function_call', function: { name: 'f' }, arguments: { x: 1 } },
      { type: 'function_result', name: 'f', result: 'y' },
    );
    expect(sessions).toEqual(['s0']);
    expect(outline(entries).map((line) => line.replace(/[0-9a-f]{32}1/g, 'KEY'))).toEqual([
      'user/human Go',
      'tool_call/agent c1 local_shell_call {"type":"exec","command":["ls","-a"]}',
      'tool_result/tool c1 a',
      'user/human And now',
      'tool_call/agent KEY f {"x":1}',
      'tool_result/tool KEY y',
    ]);
    expect(skipped).toEqual(['session_meta', 'state']);
  });

  it('starts another agent with its brief; what the provider ran is call and result at once', async () => {
    const { entries } = await read(
      item({
        type: 'function_call',
        call_id: 'c1',
        name: 'spawn_agent',
        arguments: '{"message":"Find it","agent_type":"explorer"}',
      }),
      item({
        type: 'web_search_call',
        id: 'w1',
        status: 'completed',
        action: { type: 'search', query: 'x' },
      }),
    );
    expect(entries[0]).toMatchObject({ spawn: { brief: 'Find it', agentName: 'explorer' } });
    expect(outline(entries).slice(1)).toEqual([
      'tool_call/agent w1 web_search {"type":"search","query":"x"}',
      'tool_result/tool w1 completed',
    ]);
  });

  // prettier-ignore
  it.each([
    { said: 'its first record',  records: [meta('s')],                                                                     directory: '/project', parent: null },
    { said: 'its first turn',    records: [{ timestamp: at, type: 'turn_context', payload: { cwd: '/turn' } }],            directory: '/turn',    parent: null },
    { said: 'a sub-agent',       records: [meta('s', { agent_nickname: 'Ada', source: { subagent: { thread_spawn: { parent_thread_id: 'p' } } } })], directory: '/project', parent: { vendorSessionId: 'p', agentName: 'Ada' } },
  ])('says with $said where it works and who started it', async ({ records, directory, parent }) => {
    const named: TranscriptEvent[] = [];
    for await (const one of reader.read(memorySource(jsonl(...records)))) named.push(one);
    expect(named[0]).toMatchObject({ event: 'session', directory, parent });
  });

  it('gives equal keys again, and new ones to what was added', async () => {
    const short = [meta('s'), item(message('user', 'a')), item(message('user', 'a'))];
    const keys = async (...records: readonly object[]) =>
      (await read(...records)).entries.map(({ sourceKey }) => sourceKey);
    const first = await keys(...short);
    expect(await keys(...short, item(message('user', 'a')))).toEqual([
      ...first,
      expect.any(String),
    ]);
    expect(new Set(first).size).toBe(2);
  });

  // prettier-ignore
  it.each([
    { fits: true,  what: 'one envelope among bare items',   text: '{"role":"user","message":"x"}\n{"timestamp":"x","type":"world_state","payload":{}}\n', isWhole: true },
    { fits: true,  what: 'a first line longer than the head', text: '{"timestamp":"x","type":"session_meta","payload":{"id":"s","base":"aaaa',         isWhole: false },
    { fits: true,  what: 'the first line of an older file', text: '{"id":"s","timestamp":"x","instructions":null}\n',                                   isWhole: true },
    { fits: false, what: 'items of OpenAI',                 text: '{"type":"message","role":"user","content":"x"}\n',                                    isWhole: true },
    { fits: false, what: 'an array',                        text: '[{"timestamp":"x","type":"response_item","payload":{}}]',                             isWhole: true },
    { fits: false, what: 'records of other agents',         text: '{"type":"metadata","protocol_version":"1.4"}\n',                                      isWhole: true },
  ])('is told ($fits) by $what', ({ fits, text, isWhole }) => {
    expect(reader.detect({ text, isWhole })).toBe(fits);
  });
});
