/** A rescue that somebody states after the fact: a person who knows the claim, or one who complains. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { DroppedClaim } from '../../domain/lessons/claim.js';
import { optionsOf, readUsefulness, scoreOptions } from '../../domain/lessons/descend.js';
import { withNewEvidence } from '../../domain/lessons/eligibility.js';
import type { Repair, Rescue } from '../../domain/lessons/evidence.js';
import { requireUlid } from '../../domain/lessons/lesson-fields.js';
import type { LessonChange } from '../../domain/lessons/lesson-event.js';
import { normalText } from '../../domain/lessons/normal-text.js';
import { addHint, claimsPointedAt } from '../../domain/lessons/protect-claims.js';
import { rescueChanges } from '../../domain/lessons/refine-lesson.js';
import { askModel } from './ask-model.js';
import { cleanerOf, type LessonNeeds, settingsFor } from './lesson-needs.js';
import type { LessonRepositories } from './lesson-store.js';
import { repairClaims } from './repair-claims.js';

export type RescueRequest =
  | {
      readonly lessonId: string;
      /** Fingerprint of a claim of the manifest or an unambiguous beginning of it, or its words. */
      readonly claim: string;
      readonly episodeId?: string;
    }
  | {
      readonly lessonId: string;
      /** A person's words about what went wrong; nothing is run again. */
      readonly correction: string;
      readonly prompt?: string;
      readonly signal?: AbortSignal;
    };

export interface RescueReport {
  readonly outcome: 'recorded' | 'skipped';
  /** Why nothing was recorded; null: a rescue was. */
  readonly reason: 'new-knowledge' | 'no-claim-fits' | null;
  readonly rescue: Rescue | null;
  readonly repairs: readonly Repair[];
  readonly warnings: readonly string[];
}

const LONGEST_CORRECTION = 4_000;

export async function recordRescue(
  needs: LessonNeeds,
  request: RescueRequest,
): Promise<RescueReport> {
  requireUlid(request.lessonId, 'lesson_id');
  return 'correction' in request ? correct(needs, request) : state(needs, request);
}

async function state(
  needs: LessonNeeds,
  { lessonId, claim, episodeId }: Extract<RescueRequest, { claim: string }>,
): Promise<RescueReport> {
  if (episodeId !== undefined) requireUlid(episodeId, 'episode_id');
  const rescue = await needs.unitOfWork(async (repositories) => {
    const { lessons, episodes } = repositories;
    await lessons.lock([lessonId]);
    if (episodeId !== undefined) await episodes.get(episodeId);
    const dropped = (await lessons.ledgers([lessonId])).get(lessonId)?.dropped ?? [];
    const entry = findEntry(dropped, claim);
    const changes: LessonChange[] = [];
    if (episodeId !== undefined) changes.push(...coverBy(lessonId, episodeId, needs.clock()));
    const stated = await writeRescue(
      needs,
      repositories,
      lessonId,
      entry,
      { source: 'person', descentId: null, step: null, episodeId: episodeId ?? null },
      { rescues: 1 },
    );
    await lessons.append(changes, needs.clock());
    return stated;
  });
  const repairs = await repairClaims(needs, lessonId);
  return { outcome: 'recorded', reason: null, rescue, repairs, warnings: [] };
}

async function correct(
  needs: LessonNeeds,
  { lessonId, correction, prompt, signal }: Extract<RescueRequest, { correction: string }>,
): Promise<RescueReport> {
  const lesson = await needs.repositories.lessons.get(lessonId);
  const { values: settings } = await settingsFor(needs, lesson.projectId, undefined);
  const cleaner = cleanerOf(needs, settings['privacy.redact']);
  const words = typeof correction === 'string' ? cleaner.clean(correction).trim() : '';
  if (words === '' || words.length > LONGEST_CORRECTION) {
    throw new OssatureError(
      'INVALID_INPUT',
      `correction must have 1 to ${LONGEST_CORRECTION} characters.`,
      { details: { field: 'correction' } },
    );
  }
  const { lessons } = needs.repositories;
  const lineage = await lessons.lineage(lessonId);
  const dropped = (await lessons.ledgers([lessonId])).get(lessonId)?.dropped ?? [];
  const tracks = await lessons.trackRecords(lineage.lessons.map((one) => one.lessonId));
  const ground = {
    lineage,
    dropped,
    tracks,
    strategy: 'delta-patch' as const,
    pack: { lessonIds: [lessonId], patches: [], tokens: lesson.tokens },
    steps: [],
  };
  const options = optionsOf(ground).options.filter(({ kind }) => kind === 'claim');
  const warnings: string[] = [];
  let usefulness: readonly number[] | null = null;
  if (options.length > 0 && needs.models.rank !== null) {
    const { rank } = needs.models;
    try {
      usefulness = readUsefulness(
        await askModel(
          (within) =>
            rank.rank(
              {
                prompt: cleaner.clean(prompt ?? ''),
                diagnosis: { category: null, missing: [words], wrongStep: null, confidence: 1 },
                options: options.map(({ label, text }) => ({ label, text })),
              },
              within,
            ),
          settings['recall.timeout_s'] * 1_000,
          needs.startTimer,
          signal,
        ),
        options.length,
      );
      if (usefulness === null) warnings.push('the ranking could not be read');
    } catch {
      warnings.push('the ranker did not answer');
    }
  }
  const [best] = scoreOptions(options, usefulness, tracks, settings);
  const weighted = settings['selection.w_judge'] * (best?.usefulness ?? 0);
  const isRescue = best?.option.kind === 'claim' && weighted > settings['selection.rescue_floor'];
  const wanted = isRescue && best.option.kind === 'claim' ? best.option.fingerprint : null;
  const rescue = await needs.unitOfWork(async (repositories) => {
    await repositories.lessons.lock([lessonId]);
    const ledger = (await repositories.lessons.ledgers([lessonId])).get(lessonId);
    const evidence = (await repositories.lessons.evidence([lessonId])).get(lessonId);
    const hints = addHint(
      evidence?.hints ?? [],
      {
        text: words,
        source: 'complaint',
        claimIds: claimsPointedAt(words, ledger?.claims ?? []),
        episodeId: null,
        addedAt: needs.clock(),
      },
      { most: settings['compression.max_hints'], characters: settings['compression.hint_chars'] },
    );
    await repositories.lessons.append([{ kind: 'hints-set', lessonId, hints }], needs.clock());
    const entry = ledger?.dropped.find(({ fingerprint }) => fingerprint === wanted);
    if (entry === undefined) return null;
    return writeRescue(
      needs,
      repositories,
      lessonId,
      entry,
      { source: 'correction', descentId: null, step: null, episodeId: null },
      { rescues: 1 },
    );
  });
  if (rescue === null) {
    const reason = options.length === 0 ? 'new-knowledge' : 'no-claim-fits';
    return { outcome: 'skipped', reason, rescue: null, repairs: [], warnings };
  }
  const repairs = await repairClaims(needs, lessonId);
  return { outcome: 'recorded', reason: null, rescue, repairs, warnings };
}

/** Writes a rescue of a claim that the lesson's manifest lists, with what it means for the lesson. */
export async function writeRescue(
  needs: LessonNeeds,
  { lessons }: LessonRepositories,
  lessonId: string,
  { fingerprint, claim, holderId }: DroppedClaim,
  from: Pick<Rescue, 'source' | 'descentId' | 'step' | 'episodeId'>,
  delta: Extract<LessonChange, { kind: 'stats-added' }>['delta'],
): Promise<Rescue> {
  const now = needs.clock();
  const { compression } = await lessons.get(lessonId);
  const rescue: Rescue = {
    ...from,
    rescueId: needs.newId(),
    lessonId,
    fingerprint,
    claim,
    holderId,
    repairId: null,
    createdAt: now,
  };
  await lessons.append(
    [
      ...rescueChanges(rescue),
      { kind: 'stats-added', lessonId, delta },
      {
        kind: 'compression-state-set',
        lessonId,
        compression: withNewEvidence(compression),
      },
    ],
    now,
  );
  return rescue;
}

/** The episode is covered by the lesson from now on, and in every sample of it. */
export function coverBy(lessonId: string, episodeId: string, now: Date): readonly LessonChange[] {
  return [
    { kind: 'coverage-added', lessonId, episodeIds: [episodeId] },
    {
      kind: 'mark-set',
      mark: { lessonId, episodeId, kind: 'sticky', markedAt: now, sourceDigest: null },
    },
  ];
}

function findEntry(dropped: readonly DroppedClaim[], wanted: string): DroppedClaim {
  const words = normalText(wanted);
  const byWords = dropped.find(({ claim }) => normalText(claim) === words);
  const byPrint =
    /^[0-9a-f]{4,64}$/.test(words) &&
    dropped.filter(({ fingerprint }) => fingerprint.startsWith(words));
  const [only, another] = byPrint === false ? [] : byPrint;
  const found = byWords ?? (another === undefined ? only : undefined);
  if (found !== undefined) return found;
  const claims = dropped.map(({ fingerprint, claim }) => ({ fingerprint, claim }));
  const listed = claims.map(({ fingerprint, claim }) => `${fingerprint.slice(0, 8)} ${claim}`);
  throw new OssatureError(
    'NOT_FOUND',
    listed.length === 0
      ? 'The lesson has dropped nothing, so no claim of it can have rescued.'
      : `The manifest of the lesson has no such claim. It has: ${listed.join(' | ')}`,
    { details: { claims } },
  );
}
