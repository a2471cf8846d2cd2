/**
 * What code fills sections with, as plain lines: of the trail, its errors and todos, and the decisions.
 * Only lines that are new or may have changed need to be given; items of the others stay as they are.
 */
import type { SessionDecision } from '../session-decision.js';
import type { AskLine } from './asks.js';

export interface TrailLine {
  /** Normalized, as in the trail. */
  readonly path: string;
  readonly state: 'created' | 'modified' | 'read' | 'deleted' | 'renamed' | 'listed';
  /** How it was changed, one deterministic line, or null. */
  readonly note: string | null;
  /** `seq` of the last event. */
  readonly lastSeq: number;
}

export interface ErrorLine {
  /** First line of the error, word for word. */
  readonly text: string;
  /** Equal for equal errors: without volatile parts. */
  readonly signature: string;
  readonly path: string | null;
  readonly line: number | null;
  readonly count: number;
  readonly state: 'open' | 'resolved';
  /** `seq` of the last occurrence. */
  readonly lastSeq: number;
  /** `seq` of the successful run that resolved it, or null. */
  readonly resolvedBySeq: number | null;
}

/** One change of an artifact; what lies between failure and success is taken for the fix. */
export interface ChangeLine {
  readonly seq: number;
  readonly path: string;
  readonly note: string | null;
}

export interface CommandLine {
  readonly seq: number;
  readonly command: string;
  readonly exitCode: number | null;
  readonly state: 'ok' | 'failed' | 'timed-out' | 'interrupted' | 'unknown';
  readonly outcome: { readonly passed: number; readonly failed: number } | null;
  /** What a successful commit reported, see `readCommit`, or null. */
  readonly commit: string | null;
}

export interface TodoLine {
  readonly text: string;
  /** `cancelled`: taken off the list without being finished. */
  readonly state: 'pending' | 'in-progress' | 'completed' | 'cancelled';
  /** `seq` of the last call that stated it. */
  readonly lastSeq: number;
}

export interface DecisionLine {
  readonly decision: SessionDecision;
  readonly seq: number;
  /** Made by a human prompt, which the asks hold already. */
  readonly isPrompt: boolean;
}

export interface SectionLines {
  readonly asks: readonly AskLine[];
  readonly trail: readonly TrailLine[];
  readonly decisions: readonly DecisionLine[];
  readonly errors: readonly ErrorLine[];
  /** In ascending order of `seq`. */
  readonly changes: readonly ChangeLine[];
  /** In the order of the agent's list. */
  readonly todos: readonly TodoLine[];
}

export const NO_LINES: SectionLines = {
  asks: [],
  trail: [],
  decisions: [],
  errors: [],
  changes: [],
  todos: [],
};
