/** Lessons in Postgres. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { Claim, ClaimCover, DroppedClaim } from '../../../domain/lessons/claim.js';
import type {
  ObservedSpan,
  PreserveHint,
  Repair,
  Rescue,
  TrackRecord,
} from '../../../domain/lessons/evidence.js';
import type { LessonEdge, LessonText } from '../../../domain/lessons/lesson.js';
import type { LessonChange, LessonEvent } from '../../../domain/lessons/lesson-event.js';
import type { LessonRepository, ServableExtras } from '../../../domain/lessons/repositories.js';
import { lessonChanges } from './lesson-changes.js';
import {
  CLAIM_COLUMNS,
  CONFLICT_COLUMNS,
  COVER_COLUMNS,
  DROPPED_COLUMNS,
  EDGE_COLUMNS,
  type FlatConflict,
  type FlatLesson,
  type FlatSummary,
  HINT_COLUMNS,
  LESSON_COLUMNS,
  REPAIR_COLUMNS,
  RESCUE_COLUMNS,
  SPAN_COLUMNS,
  SUMMARY_COLUMNS,
  TEXT_COLUMNS,
  toConflict,
  toLesson,
  toSummary,
} from './lesson-columns.js';
import { inScope, lessonSearch, pageOf } from './lesson-search.js';
import { type Columns, fieldsIn } from './recordset-columns.js';
import { type Sql, type Statement, statement } from './sql.js';

export function typeormLessons(schema: string): (sql: Sql) => LessonRepository {
  const table = (name: string): string => `"${schema}".${name}`;
  const lessons = table('lessons');
  const apply = lessonChanges(schema);
  const search = lessonSearch(schema);

  const find = statement(`
    select ${fieldsIn(LESSON_COLUMNS)} from ${lessons} where lesson_id = any($1::text[])`);
  const lock = statement(`
    select ${fieldsIn(LESSON_COLUMNS)} from ${lessons} where lesson_id = any($1::text[])
    order by lesson_id for update`);
  const byFingerprint = statement(`
    select ${fieldsIn(LESSON_COLUMNS)} from ${lessons}
    where coalesce(project_id, '') = coalesce($1, '') and body_fingerprint = $2 and level = 0`);
  // Read as an array: a join with what a recursion finds is planned for hundreds, and walks whole tables.
  const ofLineage = '= any(array(select lesson_id from joined))';
  const lineage = (wanted: string): string => `
    with recursive joined (lesson_id) as (
      select lesson_id from ${lessons} where lesson_id = any(${wanted})
      union select case when e.child_id = j.lesson_id then e.parent_id else e.child_id end
        from joined j join ${table('lesson_edges')} e
          on e.child_id = j.lesson_id or e.parent_id = j.lesson_id)`;
  const lineageLessons = statement(`
    ${lineage('array[$1::text]')}
    select ${fieldsIn(SUMMARY_COLUMNS)} from ${lessons} where lesson_id ${ofLineage}
    order by level, lesson_id`);
  const lineageEdges = statement(`
    ${lineage('array[$1::text]')}
    select ${fieldsIn(EDGE_COLUMNS)} from ${table('lesson_edges')} where child_id ${ofLineage}
    order by child_level, child_id, parent_id`);
  const texts = statement(`
    select ${fieldsIn(TEXT_COLUMNS)} from ${table('lesson_texts')} where lesson_id = $1
    order by version`);
  const claims = ofLessons('lesson_claims', CLAIM_COLUMNS, 'ordinal');
  const dropped = ofLessons('dropped_claims', DROPPED_COLUMNS, 'ordinal');
  const spans = ofLessons('observed_spans', SPAN_COLUMNS, 'ordinal');
  const hints = ofLessons('preserve_hints', HINT_COLUMNS, 'ordinal');
  const rescues = statement(`
    select ${fieldsIn(RESCUE_COLUMNS)} from ${table('rescues')}
    where lesson_id = any($1::text[]) order by created_at, rescue_id`);
  const covers = statement(`
    select ${fieldsIn(COVER_COLUMNS, 'v')} from ${table('claim_covers')} v
    left join ${table('lesson_claims')} c
      on c.lesson_id = v.child_id and c.claim_id = v.child_claim_id
    where v.child_id = any($1::text[]) order by v.child_id, c.ordinal, v.parent_id`);
  const tries = statement(`
    select target_id as "targetId", fingerprint, sum(tries)::bigint as tries,
      sum(rescues)::bigint as rescues
    from ${table('lesson_tries')} where lesson_id = any($1::text[])
    group by target_id, fingerprint order by target_id, fingerprint`);
  const repairs = statement(`
    select ${fieldsIn(REPAIR_COLUMNS)} from ${table('repairs')} where lesson_id = $1
    order by created_at, repair_id`);
  const bugs = statement(`
    select count(*) as bugs from ${table('lesson_events')}
    where kind = 'compression-bug' and lesson_id = $1 and version = $2`);
  const conflict = statement(`
    select ${fieldsIn(CONFLICT_COLUMNS)} from ${table('lesson_conflicts')}
    where conflict_id = $1`);
  const openConflicts = statement(`
    select ${fieldsIn(CONFLICT_COLUMNS)} from ${table('lesson_conflicts')}
    where status = 'open' and (first_id = any($1::text[]) or second_id = any($1::text[]))
    order by conflict_id`);
  const conflicts = statement(`
    select ${fieldsIn(CONFLICT_COLUMNS, 'c')} from ${table('lesson_conflicts')} c
    where exists (select from ${lessons} l where l.lesson_id in (c.first_id, c.second_id)
        and ($1::boolean or l.project_id is null or l.project_id = $2))
      and ($3::text is null or c.conflict_id < $3)
      and ($5::boolean is null or $5 = (c.status = 'open'))
    order by c.conflict_id desc limit $4`);
  // A claim keeps its fingerprint up the levels, so the rescues of a whole lineage are counted for it.
  const extras = statement(`
    select wanted.lesson_id as "lessonId",
      (select count(*) from ${table('dropped_claims')} d
        where d.lesson_id = wanted.lesson_id) as "droppedCount",
      (select c.question from ${table('lesson_conflicts')} c
        where c.status = 'open' and wanted.lesson_id in (c.first_id, c.second_id)
        order by c.conflict_id limit 1) as question,
      (select coalesce(jsonb_agg(to_jsonb(s) - 'ordinal' order by s.rescues desc, s.ordinal), '[]')
        from (
          select d.ordinal, ${fieldsIn(DROPPED_COLUMNS, 'd')}, (
            ${lineage('array[wanted.lesson_id]')}
            select count(*) from ${table('rescues')} r
            where r.lesson_id ${ofLineage} and r.fingerprint = d.fingerprint) as rescues
          from ${table('dropped_claims')} d where d.lesson_id = wanted.lesson_id
            and exists (select from ${table('rescues')} r where r.fingerprint = d.fingerprint)
          order by rescues desc, d.ordinal limit $2) s
        where s.rescues > 0) as sticky
    from unnest($1::text[]) as wanted (lesson_id)`);
  // Numbered in the order of the array; a change travels as text, so that it is read once, as what is stored.
  const addEvents = statement(`
    insert into ${table('lesson_events')} (at, kind, lesson_id, version, change)
    select $1, kind, lesson_id, version, change::jsonb
    from unnest($2::text[], $3::text[], $4::integer[], $5::text[])
      with ordinality as e (kind, lesson_id, version, change, place)
    order by place`);
  const events = statement(`
    select seq, at, change::text as change from ${table('lesson_events')}
    where seq > $1 order by seq limit $2`);

  function ofLessons<Value>(name: string, columns: Columns<Value>, order: string): Statement {
    return statement(`
      select lesson_id as "lessonId", ${fieldsIn(columns)} from ${table(name)}
      where lesson_id = any($1::text[]) order by lesson_id, ${order}`);
  }

  return (sql) => {
    const findMany = async (ids: readonly string[]) =>
      (await sql<FlatLesson>(find, [ids])).map(toLesson);
    const get = async (lessonId: string) => {
      const [lesson] = await findMany([lessonId]);
      if (lesson !== undefined) return lesson;
      throw notFound(lessonId);
    };
    return {
      ...search(sql),
      get,
      findMany,
      async findByFingerprint(projectId, fingerprint) {
        const [row] = await sql<FlatLesson>(byFingerprint, [projectId, fingerprint]);
        return row === undefined ? null : toLesson(row);
      },
      async lineage(lessonId) {
        const rows = await sql<FlatSummary>(lineageLessons, [lessonId]);
        if (rows.length === 0) throw notFound(lessonId);
        return {
          lessons: rows.map(toSummary),
          edges: await sql<LessonEdge>(lineageEdges, [lessonId]),
        };
      },
      listTexts: (lessonId) => sql<LessonText>(texts, [lessonId]),
      async ledgers(ids) {
        const ownClaims = byLesson(await sql<OfLesson<Claim>>(claims, [ids]));
        const losses = byLesson(await sql<OfLesson<DroppedClaim>>(dropped, [ids]));
        return new Map(
          ids.map((id) => [id, { claims: ownClaims(id), dropped: losses(id) }] as const),
        );
      },
      async evidence(ids) {
        const seen = byLesson(await sql<OfLesson<ObservedSpan>>(spans, [ids]));
        const kept = byLesson(await sql<OfLesson<PreserveHint>>(hints, [ids]));
        const saved = await sql<Rescue>(rescues, [ids]);
        return new Map(
          ids.map((id) => [
            id,
            {
              spans: seen(id),
              hints: kept(id),
              rescues: saved.filter(({ lessonId }) => lessonId === id),
            },
          ]),
        );
      },
      listCovers: (ids) => sql<ClaimCover>(covers, [ids]),
      trackRecords: async (ids) => (await sql<TriesRow>(tries, [ids])).map(toRecord),
      listRepairs: (lessonId) => sql<Repair>(repairs, [lessonId]),
      countCompressionBugs: async (lessonId, version) =>
        (await sql<{ readonly bugs: number }>(bugs, [lessonId, version]))[0]?.bugs ?? 0,

      async findConflict(conflictId) {
        const [row] = await sql<FlatConflict>(conflict, [conflictId]);
        return row === undefined ? null : toConflict(row);
      },
      findOpenConflicts: async (ids) =>
        (await sql<FlatConflict>(openConflicts, [ids])).map(toConflict),
      async listConflicts({ scope, open }, page) {
        const rows = await sql<FlatConflict>(conflicts, [
          ...inScope(scope),
          page.after,
          page.limit + 1,
          open ?? null,
        ]);
        return pageOf(rows.map(toConflict), page.limit, ({ conflictId }) => conflictId);
      },
      servableExtras: async (ids, limit) =>
        new Map(
          (await sql<ServableExtras>(extras, [ids, limit])).map((row) => [row.lessonId, row]),
        ),

      async lock(ids) {
        const wanted = [...new Set(ids)];
        const rows = await sql<FlatLesson>(lock, [wanted]);
        const missing = wanted.find((id) => !rows.some(({ lessonId }) => lessonId === id));
        if (missing !== undefined) throw notFound(missing);
        return rows.map(toLesson);
      },
      async append(changes, at) {
        if (changes.length === 0) return;
        await apply(sql, changes, at);
        const subjects = changes.map(subjectOf);
        await sql(addEvents, [
          at,
          changes.map(({ kind }) => kind),
          subjects.map(([lessonId]) => lessonId),
          subjects.map(([, version]) => version),
          changes.map((change) => JSON.stringify(change)),
        ]);
      },
      listEvents: async (afterSeq, limit) =>
        (await sql<EventRow>(events, [afterSeq, limit])).map(toEvent),
    };
  };
}

type OfLesson<Value> = Value & { readonly lessonId: string };

/** @returns what a lesson has of the rows, in their order. */
function byLesson<Value>(rows: readonly OfLesson<Value>[]): (lessonId: string) => readonly Value[] {
  const groups = new Map<string, Value[]>();
  for (const { lessonId, ...value } of rows) {
    const group = groups.get(lessonId) ?? [];
    group.push(value as Value);
    groups.set(lessonId, group);
  }
  return (lessonId) => groups.get(lessonId) ?? [];
}

interface TriesRow {
  readonly targetId: string;
  /** Empty: the lesson as a whole was tried. */
  readonly fingerprint: string;
  readonly tries: number;
  readonly rescues: number;
}

function toRecord({ targetId, fingerprint, tries, rescues }: TriesRow): TrackRecord {
  return {
    target:
      fingerprint === ''
        ? { kind: 'lesson', lessonId: targetId }
        : { kind: 'claim', fingerprint, holderId: targetId },
    tries,
    rescues,
  };
}

/** What an event is found by. */
function subjectOf(change: LessonChange): readonly [string | null, number | null] {
  const version = 'version' in change ? change.version : null;
  if ('lessonId' in change) return [change.lessonId, version];
  if (change.kind === 'lesson-added') return [change.lesson.lessonId, change.lesson.version];
  return [null, null];
}

interface EventRow {
  readonly seq: number;
  readonly at: Date;
  readonly change: string;
}

/** Fields of times end so, and no other field does. */
function toEvent({ seq, at, change }: EventRow): LessonEvent {
  const revive = (key: string, value: unknown): unknown =>
    key.endsWith('At') && typeof value === 'string' ? new Date(value) : value;
  return { seq, at, change: JSON.parse(change, revive) as LessonChange };
}

function notFound(lessonId: string): OssatureError {
  return new OssatureError(
    'NOT_FOUND',
    `There is no lesson ${lessonId}. List the lessons to see them.`,
    { details: { lessonId } },
  );
}
