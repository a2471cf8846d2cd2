/** Finding lessons: what is due, what may apply, what stands in a list. No text is read. */
import type {
  ApexMatch,
  DueFilter,
  LessonFilter,
  LessonRepository,
  Page,
  Paged,
  Scope,
} from '../../../domain/lessons/repositories.js';
import { COSTLY_FROM_USES, type LessonSummary } from '../../../domain/lessons/lesson.js';
import type { LessonTerm } from '../../../domain/lessons/lesson-event.js';
import { type FlatSummary, SUMMARY_COLUMNS, toSummary } from './lesson-columns.js';
import { fieldsIn } from './recordset-columns.js';
import { type Sql, statement } from './sql.js';

type Search = Pick<
  LessonRepository,
  'list' | 'listDue' | 'searchApexes' | 'listByPosterior' | 'listRepairable' | 'findByPrefix'
>;

/** `$1`: whether all are seen, `$2`: the project beside the global ones. */
const IN_SCOPE = `($1::boolean or l.project_id is null or l.project_id = $2)`;

/** Of an episode `p`. */
export const REPLAYABLE = `p.outcome = 'success'
  and (p.accepted_summary is not null or p.mechanical_check is not null)`;

/** Longest exponent that is computed: 2^30 seconds are longer than any cooldown. */
const MAX_DOUBLINGS = 30;

export function lessonSearch(schema: string): (sql: Sql) => Search {
  const lessons = `"${schema}".lessons l`;
  const summary = fieldsIn(SUMMARY_COLUMNS, 'l');

  const list = statement(`
    select ${summary} from ${lessons}
    where ${IN_SCOPE} and ($3::text is null or l.lesson_id > $3)
      and ($5::text is null or l.family = $5) and ($6::text is null or l.status = $6)
      and ($7::integer is null or l.level = $7)
      and (not $8::boolean or (l.attempts >= ${COSTLY_FROM_USES} and l.saved_tokens < l.added_tokens))
      and (not $9::boolean or l.is_apex)
    order by l.lesson_id limit $4`);

  // In the order of the index, so that only as many lessons are looked at as a page needs.
  const due = statement(`
    select ${summary} from ${lessons}
    where l.is_apex and l.status = 'active' and not l.saturated
      and l.successes >= $5 and ${IN_SCOPE}
      and ($3::bigint is null or (l.successes, $4::text) < ($3, l.lesson_id))
      and l.level < $6 and l.tokens >= $7
      and (l.last_attempt_at is null or l.last_attempt_at + interval '1 second' * least(
        $10::bigint, $9::bigint * (2::bigint ^ least(greatest(l.rejections - 1, 0), ${MAX_DOUBLINGS})))
        <= $8)
      and exists (
        with recursive below (lesson_id) as (
          select l.lesson_id
          union select e.child_id from "${schema}".lesson_edges e
            join below b on e.parent_id = b.lesson_id)
        select from below b cross join lateral (
          select c.episode_id from "${schema}".lesson_coverage c where c.lesson_id = b.lesson_id
          union all
          select u.episode_id from "${schema}".lesson_uses u
            where u.lesson_id = b.lesson_id and u.used and not u.corrected) tied
        join "${schema}".episodes p on p.episode_id = tied.episode_id and ${REPLAYABLE}
        where not exists (
          select from below q join "${schema}".episode_marks m
            on m.lesson_id = q.lesson_id and m.episode_id = tied.episode_id
              and m.kind = 'quarantined'
          join "${schema}".lessons s
            on s.lesson_id = m.lesson_id and s.body_digest = m.source_digest))
    order by l.successes desc, l.lesson_id limit $11`);

  const search = statement(`
    with scope as (
        select l.lesson_id, l.term_count from ${lessons} where l.is_apex and ${IN_SCOPE}),
      hits as materialized (
        select t.lesson_id, t.term, t.count from "${schema}".lesson_terms t
        join scope s on s.lesson_id = t.lesson_id where t.term = any($3::text[])),
      matched as (
        select h.lesson_id,
          jsonb_agg(jsonb_build_object('term', h.term, 'count', h.count) order by h.term) as terms
        from hits h group by h.lesson_id)
    select (select count(*) from scope) as "lessonsInScope",
      (select coalesce(avg(term_count), 0)::double precision from scope) as "meanLength",
      (select coalesce(jsonb_object_agg(f.term, f.found), '{}') from (
        select h.term, count(*) as found from hits h group by h.term) f) as "frequencies",
      m.terms, l.term_count as length, ${summary}
    from (select) one left join (matched m join ${lessons} on l.lesson_id = m.lesson_id) on true`);

  const byPosterior = statement(`
    select ${summary} from ${lessons}
    where l.is_apex and ${IN_SCOPE} and l.lesson_id <> all($4::text[])
    order by (l.successes + 1)::double precision / (l.attempts + 2) desc, l.lesson_id limit $3`);

  const repairable = statement(`
    select distinct l.lesson_id as "lessonId" from ${lessons}
    join "${schema}".rescues r on r.lesson_id = l.lesson_id and r.repair_id is null
    where ${IN_SCOPE} and l.level > 0 and ($3::text is null or l.lesson_id > $3)
    group by l.lesson_id, r.fingerprint having count(*) >= $5
    order by l.lesson_id limit $4`);

  const prefixed = statement(`
    select l.lesson_id as "lessonId" from ${lessons} where l.lesson_id like $1
    order by l.lesson_id limit $2`);

  return (sql) => ({
    async list(filter: LessonFilter, page: Page) {
      const { family, status, level, costly = false, apex = false } = filter;
      const values = [family ?? null, status ?? null, level ?? null, costly, apex];
      const rows = await sql<FlatSummary>(list, [
        ...inScope(filter.scope),
        page.after,
        page.limit + 1,
        ...values,
      ]);
      return pageOf(rows.map(toSummary), page.limit, ({ lessonId }) => lessonId);
    },

    async listDue(filter: DueFilter, page: Page) {
      const [successes = null, lessonId = null] = page.after === null ? [] : partsOf(page.after);
      const rows = await sql<FlatSummary>(due, [
        ...inScope(filter.scope),
        successes,
        lessonId,
        filter.minSuccesses,
        filter.maxLevel,
        filter.minTokens,
        filter.now,
        filter.cooldownSeconds,
        filter.cooldownMaxSeconds,
        page.limit + 1,
      ]);
      return pageOf(rows.map(toSummary), page.limit, keyOfDue);
    },

    async searchApexes(scope, terms) {
      const asked = [...new Set(terms)];
      const rows = await sql<SearchRow>(search, [...inScope(scope), asked]);
      const [first] = rows;
      const frequencies = first?.frequencies ?? {};
      return {
        lessonsInScope: first?.lessonsInScope ?? 0,
        meanLength: first?.meanLength ?? 0,
        documentFrequencies: new Map(asked.map((term) => [term, frequencies[term] ?? 0])),
        matches: rows.flatMap(matchIn),
      };
    },

    listByPosterior: async (scope, limit, except) =>
      (await sql<FlatSummary>(byPosterior, [...inScope(scope), limit, except])).map(toSummary),

    async listRepairable(scope, minRescues, page) {
      const rows = await sql<{ readonly lessonId: string }>(repairable, [
        ...inScope(scope),
        page.after,
        page.limit + 1,
        minRescues,
      ]);
      return pageOf(
        rows.map(({ lessonId }) => lessonId),
        page.limit,
        (lessonId) => lessonId,
      );
    },

    findByPrefix: async (prefix, limit) =>
      (await sql<{ readonly lessonId: string }>(prefixed, [likePrefix(prefix), limit])).map(
        ({ lessonId }) => lessonId,
      ),
  });
}

interface Totals {
  readonly lessonsInScope: number;
  readonly meanLength: number;
  readonly frequencies: Readonly<Record<string, number>>;
}

type SearchRow = Totals &
  FlatSummary & {
    /** Null where nothing matched. */
    readonly terms: readonly LessonTerm[] | null;
    readonly length: number;
  };

function matchIn(row: SearchRow): readonly ApexMatch[] {
  const { terms, length, lessonsInScope: _all, meanLength: _mean, frequencies: _df, ...flat } = row;
  return terms === null ? [] : [{ lesson: toSummary(flat), length, terms }];
}

/** The first two values of a statement with `IN_SCOPE`. */
export function inScope(scope: Scope): readonly [boolean, string | null] {
  return [scope === undefined, scope ?? null];
}

/** @param rows one more than the limit where there is another page. */
export function pageOf<Item>(
  rows: readonly Item[],
  limit: number,
  keyOf: (item: Item) => string,
): Paged<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? keyOf(last) : null };
}

/** A pattern of texts that begin so. */
export function likePrefix(prefix: string): string {
  return `${prefix.replace(/[\\%_]/g, String.raw`\$&`)}%`;
}

function keyOfDue({ lessonId, stats }: LessonSummary): string {
  return `${stats.successes} ${lessonId}`;
}

function partsOf(after: string): readonly string[] {
  const space = after.indexOf(' ');
  return [after.slice(0, space), after.slice(space + 1)];
}
