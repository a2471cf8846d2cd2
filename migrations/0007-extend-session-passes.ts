/**
 * Passes with a summarizer: what its calls cost, who made a cycle, what it left in place, blobs that
 * nobody can look into, leases of living passes, previews, calibrations of counters, expansions.
 *
 * Why a lease: a crash must block a session for seconds, not for the time that a pass may take. Why
 * the state `replaced`: entries behind a blob are summarized again from their texts, and an entry is
 * covered by one live cycle. Code of the version before runs on, save that it reads no cycle of the
 * new state. Locks the three tables of passes for a moment.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ExtendSessionPasses1764500000007 implements MigrationInterface {
  readonly name = 'ExtendSessionPasses1764500000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table session_attempts
        add column fallback_of text check (length(fallback_of) = 26),
        add column model_calls jsonb not null default '[]' check (jsonb_typeof(model_calls) = 'array'),
        add column lease_until timestamptz,
        drop constraint session_attempts_trigger_check,
        add constraint session_attempts_trigger_check check (trigger in ('fixed_threshold',
          'sliding_window', 'importance', 'task_boundary', 'manual', 'overflow'))`);
    await runner.query(`
      alter table session_cycles
        add column strategy text not null default 'offline'
          check (strategy in ('anchored', 'offline', 'regenerative', 'opaque')),
        add column stubs jsonb not null default '[]' check (jsonb_typeof(stubs) = 'array'),
        add column blob jsonb check (jsonb_typeof(blob) = 'object'),
        add column replaces integer[] not null default '{}',
        drop constraint session_cycles_state_check,
        add constraint session_cycles_state_check
          check (state in ('live', 'rolled-back', 'replaced')),
        add constraint session_cycles_blobs_are_opaque
          check ((strategy = 'opaque') = (blob is not null))`);
    await runner.query(`
      alter table session_items
        drop constraint session_items_have_sources,
        add constraint session_items_have_sources check (
          cardinality(source_entry_ids) > 0 or producer = 'host' or producer like 'model:%')`);
    await runner.query(`
      create table session_previews (
        tenant_id text not null,
        session_id text not null,
        seq integer not null,
        characters integer not null check (characters >= 2),
        primary key (tenant_id, session_id, seq),
        foreign key (tenant_id, session_id, seq) references session_entries on delete cascade
      )`);
    await runner.query(`
      create table session_expansions (
        tenant_id text not null,
        session_id text not null,
        expansion_id text not null check (length(expansion_id) = 26),
        handle text not null,
        cycle integer not null check (cycle >= 0),
        entries integer not null check (entries >= 0),
        tokens bigint not null check (tokens >= 0),
        expanded_at timestamptz not null,
        primary key (tenant_id, session_id, expansion_id),
        foreign key (tenant_id, session_id) references sessions on delete cascade
      )`);
    await runner.query(`
      create table counter_calibrations (
        tenant_id text not null,
        model text not null,
        counter_name text not null,
        counter_version text not null,
        factor double precision not null check (factor between 0.5 and 2.0),
        reports integer not null check (reports >= 1),
        updated_at timestamptz not null,
        primary key (tenant_id, model, counter_name, counter_version)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table counter_calibrations');
    await runner.query('drop table session_expansions');
    await runner.query('drop table session_previews');
    await runner.query(`update session_cycles set state = 'live' where state = 'replaced'`);
    // Rows of this version may stand in the way of the older rules, and must not be lost to them.
    await runner.query(`
      alter table session_items
        drop constraint session_items_have_sources,
        add constraint session_items_have_sources
          check (cardinality(source_entry_ids) > 0 or producer = 'host') not valid`);
    await runner.query(`
      alter table session_cycles
        drop constraint session_cycles_blobs_are_opaque,
        drop column strategy, drop column stubs, drop column blob, drop column replaces,
        drop constraint session_cycles_state_check,
        add constraint session_cycles_state_check check (state in ('live', 'rolled-back'))`);
    await runner.query(`
      alter table session_attempts
        drop column fallback_of, drop column model_calls, drop column lease_until,
        drop constraint session_attempts_trigger_check,
        add constraint session_attempts_trigger_check check (trigger in ('fixed_threshold',
          'sliding_window', 'importance', 'task_boundary', 'manual')) not valid`);
  }
}
