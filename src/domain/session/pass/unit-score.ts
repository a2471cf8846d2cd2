/**
 * The score by which units leave under the trigger `importance`: the relevance of their kind fading
 * with age, plus what later units refer to, minus what is seen again later.
 */
import { UNIT_RELEVANCE } from '../unit-relevance.js';
import type { UnitMark } from './unit-mark.js';

export interface UnitScore {
  readonly unitId: string;
  /** Relevance of the kind, 0 to 1. */
  readonly base: number;
  /** 1 for the latest turn, half of it each `HALF_LIFE_TURNS` before. */
  readonly recency: number;
  readonly references: number;
  readonly redundancy: number;
  readonly score: number;
}

/** Turns after which a unit counts half; the default of `keep_turns`. */
const HALF_LIFE_TURNS = 8;

/** What each later unit adds that refers to the same paths or symbols, and the most they add. */
const REFERENCE_WEIGHT = 0.05;
const MAX_REFERENCES = 0.3;

/** What a unit loses when every content it holds is seen again later, unchanged. */
const REDUNDANCY_WEIGHT = 0.4;

/** Scores of the units, in their order. Pure and linear in units and their references. */
export function scoreUnits(units: readonly UnitMark[]): readonly UnitScore[] {
  const latestTurn = units.reduce((latest, { turn }) => Math.max(latest, turn), 0);
  const laterReferences = new Map<string, number>();
  const laterContents = new Set<string>();
  const scores: UnitScore[] = [];
  for (const unit of [...units].reverse()) {
    const base = UNIT_RELEVANCE[unit.kind];
    const recency = 0.5 ** ((latestTurn - unit.turn) / HALF_LIFE_TURNS);
    const named = new Set(unit.references);
    const later = Math.max(0, ...[...named].map((name) => laterReferences.get(name) ?? 0));
    const references = Math.min(MAX_REFERENCES, REFERENCE_WEIGHT * later);
    const contents = unit.contents.map(({ path, hash }) => JSON.stringify([path, hash]));
    const repeated = contents.filter((content) => laterContents.has(content)).length;
    const share = contents.length === 0 ? 0 : repeated / contents.length;
    const redundancy = REDUNDANCY_WEIGHT * share;
    const score = base * recency + references - redundancy;
    scores.push({ unitId: unit.unitId, base, recency, references, redundancy, score });
    for (const name of named) laterReferences.set(name, (laterReferences.get(name) ?? 0) + 1);
    for (const content of contents) laterContents.add(content);
  }
  return scores.reverse();
}
