/**
 * Projects, their context policies, plans and decisions.
 *
 * Why constraints here and not only in code: several processes and hosts write to these tables, and a
 * plan without a root or with a ratio of 1.5 would be found long after its writer is gone.
 * First migration, so no older code runs against it; it locks nothing that exists.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePlans1764500000001 implements MigrationInterface {
  readonly name = 'CreatePlans1764500000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table projects (
        project_id text primary key check (length(project_id) = 26),
        name text not null constraint projects_name_key unique check (name <> ''),
        created_at timestamptz not null
      )`);
    await runner.query(`
      create table context_policies (
        project_id text not null references projects,
        view text not null check (view in ('default', 'strategize', 'execute', 'apply')),
        skeleton_ratio double precision not null check (skeleton_ratio between 0 and 1),
        updated_at timestamptz not null,
        primary key (project_id, view)
      )`);
    await runner.query(`
      create table plans (
        plan_id text primary key check (length(plan_id) = 26),
        project_id text not null references projects,
        parent_plan_id text references plans,
        root_plan_id text not null references plans,
        depth integer not null check (depth >= 0),
        name text check (name <> ''),
        goal text not null check (goal <> ''),
        phase text not null check (phase in ('action', 'strategize', 'execute', 'apply')),
        state text not null check (state in ('queued', 'processing', 'complete', 'errored',
          'cancelled', 'constrained', 'applied')),
        reversions integer not null check (reversions between 0 and 3),
        skeleton_ratio double precision check (skeleton_ratio between 0 and 1),
        skeleton_metadata jsonb check (jsonb_typeof(skeleton_metadata) = 'object'),
        idempotency_key text,
        version integer not null check (version >= 1),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint plans_idempotency_key unique (parent_plan_id, idempotency_key),
        constraint plans_root_at_depth_0 check ((parent_plan_id is null) = (depth = 0)),
        constraint plans_root_is_itself check ((parent_plan_id is null) = (root_plan_id = plan_id)),
        constraint plans_only_roots_are_named check (parent_plan_id is null or name is null),
        constraint plans_applied_in_apply check (state <> 'applied' or phase = 'apply'),
        constraint plans_children_have_a_skeleton
          check ((parent_plan_id is null) = (skeleton_metadata is null))
      )`);
    await runner.query('create index plans_root_plan_id on plans (root_plan_id)');
    // Children have no name; an entry for each would cost every spawn its part.
    await runner.query(
      'create unique index plans_name_key on plans (project_id, name) where name is not null',
    );
    await runner.query('create index plans_project_id on plans (project_id) where depth = 0');
    await runner.query(`
      create table decisions (
        decision_id text primary key check (length(decision_id) = 26),
        plan_id text not null references plans,
        parent_decision_id text references decisions deferrable,
        type text not null check (type ~ '^[a-z][a-z0-9_]*$'),
        question text,
        choice text not null,
        rationale text,
        superseded_by text references decisions deferrable,
        created_at timestamptz not null,
        constraint decisions_not_by_itself check (superseded_by <> decision_id)
      )`);
    await runner.query('create index decisions_plan_id on decisions (plan_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['decisions', 'plans', 'context_policies', 'projects']) {
      await runner.query(`drop table ${table}`);
    }
  }
}
