/** What is served of what applies: order, families, freshness, and the tokens there are. */
import type { DroppedClaim } from './claim.js';
import { type LessonSummary, posterior } from './lesson.js';
import type { LessonSettings } from './lesson-settings.js';
import { byCodeUnit } from './regression-sample.js';
import type { ServableExtras } from './repositories.js';
import type { LessonServing } from './serving.js';

/** Between text, patches and question of a lesson as it is served. */
export const BETWEEN_PARTS = '\n\n';

export interface RelevantLesson {
  readonly lesson: LessonSummary;
  /** 0..1. */
  readonly relevance: number;
  /** Matched terms, or the model's reason. */
  readonly why: string;
}

export type LeftOutReason = 'irrelevant' | 'family-limit' | 'fresh' | 'over-budget';

export interface LeftOut {
  readonly lessonId: string;
  readonly reason: LeftOutReason;
}

export interface PackedLesson extends RelevantLesson {
  readonly form: 'body' | 'gist';
  /** Of everything that is served of it, part by part: the whole has no more. */
  readonly tokens: number;
  readonly patches: readonly DroppedClaim[];
  readonly question: string | null;
  readonly droppedCount: number;
}

/** Most relevant first, then the likelier to help, then by id; and those that do not come into question. */
export function orderRelevant(
  found: readonly RelevantLesson[],
  settings: LessonSettings,
): { readonly ordered: readonly RelevantLesson[]; readonly leftOut: readonly LeftOut[] } {
  const sorted = [...found].sort(
    (a, b) =>
      b.relevance - a.relevance ||
      posterior(b.lesson.stats) - posterior(a.lesson.stats) ||
      byCodeUnit(a.lesson.lessonId, b.lesson.lessonId),
  );
  const families = new Set<string>();
  const leftOut: LeftOut[] = [];
  const ordered = sorted.filter(({ lesson: { lessonId, family }, relevance }) => {
    if (relevance < settings['recall.min_relevance']) {
      leftOut.push({ lessonId, reason: 'irrelevant' });
      return false;
    }
    if (!families.has(family) && families.size >= settings['recall.max_families']) {
      leftOut.push({ lessonId, reason: 'family-limit' });
      return false;
    }
    families.add(family);
    return true;
  });
  return { ordered, leftOut };
}

/** In which form a session sees the lesson now; null: it was served it a moment ago. */
export function formFor(
  lesson: Pick<LessonSummary, 'version'>,
  serving: LessonServing | undefined,
  turn: number,
  staysFreshTurns: number,
): 'body' | 'gist' | null {
  if (serving === undefined || serving.version < lesson.version) return 'body';
  return turn - serving.turn < staysFreshTurns ? null : 'gist';
}

export interface PackRequest {
  readonly ordered: readonly RelevantLesson[];
  readonly extras: ReadonlyMap<string, ServableExtras>;
  readonly formOf: (lesson: LessonSummary) => 'body' | 'gist' | null;
  readonly maxTokens: number;
  readonly count: (text: string) => number;
  readonly bodyTokens: (lesson: LessonSummary) => number;
}

/** Greedy in order. A body that does not fit gives its gist, a patch that does not fit is passed over. */
export function packRecall({
  ordered,
  extras,
  formOf,
  maxTokens,
  count,
  bodyTokens,
}: PackRequest): {
  readonly packed: readonly PackedLesson[];
  readonly leftOut: readonly LeftOut[];
} {
  const packed: PackedLesson[] = [];
  const leftOut: LeftOut[] = [];
  const between = count(BETWEEN_PARTS);
  let free = maxTokens;
  for (const found of ordered) {
    const { lesson } = found;
    const form = formOf(lesson);
    if (form === null) {
      leftOut.push({ lessonId: lesson.lessonId, reason: 'fresh' });
      continue;
    }
    const { sticky = [], question = null, droppedCount = 0 } = extras.get(lesson.lessonId) ?? {};
    // A disputed lesson is never served without its question.
    const questionTokens = question === null ? 0 : between + count(question);
    const whole = bodyTokens(lesson) + questionTokens;
    const brief = count(lesson.gist) + questionTokens;
    if (form === 'body' && whole <= free) {
      let tokens = whole;
      const patches = sticky.filter((patch) => {
        const added = between + count(patch.claim);
        const fits = tokens + added <= free;
        if (fits) tokens += added;
        return fits;
      });
      packed.push({ ...found, form, tokens, patches, question, droppedCount });
      free -= tokens;
    } else if (brief <= free) {
      packed.push({ ...found, form: 'gist', tokens: brief, patches: [], question, droppedCount });
      free -= brief;
    } else {
      leftOut.push({ lessonId: lesson.lessonId, reason: 'over-budget' });
    }
  }
  return { packed, leftOut };
}
