/** Commands of a session and how they ended. */
import type { CommandEffects, CommandEnd, CommandState, MappedResult } from './tool-mapping.js';
import { type TestOutcome, testOutcome } from './test-outcome.js';

export interface SessionCommand {
  /** Of the call that started it. */
  readonly seq: number;
  /** Of the latest result about it; null: none came. */
  readonly resultSeq: number | null;
  readonly command: string;
  /** Where it was told to start, or null. */
  readonly directory: string | null;
  readonly exitCode: number | null;
  readonly state: CommandState;
  /** Tests passed and failed, null where no runner is recognised. */
  readonly outcome: TestOutcome | null;
  readonly effects: CommandEffects;
  readonly active: boolean;
  readonly occurredAt: string | null;
}

/** Nothing is known yet. */
export const NOT_ENDED: CommandEnd = { state: 'unknown', exitCode: null, output: '', runsAs: null };

const TIMED_OUT = /^(?:Error: )?(?:Command )?timed? ?out\b|\bcommand timed out after\b/im;
const INTERRUPTED =
  /\[Request interrupted by user|The user doesn't want to proceed with this tool use/;

/** Characters at both ends of an output in which its end is told. */
const LOOKED_AT = 2_000;

/** Exit code by which `timeout` and shells report a command that took too long. */
const TIMEOUT_CODE = 124;

/** The end of a command by its result, for tools whose results carry errors and codes apart from text. */
export function commandEnd({ content, isError, exitCode, detail }: MappedResult): CommandEnd {
  const ends = `${content.slice(0, LOOKED_AT)}\n${content.slice(-LOOKED_AT)}`;
  const end = { exitCode, output: content, runsAs: null };
  if (detail['interrupted'] === true || (isError && INTERRUPTED.test(ends))) {
    return { ...end, state: isError && TIMED_OUT.test(ends) ? 'timed-out' : 'interrupted' };
  }
  if (exitCode === TIMEOUT_CODE || (isError && TIMED_OUT.test(ends))) {
    return { ...end, state: 'timed-out' };
  }
  return { ...end, state: isError || (exitCode ?? 0) !== 0 ? 'failed' : 'ok' };
}

/** The command with what a result or a continuation says about its end. */
export function endCommand(
  command: SessionCommand,
  end: CommandEnd,
  resultSeq: number,
): SessionCommand {
  return {
    ...command,
    resultSeq,
    state: end.state,
    exitCode: end.exitCode ?? command.exitCode,
    outcome: testOutcome(end.output) ?? command.outcome,
  };
}

/** It ran to its end, and no test failed on the way: a pipe into `tail` hides an exit code. */
export function hasSucceeded({ state, outcome }: SessionCommand): boolean {
  return state === 'ok' && (outcome === null || outcome.failed === 0);
}

/** What of a pipe only shortens or shows what was printed. */
const VIEWERS = /\s*(?:2>&1)?\s*\|\s*(?:tail|head|cat|less|tee)\b[^|;&]*$/;

/** Equal for runs of the same command, however much of their output was looked at. */
export function commandKey({
  command,
  directory,
}: Pick<SessionCommand, 'command' | 'directory'>): string {
  let text = command.trim();
  for (let shorter = text.replace(VIEWERS, ''); shorter !== text;) {
    text = shorter;
    shorter = text.replace(VIEWERS, '');
  }
  const plain = text.replace(/\s*2>&1\s*$/, '').replaceAll(/\s+/g, ' ');
  return `${directory ?? ''}$ ${plain}`;
}
