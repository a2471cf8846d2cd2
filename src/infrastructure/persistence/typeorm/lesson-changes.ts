/** What each event of a lesson changes, as statements. The rules stand in the database. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { LessonEdge } from '../../../domain/lessons/lesson.js';
import type { LessonChange } from '../../../domain/lessons/lesson-event.js';
import {
  CLAIM_COLUMNS,
  CONFLICT_COLUMNS,
  COVER_COLUMNS,
  DROPPED_COLUMNS,
  EDGE_COLUMNS,
  flatConflict,
  flatLesson,
  HINT_COLUMNS,
  LESSON_COLUMNS,
  MARK_COLUMNS,
  REPAIR_COLUMNS,
  RESCUE_COLUMNS,
  SPAN_COLUMNS,
} from './lesson-columns.js';
import { type Columns, namesIn, rowIn, typesIn } from './recordset-columns.js';
import { type Sql, type Statement, statement } from './sql.js';
import { namesUnknown, violates } from './store-errors.js';

type Of<Kind extends LessonChange['kind']> = Extract<LessonChange, { readonly kind: Kind }>;

/** Applies changes in their order on a connection. Meant for the inside of a transaction. */
export type ApplyLessonChanges = (
  sql: Sql,
  changes: readonly LessonChange[],
  at: Date,
) => Promise<void>;

export function lessonChanges(schema: string): ApplyLessonChanges {
  const table = (name: string): string => `"${schema}".${name}`;
  const lessons = table('lessons');

  const addLesson = statement(`
    insert into ${lessons} (${namesIn(LESSON_COLUMNS)}, term_count)
    select ${namesIn(LESSON_COLUMNS)}, $2
    from json_to_recordset($1::json) as r (${typesIn(LESSON_COLUMNS)})`);
  const addTerms = statement(`
    insert into ${table('lesson_terms')} (lesson_id, term, count)
    select $1, term, count from json_to_recordset($2::json) as r (term text, count integer)`);
  const below = statement(`
    with recursive below (lesson_id) as (
      select $1::text
      union select e.child_id from ${table('lesson_edges')} e
        join below b on e.parent_id = b.lesson_id)
    select 1 as found from below where lesson_id = $2`);
  const addEdge = statement(`
    insert into ${table('lesson_edges')} (${namesIn(EDGE_COLUMNS)}, made_digest)
    select ${namesIn(EDGE_COLUMNS)}, (select body_digest from ${lessons} where lesson_id = r.parent_id)
    from json_to_recordset($1::json) as r (${typesIn(EDGE_COLUMNS)})`);
  const standing = statement(`
    update ${lessons} set status = $2, demoted_because = $3, is_apex = $4, version = $5,
      updated_at = $6 where lesson_id = $1 returning lesson_id`);
  const keepText = statement(`
    insert into ${table('lesson_texts')}
      (lesson_id, version, body, tokens, body_digest, replaced_at)
    select lesson_id, version, body, tokens, body_digest, $2 from ${lessons} where lesson_id = $1
    returning lesson_id`);
  const setText = statement(`
    update ${lessons} set body = $2, tokens = $3, body_digest = $4, body_fingerprint = $5,
      counter_name = $6, counter_version = $7, version = $8, updated_at = $9
    where lesson_id = $1 returning lesson_id`);
  const resize = statement(`
    update ${lessons} set level0_tokens = $2, updated_at = $3
    where lesson_id = $1 returning lesson_id`);
  const assure = statement(`
    update ${lessons} set provisional_because = $2, pass_rate_lower_bound = $3, updated_at = $4
    where lesson_id = $1 returning lesson_id`);
  const addStats = statement(`
    update ${lessons} set shown = shown + $2, attempts = attempts + $3::bigint + $4::bigint,
      successes = successes + $3::bigint, failures = failures + $4::bigint,
      expansions = expansions + $5, rescues = rescues + $6, saved_tokens = saved_tokens + $7,
      added_tokens = added_tokens + $8, last_used_at = coalesce($9, last_used_at)
    where lesson_id = $1 returning lesson_id`);
  const setState = statement(`
    update ${lessons} set last_attempt_at = $2, rejections = $3, saturated = $4, evidence = $5
    where lesson_id = $1 returning lesson_id`);
  const setCovers = statement(`
    insert into ${table('claim_covers')} (${namesIn(COVER_COLUMNS)})
    select ${namesIn(COVER_COLUMNS)} from json_to_recordset($1::json) as r (${typesIn(COVER_COLUMNS)})
    on conflict (child_id, child_claim_id, parent_id) do update
    set how = excluded.how, parent_claim_ids = excluded.parent_claim_ids, audited = excluded.audited`);
  const cover = statement(`
    insert into ${table('lesson_coverage')} (lesson_id, episode_id)
    select $1, unnest($2::text[]) on conflict do nothing`);
  const setMark = statement(`
    insert into ${table('episode_marks')} (${namesIn(MARK_COLUMNS)})
    select ${namesIn(MARK_COLUMNS)} from json_to_recordset($1::json) as r (${typesIn(MARK_COLUMNS)})
    on conflict (lesson_id, episode_id, kind) do update
    set marked_at = excluded.marked_at, source_digest = excluded.source_digest`);
  const liftMark = statement(`
    delete from ${table('episode_marks')}
    where lesson_id = $1 and episode_id = $2 and kind = $3`);
  const addTry = statement(`
    insert into ${table('lesson_tries')} (lesson_id, target_id, fingerprint, tries, rescues)
    values ($1, $2, $3, 1, $4)
    on conflict (lesson_id, target_id, fingerprint) do update
    set tries = lesson_tries.tries + 1, rescues = lesson_tries.rescues + excluded.rescues`);
  const addRescue = inserting(table('rescues'), RESCUE_COLUMNS);
  const addRepair = inserting(table('repairs'), REPAIR_COLUMNS);
  const useUp = statement(`
    update ${table('rescues')} set repair_id = $2 where rescue_id = any($1::text[])
    returning rescue_id`);
  const openConflict = inserting(table('lesson_conflicts'), CONFLICT_COLUMNS);
  const closeConflict = statement(`
    update ${table('lesson_conflicts')} set status = $2, kept = $3, note = $4, closed_at = $5
    where conflict_id = $1 returning conflict_id`);
  const claims = replacing(table('lesson_claims'), CLAIM_COLUMNS, null);
  const manifest = replacing(table('dropped_claims'), DROPPED_COLUMNS, 'ordinal');
  const spans = replacing(table('observed_spans'), SPAN_COLUMNS, 'ordinal');
  const hints = replacing(table('preserve_hints'), HINT_COLUMNS, 'ordinal');

  const applyHints = (sql: Sql, run: readonly Of<'hints-set'>[]): Promise<void> =>
    hints(
      sql,
      run.map((change) => [change.lessonId, change.hints]),
    );
  const applyMarks = async (sql: Sql, run: readonly Of<'mark-set'>[]): Promise<void> => {
    // A mark that is set twice is the later one, and a statement may touch a row once.
    const marks = new Map(
      run.map(({ mark }) => [`${mark.lessonId} ${mark.episodeId} ${mark.kind}`, mark]),
    );
    await sql(setMark, [
      JSON.stringify([...marks.values()].map((mark) => rowIn(MARK_COLUMNS, mark))),
    ]);
  };
  const changed = async (
    sql: Sql,
    update: Statement,
    lessonId: string,
    ...values: unknown[]
  ): Promise<void> => {
    if ((await sql(update, [lessonId, ...values])).length === 0) throw unknownLesson(lessonId);
  };

  const addLevel = async (sql: Sql, edge: LessonEdge): Promise<void> => {
    const isBelow = await sql(below, [edge.childId, edge.parentId]);
    try {
      await sql(addEdge, [JSON.stringify([rowIn(EDGE_COLUMNS, edge)])]);
    } catch (error) {
      throw edgeRefused(error, edge, isBelow.length > 0);
    }
  };

  const addFirst = async (
    sql: Sql,
    { lesson, claims: ledger, terms }: Of<'lesson-added'>,
  ): Promise<void> => {
    const termCount = terms.reduce((sum, { count }) => sum + count, 0);
    try {
      await sql(addLesson, [
        JSON.stringify([rowIn(LESSON_COLUMNS, flatLesson(lesson))]),
        termCount,
      ]);
    } catch (error) {
      throw lessonRefused(error, lesson.lessonId);
    }
    await claims(sql, [[lesson.lessonId, ledger]]);
    await sql(addTerms, [lesson.lessonId, JSON.stringify(terms)]);
  };

  const applyOne = async (sql: Sql, change: LessonChange, at: Date): Promise<void> => {
    switch (change.kind) {
      case 'lesson-added':
        return addFirst(sql, change);
      case 'edge-added':
        return addLevel(sql, change.edge);
      case 'standing-changed': {
        const { lessonId, status, demotedBecause, isApex, version } = change;
        return changed(sql, standing, lessonId, status, demotedBecause, isApex, version, at);
      }
      case 'text-changed': {
        const { lessonId, text, version } = change;
        await changed(sql, keepText, lessonId, at);
        const { body, tokens, bodyDigest, bodyFingerprint, counterName, counterVersion } = text;
        const columns = [body, tokens, bodyDigest, bodyFingerprint, counterName, counterVersion];
        await changed(sql, setText, lessonId, ...columns, version, at);
        return claims(sql, [[lessonId, change.claims]]);
      }
      case 'level0-resized':
        return changed(sql, resize, change.lessonId, change.level0Tokens, at);
      case 'assurance-changed': {
        const { lessonId, provisionalBecause, passRateLowerBound } = change;
        return changed(sql, assure, lessonId, provisionalBecause, passRateLowerBound, at);
      }
      case 'manifest-set':
        return manifest(sql, [[change.lessonId, change.dropped]]);
      case 'covers-set':
        await sql(setCovers, [
          JSON.stringify(change.covers.map((each) => rowIn(COVER_COLUMNS, each))),
        ]);
        return;
      case 'coverage-added':
        await sql(cover, [change.lessonId, change.episodeIds]);
        return;
      case 'mark-set':
        return applyMarks(sql, [change]);
      case 'mark-lifted':
        await sql(liftMark, [change.lessonId, change.episodeId, change.mark]);
        return;
      case 'spans-set':
        return spans(sql, [[change.lessonId, change.spans]]);
      case 'hints-set':
        return applyHints(sql, [change]);
      case 'stats-added': {
        const {
          shown = 0,
          successes = 0,
          failures = 0,
          expansions = 0,
          rescues = 0,
        } = change.delta;
        const { savedTokens = 0, addedTokens = 0, lastUsedAt = null } = change.delta;
        const counts = [shown, successes, failures, expansions, rescues, savedTokens, addedTokens];
        return changed(sql, addStats, change.lessonId, ...counts, lastUsedAt);
      }
      case 'compression-state-set': {
        const { lastAttemptAt, rejections, saturated, evidence } = change.compression;
        const values = [lastAttemptAt, rejections, saturated, evidence];
        return changed(sql, setState, change.lessonId, ...values);
      }
      case 'target-tried': {
        const { lessonId, target, rescued } = change;
        const [targetId, fingerprint] =
          target.kind === 'claim' ? [target.holderId, target.fingerprint] : [target.lessonId, ''];
        await sql(addTry, [lessonId, targetId, fingerprint, Number(rescued)]);
        return;
      }
      case 'rescue-recorded':
        await sql(addRescue, [JSON.stringify([rowIn(RESCUE_COLUMNS, change.rescue)])]);
        return;
      case 'repair-recorded': {
        const { repair, rescueIds } = change;
        await sql(addRepair, [JSON.stringify([rowIn(REPAIR_COLUMNS, repair)])]);
        const used = await sql(useUp, [rescueIds, repair.repairId]);
        if (used.length < rescueIds.length) throw unknownRescue(rescueIds);
        return;
      }
      case 'conflict-opened':
        await sql(openConflict, [
          JSON.stringify([rowIn(CONFLICT_COLUMNS, flatConflict(change.conflict))]),
        ]);
        return;
      case 'conflict-closed': {
        const { conflictId, status, kept, note, closedAt } = change.conflict;
        await sql(closeConflict, [conflictId, status, kept, note, closedAt]);
        return;
      }
      case 'attempt-ended':
      case 'compression-bug':
      case 'knowledge-gap':
        return;
    }
  };

  return async (sql, changes, at) => {
    for (const run of runsOfOneKind(changes)) {
      if (isAll(run, 'hints-set')) await applyHints(sql, run);
      else if (isAll(run, 'mark-set')) await applyMarks(sql, run);
      else for (const change of run) await applyOne(sql, change, at);
    }
  };
}

/** A failed sample and a repair change many lessons in one way: each way is one statement. */
function runsOfOneKind(changes: readonly LessonChange[]): readonly (readonly LessonChange[])[] {
  const runs: LessonChange[][] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    if (run?.[0]?.kind === change.kind) run.push(change);
    else runs.push([change]);
  }
  return runs;
}

function isAll<Kind extends LessonChange['kind']>(
  run: readonly LessonChange[],
  kind: Kind,
): run is readonly Of<Kind>[] {
  return run[0]?.kind === kind;
}

function inserting<Value>(table: string, columns: Columns<Value>): Statement {
  return statement(`
    insert into ${table} (${namesIn(columns)})
    select ${namesIn(columns)} from json_to_recordset($1::json) as r (${typesIn(columns)})`);
}

/** All rows of lessons anew, in their order. @param place column of the order, where it is no field. */
function replacing<Value>(table: string, columns: Columns<Value>, place: 'ordinal' | null) {
  const placed = place === null ? '' : `, ${place}`;
  const clear = statement(`delete from ${table} where lesson_id = any($1::text[])`);
  const fill = statement(`
    insert into ${table} (lesson_id, ${namesIn(columns)}${placed})
    select lesson_id, ${namesIn(columns)}${placed}
    from json_to_recordset($1::json)
      as r (lesson_id text, ${typesIn(columns)}${place === null ? '' : `, ${place} integer`})`);
  return async (
    sql: Sql,
    given: readonly (readonly [lessonId: string, values: readonly Value[]])[],
  ): Promise<void> => {
    // A lesson that is given twice has what was given last.
    const valuesOf = new Map(given);
    await sql(clear, [[...valuesOf.keys()]]);
    const rows = [...valuesOf].flatMap(([lessonId, values]) =>
      values.map((value, index) => ({
        lesson_id: lessonId,
        ...rowIn(columns, value),
        ...(place !== null && { [place]: index + 1 }),
      })),
    );
    if (rows.length > 0) await sql(fill, [JSON.stringify(rows)]);
  };
}

function lessonRefused(error: unknown, lessonId: string): unknown {
  if (violates(error, 'lessons_text_of_scope')) {
    return refused('ALREADY_EXISTS', 'A lesson of this scope has this text already.', error);
  }
  if (namesUnknown(error)) {
    return refused('NOT_FOUND', `Lesson ${lessonId} names a project that is not stored.`, error);
  }
  return error;
}

function edgeRefused(error: unknown, edge: LessonEdge, isBelow: boolean): unknown {
  const { childId, parentId, childLevel, parentLevel } = edge;
  if (isBelow) return refused('CYCLE', `Lesson ${parentId} stands below ${childId}.`, error);
  if (violates(error, 'lesson_edges_made_once') || violates(error, 'lesson_edges_pkey')) {
    return refused('ALREADY_EXISTS', 'The source has been given this text before.', error);
  }
  const isMisfit = ['lead_upwards', 'of_one_level'].some((rule) =>
    constraintOf(error).endsWith(rule),
  );
  if (isMisfit || namesUnknown(error)) {
    const levels = `from level ${childLevel} to ${parentLevel}`;
    return refused('LEVEL_RULE', `An edge ${levels} breaks the rule of levels.`, error);
  }
  return error;
}

function constraintOf(error: unknown): string {
  const { constraint } = (OssatureError.is(error) ? (error.cause ?? {}) : {}) as {
    readonly constraint?: string;
  };
  return constraint ?? '';
}

function unknownLesson(lessonId: string): OssatureError {
  return refused('NOT_FOUND', `There is no lesson ${lessonId}. List the lessons to see them.`);
}

function unknownRescue(rescueIds: readonly string[]): OssatureError {
  return refused('STORE_FAILED', `There is no rescue ${rescueIds.join(', ')}.`);
}

function refused(
  code: 'ALREADY_EXISTS' | 'NOT_FOUND' | 'CYCLE' | 'LEVEL_RULE' | 'STORE_FAILED',
  message: string,
  cause?: unknown,
): OssatureError {
  return new OssatureError(code, message, { cause });
}
