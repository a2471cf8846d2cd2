/** Folds twice-rescuing claims back in. Never part of a compression pass, and not tied to eligibility. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Repair } from '../../domain/lessons/evidence.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import type { Paged, Scope } from '../../domain/lessons/repositories.js';
import { type LessonNeeds, settingsFor } from './lesson-needs.js';
import { pageOf, type PageRequest } from './lesson-ledger-service.js';
import { repairClaims } from './repair-claims.js';

export class LessonRepairService {
  constructor(private readonly needs: LessonNeeds) {}

  /** Lessons with a claim that is due, by id. */
  async listDueRepairs(
    request: { readonly projectId?: Scope } & PageRequest = {},
  ): Promise<Paged<string>> {
    const { projectId, ...page } = request;
    const { values } = await settingsFor(this.needs, projectId ?? null, undefined);
    return this.needs.repositories.lessons.listRepairable(
      projectId,
      values['repair.min_rescues'],
      pageOf(page),
    );
  }

  /**
   * Folds in every due claim of one lesson; empty where none is due. Running it again changes nothing.
   *
   * @throws OssatureError INVALID_ID, NOT_FOUND.
   */
  repair(
    lessonId: string,
    options: { readonly dryRun?: boolean } = {},
  ): Promise<readonly Repair[]> {
    return repairClaims(this.needs, requireUlid(lessonId, 'lesson_id'), options.dryRun);
  }

  /** Every due claim of every lesson, each lesson in a transaction of its own. */
  async repairDue(
    request: { readonly projectId?: Scope; readonly dryRun?: boolean } = {},
  ): Promise<readonly Repair[]> {
    const { dryRun = false, projectId } = request;
    const repairs: Repair[] = [];
    let after: string | null = null;
    do {
      const page: Paged<string> = await this.listDueRepairs({ projectId, after, limit: 100 });
      for (const lessonId of page.items) {
        try {
          repairs.push(...(await this.repair(lessonId, { dryRun })));
        } catch (error) {
          // Somebody else repaired it first: its claims are in.
          if (!OssatureError.is(error, 'STALE')) throw error;
        }
      }
      after = page.next;
    } while (after !== null);
    return repairs;
  }
}
