/** Marks: one criterion's score for one answer. */
import type { CriterionId } from '../criteria.js';

export type MarkOrigin = 'grader' | 'judge';

export interface Mark {
  readonly criterionId: CriterionId;
  /** 0 to 5; null: not assessed, for the reason given. */
  readonly score: number | null;
  readonly reason: string;
  readonly origin: MarkOrigin;
}

/** What one answer says of one fact. */
export interface FactFinding {
  readonly factId: string;
  /** 0 to 1; null: the kind is not judged. */
  readonly value: number | null;
  readonly contradicted: boolean;
  readonly found: readonly string[];
  readonly superfluous: readonly string[];
}
