/**
 * Summaries of sessions: versions of their items, the cycles that were adopted, and every attempt.
 *
 * Why triggers: what a summary once said is evidence, so a version never changes, a cycle only by
 * being rolled back, and an attempt is settled once. Why the revision is in the key of a version: a
 * cycle that was rolled back keeps its versions, beside those that follow. New tables; they lock
 * nothing that exists but `sessions` for a moment.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['session_attempts', 'session_cycles', 'session_items'] as const;

/** How every table of a session begins. */
const OF_SESSION = `
  tenant_id text not null,
  session_id text not null,
  foreign key (tenant_id, session_id) references sessions on delete cascade`;

export class CreateSessionSummaries1764500000006 implements MigrationInterface {
  readonly name = 'CreateSessionSummaries1764500000006';

  async up(runner: QueryRunner): Promise<void> {
    await createItems(runner);
    await createCycles(runner);
    await createAttempts(runner);
    await runner.query(`
      create function refuse_summary_change() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' then
          if current_setting('ossature.removing', true) = 'yes' then return old; end if;
        elsif tg_op = 'UPDATE' and tg_table_name = 'session_cycles' then
          if to_jsonb(old) - 'state' = to_jsonb(new) - 'state' then return new; end if;
        elsif tg_op = 'UPDATE' and tg_table_name = 'session_attempts' then
          if to_jsonb(old)->>'outcome' = 'started' then return new; end if;
        end if;
        raise exception 'rows of % are immutable', tg_table_name using errcode = 'restrict_violation';
      end $$`);
    for (const table of TABLES) {
      await runner.query(`
        create trigger ${table}_are_immutable before update or delete on ${table}
        for each row execute function refuse_summary_change()`);
      await runner.query(`
        create trigger ${table}_are_not_emptied before truncate on ${table}
        for each statement execute function refuse_summary_change()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`drop table ${table}`);
    await runner.query('drop function refuse_summary_change()');
  }
}

async function createItems(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table session_items (${OF_SESSION},
      item_no integer not null check (item_no >= 1),
      revision integer not null check (revision >= 2),
      item_id text not null check (length(item_id) = 26),
      section text not null,
      text text not null,
      refs jsonb not null check (jsonb_typeof(refs) = 'array'),
      identity_key text not null,
      state text not null check (state in ('open', 'resolved', 'superseded')),
      superseded_by integer check (superseded_by <> item_no),
      archived boolean not null,
      pinned boolean not null,
      text_hash text check (length(text_hash) = 64),
      cycle_created integer not null check (cycle_created >= 0),
      cycle_changed integer not null check (cycle_changed >= cycle_created),
      version integer not null check (version >= 1),
      source_entry_ids text[] not null,
      last_source_seq integer not null check (last_source_seq >= 0),
      span_hash text check (length(span_hash) = 64),
      producer text not null,
      primary key (tenant_id, session_id, item_no, revision),
      constraint session_items_pins_have_a_hash check (pinned = (text_hash is not null)),
      constraint session_items_have_sources
        check (cardinality(source_entry_ids) > 0 or producer = 'host')
    )`);
}

async function createCycles(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table session_cycles (${OF_SESSION},
      cycle integer not null check (cycle >= 1),
      revision integer not null check (revision >= 2),
      attempt_id text not null check (length(attempt_id) = 26),
      state text not null check (state in ('live', 'rolled-back')),
      last_seq integer not null check (last_seq >= 1),
      cut_seq integer not null check (cut_seq between 0 and last_seq),
      span jsonb not null check (jsonb_array_length(span) >= 1),
      span_hash text not null check (length(span_hash) = 64),
      previews jsonb not null check (jsonb_typeof(previews) = 'array'),
      prompt_again_seq integer check (prompt_again_seq between 1 and last_seq),
      tokens_before bigint not null check (tokens_before >= 0),
      tokens_after bigint not null check (tokens_after between 0 and tokens_before),
      target_tokens bigint not null check (target_tokens >= 0),
      floor_tokens bigint not null check (floor_tokens >= 0),
      created_at timestamptz not null,
      primary key (tenant_id, session_id, cycle),
      constraint session_cycles_revision unique (tenant_id, session_id, revision)
    )`);
}

async function createAttempts(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table session_attempts (${OF_SESSION},
      attempt_id text not null check (length(attempt_id) = 26),
      from_revision integer not null check (from_revision >= 1),
      trigger text not null check (trigger in
        ('fixed_threshold', 'sliding_window', 'importance', 'task_boundary', 'manual')),
      strategy text not null check (strategy in ('anchored', 'offline', 'regenerative', 'opaque')),
      producer text not null,
      last_seq integer not null check (last_seq >= 0),
      span jsonb not null check (jsonb_typeof(span) = 'array'),
      fingerprint text not null check (length(fingerprint) = 64),
      tokens_before bigint not null check (tokens_before >= 0),
      tokens_after bigint check (tokens_after >= 0),
      target_tokens bigint not null check (target_tokens >= 0),
      floor_tokens bigint not null check (floor_tokens >= 0),
      outcome text not null check (outcome in ('started', 'adopted', 'rejected', 'failed',
        'stopped', 'stale', 'cancelled', 'abandoned')),
      reasons jsonb not null check (jsonb_typeof(reasons) = 'array'),
      checks jsonb check (jsonb_typeof(checks) = 'object'),
      started_at timestamptz not null,
      finished_at timestamptz,
      primary key (tenant_id, session_id, attempt_id),
      constraint session_attempts_end_when_settled
        check ((outcome = 'started') = (finished_at is null))
    )`);
  // One pass of a session at a time, over all processes.
  await runner.query(`
    create unique index session_attempts_one_at_a_time
    on session_attempts (tenant_id, session_id) where outcome = 'started'`);
}
