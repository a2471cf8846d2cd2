/**
 * `lesson-recall`: the lessons that apply to the query, each as one piece, with its gist for where there
 * is no room. It decides nothing else and compresses nothing.
 */
import type { AssemblyFragment, LeftOutFragment } from '../../domain/assembly/assembly-fragment.js';
import type { PlanId } from '../../domain/kernel/ids.js';
import type { DroppedClaim } from '../../domain/lessons/claim.js';
import type { LeftOut } from '../../domain/lessons/pack-recall.js';
import type { LessonRepository } from '../../domain/lessons/repositories.js';
import type {
  ContextStrategy,
  StrategyAnswer,
  StrategyRequest,
  StrategyRoom,
} from '../assembly/context-strategy.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { LessonRecallService } from './lesson-recall-service.js';
import type { ServedLesson } from './recall-lessons.js';
import { servedText } from './served-text.js';

const NAME = 'lesson-recall';
const QUALITY = 0.8;

/** Depths of the ladder: the gist, and the lesson as it is served. */
const GIST_DEPTH = 0;
const BODY_DEPTH = 10;

const LEAST_CONFIDENCE = 0.01;

/** A fragment that a use can be credited by. */
export interface LessonFragment extends AssemblyFragment {
  readonly lessonId: string;
  readonly level: number;
  readonly patches: readonly DroppedClaim[];
  readonly droppedCount: number;
}

type HeldLesson = Omit<LeftOutFragment, 'planId'>;

/** Before it is prepared it knows of no lesson. */
export class LessonRecallStrategy implements ContextStrategy {
  readonly name = NAME;
  readonly quality = QUALITY;

  constructor(
    private readonly recall: Pick<LessonRecallService, 'recall'>,
    private readonly lessons: Pick<LessonRepository, 'findMany'>,
    private readonly tokenCounter: TokenCounter,
  ) {}

  canHandle(): number {
    return 0;
  }

  async assemble(): Promise<StrategyAnswer> {
    return [];
  }

  async prepare(request: StrategyRequest, signal: AbortSignal): Promise<ContextStrategy> {
    const { query, projectId } = request;
    if (query.trim() === '') return this;
    const { served, leftOut } = await this.recall.recall({ prompt: query, projectId, signal });
    return new RecalledLessons(served, await this.#heldBack(leftOut), this.tokenCounter);
  }

  /** What applies and is not served, in its order; an irrelevant lesson does not apply. */
  async #heldBack(leftOut: readonly LeftOut[]): Promise<readonly HeldLesson[]> {
    const applying = leftOut.filter(({ reason }) => reason !== 'irrelevant');
    if (applying.length === 0) return [];
    const lessons = await this.lessons.findMany(applying.map(({ lessonId }) => lessonId));
    const byId = new Map(lessons.map((lesson) => [lesson.lessonId, lesson]));
    return applying.flatMap(({ lessonId, reason }): readonly HeldLesson[] => {
      const lesson = byId.get(lessonId);
      if (lesson === undefined) return [];
      return [
        {
          fragmentId: fragmentIdOf(lessonId, lesson.version),
          tokenCount: lesson.tokens,
          reason: reason === 'over-budget' ? 'over-budget' : 'not-offered',
        },
      ];
    });
  }
}

class RecalledLessons implements ContextStrategy {
  readonly name = NAME;
  readonly quality = QUALITY;

  constructor(
    private readonly served: readonly ServedLesson[],
    private readonly held: readonly HeldLesson[],
    private readonly tokenCounter: TokenCounter,
  ) {}

  /** The best relevance; where what applies is all held back, as little as lets it be named. */
  canHandle(): number {
    const least = this.held.length === 0 ? 0 : LEAST_CONFIDENCE;
    return this.served.reduce((best, { relevance }) => Math.max(best, relevance), least);
  }

  async assemble({ planId }: StrategyRequest, _room: StrategyRoom): Promise<StrategyAnswer> {
    const fragments = this.served.map((lesson) => this.#fragment(lesson, planId));
    return { fragments, leftOut: this.held.map((one) => ({ ...one, planId })) };
  }

  #fragment(lesson: ServedLesson, planId: PlanId): LessonFragment {
    const { name, version } = this.tokenCounter;
    const { lessonId, level, patches, droppedCount, relevance, form, gist } = lesson;
    const content = servedText(lesson);
    return {
      planId,
      fragmentId: fragmentIdOf(lessonId, lesson.version),
      nodeId: `lesson:${lessonId}`,
      content,
      tokenCount: this.tokenCounter.count(content),
      tokenCounter: `${name}@${version}`,
      relevance,
      relevanceTo: 'query',
      decisionId: null,
      depth: form === 'body' ? BODY_DEPTH : GIST_DEPTH,
      ...(form === 'body' && { renderings: [{ depth: GIST_DEPTH, content: gist }] }),
      kind: 'lesson',
      lessonId,
      level,
      patches,
      droppedCount,
    };
  }
}

function fragmentIdOf(lessonId: string, version: number): string {
  return `lesson:${lessonId}@${version}`;
}
