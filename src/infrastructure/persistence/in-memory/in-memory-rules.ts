/** What constraints and orders of the database are in memory. */
import { type ErrorCode, OssatureError } from '../../../domain/kernel/errors.js';
import type { State } from './in-memory-state.js';

export function refusal(
  code: ErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): OssatureError {
  return new OssatureError(code, message, { details });
}

export function found<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw refusal('NOT_FOUND', message);
  return value;
}

/** What a foreign key does in the database. */
export function requirePlan(state: State, planId: string): void {
  if (!state.plans.has(planId)) throw refusal('STORE_FAILED', `There is no plan ${planId}.`);
}

export function requireDecision(state: State, decisionId: string | null): void {
  if (decisionId === null || state.decisions.has(decisionId)) return;
  throw refusal('STORE_FAILED', `There is no decision ${decisionId}.`);
}

/** What a primary key does in the database. */
export function requireNew(held: ReadonlyMap<string, unknown>, id: string): void {
  if (held.has(id)) throw refusal('STORE_FAILED', `The id ${id} is already stored.`);
}

/** Oldest first; ids are ULIDs, so they settle what one millisecond leaves open. */
export function byAge<Value extends { readonly createdAt: Date }>(idOf: (value: Value) => string) {
  return (a: Value, b: Value): number =>
    a.createdAt.getTime() - b.createdAt.getTime() || (idOf(a) < idOf(b) ? -1 : 1);
}
