/** What an answerer knew of planted facts: figures, tables and curves beside those of survival. */
import {
  type Figure,
  plainFigure,
  type ReportFailure,
  type ReportPlot,
  type ReportTable,
} from '../report/evaluation-report.js';
import { showNumber } from '../report/show-figure.js';
import type { Recall } from './ask-planted.js';
import { groupOutcomes } from './group-outcomes.js';
import type { PlantedArm, PlantedOutcome } from './measure-planted.js';

/** An outcome that was asked about. */
type Asked = PlantedOutcome & { readonly recall: Recall };

export interface RecallParts {
  readonly tables: readonly ReportTable[];
  readonly plots: readonly ReportPlot[];
  readonly failures: readonly ReportFailure[];
}

/** As they stand after the last cycle; nothing where nobody was asked. */
export function recallFigures({ cycles }: PlantedArm): Readonly<Record<string, Figure>> {
  const last = (cycles.at(-1)?.outcomes ?? []).filter(isAsked);
  if (last.length === 0) return {};
  const answered = last.filter(({ recall }) => recall !== 'unanswered');
  const share = (wanted: Recall): Figure =>
    plainFigure(
      answered.length === 0 ? null : countOf(answered, wanted) / answered.length,
      answered.length,
    );
  return { recall: share('right'), recall_replaced: share('replaced') };
}

export function recallParts(arms: readonly PlantedArm[]): RecallParts {
  const asked = arms.filter(({ cycles }) =>
    cycles.some(({ outcomes }) => outcomes.some((outcome) => outcome.recall !== null)),
  );
  if (asked.length === 0) return { tables: [], plots: [], failures: [] };
  return {
    tables: [
      recallTable('cycle', asked, ({ cycle }) => cycle),
      recallTable('kind', asked, ({ fact }) => fact.kind),
      recallTable('carrier', asked, ({ fact }) => fact.carrier),
      recallTable('age in cycles', asked, ({ age }) => age),
    ],
    plots: [
      recallPlot('Recall by cycle', 'cycle', asked, ({ cycle }) => cycle),
      recallPlot('Recall by age', 'cycles since it was said', asked, ({ age }) => age),
    ],
    failures: asked.flatMap(({ name, cycles }) => {
      const reasons = new Map<string, number>();
      for (const reason of cycles.flatMap(({ unanswered }) => unanswered)) {
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
      return [...reasons].map(([reason, count]) => ({
        what: `answers for ${name}`,
        reason,
        count,
      }));
    }),
  };
}

function recallTable(
  by: string,
  arms: readonly PlantedArm[],
  keyOf: (outcome: PlantedOutcome) => string | number,
): ReportTable {
  return {
    title: `Recall by ${by}`,
    columns: ['arm', by, 'right', 'replaced', 'wrong', 'unanswered', 'n'],
    rows: arms.flatMap((arm) =>
      groupOutcomes(askedOf(arm), keyOf).map(([key, own]) => [
        arm.name,
        String(key),
        showNumber(shareOf(own)),
        ...(['replaced', 'wrong', 'unanswered'] as const).map((one) => String(countOf(own, one))),
        String(own.length),
      ]),
    ),
  };
}

function recallPlot(
  title: string,
  xLabel: string,
  arms: readonly PlantedArm[],
  keyOf: (outcome: PlantedOutcome) => number,
): ReportPlot {
  const series = arms.map((arm) => ({
    name: arm.name,
    points: groupOutcomes(askedOf(arm), keyOf).map(([x, own]) => ({
      x,
      y: shareOf(own) ?? 0,
      low: null,
      high: null,
    })),
  }));
  return { title, xLabel, yLabel: 'share of answers that are right', form: 'line', series };
}

/** Of those that were answered: what was not says nothing of the memory. */
function shareOf(outcomes: readonly Asked[]): number | null {
  const answered = outcomes.length - countOf(outcomes, 'unanswered');
  return answered === 0 ? null : countOf(outcomes, 'right') / answered;
}

function countOf(outcomes: readonly Asked[], wanted: Recall): number {
  return outcomes.filter(({ recall }) => recall === wanted).length;
}

function askedOf({ cycles }: PlantedArm): readonly Asked[] {
  return cycles.flatMap(({ outcomes }) => outcomes).filter(isAsked);
}

function isAsked(outcome: PlantedOutcome): outcome is Asked {
  return outcome.recall !== null;
}
