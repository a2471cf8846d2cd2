/** Planted facts as questions to an answerer, and what an answer is worth: the value in force, and no other. */
import { matchFact } from '../grading/match-fact.js';
import { factOf, type PlantedFact, replacedAt, valueAt } from './planted-fact.js';

/**
 * `right`: the value in force, and none that it replaced; `replaced`: a value that was right once, with
 * the new one or without; `wrong`: neither; `unanswered`: nothing came.
 */
export type Recall = 'right' | 'replaced' | 'wrong' | 'unanswered';

/** Tells what is asked for, and nothing of the value. */
export function questionOf({ kind, subject, options }: PlantedFact): string {
  switch (kind) {
    case 'constraint':
      return 'Which standing rules did the user give? Repeat each of them word for word.';
    case 'path':
      return `What became of the file ${subject}? Answer with one of: ${options.join(', ')}.`;
    case 'todo':
      return `How does the todo "${subject}" stand now? Answer with one of: ${options.join(', ')}.`;
    case 'decision':
      return `What was chosen when this was asked: ${subject}`;
    case 'error-code':
      return `The command ${subject} failed. Repeat the first line of its error word for word.`;
    case 'command':
      return 'Which make commands were run? Name each of them in full.';
    case 'symbol':
      return 'Which functions were written or spoken of? Name each of them.';
    case 'version':
    case 'number':
    case 'date':
    case 'name':
    case 'url':
      return `What is the ${subject} now?`;
  }
}

/** @param answer null: nothing came. */
export function recallOf(fact: PlantedFact, cycle: number, answer: string | null): Recall {
  const current = valueAt(fact, cycle);
  if (answer === null || current === null) return 'unanswered';
  const says = (value: string): boolean =>
    matchFact(factOf(fact, value, []), answer, { knownPaths: [] }).value === 1;
  if (replacedAt(fact, cycle).some(({ value }) => says(value))) return 'replaced';
  return says(current.value) ? 'right' : 'wrong';
}
