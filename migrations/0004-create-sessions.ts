/**
 * Sessions: transcripts of agents, entry by entry, their texts stored once a tenant.
 *
 * Why the tenant is in every key: a query that forgets it finds nothing, and a row cannot point at
 * another tenant's. Why triggers: an entry is the evidence for everything that is later said about a
 * session, so only whether its branch is active may change, and only a whole session may go, through
 * `delete_session`. `fields` is text that holds JSON: jsonb would reorder and retype what an export
 * gives back. New tables; they lock nothing that exists but `projects` and `plans` for a moment.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSessions1764500000004 implements MigrationInterface {
  readonly name = 'CreateSessions1764500000004';

  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner);
    await runner.query(`
      create function refuse_session_change() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' then
          if current_setting('ossature.removing', true) = 'yes' then return old; end if;
        elsif tg_op = 'UPDATE' then
          if to_jsonb(old) - 'active' = to_jsonb(new) - 'active' then return new; end if;
        end if;
        raise exception 'rows of % are immutable', tg_table_name using errcode = 'restrict_violation';
      end $$`);
    for (const table of ['contents', 'session_entries', 'session_usage']) {
      await runner.query(`
        create trigger ${table}_are_immutable before update or delete on ${table}
        for each row execute function refuse_session_change()`);
      await runner.query(`
        create trigger ${table}_are_not_emptied before truncate on ${table}
        for each statement execute function refuse_session_change()`);
    }
    // A text that another session took up meanwhile stays: its foreign key refuses the removal.
    await runner.query(`
      create function delete_session(of_tenant text, of_session text) returns boolean
      language plpgsql set search_path from current as $$
      declare
        texts text[];
        was_there boolean;
      begin
        perform set_config('ossature.removing', 'yes', true);
        select coalesce(array_agg(distinct content_hash), '{}') into texts from session_entries
          where tenant_id = of_tenant and session_id = of_session;
        update sessions set parent_session_id = null, parent_entry_id = null
          where tenant_id = of_tenant and parent_session_id = of_session;
        delete from sessions where tenant_id = of_tenant and session_id = of_session;
        was_there := found;
        begin
          delete from contents c where tenant_id = of_tenant and content_hash = any(texts)
            and not exists (select from session_entries e
              where e.tenant_id = c.tenant_id and e.content_hash = c.content_hash);
        exception when foreign_key_violation then null;
        end;
        perform set_config('ossature.removing', '', true);
        return was_there;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function delete_session(text, text)');
    for (const table of ['session_usage', 'session_entries', 'contents', 'sessions']) {
      await runner.query(`drop table ${table}`);
    }
    await runner.query('drop function refuse_session_change()');
  }
}

async function createTables(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table sessions (
      tenant_id text not null check (length(tenant_id) between 1 and 500),
      session_id text not null check (length(session_id) = 26),
      project_id text references projects,
      plan_id text references plans,
      parent_session_id text check (parent_session_id <> session_id),
      parent_entry_id text check (length(parent_entry_id) = 26),
      agent_name text,
      vendor text not null check (length(vendor) between 1 and 500),
      vendor_session_id text check (length(vendor_session_id) between 1 and 500),
      model text,
      project_root text,
      counter_name text not null,
      counter_version text not null,
      settings jsonb not null check (jsonb_typeof(settings) = 'object'),
      cycle integer not null check (cycle >= 0),
      revision integer not null check (revision >= 1),
      last_seq integer not null check (last_seq >= 0),
      last_turn integer not null check (last_turn between 0 and last_seq),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (tenant_id, session_id),
      constraint sessions_vendor_key unique (tenant_id, vendor, vendor_session_id),
      constraint sessions_parent foreign key (tenant_id, parent_session_id) references sessions
        deferrable,
      constraint sessions_call_of_a_parent
        check (parent_entry_id is null or parent_session_id is not null)
    )`);
  await runner.query('create index sessions_parent_id on sessions (tenant_id, parent_session_id)');
  await runner.query('create index sessions_plan_id on sessions (plan_id)');
  await runner.query(`
    create table contents (
      tenant_id text not null,
      content_hash text not null check (length(content_hash) = 64),
      content text not null,
      primary key (tenant_id, content_hash)
    )`);
  await runner.query(`
    create table session_entries (
      tenant_id text not null,
      session_id text not null,
      seq integer not null check (seq >= 1),
      entry_id text not null check (length(entry_id) = 26),
      kind text not null check (kind in ('user', 'assistant', 'thinking', 'tool_call',
        'tool_result', 'system', 'summary', 'attachment')),
      author text not null check (author in ('human', 'agent', 'tool', 'system', 'harness')),
      unit_id text not null,
      turn integer not null check (turn between 0 and seq),
      content_hash text not null,
      entry_print text not null check (length(entry_print) = 64),
      token_count bigint not null check (token_count between 0 and 9007199254740991),
      source_key text not null check (length(source_key) between 1 and 600),
      message_key text,
      call_id text,
      active boolean not null,
      occurred_at text,
      fields text not null check (json_typeof(fields::json) = 'object'),
      primary key (tenant_id, session_id, seq),
      constraint session_entries_source_key unique (tenant_id, session_id, source_key),
      constraint session_entries_entry_id unique (tenant_id, session_id, entry_id),
      foreign key (tenant_id, session_id) references sessions on delete cascade,
      foreign key (tenant_id, content_hash) references contents,
      constraint session_entries_calls_have_ids check (kind = 'attachment'
        or (call_id is not null) = (kind in ('tool_call', 'tool_result')))
    )`);
  await runner.query(
    'create index session_entries_content on session_entries (tenant_id, content_hash)',
  );
  await runner.query(`
    create index session_entries_calls on session_entries (tenant_id, session_id, call_id)
    where kind = 'tool_call'`);
  await runner.query(`
    create table session_usage (
      tenant_id text not null,
      session_id text not null,
      usage_key text not null check (length(usage_key) between 1 and 500),
      model text,
      uncached_input_tokens bigint not null check (uncached_input_tokens >= 0),
      cached_input_tokens bigint not null check (cached_input_tokens >= 0),
      output_tokens bigint not null check (output_tokens >= 0),
      occurred_at text,
      primary key (tenant_id, session_id, usage_key),
      foreign key (tenant_id, session_id) references sessions on delete cascade
    )`);
}
