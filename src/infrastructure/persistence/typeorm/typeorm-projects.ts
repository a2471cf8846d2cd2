/** Projects and their context policies in Postgres. */
import type { CompressionRatio } from '../../../domain/context/compression-ratio.js';
import type { PolicyView } from '../../../domain/context/context-policy.js';
import type { Project } from '../../../domain/context/project.js';
import type {
  ContextPolicyRepository,
  ProjectRepository,
} from '../../../domain/context/repositories.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { type Sql, statement } from './sql.js';
import { namesUnknown, violates } from './store-errors.js';

export function typeormProjects(schema: string): (sql: Sql) => ProjectRepository {
  const projects = `"${schema}".projects`;
  const select = `select project_id as "projectId", name, created_at as "createdAt" from ${projects}`;
  const insert = statement(
    `insert into ${projects} (project_id, name, created_at) values ($1, $2, $3)`,
  );
  const byName = statement(`${select} where name = $1`);
  const byId = statement(`${select} where project_id = $1`);
  const all = statement(`${select} order by name collate "C"`);

  return (sql) => ({
    async insert({ projectId, name, createdAt }) {
      try {
        await sql(insert, [projectId, name, createdAt]);
      } catch (error) {
        if (!violates(error, 'projects_name_key')) throw error;
        throw new OssatureError(
          'ALREADY_EXISTS',
          `There is already a project ${JSON.stringify(name)}. Use it, or choose another name.`,
          { details: { name }, cause: error },
        );
      }
    },
    findByName: async (name) => (await sql<Project>(byName, [name]))[0] ?? null,
    async get(projectId) {
      const [project] = await sql<Project>(byId, [projectId]);
      if (project !== undefined) return project;
      throw new OssatureError('NOT_FOUND', `There is no project ${projectId}.`, {
        details: { projectId },
      });
    },
    list: () => sql<Project>(all),
  });
}

export function typeormPolicies(schema: string): (sql: Sql) => ContextPolicyRepository {
  const policies = `"${schema}".context_policies`;
  const byProject = statement(
    `select view, skeleton_ratio as ratio from ${policies} where project_id = $1`,
  );
  const set = statement(`
    insert into ${policies} (project_id, view, skeleton_ratio, updated_at) values ($1, $2, $3, $4)
    on conflict (project_id, view)
    do update set skeleton_ratio = excluded.skeleton_ratio, updated_at = excluded.updated_at`);
  const clear = statement(`
    with cleared as (delete from ${policies} where project_id = $1 and view = $2)
    select project_id from "${schema}".projects where project_id = $1`);
  const unknown = (projectId: string, cause?: unknown): OssatureError =>
    new OssatureError('NOT_FOUND', `There is no project ${projectId}.`, {
      details: { projectId },
      cause,
    });

  return (sql) => ({
    async get(projectId) {
      const rows = await sql<{ readonly view: PolicyView; readonly ratio: CompressionRatio }>(
        byProject,
        [projectId],
      );
      return {
        projectId,
        skeletonRatios: Object.fromEntries(rows.map(({ view, ratio }) => [view, ratio])),
      };
    },
    async setSkeletonRatio(projectId, view, ratio, now) {
      if (ratio === null) {
        if ((await sql(clear, [projectId, view])).length > 0) return;
        throw unknown(projectId);
      }
      try {
        await sql(set, [projectId, view, ratio, now]);
      } catch (error) {
        throw namesUnknown(error) ? unknown(projectId, error) : error;
      }
    },
  });
}
