/** Commands of a trail that still run, as the session's row keeps them. */
import { z } from 'zod';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { RunningCommand } from '../../../domain/session/trail/trail.js';

const RUNNING = z.array(
  z.tuple([
    z.string(),
    z.strictObject({
      seq: z.number(),
      artifacts: z.array(
        z.looseObject({ fact: z.literal('artifact'), action: z.string(), path: z.string() }),
      ),
    }),
  ]),
);

export function runningText(running: ReadonlyMap<string, RunningCommand>): string {
  return JSON.stringify([...running]);
}

export function readRunning(text: string, sessionId: string): ReadonlyMap<string, RunningCommand> {
  if (text === '[]') return new Map();
  const parsed = RUNNING.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new OssatureError(
      'STORE_FAILED',
      `The running commands of session ${sessionId} cannot be read: ${z.prettifyError(parsed.error)}`,
      { details: { sessionId, column: 'trail_running' }, cause: parsed.error },
    );
  }
  // What was written are facts of mappings; only their outline is checked.
  return new Map(parsed.data as unknown as [string, RunningCommand][]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
