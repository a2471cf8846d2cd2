/** Arbitrary facts that are put into a transcript: nobody can guess them, so who knows them has kept them. */
import type { Fact, FactKind } from '../fact.js';

export const PLANTED_KINDS = [
  'constraint',
  'path',
  'decision',
  'todo',
  'error-code',
  'version',
  'number',
  'command',
  'symbol',
  'date',
  'name',
  'url',
] as const;
export type PlantedKind = (typeof PLANTED_KINDS)[number];

/** Where a fact stands in the transcript; what a pass does with it depends on nothing else. */
export const CARRIERS = [
  'user-prompt',
  'tool-event',
  'todo',
  'decision',
  'assistant-prose',
  'tool-output',
] as const;
export type Carrier = (typeof CARRIERS)[number];

/** A value from the cycle of its statement on. */
export interface PlantedValue {
  readonly cycle: number;
  readonly value: string;
}

export interface PlantedFact {
  readonly factId: string;
  readonly kind: PlantedKind;
  readonly carrier: Carrier;
  /** How it is looked for: word for word, as a number, as the state of its subject. */
  readonly match: Extract<FactKind, 'exact' | 'number' | 'state'>;
  /** What it is about: a path, a todo, the name of a setting, a question. */
  readonly subject: string;
  /** Of `state`. */
  readonly options: readonly string[];
  /** The first, and for some a later one, which alone is right from then on. */
  readonly values: readonly PlantedValue[];
}

/** What must hold after ten cycles is said for these groups (specification of evaluation, §6). */
export const PLANTED_GROUPS = [
  'constraints',
  'paths',
  'decisions',
  'user_values',
  'todos',
  'error_lines',
  'tool_events',
  'prose_and_output',
] as const;
export type PlantedGroup = (typeof PLANTED_GROUPS)[number];

export function groupOf({ kind, carrier }: Pick<PlantedFact, 'kind' | 'carrier'>): PlantedGroup {
  if (kind === 'constraint') return 'constraints';
  if (kind === 'path') return 'paths';
  if (kind === 'decision') return 'decisions';
  if (kind === 'todo') return 'todos';
  if (carrier === 'user-prompt') return 'user_values';
  if (kind === 'error-code') return 'error_lines';
  return carrier === 'tool-event' ? 'tool_events' : 'prose_and_output';
}

/** The value in force in the cycle; null: not planted yet. */
export function valueAt({ values }: PlantedFact, cycle: number): PlantedValue | null {
  return values.findLast((one) => one.cycle <= cycle) ?? null;
}

/** Values that were right once and are no more. */
export function replacedAt({ values }: PlantedFact, cycle: number): readonly PlantedValue[] {
  return values.filter((one) => one.cycle <= cycle).slice(0, -1);
}

/** As a fact that answers and contexts are held against. */
export function factOf(
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
