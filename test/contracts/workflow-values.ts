/** Values of workflows for the contracts: new ids, fixed everything else. */
import type { WorkflowStep } from '../../src/domain/workflow/repositories.js';
import type {
  Approval,
  ArtifactVersion,
  RegisteredSource,
  Workflow,
} from '../../src/domain/workflow/workflow.js';
import type { ProjectId } from '../../src/domain/kernel/ids.js';
import { LATER, newRecordId, NOW } from './sample-values.js';

const HASH = 'a1'.repeat(32);

export function aWorkflow(projectId: ProjectId, given: Partial<Workflow> = {}): Workflow {
  const workflowId = newRecordId();
  return {
    tenantId: 'tenant "one"',
    workflowId,
    projectId,
    name: `workflow ${workflowId}`,
    goal: `Sessions end, and 'quotes' stay.\n`,
    phase: 'research',
    state: 'working',
    budgets: { research: 8_000, planning: 3_000, implementation: 40_000 },
    pin: null,
    version: 1,
    createdAt: NOW,
    updatedAt: NOW,
    ...given,
  };
}

export function aRegisteredSource(given: Partial<RegisteredSource> = {}): RegisteredSource {
  return {
    sourceNo: 1,
    reference: 'document:notes.md',
    hash: HASH,
    tokenCount: 7,
    counterName: 'o200k_base',
    counterVersion: '1',
    content: 'what was said',
    addedAt: NOW,
    ...given,
  };
}

export function anArtifactVersion(given: Partial<ArtifactVersion> = {}): ArtifactVersion {
  return {
    phase: 'research',
    version: 1,
    artifact: {
      kind: 'research_document',
      items: [
        {
          itemId: 'R-1',
          section: 'components',
          text: 'The clock.\n\nIt stands.',
          sources: [
            { kind: 'document', name: 'notes.md', hash: HASH },
            { kind: 'url', url: 'https://example.org/', hash: null },
          ],
        },
      ],
    },
    hash: HASH,
    tokenCount: 30,
    counterName: 'o200k_base',
    counterVersion: '1',
    producer: 'person:ada',
    createdAt: LATER,
    ...given,
  };
}

export function anApproval(given: Partial<Approval> = {}): Approval {
  return {
    approvalNo: 1,
    phase: 'research',
    artifactVersion: 1,
    artifactHash: HASH,
    verdict: 'approved',
    by: 'bob',
    comment: null,
    acceptedGaps: [],
    decidedAt: LATER,
    voidedAt: null,
    voidedBecause: null,
    ...given,
  };
}

/** The step to the next version, at a later time. */
export function aStep(workflow: Workflow, given: Partial<WorkflowStep> = {}): WorkflowStep {
  return {
    fromVersion: workflow.version,
    workflow: { ...workflow, version: workflow.version + 1, updatedAt: LATER },
    sources: [],
    artifact: null,
    approval: null,
    voided: [],
    voidedBecause: null,
    ...given,
  };
}
