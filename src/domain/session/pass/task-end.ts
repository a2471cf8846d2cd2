/** Where the last task of a tail ended: its todos closed, a commit, an approved plan, or the host's word. */
import type { StoredEntry } from '../stored-entry.js';
import { mayCommit, readCommit } from '../summary/read-commit.js';
import type { Trail } from '../trail/trail.js';

/**
 * @param isEnded the host says that the task has ended with the last entry.
 * @returns the last `seq` of the unit in which it ended, or null.
 */
export function taskEndSeq(
  tail: readonly StoredEntry[],
  { todos, commands }: Pick<Trail, 'todos' | 'commands'>,
  isEnded: boolean,
): number | null {
  const last = tail.at(-1);
  if (last === undefined) return null;
  if (isEnded) return last.seq;
  const bySeq = new Map(tail.map((entry) => [entry.seq, entry]));
  const ends: number[] = [];
  const areClosed = todos.every(({ state }) => state === 'completed' || state === 'cancelled');
  if (areClosed && todos.some(({ state }) => state === 'completed')) {
    ends.push(Math.max(...todos.map(({ changedSeq }) => changedSeq)));
  }
  for (const { seq, resultSeq, command, state, active } of commands.values()) {
    if (!active || state !== 'ok' || resultSeq === null || !mayCommit(command)) continue;
    if (readCommit(bySeq.get(resultSeq)?.content ?? '') !== null) ends.push(seq);
  }
  for (const entry of tail) {
    const isRuling = entry.kind === 'tool_result' && entry.active;
    if (isRuling && entry.ruling?.ruling === 'plan-approved') ends.push(entry.seq);
  }
  const units = ends.flatMap((seq) => bySeq.get(seq)?.unitId ?? []);
  const latest = tail.findLast(({ unitId }) => units.includes(unitId));
  return latest?.seq ?? null;
}
