/** Workflows read from the store, and steps written to it. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { WorkflowRepository, WorkflowStep } from '../../domain/workflow/repositories.js';
import type { Approval, RegisteredSource, WorkflowKey } from '../../domain/workflow/workflow.js';
import type { WorkflowHistory } from '../../domain/workflow/workflow-acts.js';
import type { WorkflowNeeds, WorkflowRequest } from './workflow-request.js';

export interface StoredWorkflow extends WorkflowHistory {
  readonly sources: readonly RegisteredSource[];
}

/** @throws OssatureError NOT_FOUND; STALE where the version is not the expected one. */
export async function readWorkflow(
  { repositories: { workflows } }: Pick<WorkflowNeeds, 'repositories'>,
  { key, expectedVersion }: WorkflowRequest,
): Promise<StoredWorkflow> {
  const workflow = await workflows.get(key);
  if (expectedVersion !== undefined && expectedVersion !== workflow.version) {
    throw new OssatureError(
      'STALE',
      `The workflow ${workflow.name} is at version ${workflow.version}, not ${expectedVersion}. Read it again and repeat.`,
      { details: { expected: expectedVersion, version: workflow.version } },
    );
  }
  return { workflow, ...(await readParts(workflows, key)) };
}

async function readParts(workflows: WorkflowRepository, key: WorkflowKey) {
  return {
    artifacts: await workflows.listArtifacts(key),
    approvals: await workflows.listApprovals(key),
    sources: await workflows.listSources(key),
  };
}

export function writeStep(
  { unitOfWork }: Pick<WorkflowNeeds, 'unitOfWork'>,
  step: WorkflowStep,
): Promise<void> {
  return unitOfWork(({ workflows }) => workflows.apply(step));
}

/** The approvals that the step voids, as they are afterwards. */
export function voidedBy({ approvals }: WorkflowHistory, step: WorkflowStep): readonly Approval[] {
  return approvals
    .filter(({ approvalNo }) => step.voided.includes(approvalNo))
    .map((approval) => ({
      ...approval,
      voidedAt: step.workflow.updatedAt,
      voidedBecause: step.voidedBecause,
    }));
}
