import { describe, expect, it } from '@jest/globals';
import type { TranscriptReader } from '../../../src/application/session/transcript-reader.js';
import { transcriptReaders } from '../../../src/interfaces/transcripts/transcript-readers.js';
import { countQuarters, jsonl, memorySource, sha256 } from './transcript-support.js';

const at = '2026-01-02T03:04:05.678Z';
const claude = (uuid: string, parentUuid: string | null, message: object, more: object = {}) => {
  const type = 'role' in message ? message.role : 'user';
  return {
    type,
    uuid,
    parentUuid,
    sessionId: 's',
    isSidechain: false,
    timestamp: at,
    message,
    ...more,
  };
};
const codex = (type: string, payload: object) => ({ type, timestamp: at, payload });
const given = { path: 'a.ts', command: 'npm test' };
const chatCall = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'bash', arguments: JSON.stringify(given) },
});

/** By reader: what it is shown, with ids, without, again and reused, calls, results, media and usage. */
const SHOWN: Readonly<Record<string, string>> = {
  'claude-code': jsonl(
    { type: 'summary', summary: 'Earlier', leafUuid: 'x' },
    claude('u1', null, { role: 'user', content: 'Do it <system-reminder>now</system-reminder>' }),
    claude('a1', 'u1', {
      id: 'm1',
      role: 'assistant',
      model: 'claude',
      stop_reason: 'tool_use',
      usage: { input_tokens: 4, cache_read_input_tokens: 20, output_tokens: 3 },
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 't1', name: 'Bash', input: given },
        { type: 'tool_use', id: 't2', name: 'Task', input: { prompt: 'Look', description: 'd' } },
      ],
    }),
    claude(
      'u2',
      'a1',
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: 'Exit code 1\nno' }],
      },
      { toolUseResult: { stdout: 'no', stderr: '', interrupted: false } },
    ),
    claude('u2', 'a1', { role: 'user', content: 'Said otherwise' }),
    claude('u1', null, { role: 'user', content: 'Do it <system-reminder>now</system-reminder>' }),
    claude('s1', null, { role: 'user', content: 'Look' }, { isSidechain: true, agentId: 'g' }),
    claude('u3', 'u2', { role: 'user', content: 'No, that' }),
    claude('u4', 'u2', { role: 'user', content: 'Yes, this' }),
    { type: 'system', subtype: 'compact_boundary', content: 'Compacted', sessionId: 's' },
    claude('u5', 'u4', { role: 'user', content: 'So far' }, { isCompactSummary: true }),
  ),
  codex: jsonl(
    codex('session_meta', { id: 's', cwd: '/project', cli_version: '0.1' }),
    codex('turn_context', { cwd: '/project', model: 'gpt' }),
    codex('response_item', {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'List it' }],
    }),
    codex('event_msg', { type: 'user_message', message: 'List it' }),
    codex('response_item', { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }),
    codex('response_item', {
      type: 'function_call',
      name: 'exec_command',
      call_id: 'c1',
      arguments: JSON.stringify({ cmd: 'ls' }),
    }),
    codex('response_item', {
      type: 'function_call_output',
      call_id: 'c1',
      output: 'Process exited with code 0\nOutput:\na.ts',
    }),
    codex('compacted', { message: 'So far' }),
  ),
  openai: JSON.stringify([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Do it' }] },
    { role: 'assistant', content: 'I look.', tool_calls: [chatCall('c1'), chatCall('c2')] },
    { role: 'tool', tool_call_id: 'c1', content: 'no' },
    { role: 'tool', tool_call_id: 'c2', content: 'no' },
    { role: 'user', content: 'Do it' },
    { role: 'user', content: 'Do it' },
  ]),
  anthropic: JSON.stringify({
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'Do it' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 't1', name: 'bash', input: given },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true }],
      },
    ],
  }),
  langchain: JSON.stringify({
    messages: [
      { type: 'human', id: 'h1', content: 'Do it' },
      {
        type: 'ai',
        id: 'a1',
        content: 'I look.',
        tool_calls: [{ id: 't1', name: 'bash', args: given, type: 'tool_call' }],
      },
      { type: 'tool', id: 'r1', tool_call_id: 't1', content: 'no', status: 'error' },
    ],
  }),
  text: 'Notes first.\n\nUser: Do it\n  and well.\nAssistant: Done.\nTool: 3 files\n',
};

/** What each version of a reader yields of it. */
const YIELDED: Readonly<Record<string, { readonly version: string; readonly digest: string }>> = {
  'claude-code': { version: '2', digest: '9b7650fbe876d5a4' },
  codex: { version: '2', digest: 'c66b2fac3dac9658' },
  openai: { version: '2', digest: '29ccab34822df507' },
  anthropic: { version: '2', digest: '31822f78caa1b78c' },
  langchain: { version: '2', digest: 'b15c8a9364ca40bd' },
  text: { version: '1', digest: 'b60dad8dd852378e' },
};

describe('the version of a reader', () => {
  it.each(transcriptReaders(sha256, countQuarters))(
    'of $name changes with what a file gives',
    async (reader) => {
      const recorded = YIELDED[reader.name];
      const found = { version: reader.version, digest: await yieldedBy(reader) };
      const isOtherwise = found.digest !== recorded?.digest;
      const advice =
        isOtherwise && found.version === recorded?.version
          ? `${reader.name} yields other events than its version says: raise VERSION of the reader, so that files which a store knows are read again; then write version and digest down here.`
          : 'Write version and digest down here.';
      if (isOtherwise || found.version !== recorded.version) {
        throw new Error(`${advice} Now: ${JSON.stringify(found)}`);
      }
      expect(found).toEqual(recorded);
    },
  );
});

async function yieldedBy(reader: TranscriptReader): Promise<string> {
  const source = memorySource(SHOWN[reader.name] ?? '');
  const events: unknown[] = [];
  for await (const event of reader.read(source)) events.push(event);
  if (!events.some((event) => JSON.stringify(event).includes('"entry"'))) {
    throw new Error(`${reader.name} is shown nothing that it reads.`);
  }
  return sha256(JSON.stringify(events)).slice(0, 16);
}
