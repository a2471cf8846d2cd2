/**
 * `lesson-recall`: the lessons that apply to the query, each as one piece, with its gist for where there
 * is no room. It decides nothing else and compresses nothing.
 */
import type { AssemblyFragment } from '../../domain/assembly/assembly-fragment.js';
import type { DroppedClaim } from '../../domain/lessons/claim.js';
import type {
  ContextStrategy,
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

/** A fragment that a use can be credited by. */
export interface LessonFragment extends AssemblyFragment {
  readonly lessonId: string;
  readonly level: number;
  readonly patches: readonly DroppedClaim[];
  readonly droppedCount: number;
}

/** Before it is prepared it knows of no lesson. */
export class LessonRecallStrategy implements ContextStrategy {
  readonly name = NAME;
  readonly quality = QUALITY;

  constructor(
    private readonly recall: Pick<LessonRecallService, 'recall'>,
    private readonly tokenCounter: TokenCounter,
  ) {}

  canHandle(): number {
    return 0;
  }

  async assemble(): Promise<readonly AssemblyFragment[]> {
    return [];
  }

  async prepare(request: StrategyRequest, signal: AbortSignal): Promise<ContextStrategy> {
    const { query, projectId } = request;
    if (query.trim() === '') return this;
    const { served } = await this.recall.recall({ prompt: query, projectId, signal });
    return new RecalledLessons(served, this.tokenCounter);
  }
}

class RecalledLessons implements ContextStrategy {
  readonly name = NAME;
  readonly quality = QUALITY;

  constructor(
    private readonly served: readonly ServedLesson[],
    private readonly tokenCounter: TokenCounter,
  ) {}

  canHandle(): number {
    return this.served.reduce((best, { relevance }) => Math.max(best, relevance), 0);
  }

  async assemble(
    { planId }: StrategyRequest,
    _room: StrategyRoom,
  ): Promise<readonly LessonFragment[]> {
    const { name, version } = this.tokenCounter;
    return this.served.map((lesson) => {
      const { lessonId, level, patches, droppedCount, relevance, form, gist } = lesson;
      const content = servedText(lesson);
      return {
        planId,
        fragmentId: `lesson:${lessonId}@${lesson.version}`,
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
    });
  }
}
