/** A sub-agent is linked to the call that started it, whichever of the two transcripts comes first. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import {
  jsonl,
  memorySource,
  redact,
  sha256,
} from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const claude = (sessionId: string, uuid: string, message: object, more: object = {}) => ({
  type: 'role' in message ? message.role : 'user',
  uuid,
  parentUuid: null,
  sessionId,
  isSidechain: false,
  message,
  ...more,
});
const codex = (type: string, payload: object) => ({
  type,
  timestamp: '2026-01-02T03:04:05.678Z',
  payload,
});
const said = (role: string, text: string) =>
  codex('response_item', { type: 'message', role, content: [{ type: 'input_text', text }] });

const BRIEF = 'Look for the login and say where it is';

const PAIRS = [
  {
    format: 'claude-code',
    parent: jsonl(
      claude('main', 'u1', { role: 'user', content: 'Mend it' }),
      claude('main', 'a1', {
        role: 'assistant',
        id: 'm1',
        content: [{ type: 'tool_use', id: 't1', name: 'Task', input: { prompt: BRIEF } }],
      }),
      claude('main', 'u2', {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: 'It is in a.ts.' }],
      }),
    ),
    child: jsonl(
      claude('main', 'c1', { role: 'user', content: BRIEF }, { isSidechain: true, agentId: 'ag1' }),
      claude(
        'main',
        'c2',
        { role: 'assistant', id: 'm2', content: [{ type: 'text', text: 'It is in a.ts.' }] },
        { isSidechain: true, agentId: 'ag1' },
      ),
    ),
  },
  {
    format: 'codex',
    parent: jsonl(
      codex('session_meta', { id: 'main-thread', cwd: '/p', cli_version: '0.1' }),
      said('user', 'Mend it'),
      codex('response_item', {
        type: 'function_call',
        name: 'spawn_agent',
        call_id: 't1',
        arguments: JSON.stringify({ message: BRIEF }),
      }),
      codex('response_item', {
        type: 'function_call_output',
        call_id: 't1',
        output: '{"agent_id":"child-thread-1"}',
      }),
    ),
    child: jsonl(
      codex('session_meta', {
        id: 'child-thread-1',
        cwd: '/p',
        cli_version: '0.1',
        source: { subagent: { thread_spawn: { parent_thread_id: 'main-thread', depth: 1 } } },
      }),
      said('user', BRIEF),
      said('assistant', 'It is in a.ts.'),
    ),
  },
];

describe.each(Object.keys(STORES))('a sub-agent, %s', (store) => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES[store]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  it.each(
    PAIRS.flatMap((pair) => [
      { ...pair, order: 'parent first', texts: [pair.parent, pair.child] },
      { ...pair, order: 'child first', texts: [pair.child, pair.parent] },
    ]),
  )('of $format is linked, $order', async ({ format, order, texts }) => {
    const { ingestion, stored } = opened.core.sessions;
    const reader = transcriptReaders(sha256, createEstimateCounter()).find(
      ({ name }) => name === format,
    );
    if (reader === undefined) throw new Error(`There is no reader ${format}.`);
    const tenantId = `${format} ${order}`;
    for (const text of texts) {
      await ingestion.import({ tenantId, source: memorySource(text), reader, redact });
    }
    const sessions = await stored.list(tenantId);
    const parent = sessions.find(({ agentName }) => agentName === null);
    const child = sessions.find(({ agentName }) => agentName !== null);
    if (parent === undefined || child === undefined) throw new Error('There are not both.');
    const entries = await stored.entries(parent, { from: 1, to: null });
    const call = entries.find(({ kind }) => kind === 'tool_call');
    expect(sessions).toHaveLength(2);
    expect(child).toMatchObject({
      parentSessionId: parent.sessionId,
      parentEntryId: call?.entryId,
    });
  });
});
