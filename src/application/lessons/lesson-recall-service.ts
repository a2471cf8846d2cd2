/** Serves the shortest text that works, and goes down from it where it failed. */
import type { DescentEnd, DescentPack, Diagnosis } from '../../domain/lessons/descent.js';
import { onlyOne } from './only-one.js';
import type { LessonNeeds } from './lesson-needs.js';
import { type Recall, recallLessons, type RecallRequest } from './recall-lessons.js';
import { recordRescue, type RescueReport, type RescueRequest } from './record-rescue.js';
import { advanceDescent, type AdvanceDescentRequest } from './advance-descent.js';
import { type DescentReport, renderPack } from './descent-report.js';
import { openDescent, type OpenDescentRequest } from './open-descent.js';

export interface TriedPack extends DescentPack {
  readonly text: string;
}

export interface TryResult {
  readonly succeeded: boolean;
  /** Of a failure; the next step is chosen by it. */
  readonly diagnosis?: Partial<Diagnosis>;
  /** Of a success: what was accepted. */
  readonly summary?: string;
}

/** The host's oracle: tries a pack on the task. Never the agent's own view of itself. */
export type TryPack = (pack: TriedPack) => Promise<TryResult>;

export interface DescendResult {
  /** Packs that were tried, the apex's own among them. */
  readonly attempts: number;
  readonly succeeded: boolean;
  /** Null: the apex itself succeeded. */
  readonly end: DescentEnd | null;
  readonly pack: TriedPack;
  readonly last: DescentReport | null;
}

export class LessonRecallService {
  constructor(private readonly needs: LessonNeeds) {}

  /**
   * What applies to a prompt. It reads; only a given session writes, namely what was shown when.
   *
   * @throws OssatureError INVALID_INPUT, INVALID_ID, INVALID_CONFIG.
   */
  recall(request: RecallRequest): Promise<Recall> {
    return recallLessons(this.needs, request);
  }

  /** The host's context was compacted: the session has seen nothing any more. @returns lessons forgotten. */
  contextCompacted(sessionId: string): Promise<number> {
    return this.needs.unitOfWork(({ servings }) => servings.clear(sessionId));
  }

  /** An oracle says that a lesson failed: what to try next. */
  openDescent(request: OpenDescentRequest): Promise<DescentReport> {
    return openDescent(this.needs, request);
  }

  /** An oracle says how a step went; reported again, nothing changes. */
  advanceDescent(request: AdvanceDescentRequest): Promise<DescentReport> {
    return advanceDescent(this.needs, request);
  }

  /** A rescue or a complaint, stated after the fact. */
  recordRescue(request: RescueRequest): Promise<RescueReport> {
    return recordRescue(this.needs, request);
  }

  /**
   * The whole loop with the host's oracle: the apex, then at most `recall.max_expansions` expansions, then
   * the originals of its own lineage.
   */
  async descend(request: OpenDescentRequest, tryPack: TryPack): Promise<DescendResult> {
    const { lessons } = this.needs.repositories;
    const lesson = await lessons.get(request.lessonId);
    const first: TriedPack = {
      lessonIds: [lesson.lessonId],
      patches: [],
      tokens: lesson.tokens,
      text: lesson.body,
    };
    const tried = await tryPack(first);
    if (tried.succeeded) {
      return { attempts: 1, succeeded: true, end: null, pack: first, last: null };
    }
    let attempts = 1;
    let pack = first;
    let current = await this.openDescent({
      ...request,
      diagnosis: { ...request.diagnosis, ...tried.diagnosis },
    });
    while (current.next !== null) {
      const { step } = current.next;
      pack = { ...step.pack, text: current.next.text };
      const result = await tryPack(pack);
      attempts += 1;
      current = await this.advanceDescent({
        descentId: current.descent.descentId,
        step: step.step,
        outcome: result.succeeded ? 'succeeded' : 'failed',
        ...(result.summary === undefined ? {} : { summary: result.summary }),
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      });
    }
    const { end } = current.descent;
    const succeeded = end !== 'knowledge-gap' && end !== 'nothing-below';
    return { attempts, succeeded, end, pack, last: current };
  }

  /** The one descent whose id begins so. @throws OssatureError NOT_FOUND; INVALID_ID where several do. */
  findDescentByPrefix(prefix: string): Promise<string> {
    return onlyOne(prefix, 'descent', (text, limit) =>
      this.needs.repositories.descents.findByPrefix(text, limit),
    );
  }

  /** A descent as it stands. @throws OssatureError NOT_FOUND. */
  async getDescent(descentId: string): Promise<DescentReport> {
    const descent = await this.needs.repositories.descents.get(descentId);
    const step = descent.steps.find(({ outcome }) => outcome === 'open');
    return {
      descent,
      scored: [],
      repairs: [],
      demoted: false,
      next:
        step === undefined || descent.status === 'closed'
          ? null
          : { step, text: await renderPack(this.needs, descent.lessonId, step.pack) },
    };
  }
}
