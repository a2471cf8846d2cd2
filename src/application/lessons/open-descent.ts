/** Opens a descent below an apex that failed: its first step, or at once its end. Models are asked before the transaction. */
import { OssatureError } from '../../domain/kernel/errors.js';
import { CLAIM_KINDS } from '../../domain/lessons/claim.js';
import {
  type Descent,
  DESCENT_STRATEGIES,
  type DescentPack,
  type DescentStrategy,
  type Diagnosis,
} from '../../domain/lessons/descent.js';
import { LONGEST_EPISODE_TEXT } from '../../domain/lessons/check-use.js';
import type { Lesson } from '../../domain/lessons/lesson.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import type { LessonSettings, LessonSettingsInput } from '../../domain/lessons/lesson-settings.js';
import { cutAt } from '../../domain/lessons/normal-text.js';
import { cleanerOf, type LessonNeeds, settingsFor } from './lesson-needs.js';
import { chooseNextStep, withStep } from './choose-descent-step.js';
import { knowledgeGap } from './write-descent-step.js';
import { type DescentReport, descentReport, descentFault } from './descent-report.js';

export interface OpenDescentRequest {
  readonly lessonId: string;
  /** What was to be done; may be left out with `episodeId`. */
  readonly prompt?: string;
  readonly episodeId?: string;
  readonly diagnosis?: Partial<Diagnosis>;
  readonly strategy?: DescentStrategy;
  readonly maxPackTokens?: number;
  readonly settings?: LessonSettingsInput;
  readonly signal?: AbortSignal;
}

/** @throws OssatureError INVALID_ID, INVALID_EPISODE, NOT_FOUND. */
export async function openDescent(
  needs: LessonNeeds,
  request: OpenDescentRequest,
): Promise<DescentReport> {
  const { lessons, episodes } = needs.repositories;
  const lesson = await lessons.get(requireUlid(request.lessonId, 'lesson_id'));
  const { values: settings } = await settingsFor(needs, lesson.projectId, request.settings);
  const cleaner = cleanerOf(needs, settings['privacy.redact']);
  const { episodeId = null } = request;
  const episode =
    episodeId === null ? null : await episodes.get(requireUlid(episodeId, 'episode_id'));
  const prompt = cutAt(
    cleaner.clean(request.prompt ?? episode?.prompt ?? ''),
    LONGEST_EPISODE_TEXT,
  );
  if (prompt.trim() === '') {
    throw new OssatureError('INVALID_EPISODE', 'prompt must not be empty.', {
      details: { field: 'prompt' },
    });
  }
  const diagnosis = checkDiagnosis(request.diagnosis ?? {}, (text) => cleaner.clean(text));
  const strategy = request.strategy ?? settings['recall.strategy'];
  if (!DESCENT_STRATEGIES.includes(strategy)) {
    throw descentFault('strategy', `must be one of ${DESCENT_STRATEGIES.join(', ')}`);
  }
  const maxPackTokens = request.maxPackTokens ?? settings['recall.max_pack_tokens'];
  if (!Number.isSafeInteger(maxPackTokens) || maxPackTokens < 1) {
    throw descentFault('max_pack_tokens', 'must be a whole number ≥ 1');
  }
  const now = needs.clock();
  const opened: Descent = {
    descentId: needs.newId(),
    lessonId: lesson.lessonId,
    lessonVersion: lesson.version,
    projectId: lesson.projectId,
    prompt,
    episodeId,
    diagnosis,
    strategy,
    maxExpansions: settings['recall.max_expansions'],
    maxPackTokens,
    startPack: await servedPack(needs, lesson, settings, maxPackTokens),
    status: 'open',
    end: null,
    notConsidered: [],
    warnings: [],
    steps: [],
    openedAt: now,
    closedAt: null,
  };
  const chosen =
    lesson.level === 0 ? null : await chooseNextStep(needs, opened, settings, request.signal);
  const started = withStep(opened, chosen);
  const descent: Descent =
    (chosen?.step ?? null) === null
      ? {
          ...started,
          status: 'closed',
          end: lesson.level === 0 ? 'nothing-below' : 'knowledge-gap',
          closedAt: now,
        }
      : started;
  await needs.unitOfWork(async (repositories) => {
    await repositories.lessons.lock([lesson.lessonId]);
    await repositories.descents.insert(descent);
    if (descent.status === 'closed') {
      await repositories.lessons.append([knowledgeGap(descent)], needs.clock());
    }
  });
  return descentReport(needs, descent, chosen?.scored ?? [], [], false);
}

function checkDiagnosis(given: Partial<Diagnosis>, clean: (text: string) => string): Diagnosis {
  const { category = null, missing = [], wrongStep = null, confidence = 1 } = given;
  if (category !== null && !CLAIM_KINDS.includes(category)) {
    throw descentFault('category', `must be one of ${CLAIM_KINDS.join(', ')}`);
  }
  if (!Array.isArray(missing) || missing.some((item) => typeof item !== 'string')) {
    throw descentFault('missing', 'must be a list of texts');
  }
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) {
    throw new OssatureError('INVALID_EPISODE', 'confidence must be a number from 0 to 1.', {
      details: { field: 'confidence' },
    });
  }
  return {
    category,
    missing: missing.map((item: string) => clean(item)),
    wrongStep: wrongStep === null ? null : clean(wrongStep),
    confidence,
  };
}

/** What recall serves of the lesson: its body and its sticky patches, as far as they fit. */
async function servedPack(
  needs: LessonNeeds,
  { lessonId, tokens }: Lesson,
  settings: LessonSettings,
  maxPackTokens: number,
): Promise<DescentPack> {
  const extras = await needs.repositories.lessons.servableExtras(
    [lessonId],
    settings['recall.max_sticky_patches'],
  );
  let total = tokens;
  const patches = (extras.get(lessonId)?.sticky ?? []).filter((patch) => {
    const fits = total + patch.tokens <= maxPackTokens;
    if (fits) total += patch.tokens;
    return fits;
  });
  return {
    lessonIds: [lessonId],
    patches: patches.map(({ fingerprint, holderId }) => ({ fingerprint, holderId })),
    tokens: total,
  };
}
