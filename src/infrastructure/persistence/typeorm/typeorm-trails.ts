/** Trails in Postgres. */
import {
  type SessionKey,
  TRAIL_PARTS,
  type TrailPart,
  type TrailRepository,
  type TrailUpdate,
} from '../../../domain/session/repositories.js';
import {
  errorId,
  readErrorId,
  type SessionError,
} from '../../../domain/session/trail/session-errors.js';
import type { Artifact } from '../../../domain/session/trail/artifact.js';
import type { SessionCommand } from '../../../domain/session/trail/session-commands.js';
import type { SessionTodo } from '../../../domain/session/trail/session-todos.js';
import { renamesOf } from '../../../domain/session/trail/stored-trail.js';
import { EMPTY_TRAIL } from '../../../domain/session/trail/trail.js';
import type { TrailNeeds } from '../../../domain/session/trail/trail-needs.js';
import type { TrailRows } from '../../../domain/session/trail/trail-part.js';
import { readRunning, runningText } from './open-trail-columns.js';
import { type Sql, type Statement, statement } from './sql.js';
import { trailEvents } from './trail-events.js';
import {
  ARTIFACT_FIELDS,
  type ArtifactRow,
  ARTIFACTS,
  COMMAND_FIELDS,
  type CommandRow,
  COMMANDS,
  CONTENTS,
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

interface HeadRow {
  readonly seq: number;
  readonly running: string;
  readonly unmappedTools: Record<string, number>;
  readonly paths: readonly string[];
  readonly touched: readonly number[];
}

export function typeormTrails(schema: string): (sql: Sql) => TrailRepository {
  const eventsBy = trailEvents(schema);
  const table = (name: string): string => `"${schema}".${name}`;
  /**
   * @param rows the parameter that holds them.
   * @param conflict columns or expressions that identify a row; empty: rows are new.
   */
  const insert = <Value>(
    { name, types }: TrailTable<Value>,
    rows: string,
    conflict: string,
  ): string => {
    const columns = Object.keys(types);
    const update = columns.map((column) => `${column} = excluded.${column}`).join(', ');
    return `
      insert into ${table(name)} (tenant_id, session_id, ${columns.join(', ')})
      select $1, $2, ${columns.join(', ')} from json_to_recordset(${rows}::json) as r
        (${Object.entries(types)
          .map(([column, type]) => `${column} ${type}`)
          .join(', ')})
      ${conflict === '' ? '' : `on conflict (tenant_id, session_id, ${conflict}) do update set ${update}`}`;
  };
  // One statement, as an entry that is appended has to wait for each.
  const put = statement(`
    with events as (${insert(EVENTS, '$3', '')}),
      artifacts as (${insert(ARTIFACTS, '$4', 'md5(path)')}),
      commands as (${insert(COMMANDS, '$5', 'seq')}),
      errors as (${insert(ERRORS, '$6', 'md5(key), md5(signature)')}),
      contents as (${insert(CONTENTS, '$7', 'md5(path)')})
    update ${table('sessions')} set trail_seq = coalesce($8::integer, trail_seq),
      trail_running = coalesce($9::text, trail_running)
    where ${OF_SESSION} and ($8::integer is not null or $9::text is not null)`);
  const addTodos = statement(insert(TODOS, '$3', ''));
  const vacate = statement(`
    delete from ${table('artifacts')} where ${OF_SESSION} and path = any($3::text[])`);
  const dropTodos = statement(`delete from ${table('session_todos')} where ${OF_SESSION}`);
  const setUnmapped = statement(`
    update ${table('sessions')} set unmapped_tools = $3 where ${OF_SESSION}`);
  const forget = statement(`
    delete from ${table('session_known_contents')} where ${OF_SESSION}
      and md5(path) = any(array(select md5(p) from unnest($3::text[]) p)) and path = any($3)`);
  const forgetAll = statement(`
    delete from ${table('session_known_contents')} where ${OF_SESSION}`);
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
  const known = (column: string): string => `array(
    select ${column} from ${table('session_known_contents')} where ${OF_SESSION} order by touched)`;
  const head = select(
    `trail_seq as seq, trail_running as running, unmapped_tools as "unmappedTools",
      ${known('path')} as paths, ${known('touched')} as touched`,
    'sessions',
  );
  const knownTexts = select(
    'path, content',
    'session_known_contents',
    'and md5(path) = any(array(select md5(p) from unnest($3::text[]) p)) and path = any($3)',
  );
  const artifactsAt = select(
    ARTIFACT_FIELDS,
    'artifacts',
    'and md5(path) = any(array(select md5(p) from unnest($3::text[]) p)) and path = any($3)',
  );
  const artifactsBelow = select(
    ARTIFACT_FIELDS,
    'artifacts',
    `and state <> 'deleted'
     and exists (select from unnest($3::text[]) p where starts_with(path, p))`,
  );
  const artifactBelowEach = statement(`
    select a.* from unnest($3::text[]) p cross join lateral (
      select ${ARTIFACT_FIELDS} from ${table('artifacts')}
      where ${OF_SESSION} and state <> 'deleted' and starts_with(path, p) limit 1) a`);
  const commandsAt = select(COMMAND_FIELDS, 'session_commands', 'and seq = any($3::integer[])');
  const errorsAt = select(
    ERROR_FIELDS,
    'session_errors',
    `and (md5(key), md5(signature)) in
      (select md5(k), md5(s) from unnest($3::text[], $4::text[]) as r (k, s))`,
  );
  const openErrorsOf = select(
    ERROR_FIELDS,
    'session_errors',
    `and md5(key) = any(array(select md5(k) from unnest($3::text[]) k)) and state = 'open'`,
  );
  const openErrorsFrom = select(
    ERROR_FIELDS,
    'session_errors',
    `and state = 'open' and exists (select from unnest($3::text[]) k where starts_with(key, k))`,
  );

  return (sql) => {
    const write = async (key: SessionKey, update: TrailUpdate): Promise<void> => {
      const own = [key.tenantId, key.sessionId];
      const { events, artifacts, commands, errors, open } = update;
      if (update.vacatedPaths.length > 0) await sql(vacate, [...own, update.vacatedPaths]);
      if (open?.forgotten === 'others') await sql(forgetAll, own);
      else if ((open?.forgotten.length ?? 0) > 0) await sql(forget, [...own, open?.forgotten]);
      const contents = [...(open?.contents ?? [])].map(([path, content]) => ({ path, ...content }));
      const rows = [events, artifacts, commands, errors, contents];
      if (open !== null || rows.some(({ length }) => length > 0)) {
        await sql(put, [
          ...own,
          rowsOf(EVENTS, events),
          rowsOf(ARTIFACTS, artifacts),
          rowsOf(COMMANDS, commands),
          rowsOf(ERRORS, errors),
          rowsOf(CONTENTS, contents),
          open?.seq ?? null,
          open?.running ? runningText(open.running) : null,
        ]);
      }
      if (update.todos !== null) {
        await sql(dropTodos, own);
        if (update.todos.length > 0) await sql(addTodos, [...own, rowsOf(TODOS, update.todos)]);
      }
      if (update.unmappedTools !== null) {
        const counts = JSON.stringify(Object.fromEntries(update.unmappedTools));
        await sql(setUnmapped, [...own, counts]);
      }
    };
    /** Asks nothing where nothing is needed. */
    const rowsAt = async <Row>(
      { tenantId, sessionId }: SessionKey,
      from: Statement,
      needed: readonly (readonly unknown[])[],
    ): Promise<readonly Row[]> =>
      needed[0]?.length === 0 ? [] : sql<Row>(from, [tenantId, sessionId, ...needed]);
    const readPart = async (key: SessionKey, needs: TrailNeeds): Promise<TrailRows> => {
      const errorsSought = [...needs.errors].map(readErrorId);
      const found = [
        ...(await rowsAt<ArtifactRow>(key, artifactsAt, [[...needs.artifacts]])),
        ...(await rowsAt<ArtifactRow>(key, artifactsBelow, [[...needs.allBelow].map(startBelow)])),
        ...(await rowsAt<ArtifactRow>(key, artifactBelowEach, [
          [...needs.anyBelow].map(startBelow),
        ])),
      ];
      return {
        artifacts: found.map(toArtifact),
        commands: (
          await rowsAt<CommandRow>(key, commandsAt, [[...needs.commands].map(Number)])
        ).map(toCommand),
        errors: [
          ...(await rowsAt<SessionError>(key, errorsAt, [
            errorsSought.map((error) => error.key),
            errorsSought.map(({ signature }) => signature),
          ])),
          ...(await rowsAt<SessionError>(key, openErrorsOf, [[...needs.openErrors]])),
          ...(await rowsAt<SessionError>(key, openErrorsFrom, [[...needs.openErrorsFrom]])),
        ],
        todos: needs.lists.has('todos')
          ? await sql<SessionTodo>(todos, [key.tenantId, key.sessionId])
          : null,
        contents: new Map(
          (
            await rowsAt<{ readonly path: string; readonly content: string }>(key, knownTexts, [
              [...needs.contents],
            ])
          ).map(({ path, content }) => [path, content]),
        ),
      };
    };
    return {
      readPart,
      async readOpen({ tenantId, sessionId }) {
        const own = [tenantId, sessionId];
        const [found] = await sql<HeadRow>(head, own);
        if (found === undefined) {
          return { seq: 0, running: new Map(), unmappedTools: new Map(), contents: new Map() };
        }
        return {
          seq: found.seq,
          running: readRunning(found.running, sessionId),
          unmappedTools: new Map(Object.entries(found.unmappedTools)),
          contents: new Map(
            found.paths.map((path, index) => [
              path,
              { content: null, touched: found.touched[index] ?? 0 },
            ]),
          ),
        };
      },
      async read({ tenantId, sessionId }, parts = TRAIL_PARTS) {
        const own = [tenantId, sessionId];
        const rows = async <Row>(part: TrailPart, from: Statement): Promise<readonly Row[]> =>
          parts.includes(part) ? sql<Row>(from, own) : [];
        const [head] = await rows<{ readonly unmappedTools: Record<string, number> }>(
          'unmappedTools',
          unmapped,
        );
        const found = new Map<string, Artifact>();
        for (const row of await rows<ArtifactRow>('artifacts', artifacts)) {
          found.set(row.path, toArtifact(row));
        }
        const ran = new Map<number, SessionCommand>();
        for (const row of await rows<CommandRow>('commands', commands)) {
          ran.set(row.seq, toCommand(row));
        }
        const met = new Map<string, SessionError>();
        for (const error of await rows<SessionError>('errors', errors)) {
          met.set(errorId(error), error);
        }
        return {
          ...EMPTY_TRAIL,
          artifacts: found,
          commands: ran,
          errors: met,
          todos: await rows<SessionTodo>('todos', todos),
          renames: renamesOf((await rows<EventRow>('renames', renames)).map(toEvent)),
          unmappedTools: new Map(Object.entries(head?.unmappedTools ?? {})),
        };
      },
      ...eventsBy(sql),
      write,
      async replace(key, update) {
        await sql(clear, [key.tenantId, key.sessionId]);
        await write(key, update);
      },
    };
  };
}

function rowsOf<Value>({ rowOf }: TrailTable<Value>, values: readonly Value[]): string {
  return JSON.stringify(values.map(rowOf));
}

/** How paths below the directory begin; the root of relative paths is asked for with all others. */
function startBelow(directory: string): string {
  if (directory === '.') return '';
  return directory.endsWith('/') ? directory : `${directory}/`;
}
