/** Planted facts over the cycles as a report: curves by cycle, kind, carrier and age. */
import {
  type ArmReport,
  EMPTY_REPORT,
  type EvaluationReport,
  type Figure,
  plainFigure,
  type PlotSeries,
  type ReportFailure,
} from '../report/evaluation-report.js';
import { showNumber } from '../report/show-figure.js';
import { groupOutcomes } from './group-outcomes.js';
import type { PlantedArm, PlantedOutcome } from './measure-planted.js';
import { groupOf, PLANTED_GROUPS, type PlantedGroup } from './planted-fact.js';
import { recallFigures, recallParts } from './recall-report.js';

export interface PlantedSettings {
  readonly seed: number;
  readonly facts: number;
  readonly cycles: number;
  readonly fillerTurns: number;
  readonly filler: string;
  readonly windowTokens: number;
  /** Ceiling of a rendered summary. */
  readonly summaryTokens: number;
  readonly versions: Readonly<Record<string, string>>;
  /** Of the answerer: calls and tokens by name; empty: nobody was asked. */
  readonly costs: Readonly<Record<string, number>>;
}

/** Groups that must be kept as they are; of the others it is enough that they can be reached. */
const KEPT_GROUPS: readonly PlantedGroup[] = ['constraints', 'paths'];

export function plantedReport(
  arms: readonly PlantedArm[],
  settings: PlantedSettings,
): EvaluationReport {
  const inspectable = arms.filter(({ isInspectable }) => isInspectable);
  const recall = recallParts(arms);
  const asked = arms.filter((arm) => Object.keys(recallFigures(arm)).length > 0);
  const outcomes = (arm: PlantedArm): readonly PlantedOutcome[] =>
    arm.cycles.flatMap((cycle) => cycle.outcomes);
  return {
    ...EMPTY_REPORT,
    kind: 'plant',
    question: 'Which planted facts survive cycle after cycle?',
    settings: {
      seed: String(settings.seed),
      facts: String(settings.facts),
      cycles: String(settings.cycles),
      filler: settings.filler,
      filler_turns: String(settings.fillerTurns),
      window_tokens: String(settings.windowTokens),
      summary_tokens: String(settings.summaryTokens),
    },
    versions: settings.versions,
    n: {
      facts: settings.facts,
      cycles: settings.cycles,
      probes: arms.reduce((sum, arm) => sum + outcomes(arm).length, 0),
      failed_passes: arms.reduce((sum, arm) => sum + failedPasses(arm).length, 0),
    },
    arms: arms.flatMap((arm) => {
      if (arm.isInspectable) return [armReport(arm, settings)];
      return asked.includes(arm) ? [{ name: arm.name, figures: recallFigures(arm) }] : [];
    }),
    tables: [
      byTable('Survival by cycle', 'cycle', inspectable, ({ cycle }) => cycle),
      byTable('Survival by kind', 'kind', inspectable, ({ fact }) => fact.kind),
      byTable('Survival by carrier', 'carrier', inspectable, ({ fact }) => fact.carrier),
      byTable('Survival by age in cycles', 'age', inspectable, ({ age }) => age),
      ...recall.tables,
      {
        title: 'Size by cycle',
        columns: ['arm', 'cycle', 'pass', 'summary tokens', 'request tokens'],
        rows: arms.flatMap(({ name, cycles }) =>
          cycles.map(({ cycle, pass, summaryTokens, contextTokens }) => [
            name,
            String(cycle),
            pass ?? '–',
            showNumber(summaryTokens),
            showNumber(contextTokens),
          ]),
        ),
      },
      {
        title: 'Facts that disappeared',
        columns: ['arm', 'fact', 'carrier', 'kept until', 'lost in cycle'],
        rows: inspectable.flatMap((arm) => lostRows(arm)),
      },
    ],
    plots: [
      survivalPlot('Survival by cycle', 'cycle', inspectable, ({ cycle }) => cycle),
      survivalPlot('Survival by age', 'cycles since it was said', inspectable, ({ age }) => age),
      ...recall.plots,
      {
        title: 'Summary by cycle',
        xLabel: 'cycle',
        yLabel: 'tokens of the rendered summary',
        form: 'line',
        series: arms.flatMap(({ name, cycles }): readonly PlotSeries[] => {
          const points = cycles.flatMap(({ cycle, summaryTokens }) =>
            summaryTokens === null ? [] : [{ x: cycle, y: summaryTokens, low: null, high: null }],
          );
          return points.length === 0 ? [] : [{ name, points }];
        }),
      },
    ],
    notAssessed: arms
      .filter(({ isInspectable }) => !isInspectable)
      .map(({ name }) => ({
        criterion: `survival of ${name}`,
        reason: 'not-applicable',
        count: 1,
      })),
    failures: [...arms.flatMap(failedPasses), ...recall.failures],
    costs: settings.costs,
    again: `agents eval plant --seed ${settings.seed} --facts ${settings.facts} --cycles ${settings.cycles}${asked.length > 0 ? ' --answers' : ''}`,
  };
}

/** Figures as they stand after the last cycle, and what never may happen over all of them. */
function armReport(arm: PlantedArm, { summaryTokens }: PlantedSettings): ArmReport {
  const last = arm.cycles.at(-1)?.outcomes ?? [];
  const figures: Record<string, Figure> = {};
  for (const group of PLANTED_GROUPS) {
    const own = last.filter(({ fact }) => groupOf(fact) === group);
    figures[group] = shareOf(own, KEPT_GROUPS.includes(group) ? isKept : isThere);
  }
  figures['kept'] = shareOf(last, isKept);
  figures['survival'] = shareOf(last, isThere);
  const all = arm.cycles.flatMap(({ outcomes }) => outcomes);
  figures['stale'] = plainFigure(all.filter(({ isStale }) => isStale).length, all.length);
  const over = arm.cycles.filter(({ summaryTokens: tokens }) => (tokens ?? 0) > summaryTokens);
  figures['cycles_over_summary_tokens'] = plainFigure(over.length, arm.cycles.length);
  figures['passes'] = plainFigure(
    arm.cycles.filter(({ pass }) => pass === 'adopted').length,
    arm.cycles.length,
  );
  Object.assign(figures, recallFigures(arm));
  return { name: arm.name, figures };
}

const isKept = ({ survival }: PlantedOutcome): boolean => survival === 'kept';
const isThere = ({ survival }: PlantedOutcome): boolean => survival !== 'lost';

function shareOf(
  outcomes: readonly PlantedOutcome[],
  counts: (outcome: PlantedOutcome) => boolean,
): Figure {
  const n = outcomes.length;
  return plainFigure(n === 0 ? null : outcomes.filter(counts).length / n, n);
}

function byTable<Key extends string | number>(
  title: string,
  column: string,
  arms: readonly PlantedArm[],
  keyOf: (outcome: PlantedOutcome) => Key,
) {
  return {
    title,
    columns: ['arm', column, 'kept', 'kept or reachable', 'stale', 'n'],
    rows: arms.flatMap((arm) =>
      grouped(arm, keyOf).map(([key, own]) => [
        arm.name,
        String(key),
        showNumber(shareOf(own, isKept).value),
        showNumber(shareOf(own, isThere).value),
        String(own.filter(({ isStale }) => isStale).length),
        String(own.length),
      ]),
    ),
  };
}

function survivalPlot(
  title: string,
  xLabel: string,
  arms: readonly PlantedArm[],
  keyOf: (outcome: PlantedOutcome) => number,
) {
  const series = arms.flatMap((arm) =>
    (
      [
        ['kept', isKept],
        ['kept or reachable', isThere],
      ] as const
    ).map(([what, counts]) => ({
      name: `${arm.name}, ${what}`,
      points: grouped(arm, keyOf).map(([x, own]) => ({
        x,
        y: shareOf(own, counts).value ?? 0,
        low: null,
        high: null,
      })),
    })),
  );
  return { title, xLabel, yLabel: 'share of facts', form: 'line' as const, series };
}

function grouped<Key extends string | number>(
  { cycles }: PlantedArm,
  keyOf: (outcome: PlantedOutcome) => Key,
): readonly (readonly [Key, readonly PlantedOutcome[]])[] {
  return groupOutcomes(
    cycles.flatMap(({ outcomes }) => outcomes),
    keyOf,
  );
}

/** Facts that were there in one cycle and are not in the next; the pass of that cycle lost them. */
function lostRows({ name, cycles }: PlantedArm): readonly (readonly string[])[] {
  return cycles.flatMap(({ cycle, outcomes, pass }, at) => {
    const before = cycles[at - 1]?.outcomes ?? [];
    return outcomes.flatMap(({ fact, survival }) => {
      const earlier = before.find((one) => one.fact.factId === fact.factId);
      if (survival !== 'lost' || earlier === undefined || earlier.survival === 'lost') return [];
      const said = pass === null ? `${cycle}` : `${cycle} (${pass})`;
      return [[name, fact.factId, fact.carrier, `${cycle - 1} (${earlier.survival})`, said]];
    });
  });
}

function failedPasses({ name, cycles }: PlantedArm): readonly ReportFailure[] {
  return cycles.flatMap(({ cycle, pass }) =>
    pass === null || pass === 'adopted'
      ? []
      : [{ what: `pass of ${name} in cycle ${cycle}`, reason: pass, count: 1 }],
  );
}
