/** Folds due claims of one lesson back into its body: one short transaction, no model. */
import type { Repair } from '../../domain/lessons/evidence.js';
import { dueRepairs, repairLesson } from '../../domain/lessons/repair-lesson.js';
import { claimsIn, type LessonNeeds, settingsFor } from './lesson-needs.js';
import type { LessonRepositories } from './lesson-store.js';

/** Thrown to roll a trial back. */
class OnlyLooked extends Error {
  constructor(readonly repairs: readonly Repair[]) {
    super('Nothing is kept of a dry run.');
  }
}

/** @throws OssatureError NOT_FOUND. */
export async function repairClaims(
  needs: LessonNeeds,
  lessonId: string,
  dryRun = false,
): Promise<readonly Repair[]> {
  const { projectId } = await needs.repositories.lessons.get(lessonId);
  const { values } = await settingsFor(needs, projectId, undefined);
  try {
    return await needs.unitOfWork(async (repositories) => {
      const repairs = await repairAll(needs, repositories, lessonId, {
        minRescues: values['repair.min_rescues'],
        most: values['compression.max_hints'],
        characters: values['compression.hint_chars'],
      });
      if (dryRun) throw new OnlyLooked(repairs);
      return repairs;
    });
  } catch (error) {
    if (error instanceof OnlyLooked) return error.repairs;
    throw error;
  }
}

async function repairAll(
  needs: LessonNeeds,
  { lessons }: LessonRepositories,
  lessonId: string,
  limits: { readonly minRescues: number; readonly most: number; readonly characters: number },
): Promise<readonly Repair[]> {
  const seen = await lessons.lineage(lessonId);
  await lessons.lock(seen.lessons.map((one) => one.lessonId));
  const repairs: Repair[] = [];
  for (;;) {
    const lesson = await lessons.get(lessonId);
    const lineage = await lessons.lineage(lessonId);
    const ids = lineage.lessons.map((one) => one.lessonId);
    const evidence = await lessons.evidence(ids);
    const open = dueRepairs(evidence.get(lessonId)?.rescues ?? [], limits.minRescues);
    const [due] = open;
    if (due === undefined || lesson.level === 0) return repairs;
    const now = needs.clock();
    const { repair, changes } = repairLesson(
      {
        repairId: needs.newId(),
        lesson,
        lineage,
        limits,
        now,
        ledgers: await lessons.ledgers(ids),
        hints: new Map([...evidence].map(([id, { hints }]) => [id, hints])),
        rescues: due,
      },
      {
        counter: needs.tokenCounter,
        digest: needs.digest,
        split: (body) => claimsIn(needs, body),
      },
    );
    await lessons.append(changes, now);
    repairs.push(repair);
    needs.log.info('lesson.repaired', {
      lessonId,
      repairId: repair.repairId,
      retired: repair.retired,
    });
    // The lineage is locked and a repair uses rescues up: nothing becomes due that was not.
    if (open.length === 1) return repairs;
  }
}
