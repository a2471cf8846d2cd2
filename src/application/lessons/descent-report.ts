/** What a host is told of a descent: its state, and the text of the step to try. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type {
  Descent,
  DescentPack,
  DescentStep,
  ScoredOption,
} from '../../domain/lessons/descent.js';
import type { Repair } from '../../domain/lessons/evidence.js';
import type { LessonNeeds } from './lesson-needs.js';

export interface DescentReport {
  readonly descent: Descent;
  /** To be tried next; null: the descent has ended. */
  readonly next: { readonly step: DescentStep; readonly text: string } | null;
  /** Best first; empty where nothing was left to choose. */
  readonly scored: readonly ScoredOption[];
  readonly repairs: readonly Repair[];
  /** The apex was demoted, since its cut hid what its original knew. */
  readonly demoted: boolean;
}

export async function descentReport(
  needs: LessonNeeds,
  descent: Descent,
  scored: readonly ScoredOption[],
  repairs: readonly Repair[],
  demoted: boolean,
): Promise<DescentReport> {
  const step =
    descent.status === 'open' ? descent.steps.find((one) => one.outcome === 'open') : undefined;
  const { lessonId, descentId, end } = descent;
  if (end !== null) needs.log.info('descent.ended', { lessonId, descentId, end, demoted });
  return {
    descent,
    scored,
    repairs,
    demoted,
    next: step === undefined ? null : { step, text: await renderPack(needs, lessonId, step.pack) },
  };
}

/** The text of a pack: bodies, then patches, one block each. */
export async function renderPack(
  needs: LessonNeeds,
  lessonId: string,
  { lessonIds, patches }: DescentPack,
): Promise<string> {
  const { lessons } = needs.repositories;
  const bodies = new Map(
    (await lessons.findMany(lessonIds)).map((lesson) => [lesson.lessonId, lesson.body]),
  );
  const ledgers = await lessons.ledgers([...lessonIds, lessonId]);
  const claims = new Map(
    [...ledgers.values()].flatMap(({ dropped }) =>
      dropped.map(({ fingerprint, claim }) => [fingerprint, claim] as const),
    ),
  );
  return [
    ...lessonIds.map((id) => bodies.get(id) ?? ''),
    ...patches.map(({ fingerprint }) => claims.get(fingerprint) ?? ''),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

export function descentFault(field: string, rule: string): OssatureError {
  return new OssatureError('INVALID_INPUT', `${field} ${rule}.`, { details: { field } });
}
