/** Everything that an accepted candidate writes, as one list: the new level, and what becomes of its source. */
import type { Digest, TokenCounter } from '../kernel/measures.js';
import type { Audit } from './audit-candidate.js';
import type { Claim, DroppedClaim } from './claim.js';
import { exactValues, KnownValues } from './exact-values.js';
import type { LessonEvidence, LessonLedger, Lineage } from './repositories.js';
import { type Lesson, NEVER_COMPRESSED, NO_STATS, type ProvisionalReason } from './lesson.js';
import { changeStanding } from './lesson-graph.js';
import { isGist, isTitle } from './lesson-fields.js';
import type { LessonChange } from './lesson-event.js';
import { countTerms } from './lesson-terms.js';
import type { LessonSettings } from './lesson-settings.js';
import { inheritManifest, type Loss } from './loss-manifest.js';
import { fingerprintOf, holdsText, SpokenText } from './normal-text.js';
import { claimsPointedAt, findSpan } from './protect-claims.js';

export interface AcceptedSource {
  readonly lesson: Lesson;
  readonly ledger: LessonLedger;
  readonly evidence: LessonEvidence;
  /** Episodes that it covers itself. */
  readonly covered: readonly string[];
}

export interface Acceptance {
  readonly attemptId: string;
  readonly lessonId: string;
  readonly kind: 'compression' | 'merge';
  readonly sources: readonly AcceptedSource[];
  /** All lessons that are joined with any source. */
  readonly lineage: Lineage;
  readonly body: string;
  readonly bodyDigest: string;
  readonly title: string | null;
  readonly gist: string | null;
  readonly ledger: readonly Claim[];
  readonly losses: readonly Loss[];
  readonly audit: Audit;
  /** Sampled and held-out episodes that counted. */
  readonly proven: readonly string[];
  readonly provisionalBecause: readonly ProvisionalReason[];
  readonly passRateLowerBound: number;
  readonly settings: LessonSettings;
  readonly now: Date;
}

/** @returns the changes in the order in which a store applies them. */
export function acceptCandidate(
  accepted: Acceptance,
  measures: { readonly counter: TokenCounter; readonly digest: Digest },
): readonly LessonChange[] {
  const { sources, body, lessonId, kind } = accepted;
  const lesson = newLevel(accepted, measures);
  const fresh = manifestEntries(accepted, measures);
  const spoken = new SpokenText(body);
  const inherited = sources.flatMap(({ ledger }) => ledger.dropped);
  return [
    {
      kind: 'lesson-added',
      lesson,
      claims: accepted.ledger,
      terms: countTerms(lesson.title, lesson.gist),
    },
    ...sources.map(({ lesson: { lessonId: childId, level } }): LessonChange => ({
      kind: 'edge-added',
      edge: { childId, parentId: lessonId, kind, childLevel: level, parentLevel: lesson.level },
    })),
    { kind: 'manifest-set', lessonId, dropped: inheritManifest(fresh, inherited, spoken) },
    {
      kind: 'covers-set',
      covers: accepted.audit.covers.map((cover) => ({
        childId: cover.lessonId,
        childClaimId: cover.claimId,
        parentId: lessonId,
        how: cover.how,
        parentClaimIds: cover.parentClaimIds,
        audited: cover.audited,
      })),
    },
    {
      kind: 'coverage-added',
      lessonId,
      episodeIds: [
        ...new Set([...sources.flatMap(({ covered }) => covered), ...accepted.proven]),
      ].sort(),
    },
    ...carriedEvidence(accepted),
    ...sources.map(({ lesson: source }): LessonChange => ({
      kind: 'compression-state-set',
      lessonId: source.lessonId,
      compression: { ...source.compression, rejections: 0, saturated: false },
    })),
    ...changeStanding(
      accepted.lineage,
      new Map(
        sources.map(({ lesson: source }) => [
          source.lessonId,
          { status: 'superseded' as const, demotedBecause: null },
        ]),
      ),
    ),
  ];
}

function newLevel(
  { sources, attemptId: _attempt, ...accepted }: Acceptance,
  { counter, digest }: { readonly counter: TokenCounter; readonly digest: Digest },
): Lesson {
  const [first] = sources;
  if (first === undefined) throw new TypeError('An acceptance has a source.');
  let known: KnownValues | undefined;
  const hasAll = (text: string): boolean => {
    known ??= new KnownValues(
      sources.flatMap(({ lesson }) => [lesson.body, lesson.title, lesson.gist]),
    );
    const texts = known;
    return exactValues(text).every((value) => texts.has(value));
  };
  const { title, gist, body, now } = accepted;
  return {
    lessonId: accepted.lessonId,
    projectId: first.lesson.projectId,
    family: first.lesson.family,
    title: title !== null && isTitle(title) && hasAll(title) ? title : first.lesson.title,
    gist: gist !== null && isGist(gist) && hasAll(gist) ? gist : first.lesson.gist,
    body,
    tokens: counter.count(body),
    bodyDigest: accepted.bodyDigest,
    bodyFingerprint: fingerprintOf(body, digest),
    counterName: counter.name,
    counterVersion: counter.version,
    level: Math.max(...sources.map(({ lesson }) => lesson.level)) + 1,
    level0Tokens: sources.reduce((sum, { lesson }) => sum + lesson.level0Tokens, 0),
    status: 'active',
    demotedBecause: null,
    isApex: true,
    origin: accepted.kind,
    provisionalBecause: accepted.provisionalBecause,
    passRateLowerBound: accepted.passRateLowerBound,
    version: 1,
    tags: [...new Set(sources.flatMap(({ lesson }) => lesson.tags))],
    stats: NO_STATS,
    compression: NEVER_COMPRESSED,
    createdAt: now,
    updatedAt: now,
  };
}

/** The losses, and claims whose observed span the new body says no longer. */
function manifestEntries(
  { attemptId, losses, sources, audit, body }: Acceptance,
  { counter }: { readonly counter: TokenCounter },
): readonly DroppedClaim[] {
  const declared = losses.map(({ numbers: _numbers, ...loss }) => loss);
  const listed = new Set(
    declared.flatMap(({ holderId, claimIds }) => claimIds.map((id) => `${holderId} ${id}`)),
  );
  const spoken = new SpokenText(body);
  const notKept = new Set(
    audit.covers.flatMap(({ lessonId, claimId, how }) =>
      how === 'kept' ? [] : [`${lessonId} ${claimId}`],
    ),
  );
  const unsaid = sources.flatMap(({ lesson, ledger, evidence }) => {
    const gone = evidence.spans.filter((span) => !holdsText(body, span.text));
    if (gone.length === 0) return [];
    return ledger.claims
      .filter(({ claimId, text }) => {
        const key = `${lesson.lessonId} ${claimId}`;
        return (
          notKept.has(key) &&
          !listed.has(key) &&
          !spoken.says(text) &&
          gone.some((span) => holdsText(text, span.text))
        );
      })
      .map((claim) => ({
        claim: claim.text,
        kind: 'rationale' as const,
        holderId: lesson.lessonId,
        claimIds: [claim.claimId],
        fingerprint: claim.fingerprint,
      }));
  });
  return [...declared, ...unsaid].map((entry) => ({
    ...entry,
    tokens: counter.count(entry.claim),
    originAttemptId: attemptId,
  }));
}

/** Spans that the new body says, and hints that point at nothing that it no longer says. */
function carriedEvidence({
  sources,
  body,
  ledger,
  lessonId,
  settings,
}: Acceptance): readonly LessonChange[] {
  const spoken = new SpokenText(body);
  const spans = sources
    .flatMap(({ evidence }) => evidence.spans)
    .flatMap((span) => {
      const place = findSpan(body, span.text);
      return place === null ? [] : [{ ...span, ...place }];
    })
    .slice(-settings['compression.max_spans']);
  const hints = sources
    .flatMap(({ evidence, ledger: { claims } }) =>
      evidence.hints.filter(({ claimIds }) => {
        const pointed = claims.filter(({ claimId }) => claimIds.includes(claimId));
        return pointed.length === 0 || pointed.some(({ text }) => spoken.says(text));
      }),
    )
    .map((hint) => ({
      ...hint,
      source: 'carried' as const,
      claimIds: claimsPointedAt(hint.text, ledger),
    }))
    .slice(-settings['compression.max_hints']);
  const changes: LessonChange[] = [];
  if (spans.length > 0) changes.push({ kind: 'spans-set', lessonId, spans });
  if (hints.length > 0) changes.push({ kind: 'hints-set', lessonId, hints });
  return changes;
}
