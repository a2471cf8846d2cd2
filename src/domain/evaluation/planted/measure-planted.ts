/** What became of planted facts after a cycle: survival of what is true, and what is told though it is no more. */
import type { Fact } from '../fact.js';
import { findToken, foldLines } from '../grading/find-token.js';
import { type ContextTexts, type Survival, survivalOf, summaryLines } from '../survival.js';
import { type PlantedFact, replacedAt, valueAt } from './planted-fact.js';

export interface PlantedOutcome {
  readonly fact: PlantedFact;
  readonly cycle: number;
  /** Cycles since the value in force was stated. */
  readonly age: number;
  readonly survival: Survival;
  /** A replaced value is told, and nothing behind it tells the new one. */
  readonly isStale: boolean;
}

/** @param sources entries that state the value in force, by the fact's id. */
export function measurePlanted(
  facts: readonly PlantedFact[],
  cycle: number,
  texts: ContextTexts,
  sources: ReadonlyMap<string, readonly string[]>,
): readonly PlantedOutcome[] {
  return facts.flatMap((fact): readonly PlantedOutcome[] => {
    const value = valueAt(fact, cycle);
    if (value === null) return [];
    const asked = asFact(fact, value.value, sources.get(fact.factId) ?? []);
    return [
      {
        fact,
        cycle,
        age: cycle - value.cycle,
        survival: survivalOf(asked, texts),
        isStale: replacedAt(fact, cycle).some((old) =>
          isServed(fact, old.value, value.value, texts),
        ),
      },
    ];
  });
}

function asFact(
  { factId, match, subject, options }: PlantedFact,
  value: string,
  sourceEntryIds: readonly string[],
): Fact {
  return {
    factId,
    kind: match,
    topic: 'value',
    subject: match === 'state' ? subject : null,
    value,
    aliases: [],
    options,
    required: true,
    sourceEntryIds,
  };
}

/** A state by the line of its subject; any other value by what is said last outside of what no longer holds. */
function isServed(fact: PlantedFact, old: string, current: string, texts: ContextTexts): boolean {
  if (fact.match === 'state') {
    return survivalOf({ ...asFact(fact, old, []), topic: 'value' }, texts) === 'kept';
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
