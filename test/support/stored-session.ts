/** Sessions in a store, written short: turns of a prompt, calls with results, and an answer. */
import type { Ossature, Session, TranscriptEntry } from '../../src/index.js';
import { TOKENS } from '../../src/index.js';
import { aSession } from '../contracts/session-values.js';

export const NOT_REDACTED = null;

/** Entries of one turn: the prompt, a command with its output, and the agent's last word. */
export function turnEntries(
  turn: number,
  { words = 40, prompt = `Please do step ${turn} of the work.` } = {},
): readonly TranscriptEntry[] {
  const common = { occurredAt: null, active: true, messageKey: null } as const;
  const filler = (name: string): string =>
    Array.from({ length: words }, (_, at) => `${name}${turn}x${at}`).join(' ');
  return [
    { ...common, sourceKey: `u${turn}`, kind: 'user', author: 'human', content: prompt },
    {
      ...common,
      sourceKey: `c${turn}`,
      messageKey: `m${turn}`,
      kind: 'tool_call',
      author: 'agent',
      content: '',
      callId: `call-${turn}`,
      toolName: 'Bash',
      arguments: { command: `make step-${turn}` },
      effect: 'other',
      spawn: null,
    },
    {
      ...common,
      sourceKey: `r${turn}`,
      kind: 'tool_result',
      author: 'tool',
      content: filler('out'),
      callId: `call-${turn}`,
      isError: false,
      exitCode: 0,
      ruling: null,
    },
    {
      ...common,
      sourceKey: `a${turn}`,
      messageKey: `n${turn}`,
      kind: 'assistant',
      author: 'agent',
      content: `Step ${turn} is done. ${filler('said')}`,
    },
  ];
}

export async function aStoredSession(
  core: Ossature,
  given: Partial<Session> = {},
): Promise<{ readonly tenantId: string; readonly sessionId: string }> {
  const session = aSession({ counterName: 'o200k_base', ...given });
  await core.resolve(TOKENS.repositories).sessions.insert(session);
  return { tenantId: session.tenantId, sessionId: session.sessionId };
}

export async function append(
  core: Ossature,
  key: { readonly tenantId: string; readonly sessionId: string },
  entries: readonly TranscriptEntry[],
): Promise<void> {
  await core.sessions.ingestion.append({ ...key, entries, redact: null });
}

/** Turns from this one on. */
export async function appendTurns(
  core: Ossature,
  key: { readonly tenantId: string; readonly sessionId: string },
  from: number,
  count: number,
  shape: Parameters<typeof turnEntries>[1] = {},
): Promise<void> {
  const turns = Array.from({ length: count }, (_, at) => turnEntries(from + at, shape));
  await append(core, key, turns.flat());
}
