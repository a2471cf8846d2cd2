/** Decisions as columns: any number of rows in a fixed number of parameters. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { Decision } from '../../../domain/plan/decision.js';

export const DECISION_COLUMNS = `decision_id, plan_id, parent_decision_id, type, question, choice,
  rationale, superseded_by, created_at`;

const FIELDS = [
  'decisionId',
  'planId',
  'parentDecisionId',
  'type',
  'question',
  'choice',
  'rationale',
  'supersededBy',
  'createdAt',
] as const satisfies readonly (keyof Decision)[];

/** A table expression whose first parameter stands for the first of {@link decisionValues}. */
export function decisionRows(first: number): {
  readonly rows: string;
  readonly parameters: number;
} {
  const columns = FIELDS.map(
    (field, index) => `$${first + index}::${field === 'createdAt' ? 'timestamptz' : 'text'}[]`,
  );
  return { rows: `unnest(${columns.join(', ')})`, parameters: columns.length };
}

export function decisionValues(decisions: readonly Decision[]): readonly unknown[] {
  return FIELDS.map((field) => decisions.map((decision) => decision[field]));
}

export function decisionKnown(decisions: readonly Decision[], cause: unknown): OssatureError {
  return new OssatureError(
    'ALREADY_EXISTS',
    'A decision of this id is already stored. Decision ids are unique in the store.',
    { details: { decisionIds: decisions.map(({ decisionId }) => decisionId) }, cause },
  );
}
