/**
 * Ids are ULIDs: 26 characters of Crockford base 32, sortable by creation time. The domain checks
 * their form and never makes them.
 */
import { OssatureError } from './errors.js';

type Branded<Kind extends string> = string & { readonly __kind: Kind };

export type PlanId = Branded<'plan'>;
export type ProjectId = Branded<'project'>;
export type DecisionId = Branded<'decision'>;
export type RecordId = Branded<'record'>;

/** The first character is at most 7: 26 × 5 bits hold two bits more than a ULID's 128. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isUlid(value: unknown): value is string {
  return typeof value === 'string' && ULID.test(value);
}

export const parsePlanId = (value: unknown): PlanId => parse(value, 'plan_id') as PlanId;
export const parseDecisionId = (value: unknown): DecisionId =>
  parse(value, 'decision_id') as DecisionId;

function parse(value: unknown, field: string): string {
  if (isUlid(value)) return value;
  throw new OssatureError(
    'INVALID_ID',
    `${field} must be a ULID (26 characters, such as 01ARZ3NDEKTSV4RRFFQ69G5FAV), got ${describe(value)}.`,
    { details: { field } },
  );
}

function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : typeof value;
}
