/** Where the last task of a tail ended: its todos closed, a commit, an approved plan, or the host's word. */
import type { MarkedEntry } from '../marked-entry.js';
import { mayCommit, readCommit } from '../summary/read-commit.js';
import type { Trail } from '../trail/trail.js';

/** Results that may tell of a commit: their texts have to be looked at. */
export function commitSeqs(
  tail: readonly Pick<MarkedEntry, 'seq'>[],
  { commands }: Pick<Trail, 'commands'>,
): readonly number[] {
  const own = new Set(tail.map(({ seq }) => seq));
  const seqs: number[] = [];
  for (const { resultSeq, command, state, active } of commands.values()) {
    if (!active || state !== 'ok' || resultSeq === null || !own.has(resultSeq)) continue;
    if (mayCommit(command)) seqs.push(resultSeq);
  }
  return seqs;
}

/**
 * @param contents texts of the results that `commitSeqs` names, by `seq`.
 * @param isEnded the host says that the task has ended with the last entry.
 * @returns the last `seq` of the unit in which it ended, or null.
 */
export function taskEndSeq(
  tail: readonly MarkedEntry[],
  { todos, commands }: Pick<Trail, 'todos' | 'commands'>,
  contents: ReadonlyMap<number, string>,
  isEnded: boolean,
): number | null {
  const last = tail.at(-1);
  if (last === undefined) return null;
  if (isEnded) return last.seq;
  const ends = new Set<number>();
  const areClosed = todos.every(({ state }) => state === 'completed' || state === 'cancelled');
  if (areClosed && todos.some(({ state }) => state === 'completed')) {
    ends.add(Math.max(...todos.map(({ changedSeq }) => changedSeq)));
  }
  const results = new Set(commitSeqs(tail, { commands }));
  for (const { seq, resultSeq } of commands.values()) {
    if (resultSeq === null || !results.has(resultSeq)) continue;
    if (readCommit(contents.get(resultSeq) ?? '') !== null) ends.add(seq);
  }
  const units = new Set<string>();
  for (const entry of tail) {
    const isRuling = entry.kind === 'tool_result' && entry.active;
    const isApproval = isRuling && entry.ruling?.ruling === 'plan-approved';
    if (isApproval || ends.has(entry.seq)) units.add(entry.unitId);
  }
  return tail.findLast(({ unitId }) => units.has(unitId))?.seq ?? null;
}
