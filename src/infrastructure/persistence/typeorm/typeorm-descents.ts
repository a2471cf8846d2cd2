/** Descents, servings and policies of lessons in Postgres. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { Descent, DescentStep } from '../../../domain/lessons/descent.js';
import {
  type LessonSettingsInput,
  parseStoredSettings,
} from '../../../domain/lessons/lesson-settings.js';
import type {
  DescentRepository,
  LessonPolicyRepository,
  ServingRepository,
} from '../../../domain/lessons/repositories.js';
import type { LessonServing } from '../../../domain/lessons/serving.js';
import { likePrefix } from './lesson-search.js';
import { type Columns, fieldsIn, namesIn, rowIn, typesIn } from './recordset-columns.js';
import { type Sql, statement } from './sql.js';

type DescentRow = Omit<Descent, 'steps'>;

export const DESCENT_COLUMNS: Columns<DescentRow> = {
  descent_id: ['text', 'descentId'],
  lesson_id: ['text', 'lessonId'],
  lesson_version: ['integer', 'lessonVersion'],
  project_id: ['text', 'projectId'],
  prompt: ['text', 'prompt'],
  episode_id: ['text', 'episodeId'],
  diagnosis: ['jsonb', 'diagnosis'],
  strategy: ['text', 'strategy'],
  max_expansions: ['integer', 'maxExpansions'],
  max_pack_tokens: ['integer', 'maxPackTokens'],
  start_pack: ['jsonb', 'startPack'],
  status: ['text', 'status'],
  ending: ['text', 'end'],
  not_considered: ['text[]', 'notConsidered'],
  warnings: ['text[]', 'warnings'],
  opened_at: ['timestamptz', 'openedAt'],
  closed_at: ['timestamptz', 'closedAt'],
};

export const STEP_COLUMNS: Columns<DescentStep> = {
  descent_id: ['text', 'descentId'],
  step: ['integer', 'step'],
  chosen: ['jsonb', 'chosen'],
  pack: ['jsonb', 'pack'],
  outcome: ['text', 'outcome'],
  reported_at: ['timestamptz', 'reportedAt'],
};

export const SERVING_COLUMNS: Columns<LessonServing> = {
  session_id: ['text', 'sessionId'],
  lesson_id: ['text', 'lessonId'],
  version: ['integer', 'version'],
  form: ['text', 'form'],
  turn: ['integer', 'turn'],
  served_at: ['timestamptz', 'servedAt'],
};

export function typeormDescents(schema: string): (sql: Sql) => DescentRepository {
  const descents = `"${schema}".descents`;
  const steps = `"${schema}".descent_steps`;
  const rowOf = `json_to_recordset($1::json) as r (${typesIn(DESCENT_COLUMNS)})`;

  const insert = statement(`
    insert into ${descents} (${namesIn(DESCENT_COLUMNS)})
    select ${namesIn(DESCENT_COLUMNS)} from ${rowOf}`);
  const putSteps = statement(`
    insert into ${steps} (${namesIn(STEP_COLUMNS)})
    select ${namesIn(STEP_COLUMNS)}
    from json_to_recordset($1::json) as r (${typesIn(STEP_COLUMNS)})
    on conflict (descent_id, step) do update set chosen = excluded.chosen, pack = excluded.pack,
      outcome = excluded.outcome, reported_at = excluded.reported_at`);
  const find = statement(`
    select ${fieldsIn(DESCENT_COLUMNS)} from ${descents} where descent_id = $1`);
  const lock = statement(`
    select ${fieldsIn(DESCENT_COLUMNS)} from ${descents} where descent_id = $1 for update`);
  const stepsOf = statement(`
    select ${fieldsIn(STEP_COLUMNS)} from ${steps} where descent_id = $1 order by step`);
  const prefixed = statement(`
    select descent_id as "descentId" from ${descents} where descent_id like $1
    order by descent_id limit $2`);
  const update = statement(`
    update ${descents} d set status = r.status, ending = r.ending, closed_at = r.closed_at,
      not_considered = r.not_considered, warnings = r.warnings, episode_id = r.episode_id
    from ${rowOf} where d.descent_id = r.descent_id returning d.descent_id`);

  return (sql) => {
    const read = async (by: typeof find, descentId: string): Promise<Descent> => {
      const [row] = await sql<DescentRow>(by, [descentId]);
      if (row === undefined) throw notFound(descentId);
      return { ...row, steps: await sql<DescentStep>(stepsOf, [descentId]) };
    };
    const put = async (changed: readonly DescentStep[]): Promise<void> => {
      if (changed.length === 0) return;
      await sql(putSteps, [JSON.stringify(changed.map((step) => rowIn(STEP_COLUMNS, step)))]);
    };
    return {
      async insert({ steps: first, ...descent }) {
        await sql(insert, [JSON.stringify([rowIn(DESCENT_COLUMNS, descent)])]);
        await put(first);
      },
      lock: (descentId) => read(lock, descentId),
      get: (descentId) => read(find, descentId),
      findByPrefix: async (prefix, limit) =>
        (await sql<{ readonly descentId: string }>(prefixed, [likePrefix(prefix), limit])).map(
          ({ descentId }) => descentId,
        ),
      async update({ steps: _steps, ...descent }, changed) {
        const rows = await sql(update, [JSON.stringify([rowIn(DESCENT_COLUMNS, descent)])]);
        if (rows.length === 0) throw notFound(descent.descentId);
        await put(changed);
      },
    };
  };
}

export function typeormServings(schema: string): (sql: Sql) => ServingRepository {
  const servings = `"${schema}".lesson_servings`;
  const find = statement(`
    select ${fieldsIn(SERVING_COLUMNS)} from ${servings}
    where session_id = $1 and lesson_id = any($2::text[]) order by lesson_id`);
  const put = statement(`
    insert into ${servings} (${namesIn(SERVING_COLUMNS)})
    select ${namesIn(SERVING_COLUMNS)}
    from json_to_recordset($1::json) as r (${typesIn(SERVING_COLUMNS)})
    on conflict (session_id, lesson_id) do update set version = excluded.version,
      form = excluded.form, turn = excluded.turn, served_at = excluded.served_at`);
  const clear = statement(`
    delete from ${servings} where session_id = $1 returning lesson_id`);
  return (sql) => ({
    find: (sessionId, lessonIds) => sql<LessonServing>(find, [sessionId, lessonIds]),
    async put(shown) {
      if (shown.length === 0) return;
      await sql(put, [JSON.stringify(shown.map((each) => rowIn(SERVING_COLUMNS, each)))]);
    },
    clear: async (sessionId) => (await sql(clear, [sessionId])).length,
  });
}

export function typeormLessonPolicies(schema: string): (sql: Sql) => LessonPolicyRepository {
  const policies = `"${schema}".lesson_policies`;
  const find = statement(`
    select overrides from ${policies} where coalesce(project_id, '') = coalesce($1, '')`);
  const set = statement(`
    insert into ${policies} (project_id, overrides) values ($1, $2)
    on conflict (coalesce(project_id, '')) do update set overrides = excluded.overrides`);
  const change = statement(`
    insert into ${policies} as p (project_id, overrides) values ($1, $2)
    on conflict (coalesce(project_id, '')) do update
    set overrides = (p.overrides - $3::text[]) || excluded.overrides`);
  return (sql) => ({
    async get(projectId) {
      const [row] = await sql<{ readonly overrides: LessonSettingsInput }>(find, [projectId]);
      return row === undefined ? {} : parseStoredSettings(row.overrides);
    },
    async set(projectId, overrides) {
      await sql(set, [projectId, JSON.stringify(overrides)]);
    },
    async change(projectId, given, without) {
      await sql(change, [projectId, JSON.stringify(given), without]);
    },
  });
}

function notFound(descentId: string): OssatureError {
  return new OssatureError('NOT_FOUND', `There is no descent ${descentId}.`, {
    details: { descentId },
  });
}
