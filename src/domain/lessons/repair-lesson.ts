/**
 * Repair: a claim that rescued twice proves that the cut went too deep, so it goes back into the body
 * for good. Run again it changes nothing: the rescues that asked for it are used up.
 */
import type { Digest, TokenCounter } from '../kernel/measures.js';
import type { Claim } from './claim.js';
import type { PreserveHint, Repair, Rescue } from './evidence.js';
import type { Lesson } from './lesson.js';
import type { LessonChange } from './lesson-event.js';
import { aboveOf, childrenOf, demote, subtreeOf } from './lesson-graph.js';
import { fingerprintOf, SpokenText } from './normal-text.js';
import { addHint, claimsPointedAt } from './protect-claims.js';
import type { LessonLedger, Lineage } from './repositories.js';
import { appendBlock } from './split-claims.js';

export interface RepairInput {
  readonly repairId: string;
  readonly lesson: Lesson;
  readonly lineage: Lineage;
  /** Of every lesson of the lineage. */
  readonly ledgers: ReadonlyMap<string, LessonLedger>;
  /** Of every lesson of the lineage. */
  readonly hints: ReadonlyMap<string, readonly PreserveHint[]>;
  /** The rescues that ask for it: of one claim of this lesson, none used up. */
  readonly rescues: readonly Rescue[];
  readonly limits: { readonly most: number; readonly characters: number };
  readonly now: Date;
}

export interface Measures {
  readonly counter: TokenCounter;
  readonly digest: Digest;
  readonly split: (body: string) => readonly Claim[];
}

/** Claims with at least so many rescues that no repair used up, in the order of their first rescue. */
export function dueRepairs(
  rescues: readonly Rescue[],
  minRescues: number,
): readonly (readonly Rescue[])[] {
  const open = new Map<string, Rescue[]>();
  for (const rescue of rescues) {
    if (rescue.repairId !== null) continue;
    open.set(rescue.fingerprint, [...(open.get(rescue.fingerprint) ?? []), rescue]);
  }
  return [...open.values()].filter((group) => group.length >= minRescues);
}

export function repairLesson(
  input: RepairInput,
  { counter, digest, split }: Measures,
): { readonly repair: Repair; readonly changes: readonly LessonChange[] } {
  const { lesson, lineage, ledgers, rescues, now } = input;
  const { lessonId } = lesson;
  const [first] = rescues;
  if (first === undefined) throw new TypeError('A repair has a rescue.');
  const { fingerprint } = first;
  const dropped = ledgers.get(lessonId)?.dropped ?? [];
  const entry = dropped.find((one) => one.fingerprint === fingerprint);
  const claim = entry?.claim ?? first.claim;
  const holderId = entry?.holderId ?? first.holderId;
  const isSaid = new SpokenText(lesson.body).says(claim);
  const body = isSaid ? lesson.body : appendBlock(lesson.body, claim);
  const tokens = counter.count(body);
  const claims = split(body);
  const changes: LessonChange[] = [];
  let repaired: Lineage = lineage;
  if (!isSaid) {
    const version = lesson.version + 1;
    changes.push({
      kind: 'text-changed',
      lessonId,
      version,
      claims,
      text: {
        body,
        tokens,
        bodyDigest: digest(body),
        bodyFingerprint: fingerprintOf(body, digest),
        counterName: counter.name,
        counterVersion: counter.version,
      },
    });
    repaired = {
      ...lineage,
      lessons: lineage.lessons.map((one) =>
        one.lessonId === lessonId ? { ...one, version, tokens } : one,
      ),
    };
  }
  if (entry !== undefined) {
    changes.push({
      kind: 'manifest-set',
      lessonId,
      dropped: dropped.filter((one) => one !== entry),
    });
  }
  changes.push(...newHolderAbove(input, fingerprint, claimIdsOf(claims, claim, fingerprint)));
  changes.push(...hintsDown(input, claim, holderId, claims));

  const sourceTokens = childrenOf(lineage, lessonId).reduce(
    (sum, id) => sum + (lineage.lessons.find((one) => one.lessonId === id)?.tokens ?? 0),
    0,
  );
  const retired = lesson.isApex && !isSaid && tokens >= sourceTokens;
  const repair: Repair = {
    repairId: input.repairId,
    lessonId,
    fingerprint,
    claim,
    holderId,
    appended: !isSaid,
    bodyBefore: lesson.body,
    bodyAfter: body,
    tokensBefore: lesson.tokens,
    tokensAfter: tokens,
    retired,
    createdAt: now,
  };
  changes.push({
    kind: 'repair-recorded',
    repair,
    rescueIds: rescues.map(({ rescueId }) => rescueId),
  });
  if (retired) changes.push(...demote(repaired, lessonId, 'retired'));
  return { repair, changes };
}

function claimIdsOf(
  claims: readonly Claim[],
  claim: string,
  fingerprint: string,
): readonly string[] {
  const same = claims.filter((one) => one.fingerprint === fingerprint);
  const spoken = new SpokenText(claim);
  const parts = same.length > 0 ? same : claims.filter(({ text }) => spoken.says(text));
  return parts.map(({ claimId }) => claimId);
}

/** In every manifest above, this lesson says it now. */
function newHolderAbove(
  { lesson: { lessonId }, lineage, ledgers }: RepairInput,
  fingerprint: string,
  claimIds: readonly string[],
): readonly LessonChange[] {
  if (claimIds.length === 0) return [];
  return [...aboveOf(lineage, lessonId)].sort().flatMap((id): LessonChange[] => {
    const dropped = ledgers.get(id)?.dropped ?? [];
    if (!dropped.some((entry) => entry.fingerprint === fingerprint)) return [];
    return [
      {
        kind: 'manifest-set',
        lessonId: id,
        dropped: dropped.map((entry) =>
          entry.fingerprint === fingerprint ? { ...entry, holderId: lessonId, claimIds } : entry,
        ),
      },
    ];
  });
}

/** The next compression of this lesson, and of everything down to the holder, is told to keep it. */
function hintsDown(
  { lesson, lineage, ledgers, hints, limits, now }: RepairInput,
  claim: string,
  holderId: string,
  claims: readonly Claim[],
): readonly LessonChange[] {
  const below = subtreeOf(lineage, lesson.lessonId);
  const aboveHolder = aboveOf(lineage, holderId);
  const path = [...below].filter((id) => id === holderId || aboveHolder.has(id));
  return [...new Set([lesson.lessonId, ...path])].sort().map((lessonId): LessonChange => ({
    kind: 'hints-set',
    lessonId,
    hints: addHint(
      hints.get(lessonId) ?? [],
      {
        text: claim,
        source: 'repair',
        claimIds: claimsPointedAt(
          claim,
          lessonId === lesson.lessonId ? claims : (ledgers.get(lessonId)?.claims ?? []),
        ),
        episodeId: null,
        addedAt: now,
      },
      limits,
    ),
  }));
}
