/** What each arm costs: tokens before and after, what was removed, and what a task takes with what it must fetch again. */
import { valuesOf } from '../fact.js';
import {
  type ArmReport,
  plainFigure,
  type ReportPlot,
  type ReportTable,
} from '../report/evaluation-report.js';
import { showNumber } from '../report/show-figure.js';
import type { ArmSize, RunReportInput } from './run-results.js';

type SizeInput = Pick<RunReportInput, 'answers' | 'probes' | 'sizes' | 'entryTokens'>;

/**
 * `tokens_per_task`: what one probe takes, the context and the entries whose facts it no longer holds word
 * for word. A fact that is lost costs as much as one that is reachable: its entries must be read again.
 */
export function sizeFigures(arm: string, input: SizeInput): ArmReport['figures'] {
  const own = input.sizes.filter((size) => size.arm === arm);
  if (own.length === 0) return {};
  const shares = own.flatMap(({ spanShare }) => spanShare ?? []);
  const removed = own.flatMap(({ tokensBefore, tokensAfter }) =>
    tokensBefore === 0 ? [] : [1 - tokensAfter / tokensBefore],
  );
  const fetched = refetches(arm, input);
  const last = lastOfSessions(own);
  const after = meanOf(own.map(({ tokensAfter }) => tokensAfter));
  const again = meanOf(fetched);
  return {
    tokens_before: plainFigure(meanOf(own.map(({ tokensBefore }) => tokensBefore)), own.length),
    tokens_after: plainFigure(after, own.length),
    removed_of_span: plainFigure(meanOf(shares), shares.length),
    removed_of_context: plainFigure(meanOf(removed), removed.length),
    refetched_tokens: plainFigure(again, fetched.length),
    tokens_per_task: plainFigure(
      after === null || again === null ? null : after + again,
      fetched.length,
    ),
    summarizer_tokens: plainFigure(
      last.reduce((sum, { summarizerTokens }) => sum + summarizerTokens, 0),
      last.length,
    ),
  };
}

/** Tokens of the entries that each probe of the arm has to read again. */
function refetches(arm: string, { answers, probes, entryTokens }: SizeInput): readonly number[] {
  const known = new Map(probes.map((probe) => [`${probe.sessionId} ${probe.probeId}`, probe]));
  return answers.flatMap(({ arm: whose, sessionId, probeId, survival }) => {
    const probe = known.get(`${sessionId} ${probeId}`);
    if (whose !== arm || survival === null || probe === undefined) return [];
    const again = new Set(
      probe.facts
        .filter((fact) => survival[fact.factId] !== 'kept' && valuesOf(fact).length > 0)
        .flatMap(({ sourceEntryIds }) => sourceEntryIds),
    );
    return [[...again].reduce((sum, entryId) => sum + (entryTokens.get(entryId) ?? 0), 0)];
  });
}

/** Costs of models add up over the cycles of a session, so that the last one tells all of them. */
function lastOfSessions(sizes: readonly ArmSize[]): readonly ArmSize[] {
  return [...new Map(sizes.map((size) => [size.sessionId, size])).values()];
}

export function sizeTables(
  sizes: readonly ArmSize[],
  figures: ReadonlyMap<string, ArmReport['figures']>,
): readonly ReportTable[] {
  if (sizes.length === 0) return [];
  const arms = [...new Set(sizes.map(({ arm }) => arm))];
  const told = (arm: string, name: string): string => {
    const value = figures.get(arm)?.[name]?.value ?? null;
    return showNumber(value === null ? null : Math.round(value));
  };
  return [
    {
      title: 'Sizes',
      columns: [
        'arm',
        'cycle',
        'tokens before',
        'tokens after',
        'removed of the span',
        'removed of the context',
      ],
      rows: sizes.map(({ arm, cycle, tokensBefore, tokensAfter, spanShare }) => [
        arm,
        String(cycle),
        String(tokensBefore),
        String(tokensAfter),
        spanShare === null ? '–' : percent(spanShare),
        tokensBefore === 0 ? '–' : percent(1 - tokensAfter / tokensBefore),
      ]),
    },
    {
      title: 'What a task takes, in tokens',
      columns: ['arm', 'context, mean', 'fetched again, mean', 'tokens per task', 'summarizers'],
      rows: arms.map((arm) => [
        arm,
        told(arm, 'tokens_after'),
        told(arm, 'refetched_tokens'),
        told(arm, 'tokens_per_task'),
        told(arm, 'summarizer_tokens'),
      ]),
    },
  ];
}

export function qualityPlots(
  arms: readonly string[],
  figures: ReadonlyMap<string, ArmReport['figures']>,
): readonly ReportPlot[] {
  const series = arms.flatMap((arm) => {
    const own = figures.get(arm);
    const { value = null, low = null, high = null } = own?.['survival'] ?? {};
    const tokens = own?.['tokens_after']?.value ?? null;
    if (value === null || tokens === null) return [];
    return [{ name: arm, points: [{ x: Math.round(tokens), y: value, low, high }] }];
  });
  if (series.length === 0) return [];
  return [
    {
      title: 'Quality against tokens',
      xLabel: 'tokens of the context, mean',
      yLabel: 'share of facts kept or reachable',
      form: 'points',
      series,
    },
  ];
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
