/** A report as JSON. The shape is published as `docs/evaluation-report.schema.json`; a test keeps both equal. */
import { z } from 'zod';
import {
  type EvaluationReport,
  RUN_KINDS,
} from '../../domain/evaluation/report/evaluation-report.js';
import type { ReportHead } from '../../domain/evaluation/report/report-head.js';

/** Raised when a field changes its meaning or goes; new fields leave it. */
const FORMAT_VERSION = 1;

const texts = z.record(z.string(), z.string());
const numbers = z.record(z.string(), z.number());
const counted = { reason: z.string(), count: z.int() };
const figure = z.object({
  value: z.number().nullable().describe('null: could not be measured'),
  low: z.number().nullable().describe('lower end of the 95 % interval; null: there is none'),
  high: z.number().nullable(),
  n: z.number(),
});

export const reportSchema = z
  .object({
    format: z.literal('ossature-evaluation-report'),
    format_version: z.literal(FORMAT_VERSION),
    run_id: z.string(),
    time: z
      .string()
      .describe('when it ended and how long it took; the one place where time stands'),
    kind: z.enum(RUN_KINDS),
    question: z.string(),
    settings: texts,
    versions: texts,
    n: numbers,
    arms: z.array(z.object({ name: z.string(), figures: z.record(z.string(), figure) })),
    tables: z.array(
      z.object({
        title: z.string(),
        columns: z.array(z.string()),
        rows: z.array(z.array(z.string())),
      }),
    ),
    plots: z.array(
      z.object({
        title: z.string(),
        x_label: z.string(),
        y_label: z.string(),
        form: z.enum(['line', 'points']),
        categories: z.array(z.string()).exactOptional(),
        series: z.array(
          z.object({
            name: z.string(),
            points: z.array(
              z.object({
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
    not_assessed: z.array(z.object({ criterion: z.string(), ...counted })),
    failures: z.array(z.object({ what: z.string(), ...counted })),
    costs: numbers,
    warnings: z.array(z.string()),
    quotes: z.array(z.object({ label: z.string(), text: z.string() })),
    again: z.string().describe('the command that makes it again'),
  })
  .describe('What `agents eval report RUN --to json` writes.');

export type ReportDocument = z.infer<typeof reportSchema>;

export function reportDocument(report: EvaluationReport, head: ReportHead): ReportDocument {
  return reportSchema.parse({
    ...report,
    format: 'ossature-evaluation-report',
    format_version: FORMAT_VERSION,
    run_id: head.runId,
    time: head.time,
    not_assessed: report.notAssessed,
    plots: report.plots.map(({ xLabel, yLabel, ...plot }) => ({
      ...plot,
      x_label: xLabel,
      y_label: yLabel,
    })),
  });
}
