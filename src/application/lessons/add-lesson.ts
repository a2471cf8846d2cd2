/** A lesson added by a person or the host: stored at level 0, related to others only as the caller says. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { LessonConflict } from '../../domain/lessons/evidence.js';
import {
  type Lesson,
  type LessonOrigin,
  NEVER_COMPRESSED,
  NO_STATS,
} from '../../domain/lessons/lesson.js';
import {
  type LessonFields,
  requireLessonFields,
  requireUlid,
} from '../../domain/lessons/lesson-fields.js';
import {
  aboveOf,
  changeStanding,
  isApexAmong,
  level0Of,
} from '../../domain/lessons/lesson-graph.js';
import { countTerms } from '../../domain/lessons/lesson-terms.js';
import { fingerprintOf } from '../../domain/lessons/normal-text.js';
import { refineLesson } from '../../domain/lessons/refine-lesson.js';
import type { LessonChange } from '../../domain/lessons/lesson-event.js';
import { appendBlock } from '../../domain/lessons/split-claims.js';
import { claimsIn, cleanerOf, type LessonNeeds, settingsFor } from './lesson-needs.js';
import type { LessonRepositories } from './lesson-store.js';

export interface AddLessonRequest {
  /** Null: global. */
  readonly projectId: string | null;
  /** May be left out where `specialises` or `refines` names a lesson: its family. */
  readonly family?: string;
  readonly title: string;
  readonly gist: string;
  readonly body: string;
  readonly tags?: readonly string[];
  readonly origin?: LessonOrigin;
  /** At most one of these; each names a lesson. */
  readonly refines?: string;
  readonly specialises?: string;
  readonly contradicts?: string;
  /** With `contradicts`: one concrete question. */
  readonly question?: string;
}

export interface AddLessonReceipt {
  /** The new lesson, the one that has this text already, or the original that was refined. */
  readonly lesson: Lesson;
  readonly outcome: 'added' | 'known' | 'refined';
  readonly claims: number;
  readonly conflict: LessonConflict | null;
  readonly redactions: Readonly<Record<string, number>>;
  readonly repaired: number;
}

const LONGEST_QUESTION = 500;

/** @throws OssatureError INVALID_LESSON, INVALID_ID, NOT_FOUND. */
export async function addLesson(
  needs: LessonNeeds,
  request: AddLessonRequest,
): Promise<AddLessonReceipt> {
  const { projectId } = request;
  if (projectId !== null) requireUlid(projectId, 'project_id');
  const related = relationOf(request);
  const { values } = await settingsFor(needs, projectId, undefined);
  const cleaner = cleanerOf(needs, values['privacy.redact']);
  const other = related === null ? null : await needs.repositories.lessons.get(related.lessonId);
  if (other !== null && request.family !== undefined && request.family !== other.family) {
    if (related?.kind === 'specialises') {
      throw invalid('family', `must be ${other.family}, that of the lesson it specialises`);
    }
  }
  const clean = (text: unknown): string => (typeof text === 'string' ? cleaner.clean(text) : '');
  const fields = requireLessonFields({
    family: clean(request.family ?? other?.family),
    title: clean(request.title),
    gist: clean(request.gist),
    body: clean(request.body),
    origin: request.origin ?? 'manual',
    tags: Array.isArray(request.tags) ? request.tags.map(clean) : [],
  });
  const question =
    related?.kind === 'contradicts' ? requireQuestion(clean(request.question)) : null;
  const done = await needs.unitOfWork(async (repositories) => {
    if (related?.kind === 'refines') return refine(needs, repositories, related.lessonId, fields);
    return insert(needs, repositories, {
      projectId,
      fields,
      contradicts: related?.kind === 'contradicts' ? related.lessonId : null,
      question,
    });
  });
  return { ...done, redactions: cleaner.redactions, repaired: cleaner.repaired };
}

type Done = Omit<AddLessonReceipt, 'redactions' | 'repaired'>;

async function insert(
  needs: LessonNeeds,
  { lessons }: LessonRepositories,
  wanted: {
    readonly projectId: string | null;
    readonly fields: LessonFields;
    readonly contradicts: string | null;
    readonly question: string | null;
  },
): Promise<Done> {
  const { projectId, fields, contradicts, question } = wanted;
  const { tokenCounter, digest } = needs;
  const bodyFingerprint = fingerprintOf(fields.body, digest);
  const known = await lessons.findByFingerprint(projectId, bodyFingerprint);
  if (known !== null) {
    const ledgers = await lessons.ledgers([known.lessonId]);
    const claims = ledgers.get(known.lessonId)?.claims.length ?? 0;
    return { lesson: known, outcome: 'known', claims, conflict: null };
  }
  const now = needs.clock();
  const tokens = tokenCounter.count(fields.body);
  const lesson: Lesson = {
    ...fields,
    projectId,
    tokens,
    bodyFingerprint,
    lessonId: needs.newId(),
    bodyDigest: digest(fields.body),
    counterName: tokenCounter.name,
    counterVersion: tokenCounter.version,
    level: 0,
    level0Tokens: tokens,
    status: 'active',
    demotedBecause: null,
    isApex: true,
    provisionalBecause: [],
    passRateLowerBound: null,
    version: 1,
    stats: NO_STATS,
    compression: NEVER_COMPRESSED,
    createdAt: now,
    updatedAt: now,
  };
  const claims = claimsIn(needs, fields.body);
  const changes: LessonChange[] = [
    { kind: 'lesson-added', lesson, claims, terms: countTerms(fields.title, fields.gist) },
  ];
  let conflict: LessonConflict | null = null;
  if (contradicts !== null && question !== null) {
    const disputed = await dispute(needs, lessons, lesson, contradicts, question);
    conflict = disputed.conflict;
    changes.push(...disputed.changes);
  }
  await lessons.append(changes, now);
  const stored = await lessons.get(lesson.lessonId);
  return { lesson: stored, outcome: 'added', claims: claims.length, conflict };
}

async function dispute(
  needs: LessonNeeds,
  lessons: LessonRepositories['lessons'],
  added: Lesson,
  contradicts: string,
  question: string,
) {
  const lineage = await lessons.lineage(contradicts);
  const candidates = [contradicts, ...aboveOf(lineage, contradicts)];
  const apexId = candidates.find((id) => isApexAmong(lineage, id));
  if (apexId === undefined) {
    throw new OssatureError(
      'NOT_ELIGIBLE',
      `Nothing of the lineage of lesson ${contradicts} is served, so there is nothing to contradict.`,
      { details: { lessonId: contradicts } },
    );
  }
  await lessons.lock([apexId]);
  const fresh = await lessons.lineage(apexId);
  const conflict: LessonConflict = {
    conflictId: needs.newId(),
    lessonIds: [apexId, added.lessonId],
    question,
    status: 'open',
    kept: [],
    note: null,
    openedAt: needs.clock(),
    closedAt: null,
  };
  const disputed = { status: 'disputed' as const, demotedBecause: null };
  const { body: _body, ...summary } = added;
  const changes: LessonChange[] = [
    ...changeStanding(fresh, new Map([[apexId, disputed]])),
    ...changeStanding({ lessons: [summary], edges: [] }, new Map([[added.lessonId, disputed]])),
    { kind: 'conflict-opened', conflict },
  ];
  return { conflict, changes };
}

async function refine(
  needs: LessonNeeds,
  { lessons }: LessonRepositories,
  lessonId: string,
  { body }: LessonFields,
): Promise<Done> {
  const seen = await lessons.lineage(lessonId);
  const [originalId] = level0Of(seen, lessonId);
  if (originalId === undefined) {
    throw new OssatureError('NOT_FOUND', `Lesson ${lessonId} has no level 0.`);
  }
  // Locked from the original upwards, so that no level is added above meanwhile.
  await lessons.lock(seen.lessons.map((one) => one.lessonId));
  const lineage = await lessons.lineage(originalId);
  const aboveIds = [...aboveOf(lineage, originalId)].sort();
  const ledgers = await lessons.ledgers([originalId, ...aboveIds]);
  const original = await lessons.get(originalId);
  const newBody = appendBlock(original.body, body.trim());
  if (newBody.length > LONGEST_BODY) {
    throw invalid('body', `would make the original longer than ${LONGEST_BODY} characters`);
  }
  const { changes, added } = refineLesson(
    {
      original,
      newBody,
      claims: ledgers.get(originalId)?.claims ?? [],
      newClaims: claimsIn(needs, newBody),
      above: (await lessons.findMany(aboveIds)).map((lesson) => ({
        lesson,
        dropped: ledgers.get(lesson.lessonId)?.dropped ?? [],
      })),
      newRescueId: needs.newId,
      now: needs.clock(),
    },
    { counter: needs.tokenCounter, digest: needs.digest },
  );
  if (added.length === 0) {
    return { lesson: original, outcome: 'known', claims: 0, conflict: null };
  }
  await lessons.append(changes, needs.clock());
  const lesson = await lessons.get(originalId);
  return { lesson, outcome: 'refined', claims: added.length, conflict: null };
}

const LONGEST_BODY = 100_000;

function relationOf(request: AddLessonRequest) {
  const kinds = ['refines', 'specialises', 'contradicts'] as const;
  const given = kinds.filter((kind) => request[kind] !== undefined);
  if (given.length > 1) throw invalid(given[1] ?? '', `cannot stand beside ${given[0] ?? ''}`);
  const [kind] = given;
  if (kind === undefined) {
    if (request.question !== undefined) throw invalid('question', 'needs contradicts beside it');
    return null;
  }
  return { kind, lessonId: requireUlid(request[kind], 'lesson_id') };
}

function requireQuestion(question: string): string {
  const isSound = question.trim() !== '' && question.length <= LONGEST_QUESTION;
  if (isSound && !/[\r\n]/.test(question)) return question.trim();
  throw invalid('question', `must be one line of 1 to ${LONGEST_QUESTION} characters`);
}

function invalid(field: string, rule: string): OssatureError {
  return new OssatureError('INVALID_LESSON', `${field} ${rule}.`, { details: { field } });
}
