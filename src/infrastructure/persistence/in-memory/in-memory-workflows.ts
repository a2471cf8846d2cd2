/** Workflows over maps. */
import type { WorkflowRepository } from '../../../domain/workflow/repositories.js';
import { noWorkflow, type WorkflowKey } from '../../../domain/workflow/workflow.js';
import { WORKFLOW_PHASES } from '../../../domain/workflow/workflow-phase.js';
import { refusal, requireNew } from './in-memory-rules.js';
import { sessionPlace, type State, type StoredWorkflow, workflowPlace } from './in-memory-state.js';

export function inMemoryWorkflows(current: () => State): WorkflowRepository {
  const held = (key: WorkflowKey): StoredWorkflow | undefined =>
    current().workflows.get(workflowPlace(key));
  const ofTenant = (tenantId: string) =>
    [...current().workflows.values()]
      .map(({ workflow }) => workflow)
      .filter((workflow) => workflow.tenantId === tenantId);

  return {
    async insert(workflow) {
      const state = current();
      if (ofTenant(workflow.tenantId).some(({ name }) => name === workflow.name)) {
        throw refusal(
          'ALREADY_EXISTS',
          `There is already a workflow ${JSON.stringify(workflow.name)}.`,
          { workflow: workflow.name },
        );
      }
      const place = workflowPlace(workflow);
      requireNew(state.workflows, place);
      if (!state.projects.has(workflow.projectId)) {
        throw refusal('STORE_FAILED', `There is no project ${workflow.projectId}.`);
      }
      state.workflows.set(place, { workflow, sources: [], artifacts: [], approvals: [] });
    },
    async get(key) {
      const found = held(key);
      if (found === undefined) throw noWorkflow(key.workflowId);
      return found.workflow;
    },
    findByName: async (tenantId, name) =>
      ofTenant(tenantId).find((workflow) => workflow.name === name) ?? null,
    list: async (tenantId) => ofTenant(tenantId).sort((a, b) => (a.name < b.name ? -1 : 1)),
    async apply({ fromVersion, workflow, sources, artifact, approval, voided, voidedBecause }) {
      const state = current();
      const before = held(workflow);
      if (before?.workflow.version !== fromVersion) {
        throw refusal('STALE', `The workflow ${workflow.workflowId} was changed meanwhile.`);
      }
      const { tenantId, pin, updatedAt } = workflow;
      if (pin !== null && !state.sessions.has(sessionPlace({ ...pin, tenantId }))) {
        throw refusal('STORE_FAILED', `There is no session ${pin.sessionId}.`);
      }
      const said = before.approvals.map((one) =>
        voided.includes(one.approvalNo) && one.voidedAt === null
          ? { ...one, voidedAt: updatedAt, voidedBecause }
          : one,
      );
      state.workflows.set(workflowPlace(workflow), {
        workflow,
        sources: [...before.sources, ...sources],
        artifacts: artifact === null ? before.artifacts : [...before.artifacts, artifact],
        approvals: approval === null ? said : [...said, approval],
      });
    },
    listSources: async (key) => held(key)?.sources ?? [],
    listArtifacts: async (key) =>
      WORKFLOW_PHASES.flatMap(
        (phase) => held(key)?.artifacts.filter((version) => version.phase === phase) ?? [],
      ),
    listApprovals: async (key) => held(key)?.approvals ?? [],
  };
}

/** What the foreign key does where a session is removed. */
export function forgetSession(state: State, tenantId: string, sessionId: string): void {
  for (const [place, held] of state.workflows) {
    const { workflow } = held;
    if (workflow.tenantId !== tenantId || workflow.pin?.sessionId !== sessionId) continue;
    state.workflows.set(place, { ...held, workflow: { ...workflow, pin: null } });
  }
}
