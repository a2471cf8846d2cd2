/**
 * Capsules: what a parent's session gave to a child beside its skeleton, and in the compression record
 * what it did not give.
 *
 * Why no foreign key to the session: a capsule belongs to the child, whose constraints must not end
 * because the parent's transcript was removed; that the session is there, and at which revision, the
 * insert itself makes sure of. Why the new column may be null: records of before, and of spawns without a
 * session, have none. Earlier code runs on against it. Locks `compression_records` for a moment.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateCapsules1764500000008 implements MigrationInterface {
  readonly name = 'CreateCapsules1764500000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table compression_records add column capsule_left_out jsonb
        check (jsonb_typeof(capsule_left_out) = 'array')`);
    await runner.query(`
      create table capsules (
        tenant_id text not null check (tenant_id <> ''),
        child_plan_id text not null references plans,
        parent_plan_id text not null references plans,
        session_id text not null check (length(session_id) = 26),
        session_revision integer not null check (session_revision >= 1),
        capsule_tokens bigint not null check (capsule_tokens >= 1),
        tokens bigint not null check (tokens between 0 and capsule_tokens),
        items jsonb not null check (jsonb_array_length(items) >= 1),
        created_at timestamptz not null,
        primary key (tenant_id, child_plan_id),
        constraint capsules_one_a_child unique (child_plan_id)
      )`);
    await runner.query('create index capsules_session on capsules (tenant_id, session_id)');
    await runner.query(`
      create trigger capsules_are_immutable before update or delete on capsules
      for each row execute function refuse_change()`);
    await runner.query(`
      create trigger capsules_are_not_emptied before truncate on capsules
      for each statement execute function refuse_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table capsules');
    await runner.query('alter table compression_records drop column capsule_left_out');
  }
}
