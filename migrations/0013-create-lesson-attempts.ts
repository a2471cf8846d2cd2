/**
 * Attempts to give lessons a shorter form, with every replay, and descents after a failure.
 *
 * Why an attempt is a row before it spends a call: whatever ends its process, it is there to be closed,
 * and a second worker sees it. Why settings and candidates stand in it whole: an attempt can be replayed
 * from its row. New tables; locks `dropped_claims` and `rescues` for a moment.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateLessonAttempts1764500000013 implements MigrationInterface {
  readonly name = 'CreateLessonAttempts1764500000013';

  async up(runner: QueryRunner): Promise<void> {
    await createAttempts(runner);
    await createDescents(runner);
    await runner.query(`
      alter table dropped_claims add constraint dropped_claims_origin
        foreign key (origin_attempt_id) references compression_attempts`);
    await runner.query(`
      alter table rescues add constraint rescues_descent
        foreign key (descent_id) references descents deferrable initially deferred`);
    await guard(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table rescues drop constraint rescues_descent');
    await runner.query('alter table dropped_claims drop constraint dropped_claims_origin');
    for (const table of ['descent_steps', 'descents', 'replay_results', 'compression_attempts']) {
      await runner.query(`drop table ${table}`);
    }
    await runner.query('drop function refuse_attempt_change()');
  }
}

async function createAttempts(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table compression_attempts (
      attempt_id text primary key,
      kind text not null check (kind in ('compression', 'revisit', 'merge')),
      lesson_id text not null references lessons,
      source_ids text[] not null check (cardinality(source_ids) >= 1),
      source_version integer not null check (source_version >= 1),
      attempt_no integer not null check (attempt_no >= 1),
      dry_run boolean not null,
      ignored_cooldown boolean not null,
      outcome text not null check (outcome in
        ('running', 'accepted', 'rejected', 'failed', 'stale', 'abandoned')),
      reason text check (reason in ('no-episodes', 'insufficient-evidence', 'compressor-failed',
        'empty', 'not-smaller', 'under-reported', 'invalid-manifest', 'token-limit', 'repeated',
        'false-lossless', 'invented', 'audit-unreadable', 'replay-failed', 'held-out-failed')),
      details jsonb not null check (jsonb_typeof(details) = 'object'),
      settings jsonb not null check (jsonb_typeof(settings) = 'object'),
      counter_name text not null,
      counter_version text not null,
      source_tokens integer not null check (source_tokens >= 0),
      target_tokens integer not null check (target_tokens >= 0),
      sample jsonb not null check (jsonb_typeof(sample) = 'object'),
      told_spans text check (told_spans in ('observed', 'none-observed')),
      request_digest text,
      models jsonb not null check (jsonb_typeof(models) = 'object'),
      candidate jsonb check (jsonb_typeof(candidate) = 'object'),
      calls jsonb not null check (jsonb_typeof(calls) = 'object'),
      usable integer not null check (usable >= 0),
      passed integer not null check (passed between 0 and usable),
      pass_rate_lower_bound double precision check (pass_rate_lower_bound between 0 and 1),
      provisional_because text[] not null,
      quarantined text[] not null,
      comparison jsonb check (jsonb_typeof(comparison) = 'object'),
      accepted_id text references lessons deferrable initially deferred,
      worker text not null,
      lease_until timestamptz not null,
      evidence_at_open bigint not null check (evidence_at_open >= 0),
      started_at timestamptz not null,
      finished_at timestamptz,
      constraint compression_attempts_end_when_closed
        check ((outcome = 'running') = (finished_at is null)),
      constraint compression_attempts_refuse_for_a_reason
        check ((reason is not null) = (outcome in ('rejected', 'failed'))),
      constraint compression_attempts_make_a_lesson
        check (accepted_id is null or (outcome = 'accepted' and not dry_run))
    )`);
  await runner.query(`
    create unique index compression_attempts_one_at_a_time
    on compression_attempts (lesson_id) where outcome = 'running'`);
  await runner.query(`
    create unique index compression_attempts_accepted_once
    on compression_attempts (lesson_id, source_version)
    where outcome = 'accepted' and kind = 'compression' and not dry_run`);
  await runner.query(`
    create index compression_attempts_lesson
    on compression_attempts (lesson_id, attempt_no desc) where not dry_run`);
  await runner.query(
    'create index compression_attempts_sources on compression_attempts using gin (source_ids)',
  );
  await runner.query(`
    create index compression_attempts_leases
    on compression_attempts (lease_until) where outcome = 'running'`);
  await runner.query(`
    create index compression_attempts_id_prefix
    on compression_attempts (attempt_id text_pattern_ops)`);
  await runner.query(`
    create table replay_results (
      attempt_id text not null references compression_attempts,
      ordinal integer not null check (ordinal >= 1),
      episode_id text not null references episodes,
      arm text not null check (arm in ('candidate', 'baseline', 'control')),
      phase text not null check (phase in ('sample', 'held-out')),
      outcome text not null check (outcome in ('passed', 'failed', 'unreadable')),
      reason text,
      missing text[] not null,
      answer text,
      fault text,
      votes jsonb not null check (jsonb_typeof(votes) = 'array'),
      checked_mechanically boolean not null,
      reused boolean not null,
      arm_key text not null,
      process_id integer,
      started_at timestamptz not null,
      duration_ms integer not null check (duration_ms >= 0),
      primary key (attempt_id, ordinal)
    )`);
  await runner.query(`
    create index replay_results_arm on replay_results (arm_key, started_at desc)
    where outcome <> 'unreadable' and not reused`);
}

async function createDescents(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table descents (
      descent_id text primary key,
      lesson_id text not null references lessons,
      lesson_version integer not null check (lesson_version >= 1),
      project_id text references projects,
      prompt text not null,
      episode_id text references episodes,
      diagnosis jsonb not null check (jsonb_typeof(diagnosis) = 'object'),
      strategy text not null check (strategy in ('delta-patch', 'delta-jump', 'stepwise')),
      max_expansions integer not null check (max_expansions >= 0),
      max_pack_tokens integer not null check (max_pack_tokens >= 1),
      start_pack jsonb not null check (jsonb_typeof(start_pack) = 'object'),
      status text not null check (status in ('open', 'closed')),
      ending text check (ending in ('rescued-by-claim', 'rescued-by-child', 'compression-bug',
        'knowledge-gap', 'nothing-below', 'corrected')),
      not_considered text[] not null,
      warnings text[] not null,
      opened_at timestamptz not null,
      closed_at timestamptz,
      constraint descents_end_when_closed check ((status = 'closed') = (closed_at is not null)),
      constraint descents_end_somehow check ((status = 'closed') = (ending is not null))
    )`);
  await runner.query('create index descents_id_prefix on descents (descent_id text_pattern_ops)');
  await runner.query(`
    create table descent_steps (
      descent_id text not null references descents,
      step integer not null check (step >= 1),
      chosen jsonb check (jsonb_typeof(chosen) = 'object'),
      pack jsonb not null check (jsonb_typeof(pack) = 'object'),
      outcome text not null check (outcome in ('open', 'failed', 'succeeded')),
      reported_at timestamptz,
      primary key (descent_id, step),
      constraint descent_steps_are_reported_once
        check ((outcome = 'open') = (reported_at is null))
    )`);
}

/** A running attempt, an open descent and an open step may change; what is closed never does. */
async function guard(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function refuse_attempt_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        case tg_table_name
          when 'compression_attempts' then
            if old.outcome = 'running' and old.lesson_id = new.lesson_id
            then return new; end if;
          when 'descents' then
            if old.status = 'open' and old.lesson_id = new.lesson_id and old.prompt = new.prompt
            then return new; end if;
          when 'descent_steps' then
            if old.outcome = 'open' then return new; end if;
          else null;
        end case;
      end if;
      raise exception 'rows of % stay as they are', tg_table_name
        using errcode = 'restrict_violation';
    end $$`);
  for (const table of ['compression_attempts', 'replay_results', 'descents', 'descent_steps']) {
    await runner.query(`
      create trigger ${table}_stay before update or delete on ${table}
      for each row execute function refuse_attempt_change()`);
    await runner.query(`
      create trigger ${table}_are_not_emptied before truncate on ${table}
      for each statement execute function refuse_attempt_change()`);
  }
}
