/** Probes, runs, answers and marks as the columns of rows. JSON is checked on the way out. */
import { z } from 'zod';
import { CRITERION_IDS } from '../../../domain/evaluation/criteria.js';
import { FACT_KINDS, FACT_TOPICS } from '../../../domain/evaluation/fact.js';
import type { Probe, ProbeSet } from '../../../domain/evaluation/probe.js';
import { PROBE_TYPES } from '../../../domain/evaluation/probe-type.js';
import type {
  StoredAnswer,
  StoredJudgement,
  StoredMark,
  StoredRun,
} from '../../../domain/evaluation/repositories.js';
import {
  type EvaluationReport,
  RUN_KINDS,
} from '../../../domain/evaluation/report/evaluation-report.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { Columns } from './recordset-columns.js';

export const PROBE_COLUMNS: Columns<Probe> = {
  probe_id: ['text', 'probeId'],
  type: ['text', 'type'],
  question: ['text', 'question'],
  format: ['text', 'format'],
  facts: ['jsonb', 'facts'],
  forbidden: ['text[]', 'forbidden'],
  source_entry_ids: ['text[]', 'sourceEntryIds'],
  dimensions: ['text[]', 'dimensions'],
  origin: ['text', 'origin'],
  as_of: ['integer', 'asOf'],
  also_in_tail: ['boolean', 'alsoInTail'],
};

export const ANSWER_COLUMNS: Columns<StoredAnswer> = {
  arm: ['text', 'arm'],
  session_id: ['text', 'sessionId'],
  cycle: ['integer', 'cycle'],
  probe_id: ['text', 'probeId'],
  text: ['text', 'text'],
  reason: ['text', 'reason'],
  survival: ['jsonb', 'survival'],
  findings: ['jsonb', 'findings'],
  answerer: ['text', 'answerer'],
  prompt_version: ['text', 'promptVersion'],
  usage: ['jsonb', 'usage'],
  answered_at: ['timestamptz', 'answeredAt'],
};

export const MARK_COLUMNS: Columns<StoredMark> = {
  arm: ['text', 'arm'],
  session_id: ['text', 'sessionId'],
  cycle: ['integer', 'cycle'],
  probe_id: ['text', 'probeId'],
  judge_run: ['integer', 'judgeRun'],
  criterion_id: ['text', 'criterionId'],
  score: ['double precision', 'score'],
  reason: ['text', 'reason'],
  origin: ['text', 'origin'],
};

export const JUDGEMENT_COLUMNS: Columns<StoredJudgement> = {
  arm: ['text', 'arm'],
  session_id: ['text', 'sessionId'],
  cycle: ['integer', 'cycle'],
  probe_id: ['text', 'probeId'],
  judge_run: ['integer', 'judgeRun'],
  outcome: ['text', 'outcome'],
  reason: ['text', 'reason'],
  judge: ['text', 'judge'],
  prompt_version: ['text', 'promptVersion'],
  usage: ['jsonb', 'usage'],
  judged_at: ['timestamptz', 'judgedAt'],
};

/** A run as its two rows give it. */
export interface RunRow extends Omit<StoredRun, 'finished'> {
  /** JSON as it was written, so that the order of its fields is ours. */
  readonly report: string | null;
  readonly timing: Readonly<Record<string, number>>;
  readonly finishedAt: Date | null;
}

export type SetRow = Omit<ProbeSet, 'probes' | 'point'> & {
  readonly cycle: number;
  readonly lastSeq: number;
};

const fact = z.strictObject({
  factId: z.string(),
  kind: z.enum(FACT_KINDS),
  topic: z.enum(FACT_TOPICS),
  subject: z.string().nullable(),
  value: z.union([z.string(), z.array(z.string())]),
  aliases: z.array(z.string()),
  options: z.array(z.string()),
  required: z.boolean(),
  sourceEntryIds: z.array(z.string()).min(1),
});
const probe = z.object({ facts: z.array(fact).min(1), type: z.enum(PROBE_TYPES) });
const probeSet = z.object({
  refused: z.array(z.strictObject({ question: z.string(), reason: z.string() })),
  missing: z.array(z.enum(PROBE_TYPES)),
});
const answer = z.object({
  survival: z.record(z.string(), z.enum(['kept', 'reachable', 'lost'])).nullable(),
  findings: z.array(
    z.strictObject({
      factId: z.string(),
      value: z.number().nullable(),
      contradicted: z.boolean(),
      found: z.array(z.string()),
      superfluous: z.array(z.string()),
    }),
  ),
  usage: z.record(z.string(), z.number()),
});
const judgement = z.object({
  outcome: z.enum(['judged', 'unreadable', 'failed']),
  usage: z.record(z.string(), z.number()),
});
const mark = z.object({ criterionId: z.enum(CRITERION_IDS) });
const figure = z.strictObject({
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  n: z.number(),
});
const texts = z.record(z.string(), z.string());
const numbers = z.record(z.string(), z.number());
const report = z.strictObject({
  kind: z.enum(RUN_KINDS),
  question: z.string(),
  settings: texts,
  versions: texts,
  n: numbers,
  arms: z.array(z.strictObject({ name: z.string(), figures: z.record(z.string(), figure) })),
  tables: z.array(
    z.strictObject({
      title: z.string(),
      columns: z.array(z.string()),
      rows: z.array(z.array(z.string())),
    }),
  ),
  plots: z.array(
    z.strictObject({
      title: z.string(),
      xLabel: z.string(),
      yLabel: z.string(),
      form: z.enum(['line', 'points']),
      categories: z.array(z.string()).exactOptional(),
      series: z.array(
        z.strictObject({
          name: z.string(),
          points: z.array(
            z.strictObject({
              x: z.number(),
              y: z.number(),
              low: z.number().nullable(),
              high: z.number().nullable(),
            }),
          ),
        }),
      ),
    }),
  ),
  notAssessed: z.array(
    z.strictObject({ criterion: z.string(), reason: z.string(), count: z.number() }),
  ),
  failures: z.array(z.strictObject({ what: z.string(), reason: z.string(), count: z.number() })),
  costs: numbers,
  warnings: z.array(z.string()),
  quotes: z.array(z.strictObject({ label: z.string(), text: z.string() })),
  again: z.string(),
});

export const toAnswer = (row: StoredAnswer): StoredAnswer =>
  checked(row, answer, `answer to ${row.probeId}`);
export const toMark = (row: StoredMark): StoredMark => checked(row, mark, `mark of ${row.probeId}`);
export const toJudgement = (row: StoredJudgement): StoredJudgement =>
  checked(row, judgement, `judgement on ${row.probeId}`);

export function toProbe(
  row: Omit<Probe, 'sessionId' | 'point' | 'spanHash'>,
  { sessionId, cycle, lastSeq, spanHash }: SetRow,
): Probe {
  return {
    ...checked(row, probe, `probe ${row.probeId}`),
    sessionId,
    spanHash,
    point: { cycle, lastSeq },
  };
}

export function toSet(row: SetRow, probes: readonly Probe[]): ProbeSet {
  const { cycle, lastSeq, ...set } = checked(row, probeSet, `probe set ${row.probeSetId}`);
  return { ...set, point: { cycle, lastSeq }, probes };
}

export function toRun({ report: told, timing, finishedAt, ...run }: RunRow): StoredRun {
  if (finishedAt === null || told === null) return { ...run, finished: null };
  const shape = z.object({ report, timing: numbers });
  const read = { report: JSON.parse(told) as EvaluationReport, timing };
  return { ...run, finished: { ...checked(read, shape, `run ${run.runId}`), finishedAt } };
}

function checked<Value extends object>(row: Value, shape: z.ZodType, what: string): Value {
  const parsed = shape.safeParse(row);
  if (parsed.success) return row;
  throw new OssatureError(
    'STORE_FAILED',
    `The row of the ${what} cannot be read: ${z.prettifyError(parsed.error)}`,
    { details: { row: what }, cause: parsed.error },
  );
}
