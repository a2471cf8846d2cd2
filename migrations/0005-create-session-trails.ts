/**
 * The trail of a session: what its tool calls did. Events are evidence and immutable; the other tables
 * hold what follows from them and from the entries, and can be built again.
 *
 * Why digests in keys: a path may be a url, and a command a whole script, longer than an index takes.
 * `clear_trail` is the one way to take events away, for a trail that is built anew. New tables; they
 * lock nothing that exists but `sessions` for a moment.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = [
  'artifact_events',
  'artifacts',
  'session_commands',
  'session_errors',
  'session_todos',
] as const;

/** How every table of a session begins. */
const OF_SESSION = `
  tenant_id text not null,
  session_id text not null,
  foreign key (tenant_id, session_id) references sessions on delete cascade`;

export class CreateSessionTrails1764500000005 implements MigrationInterface {
  readonly name = 'CreateSessionTrails1764500000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table sessions add unmapped_tools jsonb not null default '{}'
        check (jsonb_typeof(unmapped_tools) = 'object')`);
    await createEvents(runner);
    await createDerived(runner);
    await runner.query(`
      create function clear_trail(of_tenant text, of_session text) returns void
      language plpgsql set search_path from current as $$
      begin
        perform set_config('ossature.removing', 'yes', true);
        ${TABLES.map(
          (table) =>
            `delete from ${table} where tenant_id = of_tenant and session_id = of_session;`,
        ).join('\n')}
        perform set_config('ossature.removing', '', true);
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function clear_trail(text, text)');
    for (const table of TABLES) await runner.query(`drop table ${table}`);
    await runner.query('alter table sessions drop column unmapped_tools');
  }
}

async function createEvents(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table artifact_events (${OF_SESSION},
      seq integer not null check (seq >= 1),
      ordinal integer not null check (ordinal >= 0),
      result_seq integer not null check (result_seq >= 1),
      action text not null
        check (action in ('created', 'modified', 'read', 'deleted', 'renamed', 'listed')),
      path text not null,
      old_path text,
      ok boolean not null,
      lines_added integer check (lines_added >= 0),
      lines_removed integer check (lines_removed >= 0),
      range_from bigint,
      range_to bigint,
      hash_before text check (length(hash_before) = 64),
      hash_after text check (length(hash_after) = 64),
      symbols text[] not null check (cardinality(symbols) <= 20),
      inferred boolean not null,
      note text not null,
      active boolean not null,
      occurred_at text,
      primary key (tenant_id, session_id, seq, ordinal),
      constraint artifact_events_renames_have_an_old_path
        check ((action = 'renamed') = (old_path is not null)),
      constraint artifact_events_ranges_have_a_start
        check (range_to is null or range_from is not null)
    )`);
  await runner.query(`
    create index artifact_events_path on artifact_events (tenant_id, session_id, md5(path))`);
  await runner.query(`
    create trigger artifact_events_are_immutable before update or delete on artifact_events
    for each row execute function refuse_session_change()`);
  await runner.query(`
    create trigger artifact_events_are_not_emptied before truncate on artifact_events
    for each statement execute function refuse_session_change()`);
}

async function createDerived(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table artifacts (${OF_SESSION},
      path text not null,
      kind text not null check (kind in ('file', 'directory', 'notebook', 'url')),
      state text not null
        check (state in ('created', 'modified', 'read', 'deleted', 'renamed', 'listed')),
      created_here boolean not null,
      net_change text not null check (net_change in ('some', 'none', 'unknown')),
      times_created integer not null check (times_created >= 0),
      times_modified integer not null check (times_modified >= 0),
      times_read integer not null check (times_read >= 0),
      times_deleted integer not null check (times_deleted >= 0),
      times_renamed integer not null check (times_renamed >= 0),
      times_listed integer not null check (times_listed >= 0),
      failed_calls integer not null check (failed_calls >= 0),
      lines_added integer not null check (lines_added >= 0),
      lines_removed integer not null check (lines_removed >= 0),
      first_seq integer not null check (first_seq >= 1),
      last_seq integer not null check (last_seq >= first_seq),
      last_change_seq integer check (last_change_seq <= last_seq),
      first_hash text check (length(first_hash) = 64),
      last_hash text check (length(last_hash) = 64),
      symbols text[] not null,
      renamed_from text
    )`);
  await runner.query(`
    create unique index artifacts_path on artifacts (tenant_id, session_id, md5(path))`);
  await runner.query(`
    create table session_commands (${OF_SESSION},
      seq integer not null check (seq >= 1),
      result_seq integer check (result_seq >= 1),
      command text not null,
      directory text,
      exit_code bigint,
      state text not null
        check (state in ('ok', 'failed', 'timed-out', 'interrupted', 'unknown')),
      tests_passed integer check (tests_passed >= 0),
      tests_failed integer check (tests_failed >= 0),
      effects text not null check (effects in ('none', 'known', 'unknown')),
      active boolean not null,
      occurred_at text,
      primary key (tenant_id, session_id, seq),
      constraint session_commands_outcome_is_whole
        check ((tests_passed is null) = (tests_failed is null))
    )`);
  await runner.query(`
    create table session_errors (${OF_SESSION},
      key text not null,
      signature text not null,
      first_line text not null check (length(first_line) <= 500),
      file text,
      line bigint,
      seen_at integer[] not null check (cardinality(seen_at) >= 1),
      count integer not null check (count >= 1),
      state text not null check (state in ('open', 'resolved')),
      resolved_by integer,
      constraint session_errors_resolved_by_a_run
        check ((state = 'resolved') = (resolved_by is not null))
    )`);
  await runner.query(`
    create unique index session_errors_id
    on session_errors (tenant_id, session_id, md5(key), md5(signature))`);
  await runner.query(`
    create table session_todos (${OF_SESSION},
      place integer not null check (place >= 0),
      todo_id text not null,
      text text not null,
      state text not null check (state in ('pending', 'in-progress', 'completed', 'cancelled')),
      first_seq integer not null check (first_seq >= 1),
      changed_seq integer not null check (changed_seq >= first_seq),
      primary key (tenant_id, session_id, place)
    )`);
  await runner.query(`
    create unique index session_todos_id
    on session_todos (tenant_id, session_id, md5(todo_id))`);
}
