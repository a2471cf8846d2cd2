/** Workflows and what belongs to them as the columns of rows. JSON is checked on the way out. */
import { z } from 'zod';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { artifactJson, parseArtifactJson } from '../../../domain/workflow/check-artifact.js';
import { GAP_KINDS } from '../../../domain/workflow/trace.js';
import type {
  Approval,
  ArtifactVersion,
  RegisteredSource,
  Workflow,
} from '../../../domain/workflow/workflow.js';
import { WORKFLOW_PHASES } from '../../../domain/workflow/workflow-phase.js';

/** A row as it is read: the pin lies flat. */
export type WorkflowRow = Omit<Workflow, 'pin'> & {
  readonly sessionId: string | null;
  readonly pinItemNo: number | null;
  readonly pinArtifactHash: string | null;
};

export type ArtifactRow = Omit<ArtifactVersion, 'artifact'> & {
  readonly kind: string;
  readonly items: unknown;
};

export const WORKFLOW_FIELDS = `
  tenant_id as "tenantId", workflow_id as "workflowId", project_id as "projectId", name, goal,
  phase, state, budgets, session_id as "sessionId", pin_item_no as "pinItemNo",
  pin_artifact_hash as "pinArtifactHash", version, created_at as "createdAt",
  updated_at as "updatedAt"`;

export const SOURCE_FIELDS = `
  source_no as "sourceNo", reference, hash, token_count as "tokenCount",
  counter_name as "counterName", counter_version as "counterVersion", content,
  added_at as "addedAt"`;

export const ARTIFACT_FIELDS = `
  phase, version, kind, items, hash, token_count as "tokenCount", counter_name as "counterName",
  counter_version as "counterVersion", producer, created_at as "createdAt"`;

export const APPROVAL_FIELDS = `
  approval_no as "approvalNo", phase, artifact_version as "artifactVersion",
  artifact_hash as "artifactHash", verdict, decided_by as "by", comment,
  accepted_gaps as "acceptedGaps", decided_at as "decidedAt", voided_at as "voidedAt",
  voided_because as "voidedBecause"`;

const budgets = z.strictObject({
  research: z.int(),
  planning: z.int(),
  implementation: z.int(),
});
const gaps = z.array(
  z.strictObject({
    gap: z.enum(GAP_KINDS),
    phase: z.enum(WORKFLOW_PHASES),
    itemId: z.string(),
    reference: z.string().nullable(),
  }),
);

export function toWorkflow(row: WorkflowRow): Workflow {
  const { sessionId, pinItemNo: itemNo, pinArtifactHash: artifactHash, ...workflow } = row;
  requireShape(budgets, row.budgets, `workflow ${row.workflowId}`);
  return { ...workflow, pin: sessionId === null ? null : { sessionId, itemNo, artifactHash } };
}

export const toSource = (row: RegisteredSource): RegisteredSource => row;

export function toArtifact({ kind, items, ...row }: ArtifactRow): ArtifactVersion {
  const what = `version ${row.version} of the ${row.phase} artifact`;
  try {
    return { ...row, artifact: parseArtifactJson(row.phase, { kind, items }) };
  } catch (error) {
    throw unreadable(what, error instanceof Error ? error.message : 'its items are none', error);
  }
}

export function toApproval(row: Approval): Approval {
  requireShape(gaps, row.acceptedGaps, `approval ${row.approvalNo}`);
  return row;
}

export const itemsText = ({ artifact }: ArtifactVersion): string =>
  JSON.stringify(artifactJson(artifact).items);

function requireShape(shape: z.ZodType, value: unknown, what: string): void {
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw unreadable(what, z.prettifyError(parsed.error), parsed.error);
}

function unreadable(what: string, reason: string, cause: unknown): OssatureError {
  return new OssatureError('STORE_FAILED', `The row of ${what} cannot be read: ${reason}`, {
    details: { row: what },
    cause,
  });
}
