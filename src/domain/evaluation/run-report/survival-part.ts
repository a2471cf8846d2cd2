/** Survival of facts by arm: figures over sessions, and by type of probe. */
import type { Probe } from '../probe.js';
import { PROBE_TYPES } from '../probe-type.js';
import type { ArmReport, ReportTable } from '../report/evaluation-report.js';
import { showNumber } from '../report/show-figure.js';
import type { StoredAnswer } from '../repositories.js';
import { intervalFigure, type Observation } from '../statistics/bootstrap.js';
import type { Survival } from '../survival.js';

const isKept = (survival: Survival): boolean => survival === 'kept';
const isThere = (survival: Survival): boolean => survival !== 'lost';

/** `kept` word for word; `survival`: kept, or reachable. */
export function survivalFigures(
  arm: string,
  answers: readonly StoredAnswer[],
  sessions: readonly string[],
  seed: number,
): ArmReport['figures'] {
  const figure = (counts: (survival: Survival) => boolean) =>
    intervalFigure(factsBySession(arm, answers, sessions, counts), seed);
  return { kept: figure(isKept), survival: figure(isThere) };
}

/** Facts of the arm that are kept or reachable, by session. */
export function survivalBySession(
  arm: string,
  answers: readonly StoredAnswer[],
  sessions: readonly string[],
): readonly Observation[] {
  return factsBySession(arm, answers, sessions, isThere);
}

function factsBySession(
  arm: string,
  answers: readonly StoredAnswer[],
  sessions: readonly string[],
  counts: (survival: Survival) => boolean,
): readonly Observation[] {
  return sessions.map((sessionId) => {
    const own = answers.filter((one) => one.arm === arm && one.sessionId === sessionId);
    const facts = own.flatMap(({ survival }) => Object.values(survival ?? {}));
    return { sum: facts.filter(counts).length, weight: facts.length };
  });
}

/** What the tail answers as well stands apart. */
export function survivalTable(
  arms: readonly string[],
  answers: readonly StoredAnswer[],
  probes: readonly Probe[],
): ReportTable {
  const known = new Map(probes.map((probe) => [`${probe.sessionId} ${probe.probeId}`, probe]));
  const rows = arms.flatMap((arm) =>
    PROBE_TYPES.flatMap((type) =>
      [false, true].flatMap((inTail) => {
        const own = answers.filter(({ arm: whose, sessionId, probeId }) => {
          const probe = known.get(`${sessionId} ${probeId}`);
          return whose === arm && probe?.type === type && probe.alsoInTail === inTail;
        });
        if (own.length === 0) return [];
        const facts = own.flatMap(({ survival }) => Object.values(survival ?? {}));
        const share = (counts: (survival: Survival) => boolean): string =>
          facts.length === 0 ? '–' : showNumber(facts.filter(counts).length / facts.length);
        return [
          [arm, type, inTail ? 'yes' : 'no', share(isKept), share(isThere), String(facts.length)],
        ];
      }),
    ),
  );
  return {
    title: 'Survival (no answers: whether the facts are there)',
    columns: ['arm', 'type', 'also in the tail', 'kept', 'kept or reachable', 'facts'],
    rows,
  };
}
