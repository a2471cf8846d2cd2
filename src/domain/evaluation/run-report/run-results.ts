/** What a run left in the store, as its report needs it. */
import type { Probe } from '../probe.js';
import type { ReportFailure, RunKind } from '../report/evaluation-report.js';
import type { StoredAnswer, StoredJudgement, StoredMark } from '../repositories.js';

export interface ArmSize {
  readonly arm: string;
  readonly sessionId: string;
  readonly cycle: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Share of the span that was removed; null: the arm removed none. */
  readonly spanShare: number | null;
  /** Null: adopted, or no pass was needed; else why it failed. */
  readonly failure: string | null;
  /** Tokens that models took and gave for it, up to this cycle. */
  readonly summarizerTokens: number;
}

export interface RunReportInput {
  readonly kind: RunKind;
  readonly question: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly probes: readonly Probe[];
  readonly answers: readonly StoredAnswer[];
  readonly marks: readonly StoredMark[];
  readonly judgements: readonly StoredJudgement[];
  readonly sizes: readonly ArmSize[];
  /** Tokens of entries, by id: what fetching one again costs. */
  readonly entryTokens: ReadonlyMap<string, number>;
  readonly missing: readonly string[];
  readonly failures: readonly ReportFailure[];
  readonly warnings: readonly string[];
  /** Facts are shown as quotes up to so many. */
  readonly quotes: number;
  readonly again: string;
  readonly seed: number;
}
