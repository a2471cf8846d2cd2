/**
 * What an import tells beside the texts: bytes of media, usage, counts by another counter, and what of
 * a trail is still open, so that an entry is appended without reading the session.
 *
 * Why media apart from texts: a pass reads texts, and never bytes. Why a usage may grow: a message that
 * is still being written reports itself several times, each time with more. Why counts beside the old
 * ones: an entry never changes, but a session may be counted anew. Old code still writes: every new
 * column is empty or has a default. The two indexes lock writing to `session_entries` while they are built.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

const OF_SESSION = `
  tenant_id text not null,
  session_id text not null`;

const TO_SESSION = 'foreign key (tenant_id, session_id) references sessions on delete cascade';

export class KeepWhatImportsTell1764500000010 implements MigrationInterface {
  readonly name = 'KeepWhatImportsTell1764500000010';

  async up(runner: QueryRunner): Promise<void> {
    await keepMedia(runner);
    await letUsageGrow(runner);
    await countAnew(runner);
    await keepOpenTrail(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table session_known_contents');
    await runner.query('drop index session_entries_results');
    await runner.query('alter table sessions drop column trail_seq, drop column trail_running');
    await runner.query('drop table session_entry_counts');
    await runner.query('drop trigger session_usage_only_grows on session_usage');
    await runner.query('drop function refuse_usage_change()');
    await runner.query('alter table session_usage drop column seq, drop column purpose');
    await runner.query(`
      create trigger session_usage_are_immutable before update or delete on session_usage
      for each row execute function refuse_session_change()`);
    await runner.query('drop trigger sessions_leave_no_media on sessions');
    await runner.query('drop function remove_media()');
    await runner.query('alter table session_entries drop column media_hash');
    await runner.query('drop table session_media');
  }
}

/** Bytes go with the last session that shows them: media belong to the session, not to the tenant. */
async function keepMedia(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table session_media (
      tenant_id text not null,
      media_hash text not null check (length(media_hash) = 64),
      media bytea not null,
      primary key (tenant_id, media_hash)
    )`);
  await protect(runner, 'session_media');
  await runner.query(`
    alter table session_entries add column media_hash text,
      add constraint session_entries_media foreign key (tenant_id, media_hash)
        references session_media`);
  await runner.query(`
    create index session_entries_media on session_entries (tenant_id, media_hash)
    where media_hash is not null`);
  // Media that another session took up meanwhile stay: their foreign key refuses the removal.
  await runner.query(`
    create function remove_media() returns trigger language plpgsql set search_path from current as $$
    begin
      begin
        delete from session_media m where tenant_id = old.tenant_id
          and not exists (select from session_entries e
            where e.tenant_id = m.tenant_id and e.media_hash = m.media_hash);
      exception when foreign_key_violation then null;
      end;
      return null;
    end $$`);
  await runner.query(`
    create trigger sessions_leave_no_media after delete on sessions
    for each row execute function remove_media()`);
}

async function letUsageGrow(runner: QueryRunner): Promise<void> {
  await runner.query(`
    alter table session_usage
      add column seq integer check (seq >= 0),
      add column purpose text not null default 'agent' check (purpose in ('agent', 'summarizer'))`);
  await runner.query('drop trigger session_usage_are_immutable on session_usage');
  await runner.query(`
    create function refuse_usage_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        if current_setting('ossature.removing', true) = 'yes' then return old; end if;
      elsif new.usage_key = old.usage_key and new.session_id = old.session_id
        and new.tenant_id = old.tenant_id
        and new.uncached_input_tokens >= old.uncached_input_tokens
        and new.cached_input_tokens >= old.cached_input_tokens
        and new.output_tokens >= old.output_tokens then return new;
      end if;
      raise exception 'rows of % only grow', tg_table_name using errcode = 'restrict_violation';
    end $$`);
  await runner.query(`
    create trigger session_usage_only_grows before update or delete on session_usage
    for each row execute function refuse_usage_change()`);
}

async function countAnew(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table session_entry_counts (${OF_SESSION},
      seq integer not null check (seq >= 1),
      counter_name text not null,
      counter_version text not null,
      token_count bigint not null check (token_count between 0 and 9007199254740991),
      primary key (tenant_id, session_id, counter_name, counter_version, seq), ${TO_SESSION}
    )`);
  await protect(runner, 'session_entry_counts');
}

async function keepOpenTrail(runner: QueryRunner): Promise<void> {
  // trail_seq: the entry up to which what is open is kept; 0 for sessions of before, which are read once.
  await runner.query(`
    alter table sessions
      add column trail_seq integer not null default 0 check (trail_seq >= 0),
      add column trail_running text not null default '[]'
        check (json_typeof(trail_running::json) = 'array')`);
  await runner.query(`
    create index session_entries_results on session_entries (tenant_id, session_id, call_id)
    where kind = 'tool_result'`);
  await runner.query(`
    create table session_known_contents (${OF_SESSION},
      path text not null,
      content text not null,
      touched bigint not null, ${TO_SESSION}
    )`);
  await runner.query(`
    create unique index session_known_contents_path
    on session_known_contents (tenant_id, session_id, md5(path))`);
}

async function protect(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`
    create trigger ${table}_are_immutable before update or delete on ${table}
    for each row execute function refuse_session_change()`);
  await runner.query(`
    create trigger ${table}_are_not_emptied before truncate on ${table}
    for each statement execute function refuse_session_change()`);
}
