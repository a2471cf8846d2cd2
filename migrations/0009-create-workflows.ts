/**
 * Workflows in three phases: the workflow itself, the sources that were read, the artifacts that were
 * put, and what was said to each.
 *
 * Why a foreign key with the hash in it: an approval is of exactly one artifact as it was then. Why
 * triggers: what was put and said is evidence; an approval changes once, by being voided. The session
 * that implements may be removed; the workflow stays, and a pin without a session means none. New tables; they lock nothing that exists but
 * `projects` and `sessions` for a moment.
 */
import type { MigrationInterface, QueryRunner } from 'typeorm';

const KEPT = ['workflow_approvals', 'workflow_artifacts', 'workflow_sources'] as const;

const OF_WORKFLOW = `
  tenant_id text not null,
  workflow_id text not null,
  foreign key (tenant_id, workflow_id) references workflows`;

const PHASE = `phase text not null check (phase in ('research', 'planning', 'implementation'))`;

export class CreateWorkflows1764500000009 implements MigrationInterface {
  readonly name = 'CreateWorkflows1764500000009';

  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner);
    await runner.query(`
      create function refuse_workflow_change() returns trigger language plpgsql as $$
      begin
        if tg_op = 'UPDATE' and tg_table_name = 'workflow_approvals' then
          if to_jsonb(old)->>'voided_at' is null and
            to_jsonb(old) - 'voided_at' - 'voided_because' = to_jsonb(new) - 'voided_at' - 'voided_because'
          then return new; end if;
        end if;
        raise exception 'rows of % are immutable', tg_table_name using errcode = 'restrict_violation';
      end $$`);
    for (const table of KEPT) {
      await runner.query(`
        create trigger ${table}_are_immutable before update or delete on ${table}
        for each row execute function refuse_workflow_change()`);
      await runner.query(`
        create trigger ${table}_are_not_emptied before truncate on ${table}
        for each statement execute function refuse_workflow_change()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [...KEPT, 'workflows']) await runner.query(`drop table ${table}`);
    await runner.query('drop function refuse_workflow_change()');
  }
}

async function createTables(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table workflows (
      tenant_id text not null check (length(tenant_id) between 1 and 500),
      workflow_id text not null check (length(workflow_id) = 26),
      project_id text not null references projects,
      name text not null check (length(name) between 1 and 200),
      goal text not null check (goal <> ''),
      ${PHASE},
      state text not null check (state in ('working', 'in-review', 'completed')),
      budgets jsonb not null check (jsonb_typeof(budgets) = 'object'),
      session_id text,
      pin_item_no integer check (pin_item_no >= 1),
      pin_artifact_hash text check (length(pin_artifact_hash) = 64),
      version integer not null check (version >= 1),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (tenant_id, workflow_id),
      constraint workflows_name unique (tenant_id, name),
      constraint workflows_session foreign key (tenant_id, session_id) references sessions
        on delete set null (session_id),
      constraint workflows_pin_is_whole
        check ((pin_item_no is null) = (pin_artifact_hash is null)),
      constraint workflows_end_with_implementation
        check (state <> 'completed' or phase = 'implementation')
    )`);
  await runner.query('create index workflows_session_id on workflows (tenant_id, session_id)');
  await runner.query(`
    create table workflow_sources (${OF_WORKFLOW},
      source_no integer not null check (source_no >= 1),
      reference text not null check (reference ~ '^(file|url|entry|document|seed):'),
      hash text check (length(hash) = 64),
      token_count bigint not null check (token_count between 0 and 9007199254740991),
      counter_name text not null,
      counter_version text not null,
      content text,
      added_at timestamptz not null,
      primary key (tenant_id, workflow_id, source_no),
      constraint workflow_sources_texts_are_hashed check (content is null or hash is not null)
    )`);
  await runner.query(`
    create table workflow_artifacts (${OF_WORKFLOW},
      ${PHASE},
      version integer not null check (version >= 1),
      kind text not null,
      items jsonb not null check (jsonb_array_length(items) >= 1),
      hash text not null check (length(hash) = 64),
      token_count bigint not null check (token_count between 0 and 9007199254740991),
      counter_name text not null,
      counter_version text not null,
      producer text not null check (producer ~ '^(person|model):'),
      created_at timestamptz not null,
      primary key (tenant_id, workflow_id, phase, version),
      constraint workflow_artifacts_hash unique (tenant_id, workflow_id, phase, version, hash),
      constraint workflow_artifacts_are_of_their_phase check ((phase, kind) in
        (('research', 'research_document'), ('planning', 'implementation_spec'),
         ('implementation', 'implementation_record')))
    )`);
  await runner.query(`
    create table workflow_approvals (${OF_WORKFLOW},
      approval_no integer not null check (approval_no >= 1),
      ${PHASE},
      artifact_version integer not null,
      artifact_hash text not null,
      verdict text not null check (verdict in ('approved', 'rejected')),
      decided_by text not null check (decided_by <> ''),
      comment text,
      accepted_gaps jsonb not null check (jsonb_typeof(accepted_gaps) = 'array'),
      decided_at timestamptz not null,
      voided_at timestamptz,
      voided_because text,
      primary key (tenant_id, workflow_id, approval_no),
      constraint workflow_approvals_of_an_artifact
        foreign key (tenant_id, workflow_id, phase, artifact_version, artifact_hash)
        references workflow_artifacts (tenant_id, workflow_id, phase, version, hash),
      constraint workflow_approvals_rejections_have_reasons
        check (verdict = 'approved' or comment is not null),
      constraint workflow_approvals_voids_have_a_reason
        check ((voided_at is null) = (voided_because is null))
    )`);
  await runner.query(`
    create unique index workflow_approvals_in_force
    on workflow_approvals (tenant_id, workflow_id, phase)
    where verdict = 'approved' and voided_at is null`);
}
