/** Trails in Postgres. */
import type {
  SessionKey,
  TrailRepository,
  TrailUpdate,
} from '../../../domain/session/repositories.js';
import { errorId, type SessionError } from '../../../domain/session/trail/session-errors.js';
import type { SessionTodo } from '../../../domain/session/trail/session-todos.js';
import { renamesOf } from '../../../domain/session/trail/stored-trail.js';
import { EMPTY_TRAIL } from '../../../domain/session/trail/trail.js';
import { type Sql, type Statement, statement } from './sql.js';
import {
  ARTIFACT_FIELDS,
  type ArtifactRow,
  ARTIFACTS,
  COMMAND_FIELDS,
  type CommandRow,
  COMMANDS,
  ERROR_FIELDS,
  ERRORS,
  EVENT_FIELDS,
  type EventRow,
  EVENTS,
  TODO_FIELDS,
  TODOS,
  toArtifact,
  toCommand,
  toEvent,
  type TrailTable,
} from './trail-columns.js';

const OF_SESSION = 'tenant_id = $1 and session_id = $2';

export function typeormTrails(schema: string): (sql: Sql) => TrailRepository {
  const table = (name: string): string => `"${schema}".${name}`;
  /** @param conflict columns or expressions that identify a row; empty: rows are new. */
  const insert = <Value>({ name, types }: TrailTable<Value>, conflict: string): Statement => {
    const columns = Object.keys(types);
    const update = columns.map((column) => `${column} = excluded.${column}`).join(', ');
    return statement(`
      insert into ${table(name)} (tenant_id, session_id, ${columns.join(', ')})
      select $1, $2, ${columns.join(', ')} from json_to_recordset($3::json) as r
        (${Object.entries(types)
          .map(([column, type]) => `${column} ${type}`)
          .join(', ')})
      ${conflict === '' ? '' : `on conflict (tenant_id, session_id, ${conflict}) do update set ${update}`}`);
  };
  const addEvents = insert(EVENTS, '');
  const putArtifacts = insert(ARTIFACTS, 'md5(path)');
  const putCommands = insert(COMMANDS, 'seq');
  const putErrors = insert(ERRORS, 'md5(key), md5(signature)');
  const addTodos = insert(TODOS, '');
  const vacate = statement(`
    delete from ${table('artifacts')} where ${OF_SESSION} and path = any($3::text[])`);
  const dropTodos = statement(`delete from ${table('session_todos')} where ${OF_SESSION}`);
  const setUnmapped = statement(`
    update ${table('sessions')} set unmapped_tools = $3 where ${OF_SESSION}`);
  const clear = {
    ...statement(`select "${schema}".clear_trail($1, $2)`),
    writes: true,
  };

  const select = (fields: string, name: string, rest = ''): Statement =>
    statement(`select ${fields} from ${table(name)} where ${OF_SESSION} ${rest}`);
  const artifacts = select(ARTIFACT_FIELDS, 'artifacts', 'order by first_seq, path collate "C"');
  const commands = select(COMMAND_FIELDS, 'session_commands', 'order by seq');
  const errors = select(
    ERROR_FIELDS,
    'session_errors',
    'order by seen_at[1], signature collate "C", key collate "C"',
  );
  const todos = select(TODO_FIELDS, 'session_todos', 'order by place');
  const unmapped = select('unmapped_tools as "unmappedTools"', 'sessions');
  const renames = select(
    EVENT_FIELDS,
    'artifact_events',
    `and action = 'renamed' and ok order by result_seq, seq, ordinal`,
  );
  const events = select(
    EVENT_FIELDS,
    'artifact_events',
    'and ($3::text[] is null or path = any($3)) order by result_seq, seq, ordinal',
  );

  return (sql) => {
    const put = async <Value>(
      { tenantId, sessionId }: SessionKey,
      into: Statement,
      { rowOf }: TrailTable<Value>,
      values: readonly Value[],
    ): Promise<void> => {
      if (values.length === 0) return;
      await sql(into, [tenantId, sessionId, JSON.stringify(values.map(rowOf))]);
    };
    const write = async (key: SessionKey, update: TrailUpdate): Promise<void> => {
      const own = [key.tenantId, key.sessionId];
      await put(key, addEvents, EVENTS, update.events);
      if (update.vacatedPaths.length > 0) await sql(vacate, [...own, update.vacatedPaths]);
      await put(key, putArtifacts, ARTIFACTS, update.artifacts);
      await put(key, putCommands, COMMANDS, update.commands);
      await put(key, putErrors, ERRORS, update.errors);
      if (update.todos !== null) {
        await sql(dropTodos, own);
        await put(key, addTodos, TODOS, update.todos);
      }
      if (update.unmappedTools !== null) {
        const counts = JSON.stringify(Object.fromEntries(update.unmappedTools));
        await sql(setUnmapped, [...own, counts]);
      }
    };
    return {
      async read({ tenantId, sessionId }) {
        const own = [tenantId, sessionId];
        const [head] = await sql<{ readonly unmappedTools: Record<string, number> }>(unmapped, own);
        if (head === undefined) return EMPTY_TRAIL;
        const rows = {
          artifacts: (await sql<ArtifactRow>(artifacts, own)).map(toArtifact),
          commands: (await sql<CommandRow>(commands, own)).map(toCommand),
          errors: await sql<SessionError>(errors, own),
          renamed: (await sql<EventRow>(renames, own)).map(toEvent),
        };
        return {
          ...EMPTY_TRAIL,
          artifacts: new Map(rows.artifacts.map((artifact) => [artifact.path, artifact])),
          commands: new Map(rows.commands.map((command) => [command.seq, command])),
          errors: new Map(rows.errors.map((error) => [errorId(error), error])),
          todos: await sql<SessionTodo>(todos, own),
          renames: renamesOf(rows.renamed),
          unmappedTools: new Map(Object.entries(head.unmappedTools)),
        };
      },
      listEvents: async ({ tenantId, sessionId }, paths) =>
        (await sql<EventRow>(events, [tenantId, sessionId, paths ?? null])).map(toEvent),
      write,
      async replace(key, update) {
        await sql(clear, [key.tenantId, key.sessionId]);
        await write(key, update);
      },
    };
  };
}
