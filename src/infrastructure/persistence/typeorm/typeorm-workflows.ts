/** Workflows in Postgres. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { WorkflowRepository } from '../../../domain/workflow/repositories.js';
import {
  type Approval,
  noWorkflow,
  type RegisteredSource,
  type WorkflowKey,
} from '../../../domain/workflow/workflow.js';
import { type Sql, statement } from './sql.js';
import {
  APPROVAL_FIELDS,
  ARTIFACT_FIELDS,
  type ArtifactRow,
  itemsText,
  SOURCE_FIELDS,
  toApproval,
  toArtifact,
  toSource,
  toWorkflow,
  WORKFLOW_FIELDS,
  type WorkflowRow,
} from './workflow-columns.js';

const OF_WORKFLOW = 'tenant_id = $1 and workflow_id = $2';

export function typeormWorkflows(schema: string): (sql: Sql) => WorkflowRepository {
  const workflows = `"${schema}".workflows`;
  const insert = statement(`
    insert into ${workflows} (tenant_id, workflow_id, project_id, name, goal, phase, state, budgets,
      session_id, pin_item_no, pin_artifact_hash, version, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    on conflict on constraint workflows_name do nothing returning workflow_id`);
  const get = statement(`select ${WORKFLOW_FIELDS} from ${workflows} where ${OF_WORKFLOW}`);
  const byName = statement(`
    select ${WORKFLOW_FIELDS} from ${workflows} where tenant_id = $1 and name = $2`);
  const list = statement(`
    select ${WORKFLOW_FIELDS} from ${workflows} where tenant_id = $1 order by name collate "C"`);
  const sources = statement(`
    select ${SOURCE_FIELDS} from "${schema}".workflow_sources where ${OF_WORKFLOW}
    order by source_no`);
  const artifacts = statement(`
    select ${ARTIFACT_FIELDS} from "${schema}".workflow_artifacts where ${OF_WORKFLOW}
    order by array_position(array['research', 'planning', 'implementation'], phase), version`);
  const approvals = statement(`
    select ${APPROVAL_FIELDS} from "${schema}".workflow_approvals where ${OF_WORKFLOW}
    order by approval_no`);
  const move = statement(`
    update ${workflows} set phase = $4, state = $5, session_id = $6, pin_item_no = $7,
      pin_artifact_hash = $8, version = $9, updated_at = $10
    where ${OF_WORKFLOW} and version = $3 returning workflow_id`);
  const addSource = statement(`
    insert into "${schema}".workflow_sources (tenant_id, workflow_id, source_no, reference, hash,
      token_count, counter_name, counter_version, content, added_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);
  const addArtifact = statement(`
    insert into "${schema}".workflow_artifacts (tenant_id, workflow_id, phase, version, kind, items,
      hash, token_count, counter_name, counter_version, producer, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`);
  const addApproval = statement(`
    insert into "${schema}".workflow_approvals (tenant_id, workflow_id, approval_no, phase,
      artifact_version, artifact_hash, verdict, decided_by, comment, accepted_gaps, decided_at,
      voided_at, voided_because)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`);
  const voidApprovals = statement(`
    update "${schema}".workflow_approvals set voided_at = $4, voided_because = $5
    where ${OF_WORKFLOW} and approval_no = any($3::integer[]) and voided_at is null`);

  return (sql) => ({
    async insert(workflow) {
      const { tenantId, workflowId, projectId, name, goal, phase, state, pin } = workflow;
      const inserted = await sql(insert, [
        tenantId,
        workflowId,
        projectId,
        name,
        goal,
        phase,
        state,
        JSON.stringify(workflow.budgets),
        pin?.sessionId ?? null,
        pin?.itemNo ?? null,
        pin?.artifactHash ?? null,
        workflow.version,
        workflow.createdAt,
        workflow.updatedAt,
      ]);
      if (inserted.length > 0) return;
      throw new OssatureError(
        'ALREADY_EXISTS',
        `There is already a workflow ${JSON.stringify(name)}.`,
        { details: { workflow: name } },
      );
    },
    async get({ tenantId, workflowId }) {
      const [row] = await sql<WorkflowRow>(get, [tenantId, workflowId]);
      if (row === undefined) throw noWorkflow(workflowId);
      return toWorkflow(row);
    },
    async findByName(tenantId, name) {
      const [row] = await sql<WorkflowRow>(byName, [tenantId, name]);
      return row === undefined ? null : toWorkflow(row);
    },
    list: async (tenantId) => (await sql<WorkflowRow>(list, [tenantId])).map(toWorkflow),
    async apply({ fromVersion, workflow, sources: added, artifact, approval, ...voiding }) {
      const own = [workflow.tenantId, workflow.workflowId];
      const { phase, state, pin, version, updatedAt } = workflow;
      const pinned = [pin?.sessionId ?? null, pin?.itemNo ?? null, pin?.artifactHash ?? null];
      const moved = await sql(move, [
        ...own,
        fromVersion,
        phase,
        state,
        ...pinned,
        version,
        updatedAt,
      ]);
      if (moved.length === 0) throw changedMeanwhile(workflow);
      for (const source of added) await sql(addSource, [...own, ...sourceValues(source)]);
      if (artifact !== null) {
        await sql(addArtifact, [
          ...own,
          artifact.phase,
          artifact.version,
          artifact.artifact.kind,
          itemsText(artifact),
          artifact.hash,
          artifact.tokenCount,
          artifact.counterName,
          artifact.counterVersion,
          artifact.producer,
          artifact.createdAt,
        ]);
      }
      if (voiding.voided.length > 0) {
        const { voided, voidedBecause } = voiding;
        await sql(voidApprovals, [...own, voided, updatedAt, voidedBecause]);
      }
      if (approval !== null) await sql(addApproval, [...own, ...approvalValues(approval)]);
    },
    listSources: async ({ tenantId, workflowId }) =>
      (await sql<RegisteredSource>(sources, [tenantId, workflowId])).map(toSource),
    listArtifacts: async ({ tenantId, workflowId }) =>
      (await sql<ArtifactRow>(artifacts, [tenantId, workflowId])).map(toArtifact),
    listApprovals: async ({ tenantId, workflowId }) =>
      (await sql<Approval>(approvals, [tenantId, workflowId])).map(toApproval),
  });
}

function sourceValues(source: RegisteredSource): readonly unknown[] {
  const { sourceNo, reference, hash, tokenCount, counterName, counterVersion } = source;
  const { content, addedAt } = source;
  return [sourceNo, reference, hash, tokenCount, counterName, counterVersion, content, addedAt];
}

function approvalValues(approval: Approval): readonly unknown[] {
  const { approvalNo, phase, artifactVersion, artifactHash, verdict, by, comment } = approval;
  const gaps = JSON.stringify(approval.acceptedGaps);
  const { decidedAt, voidedAt, voidedBecause } = approval;
  const said = [approvalNo, phase, artifactVersion, artifactHash, verdict, by, comment];
  return [...said, gaps, decidedAt, voidedAt, voidedBecause];
}

function changedMeanwhile({ workflowId }: WorkflowKey): OssatureError {
  return new OssatureError(
    'STALE',
    `The workflow ${workflowId} was changed meanwhile. Read it again and repeat.`,
    { details: { workflowId } },
  );
}
