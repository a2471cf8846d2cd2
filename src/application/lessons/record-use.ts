/** A use recorded: the episode, what each lesson had to do with it, and what was seen working. */
import { OssatureError } from '../../domain/kernel/errors.js';
import {
  type CheckedUse,
  checkUse,
  LONGEST_EPISODE_TEXT,
  type UseRequest,
} from '../../domain/lessons/check-use.js';
import { creditChanges, creditLessons } from '../../domain/lessons/credit-lessons.js';
import type {
  Episode,
  EpisodeCheck,
  RecordedUse,
  UseReceipt,
} from '../../domain/lessons/episode.js';
import { harvestCheck } from '../../domain/lessons/harvest-check.js';
import type { Lesson } from '../../domain/lessons/lesson.js';
import type { LessonSettings } from '../../domain/lessons/lesson-settings.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import { cutAt } from '../../domain/lessons/normal-text.js';
import type { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import { cleanerOf, type LessonNeeds, settingsFor } from './lesson-needs.js';
import type { LessonRepositories } from './lesson-store.js';
import { noteEvidence } from './note-evidence.js';

export async function recordUse(needs: LessonNeeds, request: UseRequest): Promise<UseReceipt> {
  const projectId = request.projectId ?? null;
  if (projectId !== null) requireUlid(projectId, 'project_id');
  const { values: settings } = await settingsFor(needs, projectId, undefined);
  const cleaner = cleanerOf(needs, settings['privacy.redact']);
  const checked = checkUse(request, settings['use.default_confidence'], (text) =>
    cleaner.cleanRepeated(text),
  );
  const texts = cleanTexts(request, checked, cleaner);
  const isCorrection = checked.corrected.length > 0 || texts.correction !== null;
  if (checked.confidence < settings['use.min_confidence'] && !isCorrection) {
    return unrecorded(texts, cleaner);
  }
  const contentDigest = needs.digest(
    JSON.stringify([projectId, request.outcome, checked, texts, request.sessionId ?? null]),
  );
  const useKey = request.useKey ?? null;
  const repeat = async ({ episodes }: Pick<LessonRepositories, 'episodes'>) => {
    const known = useKey === null ? null : await episodes.findUse(useKey);
    if (known === null || known.contentDigest === contentDigest) return known?.receipt ?? null;
    throw new OssatureError(
      'DUPLICATE_KEY',
      `The key ${JSON.stringify(useKey)} recorded another use.`,
      {
        details: { field: 'use_key' },
      },
    );
  };
  const write = (): Promise<UseReceipt> =>
    needs.unitOfWork(async (repositories) => {
      const known = await repeat(repositories);
      if (known !== null) return known;
      const now = needs.clock();
      const locked = await repositories.lessons.lock(checked.served);
      const episode = episodeOf(needs, request, checked, texts, locked, settings, now);
      const before = await creditedBefore(repositories, request, checked);
      const uses = creditLessons(checked, request.outcome, before);
      const evidence = await noteEvidence(
        repositories,
        { locked, checked, texts, settings, now },
        episode.episodeId,
      );
      const receipt: UseReceipt = {
        recorded: true,
        reason: null,
        useId: needs.newId(),
        episodeId: episode.episodeId,
        credited: uses.flatMap(({ lessonId, credited }) => (credited ? [lessonId] : [])),
        notCredited: uses.flatMap(({ lessonId, credited, reason }) =>
          credited || reason === null ? [] : [{ lessonId, reason }],
        ),
        spansStored: evidence.stored,
        spansUnmatched: evidence.unmatched,
        cut: texts.cut,
        redactions: cleaner.redactions,
        repaired: cleaner.repaired,
      };
      const use: RecordedUse = {
        useId: receipt.useId ?? '',
        useKey,
        contentDigest,
        kind: checked.kind,
        episodeId: episode.episodeId,
        sessionId: request.sessionId ?? null,
        lessons: uses.map(({ reason: _reason, ...use }) => use),
        receipt,
        createdAt: now,
      };
      await repositories.episodes.insert(episode);
      await repositories.episodes.insertUse(use);
      const changes = [
        ...locked.flatMap((lesson) =>
          creditChanges(lesson, uses, episode.episodeId, evidence.news.has(lesson.lessonId), now),
        ),
        ...evidence.changes,
      ];
      await repositories.lessons.append(changes, now);
      return receipt;
    });
  try {
    return await write();
  } catch (error) {
    if (!OssatureError.is(error, 'ALREADY_EXISTS') || useKey === null) throw error;
    // Somebody else recorded it between the look and the write.
    const known = await repeat(needs.repositories);
    if (known === null) throw error;
    return known;
  }
}

interface CleanTexts {
  readonly prompt: string;
  readonly acceptedSummary: string | null;
  readonly axis: string | null;
  readonly correction: string | null;
  readonly check: EpisodeCheck | null;
  readonly spans: CheckedUse['spans'];
  readonly cut: UseReceipt['cut'];
}

function cleanTexts(request: UseRequest, checked: CheckedUse, cleaner: TextCleaner): CleanTexts {
  const whole = cleaner.clean(request.prompt);
  const prompt = cutAt(whole, LONGEST_EPISODE_TEXT);
  const summary = cleaner.clean(request.acceptedSummary ?? '');
  const acceptedSummary = cutAt(summary, LONGEST_EPISODE_TEXT);
  const optional = (text: string | undefined): string | null =>
    text === undefined || text.trim() === '' ? null : cleaner.clean(text).trim();
  const { check } = request;
  return {
    prompt,
    acceptedSummary: acceptedSummary.trim() === '' ? null : acceptedSummary,
    axis: optional(request.axis),
    correction: optional(request.correction),
    check:
      check === undefined
        ? null
        : { type: 'contains', values: check.values.map((value) => cleaner.clean(value)) },
    spans: checked.spans.map(({ lessonId, text }) => ({ lessonId, text: cleaner.clean(text) })),
    cut: {
      prompt: whole.length - prompt.length,
      acceptedSummary: summary.length - acceptedSummary.length,
    },
  };
}

function episodeOf(
  needs: LessonNeeds,
  request: UseRequest,
  { used, confidence }: CheckedUse,
  { prompt, acceptedSummary, axis, check, cut }: CleanTexts,
  locked: readonly Lesson[],
  settings: LessonSettings,
  now: Date,
): Episode {
  return {
    episodeId: needs.newId(),
    projectId: request.projectId ?? null,
    axis,
    prompt,
    promptCutCharacters: cut.prompt,
    outcome: request.outcome,
    confidence,
    acceptedSummary,
    check:
      check ??
      (settings['compression.harvest_checks']
        ? harvestCheck(
            locked.filter(({ lessonId }) => used?.includes(lessonId) === true),
            acceptedSummary,
          )
        : null),
    sessionId: request.sessionId ?? null,
    createdAt: now,
  };
}

/** Lessons that this session's uses credited before its end is recorded; none for any other use. */
async function creditedBefore(
  { episodes }: LessonRepositories,
  { sessionId }: UseRequest,
  { served, kind }: CheckedUse,
): Promise<ReadonlySet<string>> {
  if (kind !== 'session-end' || sessionId === undefined) return new Set();
  return new Set(await episodes.findCredited(sessionId, served));
}

function unrecorded({ cut }: CleanTexts, cleaner: TextCleaner): UseReceipt {
  return {
    recorded: false,
    reason: 'low-confidence',
    useId: null,
    episodeId: null,
    credited: [],
    notCredited: [],
    spansStored: 0,
    spansUnmatched: [],
    cut,
    redactions: cleaner.redactions,
    repaired: cleaner.repaired,
  };
}
