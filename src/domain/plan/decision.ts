/** A decision: a recorded choice of a plan, and the audit anchor of the fragments that follow from it. */
import { OssatureError } from '../kernel/errors.js';
import type { DecisionId, PlanId } from '../kernel/ids.js';

/** The types that the core itself records. Hosts may add their own, in the same form. */
export const DECISION_TYPES = [
  'prompt_definition',
  'strategy_choice',
  'implementation_choice',
  'resource_selection',
  'subplan_spawn',
  'user_intervention',
] as const;

export interface Decision {
  readonly decisionId: DecisionId;
  readonly planId: PlanId;
  readonly parentDecisionId: DecisionId | null;
  /** One of DECISION_TYPES, or a host's own word in snake_case. */
  readonly type: string;
  readonly question: string | null;
  readonly choice: string;
  readonly rationale: string | null;
  /** The decision that took this one's place. It stays in the tree; its fragments leave every later skeleton. */
  readonly supersededBy: DecisionId | null;
  readonly createdAt: Date;
}

const TYPE_FORM = /^[a-z][a-z0-9_]{0,63}$/;

export function parseDecisionType(value: unknown): string {
  if (typeof value === 'string' && TYPE_FORM.test(value)) return value;
  throw new OssatureError(
    'INVALID_INPUT',
    `A decision's type is one of ${DECISION_TYPES.join(', ')}, or a word of your own in snake_case; got ${JSON.stringify(value)}.`,
    { details: { field: 'type' } },
  );
}

/** The decision as superseded by another. A decision is superseded once; by itself, never. */
export function supersede(decision: Decision, by: Decision): Decision {
  if (by.decisionId === decision.decisionId || by.planId !== decision.planId) {
    throw new OssatureError(
      'INVALID_INPUT',
      `Decision ${decision.decisionId} can only be superseded by another decision of its own plan.`,
      { details: { decisionId: decision.decisionId, by: by.decisionId } },
    );
  }
  if (decision.supersededBy !== null && decision.supersededBy !== by.decisionId) {
    throw new OssatureError(
      'ILLEGAL_MOVE',
      `Decision ${decision.decisionId} was already superseded by ${decision.supersededBy}. Supersede that one instead.`,
      { details: { decisionId: decision.decisionId, supersededBy: decision.supersededBy } },
    );
  }
  return { ...decision, supersededBy: by.decisionId };
}
