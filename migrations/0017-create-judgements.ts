/**
 * What judges and summarizers answered in a run, so that one that was interrupted asks nothing twice.
 *
 * Why judgements stand apart from marks: one that could not be read leaves no mark, and must neither be
 * forgotten nor asked again. Why the answer of a summarizer is no jsonb: a model may write what jsonb
 * refuses. New tables; nothing that exists is locked.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['judgements', 'run_summaries'] as const;

export class CreateJudgements1764500000017 implements MigrationInterface {
  readonly name = 'CreateJudgements1764500000017';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table judgements (
        tenant_id text not null,
        run_id text not null,
        arm text not null,
        session_id text not null,
        cycle integer not null,
        probe_id text not null,
        judge_run integer not null check (judge_run >= 1),
        outcome text not null check (outcome in ('judged', 'unreadable', 'failed')),
        reason text,
        judge text not null,
        prompt_version text not null,
        usage jsonb not null check (jsonb_typeof(usage) = 'object'),
        judged_at timestamptz not null,
        primary key (tenant_id, run_id, arm, session_id, cycle, probe_id, judge_run),
        constraint judgements_fail_with_a_reason check ((outcome = 'judged') = (reason is null)),
        foreign key (tenant_id, run_id, arm, session_id, cycle, probe_id) references answers
      )`);
    await runner.query(`
      create table run_summaries (
        tenant_id text not null,
        run_id text not null,
        run_state text not null default 'started' check (run_state = 'started'),
        request_hash text not null check (length(request_hash) = 64),
        answer json not null check (json_typeof(answer) = 'object'),
        answered_at timestamptz not null,
        primary key (tenant_id, run_id, request_hash),
        foreign key (tenant_id, run_id, run_state) references evaluation_runs
      )`);
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
  }
}
