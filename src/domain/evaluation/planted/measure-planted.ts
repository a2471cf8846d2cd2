/** What became of planted facts after a cycle: survival of what is true, and what is told though it is no more. */
import { findToken, foldLines } from '../grading/find-token.js';
import { type ContextTexts, type Survival, survivalOf, summaryLines } from '../survival.js';
import type { Recall } from './ask-planted.js';
import { factOf, type PlantedFact, replacedAt, valueAt } from './planted-fact.js';

export interface PlantedOutcome {
  readonly fact: PlantedFact;
  readonly cycle: number;
  /** Cycles since the value in force was stated. */
  readonly age: number;
  readonly survival: Survival;
  /** A replaced value is told, and nothing behind it tells the new one. */
  readonly isStale: boolean;
  /** What an answerer told of it; null: nobody was asked. */
  readonly recall: Recall | null;
}

export interface CycleMeasure {
  readonly cycle: number;
  readonly outcomes: readonly PlantedOutcome[];
  /** Of the rendered summary without pins; null: the arm has none. */
  readonly summaryTokens: number | null;
  /** Of a request. */
  readonly contextTokens: number;
  /** Why answers did not come, one each. */
  readonly unanswered: readonly string[];
  /** What the pass of the cycle came to, such as `adopted`; null: the arm makes no passes. */
  readonly pass: string | null;
}

export interface PlantedArm {
  readonly name: string;
  readonly cycles: readonly CycleMeasure[];
  /** Null where its context cannot be looked into. */
  readonly isInspectable: boolean;
}

/**
 * @param sources entries that state the value in force, by the fact's id.
 * @param recall what an answerer told, by the fact's id; null: nobody was asked.
 */
export function measurePlanted(
  facts: readonly PlantedFact[],
  cycle: number,
  texts: ContextTexts,
  sources: ReadonlyMap<string, readonly string[]>,
  recall: ReadonlyMap<string, Recall> | null = null,
): readonly PlantedOutcome[] {
  return facts.flatMap((fact): readonly PlantedOutcome[] => {
    const value = valueAt(fact, cycle);
    if (value === null) return [];
    const asked = factOf(fact, value.value, sources.get(fact.factId) ?? []);
    return [
      {
        fact,
        cycle,
        age: cycle - value.cycle,
        survival: survivalOf(asked, texts),
        isStale: replacedAt(fact, cycle).some((old) =>
          isServed(fact, old.value, value.value, texts),
        ),
        recall: recall === null ? null : (recall.get(fact.factId) ?? 'unanswered'),
      },
    ];
  });
}

/** A state by the line of its subject; any other value by what is said last outside of what no longer holds. */
function isServed(fact: PlantedFact, old: string, current: string, texts: ContextTexts): boolean {
  if (fact.match === 'state') {
    return survivalOf(factOf(fact, old, []), texts) === 'kept';
  }
  const { summary, tail } = texts.context;
  const inForce = summaryLines(summary)
    .filter(({ heading }) => heading !== 'superseded')
    .map(({ text }) => text)
    .join(' ');
  const told = `${inForce} ${foldLines(tail)}`;
  const lastOld = lastToken(told, old);
  return lastOld >= 0 && lastToken(told, current) < lastOld;
}

function lastToken(text: string, value: string): number {
  let last = -1;
  for (let at = findToken(text, value); at >= 0; at = findToken(text, value, at + 1)) last = at;
  return last;
}
