/**
 * Evaluations: sets of probes, runs, answers and marks.
 *
 * Why a run has two rows: nothing here ever changes, so that a run begins is one statement, and what it
 * came to is another. Why the report is no jsonb: it is given out byte for byte, in its order. Why marks hang on answers: a mark without its answer cannot be read again. New
 * tables; nothing that exists is locked.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['marks', 'answers', 'evaluation_runs', 'probes', 'probe_sets'] as const;

export class CreateEvaluations1764500000012 implements MigrationInterface {
  readonly name = 'CreateEvaluations1764500000012';

  async up(runner: QueryRunner): Promise<void> {
    await createProbes(runner);
    await createRuns(runner);
    await createAnswers(runner);
    await runner.query(`
      create function refuse_evaluation_change() returns trigger language plpgsql as $$
      begin
        raise exception 'rows of % are immutable', tg_table_name using errcode = 'restrict_violation';
      end $$`);
    for (const table of TABLES) {
      await runner.query(`
        create trigger ${table}_are_immutable before update or delete on ${table}
        for each row execute function refuse_evaluation_change()`);
      await runner.query(`
        create trigger ${table}_are_not_emptied before truncate on ${table}
        for each statement execute function refuse_evaluation_change()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`drop table ${table}`);
    await runner.query('drop function refuse_evaluation_change()');
  }
}

async function createProbes(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table probe_sets (
      tenant_id text not null,
      probe_set_id text not null check (length(probe_set_id) = 26),
      session_id text not null check (length(session_id) = 26),
      cycle integer not null check (cycle >= 0),
      last_seq integer not null check (last_seq >= 1),
      span_hash text not null check (length(span_hash) = 64),
      seed bigint not null check (seed >= 0),
      origin text not null check (origin in ('structure', 'model', 'host')),
      missing text[] not null,
      refused jsonb not null check (jsonb_typeof(refused) = 'array'),
      created_at timestamptz not null,
      primary key (tenant_id, probe_set_id)
    )`);
  await runner.query(`
    create table probes (
      tenant_id text not null,
      probe_set_id text not null,
      place integer not null check (place >= 0),
      probe_id text not null,
      type text not null check (type in ('recall', 'artifact', 'continuation', 'decision')),
      question text not null,
      format text check (format in ('one-per-line', 'single-value')),
      facts jsonb not null check (jsonb_array_length(facts) >= 1),
      forbidden text[] not null,
      source_entry_ids text[] not null check (cardinality(source_entry_ids) >= 1),
      dimensions text[] not null,
      origin text not null check (origin in ('structure', 'model', 'host')),
      as_of integer not null check (as_of >= 1),
      also_in_tail boolean not null,
      primary key (tenant_id, probe_set_id, probe_id),
      constraint probes_place unique (tenant_id, probe_set_id, place),
      foreign key (tenant_id, probe_set_id) references probe_sets
    )`);
}

async function createRuns(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table evaluation_runs (
      tenant_id text not null,
      run_id text not null check (length(run_id) = 26),
      state text not null check (state in ('started', 'finished')),
      kind text not null check (kind in
        ('run', 'plant', 'compare', 'evidence', 'trail', 'grade', 'judge-check')),
      settings jsonb not null check (jsonb_typeof(settings) = 'object'),
      settings_hash text not null check (length(settings_hash) = 64),
      report json check (json_typeof(report) = 'object'),
      timing jsonb check (jsonb_typeof(timing) = 'object'),
      recorded_at timestamptz not null,
      primary key (tenant_id, run_id, state),
      constraint evaluation_runs_finish_with_a_report
        check ((state = 'finished') = (report is not null)
          and (report is null) = (timing is null))
    )`);
  await runner.query(`
    create index evaluation_runs_settings on evaluation_runs (tenant_id, settings_hash)`);
}

async function createAnswers(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table answers (
      tenant_id text not null,
      run_id text not null,
      run_state text not null default 'started' check (run_state = 'started'),
      arm text not null,
      session_id text not null,
      cycle integer not null check (cycle >= 0),
      probe_id text not null,
      text text,
      reason text,
      survival jsonb check (jsonb_typeof(survival) = 'object'),
      findings jsonb not null check (jsonb_typeof(findings) = 'array'),
      answerer text,
      prompt_version text,
      usage jsonb not null check (jsonb_typeof(usage) = 'object'),
      answered_at timestamptz not null,
      primary key (tenant_id, run_id, arm, session_id, cycle, probe_id),
      constraint answers_are_given_or_not check ((text is null) = (reason is not null)),
      foreign key (tenant_id, run_id, run_state) references evaluation_runs
    )`);
  await runner.query(`
    create table marks (
      tenant_id text not null,
      run_id text not null,
      arm text not null,
      session_id text not null,
      cycle integer not null,
      probe_id text not null,
      judge_run integer not null check (judge_run >= 0),
      criterion_id text not null,
      score double precision check (score between 0 and 5),
      reason text not null check (reason <> ''),
      origin text not null check (origin in ('grader', 'judge')),
      primary key (tenant_id, run_id, arm, session_id, cycle, probe_id, judge_run, criterion_id),
      constraint marks_say_whose check ((origin = 'judge') = (judge_run >= 1)),
      foreign key (tenant_id, run_id, arm, session_id, cycle, probe_id) references answers
    )`);
}
