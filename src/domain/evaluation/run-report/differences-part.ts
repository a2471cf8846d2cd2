/** Paired differences between arms over sessions: of survival, and of the marks that all of them have. */
import type { ReportTable } from '../report/evaluation-report.js';
import { showFigure } from '../report/show-figure.js';
import type { StoredAnswer } from '../repositories.js';
import { ENOUGH_TO_RANK, type Observation, pairedDifference } from '../statistics/bootstrap.js';
import { holmRejects } from '../statistics/holm.js';
import { commonDimensions, MARK_ORIGINS, type MarkedArm, marksBySession } from './marks-part.js';
import { survivalBySession } from './survival-part.js';

export function differenceTables(
  arms: readonly string[],
  answers: readonly StoredAnswer[],
  marked: readonly MarkedArm[],
  sessions: readonly string[],
  seed: number,
): readonly ReportTable[] {
  const survival = new Map(arms.map((arm) => [arm, survivalBySession(arm, answers, sessions)]));
  return [
    ...differences('survival', survival, sessions.length, seed),
    ...MARK_ORIGINS.flatMap((origin) => {
      const own = marked.filter((one) => one.origin === origin);
      const common = commonDimensions(own);
      const what = `marks ${origin === 'grader' ? 'by rules' : 'by the judge'} on ${common.join(', ')}`;
      const observed = new Map(own.map((one) => [one.arm, marksBySession(one, common, sessions)]));
      return common.length === 0 ? [] : differences(what, observed, sessions.length, seed);
    }),
  ];
}

function differences(
  what: string,
  observed: ReadonlyMap<string, readonly Observation[]>,
  sessions: number,
  seed: number,
): readonly ReportTable[] {
  const arms = [...observed.keys()];
  const compared = arms.flatMap((arm, at) =>
    arms.slice(at + 1).flatMap((other) => {
      const [first = [], second = []] = [observed.get(arm), observed.get(other)];
      const paired = pairedDifference(first, second, seed);
      return paired === null ? [] : [{ name: `${arm} – ${other}`, ...paired }];
    }),
  );
  if (compared.length === 0) return [];
  const isReal = holmRejects(compared.map(({ p }) => p));
  return [
    {
      title: `Paired differences of ${what}, over sessions (a difference after Holm)`,
      columns: ['arms', 'difference', 'a difference'],
      rows: compared.map(({ name, difference, interval, n }, at) => [
        name,
        showFigure({ value: difference, ...interval, n }),
        sessions < ENOUGH_TO_RANK
          ? 'too few to rank'
          : (interval.low > 0 || interval.high < 0) && isReal[at] === true
            ? 'yes'
            : 'no',
      ]),
    },
  ];
}
