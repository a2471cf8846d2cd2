/** Which lessons are served for a prompt, in which form, and why; and what was left out. It only reads, but for what a session was shown. */
import type { DroppedClaim } from '../../domain/lessons/claim.js';
import { scoreApexes } from '../../domain/lessons/bm25.js';
import type { LessonSummary } from '../../domain/lessons/lesson.js';
import type { LessonSettings, LessonSettingsInput } from '../../domain/lessons/lesson-settings.js';
import { termsOf } from '../../domain/lessons/lesson-terms.js';
import {
  formFor,
  type LeftOut,
  orderRelevant,
  packRecall,
  type RelevantLesson,
} from '../../domain/lessons/pack-recall.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import { cutAt } from '../../domain/lessons/normal-text.js';
import type { ApexSearch } from '../../domain/lessons/repositories.js';
import { Aborted, askModel } from './ask-model.js';
import { cleanerOf, type LessonNeeds, settingsFor } from './lesson-needs.js';
import type { JudgeRelevance } from './ports.js';
import { servedText } from './served-text.js';

export interface RecallRequest {
  readonly prompt: string;
  /** Null: the global lessons alone. */
  readonly projectId: string | null;
  /** Given: what is served now is remembered, and what was served before counts. */
  readonly sessionId?: string;
  /** Of the session, from 0. */
  readonly turn?: number;
  readonly maxPackTokens?: number;
  readonly settings?: LessonSettingsInput;
  readonly signal?: AbortSignal;
}

export interface ServedLesson {
  readonly lessonId: string;
  readonly family: string;
  readonly title: string;
  readonly gist: string;
  readonly level: number;
  readonly version: number;
  readonly form: 'body' | 'gist';
  /** Body or gist, without patches and question. */
  readonly text: string;
  /** Of text, patches and question together. */
  readonly tokens: number;
  readonly relevance: number;
  readonly relevanceSource: 'bm25' | 'model';
  readonly why: string;
  readonly patches: readonly DroppedClaim[];
  readonly question: string | null;
  readonly droppedCount: number;
  readonly provisional: boolean;
}

export interface Recall {
  readonly served: readonly ServedLesson[];
  readonly leftOut: readonly LeftOut[];
  readonly packTokens: number;
  readonly relevanceSource: 'bm25' | 'model';
  readonly warnings: readonly string[];
}

const LONGEST_PROMPT = 20_000;

/** Distinct terms of a prompt that are looked up. */
const MOST_TERMS = 200;

export async function recallLessons(needs: LessonNeeds, request: RecallRequest): Promise<Recall> {
  const { projectId, sessionId, turn = 0, signal } = request;
  const { values: settings } = await settingsFor(needs, projectId, request.settings);
  const maxTokens = request.maxPackTokens ?? settings['recall.max_pack_tokens'];
  check(request, maxTokens);
  const prompt = cutAt(
    cleanerOf(needs, settings['privacy.redact']).clean(request.prompt),
    LONGEST_PROMPT,
  );
  const { lessons, servings } = needs.repositories;
  const terms = [...new Set(termsOf(prompt))].slice(0, MOST_TERMS);
  const search = await lessons.searchApexes(projectId, terms);
  const warnings: string[] = [];
  const judged = await judgeRelevance(needs, { prompt, projectId, search, settings, signal });
  if (judged.warning !== null) warnings.push(judged.warning);
  const relevanceSource = judged.found === null ? 'bm25' : 'model';
  const { ordered, leftOut } = orderRelevant(judged.found ?? byWords(search), settings);
  const ids = ordered.map(({ lesson }) => lesson.lessonId);
  const extras = await lessons.servableExtras(ids, settings['recall.max_sticky_patches']);
  const known = new Map(
    (sessionId === undefined ? [] : await servings.find(sessionId, ids)).map((serving) => [
      serving.lessonId,
      serving,
    ]),
  );
  const recounted = await recount(needs, ordered);
  const pack = packRecall({
    ordered,
    extras,
    maxTokens,
    formOf: (lesson) =>
      formFor(lesson, known.get(lesson.lessonId), turn, settings['recall.stays_fresh_turns']),
    count: (text) => needs.tokenCounter.count(text),
    bodyTokens: ({ lessonId, tokens }) => recounted.get(lessonId) ?? tokens,
  });
  const bodies = new Map(
    (
      await lessons.findMany(
        pack.packed.flatMap(({ form, lesson }) => (form === 'body' ? [lesson.lessonId] : [])),
      )
    ).map(({ lessonId, body }) => [lessonId, body]),
  );
  const served = pack.packed.map(
    ({ lesson, form, tokens, relevance, why, patches, question, droppedCount }): ServedLesson => {
      const text = form === 'body' ? (bodies.get(lesson.lessonId) ?? lesson.gist) : lesson.gist;
      const isAlone = patches.length === 0 && question === null;
      return {
        lessonId: lesson.lessonId,
        family: lesson.family,
        title: lesson.title,
        gist: lesson.gist,
        level: lesson.level,
        version: lesson.version,
        form,
        text,
        tokens: isAlone
          ? tokens
          : needs.tokenCounter.count(servedText({ text, patches, question })),
        relevance,
        relevanceSource,
        why,
        patches,
        question,
        droppedCount,
        provisional: lesson.provisionalBecause.length > 0,
      };
    },
  );
  if (sessionId !== undefined && served.length > 0) {
    await servings.put(
      served.map(({ lessonId, version, form }) => ({
        sessionId,
        lessonId,
        version,
        form,
        turn,
        servedAt: needs.clock(),
      })),
    );
  }
  return {
    served,
    relevanceSource,
    warnings,
    leftOut: [...leftOut, ...pack.leftOut],
    packTokens: served.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** Counts of two counters are never compared: bodies counted by another one are read and counted. */
async function recount(
  { repositories, tokenCounter }: LessonNeeds,
  ordered: readonly RelevantLesson[],
): Promise<ReadonlyMap<string, number>> {
  const others = ordered.filter(
    ({ lesson }) =>
      lesson.counterName !== tokenCounter.name || lesson.counterVersion !== tokenCounter.version,
  );
  if (others.length === 0) return new Map();
  const lessons = await repositories.lessons.findMany(others.map(({ lesson }) => lesson.lessonId));
  return new Map(lessons.map(({ lessonId, body }) => [lessonId, tokenCounter.count(body)]));
}

function check({ prompt, projectId, sessionId, turn }: RecallRequest, maxTokens: number): void {
  const invalid = (field: string, rule: string): OssatureError =>
    new OssatureError('INVALID_INPUT', `${field} ${rule}.`, { details: { field } });
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw invalid('prompt', 'must not be empty');
  }
  if (projectId !== null) requireUlid(projectId, 'project_id');
  if (sessionId !== undefined && (typeof sessionId !== 'string' || sessionId.trim() === '')) {
    throw invalid('session_id', 'must not be empty');
  }
  if (turn !== undefined && !(Number.isSafeInteger(turn) && turn >= 0)) {
    throw invalid('turn', 'must be a whole number ≥ 0');
  }
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) {
    throw invalid('max_pack_tokens', 'must be a whole number ≥ 1');
  }
}

function byWords(search: ApexSearch): readonly RelevantLesson[] {
  const lessons = new Map(search.matches.map(({ lesson }) => [lesson.lessonId, lesson]));
  return scoreApexes(search).flatMap(({ lessonId, relevance, matched }) => {
    const lesson = lessons.get(lessonId);
    return lesson === undefined ? [] : [{ lesson, relevance, why: matched.join(' ') }];
  });
}

interface Judging {
  readonly prompt: string;
  readonly projectId: string | null;
  readonly search: ApexSearch;
  readonly settings: LessonSettings;
  readonly signal: AbortSignal | undefined;
}

/** The model's word on the likeliest lessons; null: there is none, or it did not answer. */
async function judgeRelevance(
  needs: LessonNeeds,
  { prompt, projectId, search, settings, signal }: Judging,
): Promise<{ readonly found: readonly RelevantLesson[] | null; readonly warning: string | null }> {
  const judge = needs.models.relevance;
  const fanout = settings['recall.fanout'];
  const most = settings['recall.judge_calls'] * fanout;
  const isWorthIt = search.lessonsInScope > settings['recall.filter_above'];
  if (judge === null || !isWorthIt || most === 0) return { found: null, warning: null };
  const best = [...byWords(search)]
    .sort((a, b) => b.relevance - a.relevance)
    .slice(0, most)
    .map(({ lesson }) => lesson);
  const others = await needs.repositories.lessons.listByPosterior(
    projectId,
    most - best.length,
    best.map(({ lessonId }) => lessonId),
  );
  const asked = [...best, ...others];
  try {
    const found: RelevantLesson[] = [];
    for (let from = 0; from < asked.length; from += fanout) {
      found.push(
        ...(await askJudge(
          needs,
          judge,
          prompt,
          asked.slice(from, from + fanout),
          settings,
          signal,
        )),
      );
    }
    return { found, warning: null };
  } catch (error) {
    if (error instanceof Aborted) {
      throw new OssatureError('INVALID_INPUT', 'The caller ended the recall.', { cause: error });
    }
    return { found: null, warning: 'the judge of relevance did not answer: ordered by words' };
  }
}

async function askJudge(
  needs: LessonNeeds,
  judge: JudgeRelevance,
  prompt: string,
  lessons: readonly LessonSummary[],
  settings: LessonSettings,
  signal: AbortSignal | undefined,
): Promise<readonly RelevantLesson[]> {
  const answers = await askModel(
    (within) =>
      judge.judge(
        {
          prompt,
          lessons: lessons.map(({ lessonId, title, gist }) => ({ lessonId, title, gist })),
        },
        within,
      ),
    settings['recall.timeout_s'] * 1_000,
    needs.startTimer,
    signal,
  );
  const cleaner = cleanerOf(needs, settings['privacy.redact']);
  const byId = new Map(answers.map((answer) => [answer.lessonId, answer]));
  return lessons.map((lesson) => {
    const answer = byId.get(lesson.lessonId);
    if (answer === undefined || !(answer.relevance >= 0 && answer.relevance <= 1)) {
      throw new TypeError('The judge of relevance left a lesson out.');
    }
    return { lesson, relevance: answer.relevance, why: cleaner.clean(answer.reason) };
  });
}
