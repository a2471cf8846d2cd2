/** A use recorded: the episode, what each lesson had to do with it, and what was seen working. */
import { OssatureError } from '../../domain/kernel/errors.js';
import {
  type CheckedUse,
  checkUse,
  LONGEST_EPISODE_TEXT,
  type UseRequest,
} from '../../domain/lessons/check-use.js';
import { withNewEvidence } from '../../domain/lessons/eligibility.js';
import type {
  Episode,
  EpisodeCheck,
  LessonUse,
  RecordedUse,
  UseReceipt,
} from '../../domain/lessons/episode.js';
import { exactValues } from '../../domain/lessons/exact-values.js';
import type { Lesson } from '../../domain/lessons/lesson.js';
import type { LessonChange } from '../../domain/lessons/lesson-event.js';
import type { LessonSettings } from '../../domain/lessons/lesson-settings.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import { cutAt } from '../../domain/lessons/normal-text.js';
import { addHint, addSpan, claimsPointedAt } from '../../domain/lessons/protect-claims.js';
import type { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import { cleanerOf, type LessonNeeds, settingsFor } from './lesson-needs.js';
import type { LessonRepositories } from './lesson-store.js';

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
      const uses = await creditsOf(repositories, request, checked);
      const evidence = await evidenceChanges(
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
          statsChanges(lesson, uses, episode.episodeId, evidence.news.has(lesson.lessonId), now),
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

/** The exact values that the used lessons and the accepted summary share; null: none. */
function harvestCheck(
  used: readonly Lesson[],
  acceptedSummary: string | null,
): EpisodeCheck | null {
  const known = new Set(used.flatMap(({ body }) => exactValues(body)));
  const values = exactValues(acceptedSummary ?? '').filter((value) => known.has(value));
  return values.length === 0 ? null : { type: 'contains', values };
}

type Credit = LessonUse & { readonly reason: UseReceipt['notCredited'][number]['reason'] | null };

async function creditsOf(
  { episodes }: LessonRepositories,
  { outcome, sessionId }: UseRequest,
  { served, used, corrected, kind }: CheckedUse,
): Promise<readonly Credit[]> {
  const credited = new Set(
    kind === 'session-end' && sessionId !== undefined
      ? await episodes.findCredited(sessionId, served)
      : [],
  );
  return served.map((lessonId) => {
    const isUsed = used?.includes(lessonId) === true;
    const isCorrected = corrected.includes(lessonId);
    const base = {
      lessonId,
      used: isUsed,
      corrected: isCorrected,
      succeeded: false,
      credited: false,
    };
    if (used === null) return { ...base, reason: 'no-verdict' };
    if (used.length === 0) return { ...base, reason: 'nothing-helped' };
    if (!isUsed) return { ...base, reason: 'not-used' };
    if (credited.has(lessonId)) return { ...base, reason: 'already-credited' };
    if (outcome === 'unknown' && !isCorrected) return { ...base, reason: 'outcome-unknown' };
    const succeeded = outcome === 'success' && !isCorrected;
    return { ...base, succeeded, credited: true, reason: null };
  });
}

function statsChanges(
  lesson: Lesson,
  uses: readonly Credit[],
  episodeId: string,
  hasSpan: boolean,
  now: Date,
): readonly LessonChange[] {
  const { lessonId } = lesson;
  const use = uses.find((one) => one.lessonId === lessonId);
  const credited = use?.credited === true;
  const succeeded = use?.succeeded === true;
  const changes: LessonChange[] = [
    {
      kind: 'stats-added',
      lessonId,
      delta: {
        shown: 1,
        ...(credited
          ? {
              successes: Number(succeeded),
              failures: Number(!succeeded),
              savedTokens: lesson.level0Tokens - lesson.tokens,
              lastUsedAt: now,
            }
          : {}),
      },
    },
  ];
  if (succeeded) changes.push({ kind: 'coverage-added', lessonId, episodeIds: [episodeId] });
  if (succeeded || hasSpan) {
    const compression = withNewEvidence(lesson.compression);
    changes.push({ kind: 'compression-state-set', lessonId, compression });
  }
  return changes;
}

interface SeenEvidence {
  readonly locked: readonly Lesson[];
  readonly checked: CheckedUse;
  readonly texts: CleanTexts;
  readonly settings: LessonSettings;
  readonly now: Date;
}

/** Spans that stand in what was served, and the words of a correction as hints. */
async function evidenceChanges(
  { lessons }: LessonRepositories,
  { locked, checked, texts, settings, now }: SeenEvidence,
  episodeId: string,
) {
  const speaking = locked.filter(
    ({ lessonId }) =>
      texts.spans.some((span) => span.lessonId === lessonId) ||
      (texts.correction !== null && checked.corrected.includes(lessonId)),
  );
  const ids = speaking.map(({ lessonId }) => lessonId);
  const unmatched: { lessonId: string; text: string }[] = [];
  const news = new Set<string>();
  const changes: LessonChange[] = [];
  let stored = 0;
  if (ids.length === 0) return { changes, stored, unmatched, news };
  const evidence = await lessons.evidence(ids);
  const extras = await lessons.servableExtras(ids, settings['recall.max_sticky_patches']);
  const ledgers = await lessons.ledgers(ids);
  for (const { lessonId, body } of speaking) {
    const patches = (extras.get(lessonId)?.sticky ?? []).map(({ claim }) => claim);
    let spans = evidence.get(lessonId)?.spans ?? [];
    for (const span of texts.spans.filter((one) => one.lessonId === lessonId)) {
      const most = settings['compression.max_spans'];
      const added = addSpan(spans, span.text, { body, patches }, now, most);
      if (added === null) unmatched.push(span);
      else {
        spans = added;
        stored += 1;
        news.add(lessonId);
      }
    }
    if (news.has(lessonId)) changes.push({ kind: 'spans-set', lessonId, spans });
    if (texts.correction === null || !checked.corrected.includes(lessonId)) continue;
    const claims = ledgers.get(lessonId)?.claims ?? [];
    changes.push({
      kind: 'hints-set',
      lessonId,
      hints: addHint(
        evidence.get(lessonId)?.hints ?? [],
        {
          text: texts.correction,
          source: 'complaint',
          claimIds: claimsPointedAt(texts.correction, claims),
          episodeId,
          addedAt: now,
        },
        {
          most: settings['compression.max_hints'],
          characters: settings['compression.hint_chars'],
        },
      ),
    });
  }
  return { changes, stored, unmatched, news };
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
