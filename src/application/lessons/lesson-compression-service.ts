/**
 * Gives lessons their shorter form. One attempt is: lock, a short transaction that opens it, calls of
 * models, a short transaction that closes it. Whatever happens, the attempt is closed with its outcome.
 */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { CompressionAttempt } from '../../domain/lessons/attempt.js';
import { eligibility, type Eligibility } from '../../domain/lessons/eligibility.js';
import type { LessonSummary } from '../../domain/lessons/lesson.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import type { LessonSettingsInput } from '../../domain/lessons/lesson-settings.js';
import type { AttemptFilter, Paged, Scope } from '../../domain/lessons/repositories.js';
import { abandonAttempt } from './close-attempt.js';
import { type LessonNeeds, requireModels, settingsFor } from './lesson-needs.js';
import {
  attemptCompression,
  attemptMerge,
  type AttemptReport,
  attemptRevisit,
  type CompressRequest,
} from './make-attempt.js';
import { requireMergeable } from './mergeable.js';
import { onlyOne } from './only-one.js';
import { LARGEST_SET } from './open-attempt.js';

export interface DuePass {
  readonly reports: readonly AttemptReport[];
  /** Due, and held by another worker. */
  readonly busy: readonly string[];
}

export interface LessonEligibility extends Eligibility {
  readonly lessonId: string;
  /** Episodes of the regression set that are not quarantined. */
  readonly replayable: number;
}

/** Expired attempts that are closed at once. */
const ABANDONED_A_TIME = 50;

export class LessonCompressionService {
  constructor(private readonly needs: LessonNeeds) {}

  /** @throws OssatureError INVALID_ID, NOT_FOUND. */
  async eligibility(lessonId: string, settings?: LessonSettingsInput): Promise<LessonEligibility> {
    const { lessons, episodes } = this.needs.repositories;
    const lesson = await lessons.get(requireUlid(lessonId, 'lesson_id'));
    const { values } = await settingsFor(this.needs, lesson.projectId, settings);
    const set = await episodes.regressionSet(lessonId, LARGEST_SET);
    const replayable = set.filter(({ quarantined }) => !quarantined).length;
    const verdict = eligibility(lesson, replayable, values, this.needs.clock());
    return { lessonId, replayable, ...verdict };
  }

  /** Eligible lessons by successes descending, then id. Empty where compression is switched off. */
  async listDue(
    request: {
      readonly projectId?: Scope;
      readonly limit?: number;
      readonly after?: string | null;
      readonly settings?: LessonSettingsInput;
    } = {},
  ): Promise<Paged<LessonSummary>> {
    const { projectId, limit = 50, after = null } = request;
    const { values } = await settingsFor(this.needs, projectId ?? null, request.settings);
    if (!values['compression.enabled']) return { items: [], next: null };
    return this.needs.repositories.lessons.listDue(
      {
        scope: projectId,
        now: this.needs.clock(),
        minSuccesses: values['compression.min_successes'],
        maxLevel: values['compression.max_level'],
        minTokens: values['compression.min_tokens'],
        cooldownSeconds: values['compression.cooldown_s'],
        cooldownMaxSeconds: values['compression.cooldown_max_s'],
      },
      { limit, after },
    );
  }

  /**
   * One attempt on one lesson, start to finish.
   *
   * @throws OssatureError MODEL_UNAVAILABLE and INVALID_CONFIG before anything is written; NOT_FOUND;
   * NOT_ELIGIBLE with every rule that fails; BUSY; STORE_FAILED.
   */
  async compress(lessonId: string, request: CompressRequest = {}): Promise<AttemptReport> {
    requireUlid(lessonId, 'lesson_id');
    requireModels(this.needs, ['propose', 'replay', 'judge']);
    const { projectId, provisionalBecause } = await this.needs.repositories.lessons.get(lessonId);
    const resolved = await settingsFor(this.needs, projectId, request.settings);
    return this.#holding([lessonId], async () => {
      const { failing } =
        provisionalBecause.length === 0
          ? { failing: ['owes-nothing'] }
          : await this.eligibility(lessonId, request.settings);
      const waived = request.ignoreCooldown === true ? 'cooling-down' : null;
      if (failing.every((reason) => reason === waived)) {
        // A lesson that still owes a check is not built upon before it is paid.
        const owed = await attemptRevisit(this.needs, lessonId, resolved, request);
        if (owed !== null && owed.attempt.outcome !== 'accepted') return owed;
      }
      return attemptCompression(this.needs, lessonId, resolved, request);
    });
  }

  /** Attempts on due lessons, best first; one unless told otherwise. A lesson held by another worker is passed over. */
  async compressDue(
    request: CompressRequest & { readonly limit?: number; readonly projectId?: Scope } = {},
  ): Promise<DuePass> {
    requireModels(this.needs, ['propose', 'replay', 'judge']);
    const { limit = 1, projectId, settings } = request;
    await this.closeAbandoned();
    const reports: AttemptReport[] = [];
    const busy: string[] = [];
    const tried = new Set<string>();
    let after: string | null = null;
    do {
      const page: Paged<LessonSummary> = await this.listDue({
        after,
        projectId,
        ...(settings === undefined ? {} : { settings }),
      });
      for (const { lessonId } of page.items) {
        if (reports.length >= limit || request.signal?.aborted === true) break;
        if (tried.has(lessonId)) continue;
        tried.add(lessonId);
        try {
          reports.push(await this.compress(lessonId, request));
        } catch (error) {
          const isTaken =
            OssatureError.is(error, 'BUSY') || OssatureError.is(error, 'NOT_ELIGIBLE');
          if (!isTaken) throw error;
          busy.push(lessonId);
        }
      }
      after = page.next;
    } while (after !== null && reports.length < limit && request.signal?.aborted !== true);
    return { reports, busy };
  }

  /**
   * Two to five apexes that were used together become one lesson above them. Library only, and switched
   * off unless `merge.enabled`.
   *
   * @throws OssatureError FEATURE_OFF, CYCLE, NOT_ELIGIBLE, MODEL_UNAVAILABLE, BUSY, NOT_FOUND.
   */
  async merge(lessonIds: readonly string[], request: CompressRequest = {}): Promise<AttemptReport> {
    const first = await this.needs.repositories.lessons.get(requireUlid(lessonIds[0], 'lesson_id'));
    const resolved = await settingsFor(this.needs, first.projectId, request.settings);
    await requireMergeable(this.needs, lessonIds, first, resolved);
    return this.#holding([...lessonIds].sort(), () =>
      attemptMerge(this.needs, lessonIds, resolved, request),
    );
  }

  /**
   * Runs the checks that a provisional lesson still owes, as far as its set and its models allow now.
   * Passed: it is no longer provisional for them. Failed: it is demoted, and what it came from is served
   * again. Null: nothing is owed, or nothing can be checked yet.
   *
   * @throws OssatureError MODEL_UNAVAILABLE, INVALID_ID, NOT_FOUND, BUSY.
   */
  async revisit(lessonId: string, request: CompressRequest = {}): Promise<AttemptReport | null> {
    requireUlid(lessonId, 'lesson_id');
    requireModels(this.needs, ['replay', 'judge']);
    const { projectId } = await this.needs.repositories.lessons.get(lessonId);
    const resolved = await settingsFor(this.needs, projectId, request.settings);
    return this.#holding([lessonId], () => attemptRevisit(this.needs, lessonId, resolved, request));
  }

  /** Newest first, keyed. */
  listAttempts(
    filter: AttemptFilter & { readonly limit?: number; readonly after?: string | null } = {},
  ): Promise<Paged<CompressionAttempt>> {
    const { limit = 50, after = null, ...wanted } = filter;
    return this.needs.repositories.attempts.list(wanted, { limit, after });
  }

  /** The one attempt whose id begins so. @throws OssatureError NOT_FOUND; INVALID_ID where several do. */
  findAttemptByPrefix(prefix: string): Promise<string> {
    return onlyOne(prefix, 'attempt', (text, limit) =>
      this.needs.repositories.attempts.findByPrefix(text, limit),
    );
  }

  /** One attempt with its replays. @throws OssatureError INVALID_ID, NOT_FOUND. */
  async getAttempt(attemptId: string) {
    const { attempts } = this.needs.repositories;
    const attempt = await attempts.get(requireUlid(attemptId, 'attempt_id'));
    return { attempt, replays: await attempts.listReplays(attemptId) };
  }

  /** Closes attempts whose worker is gone; how many. */
  async closeAbandoned(): Promise<number> {
    const expired = await this.needs.repositories.attempts.listExpired(
      this.needs.clock(),
      ABANDONED_A_TIME,
    );
    let closed = 0;
    for (const attempt of expired) {
      if (await abandonAttempt(this.needs, attempt)) closed += 1;
    }
    return closed;
  }

  /** Runs the work while all of these lessons are held. @throws OssatureError BUSY. */
  async #holding<Result>(
    lessonIds: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const [lessonId, ...others] = lessonIds;
    if (lessonId === undefined) return work();
    const locked = await this.needs.lock(lessonId, () => this.#holding(others, work));
    if (locked.held) return locked.result;
    throw new OssatureError('BUSY', `Another worker holds lesson ${lessonId}. Try later.`, {
      details: { lessonId },
    });
  }
}
