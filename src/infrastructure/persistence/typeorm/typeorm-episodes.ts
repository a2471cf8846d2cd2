/** Episodes, uses and marks in Postgres. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type {
  Episode,
  EpisodeMark,
  LessonUse,
  RecordedUse,
  RegressionEntry,
} from '../../../domain/lessons/episode.js';
import type { EpisodeRepository } from '../../../domain/lessons/repositories.js';
import { MARK_COLUMNS } from './lesson-columns.js';
import { likePrefix, REPLAYABLE } from './lesson-search.js';
import { type Columns, fieldsIn, namesIn, rowIn, typesIn } from './recordset-columns.js';
import { type Sql, statement } from './sql.js';
import { namesUnknown, violates } from './store-errors.js';

export const EPISODE_COLUMNS: Columns<Episode> = {
  episode_id: ['text', 'episodeId'],
  project_id: ['text', 'projectId'],
  axis: ['text', 'axis'],
  prompt: ['text', 'prompt'],
  prompt_cut_characters: ['integer', 'promptCutCharacters'],
  outcome: ['text', 'outcome'],
  confidence: ['double precision', 'confidence'],
  accepted_summary: ['text', 'acceptedSummary'],
  mechanical_check: ['jsonb', 'check'],
  session_id: ['text', 'sessionId'],
  created_at: ['timestamptz', 'createdAt'],
};

type UseRow = Omit<RecordedUse, 'lessons'>;

export const USE_COLUMNS: Columns<UseRow> = {
  use_id: ['text', 'useId'],
  use_key: ['text', 'useKey'],
  content_digest: ['text', 'contentDigest'],
  kind: ['text', 'kind'],
  episode_id: ['text', 'episodeId'],
  session_id: ['text', 'sessionId'],
  receipt: ['jsonb', 'receipt'],
  created_at: ['timestamptz', 'createdAt'],
};

export const LESSON_USE_COLUMNS: Columns<LessonUse> = {
  lesson_id: ['text', 'lessonId'],
  used: ['boolean', 'used'],
  corrected: ['boolean', 'corrected'],
  succeeded: ['boolean', 'succeeded'],
  credited: ['boolean', 'credited'],
};

export function typeormEpisodes(schema: string): (sql: Sql) => EpisodeRepository {
  const table = (name: string): string => `"${schema}".${name}`;
  const episodes = table('episodes');

  const insert = statement(`
    insert into ${episodes} (${namesIn(EPISODE_COLUMNS)})
    select ${namesIn(EPISODE_COLUMNS)}
    from json_to_recordset($1::json) as r (${typesIn(EPISODE_COLUMNS)})`);
  const find = statement(`
    select ${fieldsIn(EPISODE_COLUMNS)} from ${episodes} where episode_id = any($1::text[])`);
  const prefixed = statement(`
    select episode_id as "episodeId" from ${episodes} where episode_id like $1
    order by episode_id limit $2`);
  const useOf = statement(`
    select ${fieldsIn(USE_COLUMNS, 'u')},
      (select coalesce(jsonb_agg(jsonb_build_object('lessonId', l.lesson_id, 'used', l.used,
          'corrected', l.corrected, 'succeeded', l.succeeded, 'credited', l.credited)
          order by l.place), '[]')
        from ${table('lesson_uses')} l where l.use_id = u.use_id) as lessons
    from ${table('episode_uses')} u where u.use_key = $1`);
  const addUse = statement(`
    insert into ${table('episode_uses')} (${namesIn(USE_COLUMNS)})
    select ${namesIn(USE_COLUMNS)}
    from json_to_recordset($1::json) as r (${typesIn(USE_COLUMNS)})`);
  const addLessons = statement(`
    insert into ${table('lesson_uses')} (use_id, episode_id, place, ${namesIn(LESSON_USE_COLUMNS)})
    select $1, $2, place, ${namesIn(LESSON_USE_COLUMNS)}
    from json_to_recordset($3::json) as r (place integer, ${typesIn(LESSON_USE_COLUMNS)})`);
  const credited = statement(`
    select distinct l.lesson_id as "lessonId" from ${table('episode_uses')} u
    join ${table('lesson_uses')} l on l.use_id = u.use_id
    where u.session_id = $1 and l.credited and l.lesson_id = any($2::text[])`);
  const below = `
    with recursive below (lesson_id) as (
      select $1::text
      union select e.child_id from ${table('lesson_edges')} e
        join below b on e.parent_id = b.lesson_id)`;
  const regression = statement(`
    ${below},
      levels as (
        select l.lesson_id, l.level, l.body_digest from below b join ${table('lessons')} l using (lesson_id)),
      ties as (
        select c.episode_id, c.lesson_id from ${table('lesson_coverage')} c
          join below b on b.lesson_id = c.lesson_id
        union all
        select u.episode_id, u.lesson_id from ${table('lesson_uses')} u
          join below b on b.lesson_id = u.lesson_id where u.used and not u.corrected),
      members as (
        select distinct on (t.episode_id) t.episode_id, t.lesson_id as tied_to
        from ties t join levels l on l.lesson_id = t.lesson_id
        order by t.episode_id, l.level desc, t.lesson_id),
      marks as (
        select m.episode_id,
          max(m.marked_at) filter (where m.kind = 'sticky') as sticky_at,
          bool_or(m.kind = 'exposed') as exposed,
          bool_or(m.kind = 'quarantined' and m.source_digest = l.body_digest) as quarantined
        from ${table('episode_marks')} m join levels l on l.lesson_id = m.lesson_id
        group by m.episode_id),
      entries as (
        select p.episode_id, p.axis, p.created_at, m.tied_to, k.sticky_at,
          coalesce(k.exposed, false) as exposed, coalesce(k.quarantined, false) as quarantined,
          row_number() over (order by p.created_at desc, p.episode_id desc) as place
        from members m join ${episodes} p on p.episode_id = m.episode_id and ${REPLAYABLE}
        left join marks k on k.episode_id = m.episode_id)
    select episode_id as "episodeId", axis, created_at as "createdAt", tied_to as "tiedTo",
      sticky_at as "stickyAt", exposed, quarantined
    from entries where place <= $2 or sticky_at is not null order by episode_id`);
  const exists = statement(`select 1 as found from ${table('lessons')} where lesson_id = $1`);
  const covered = statement(`
    select episode_id as "episodeId" from ${table('lesson_coverage')} where lesson_id = $1
    order by episode_id`);
  const marks = statement(`
    ${below}
    select ${fieldsIn(MARK_COLUMNS, 'm')} from ${table('episode_marks')} m
    join below b on b.lesson_id = m.lesson_id
    where $2::text is null or m.episode_id = $2
    order by m.lesson_id, m.episode_id, m.kind`);
  const together = statement(`
    select count(*) as uses from (
      select u.use_id from ${table('lesson_uses')} u
      join ${episodes} p on p.episode_id = u.episode_id and p.outcome = 'success'
      where u.lesson_id = any($1::text[]) and u.used and not u.corrected
      group by u.use_id having count(distinct u.lesson_id) = $2) both_used`);

  return (sql) => {
    const getMany = async (ids: readonly string[]): Promise<readonly Episode[]> => {
      const found = new Map(
        (await sql<Episode>(find, [ids])).map((episode) => [episode.episodeId, episode]),
      );
      return ids.map((id) => {
        const episode = found.get(id);
        if (episode !== undefined) return episode;
        throw new OssatureError('NOT_FOUND', `There is no episode ${id}.`, {
          details: { episodeId: id },
        });
      });
    };
    return {
      async insert(episode) {
        try {
          await sql(insert, [JSON.stringify([rowIn(EPISODE_COLUMNS, episode)])]);
        } catch (error) {
          if (!namesUnknown(error)) throw error;
          throw new OssatureError(
            'NOT_FOUND',
            `The episode names the project ${episode.projectId ?? ''}, which is not stored.`,
            { cause: error, details: { projectId: episode.projectId } },
          );
        }
      },
      async get(episodeId) {
        const [episode] = await getMany([episodeId]);
        if (episode !== undefined) return episode;
        throw new OssatureError('NOT_FOUND', `There is no episode ${episodeId}.`);
      },
      getMany,
      findByPrefix: async (prefix, limit) =>
        (await sql<{ readonly episodeId: string }>(prefixed, [likePrefix(prefix), limit])).map(
          ({ episodeId }) => episodeId,
        ),
      findUse: async (useKey) => (await sql<RecordedUse>(useOf, [useKey]))[0] ?? null,
      async insertUse({ lessons, ...use }) {
        try {
          await sql(addUse, [JSON.stringify([rowIn(USE_COLUMNS, use)])]);
        } catch (error) {
          if (!violates(error, 'episode_uses_key')) throw error;
          throw new OssatureError(
            'ALREADY_EXISTS',
            `The key ${use.useKey} recorded a use before.`,
            {
              cause: error,
              details: { useKey: use.useKey },
            },
          );
        }
        const rows = lessons.map((lesson, index) => ({
          place: index + 1,
          ...rowIn(LESSON_USE_COLUMNS, lesson),
        }));
        await sql(addLessons, [use.useId, use.episodeId, JSON.stringify(rows)]);
      },
      async findCredited(sessionId, lessonIds) {
        const rows = await sql<{ readonly lessonId: string }>(credited, [sessionId, lessonIds]);
        const found = new Set(rows.map(({ lessonId }) => lessonId));
        return lessonIds.filter((id) => found.has(id));
      },
      async regressionSet(lessonId, limit) {
        if ((await sql(exists, [lessonId])).length === 0) {
          throw new OssatureError(
            'NOT_FOUND',
            `There is no lesson ${lessonId}. List the lessons to see them.`,
            { details: { lessonId } },
          );
        }
        return sql<RegressionEntry>(regression, [lessonId, limit]);
      },
      listCovered: async (lessonId) =>
        (await sql<{ readonly episodeId: string }>(covered, [lessonId])).map(
          ({ episodeId }) => episodeId,
        ),
      listMarks: (lessonId, episodeId) => sql<EpisodeMark>(marks, [lessonId, episodeId ?? null]),
      async countUsedTogether(lessonIds) {
        const wanted = [...new Set(lessonIds)];
        const [row] = await sql<{ readonly uses: number }>(together, [wanted, wanted.length]);
        return row?.uses ?? 0;
      },
    };
  };
}
