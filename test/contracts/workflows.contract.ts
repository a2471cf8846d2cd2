/** What every WorkflowRepository promises. */
import { deepEqual, equal } from 'node:assert/strict';
import type { Workflow } from '../../src/domain/workflow/workflow.js';
import { type Contract, failsWith, type StoreUnderTest } from './contract.js';
import { aProject, HARD_TEXTS, newProjectId, newRecordId } from './sample-values.js';
import { aSession } from './session-values.js';
import {
  anApproval,
  anArtifactVersion,
  aRegisteredSource,
  aStep,
  aWorkflow,
} from './workflow-values.js';

async function aStored(
  { repositories }: StoreUnderTest,
  given: Partial<Workflow> = {},
): Promise<Workflow> {
  const project = aProject();
  await repositories.projects.insert(project);
  const workflow = aWorkflow(project.projectId, given);
  await repositories.workflows.insert(workflow);
  return workflow;
}

export const WORKFLOWS_CONTRACT: Contract = {
  port: 'WorkflowRepository',
  rules: [
    {
      rule: 'a workflow comes back as it was inserted, by id and by name',
      async check(store) {
        const { workflows } = store.repositories;
        const workflow = await aStored(store, { goal: HARD_TEXTS['JSON'] ?? '' });
        deepEqual(await workflows.get(workflow), workflow);
        deepEqual(await workflows.findByName(workflow.tenantId, workflow.name), workflow);
        equal(await workflows.findByName(workflow.tenantId, `${workflow.name}?`), null);
      },
    },
    {
      rule: 'a name is taken once in a tenant, and free in another',
      async check(store) {
        const workflow = await aStored(store);
        const other = { ...workflow, workflowId: newRecordId() };
        const { workflows } = store.repositories;
        await failsWith('ALREADY_EXISTS', () => workflows.insert(other));
        await workflows.insert({ ...other, tenantId: 'somebody else' });
        deepEqual(await workflows.get(workflow), workflow);
      },
    },
    {
      rule: 'a workflow of an unknown project is STORE_FAILED',
      async check({ repositories: { workflows } }) {
        await failsWith('STORE_FAILED', () => workflows.insert(aWorkflow(newProjectId())));
      },
    },
    {
      rule: 'the workflows of a tenant are listed by name in code-unit order',
      async check(store) {
        const tenantId = newRecordId();
        for (const name of ['b', 'a', 'B', 'é']) await aStored(store, { tenantId, name });
        await aStored(store);
        const listed = await store.repositories.workflows.list(tenantId);
        deepEqual(
          listed.map(({ name }) => name),
          ['B', 'a', 'b', 'é'],
        );
      },
    },
    {
      rule: 'a step writes all that it brings, hard texts included, and moves the version',
      async check(store) {
        const { workflows } = store.repositories;
        const workflow = await aStored(store);
        const sources = Object.values(HARD_TEXTS).map((content, index) =>
          aRegisteredSource({ sourceNo: index + 1, content }),
        );
        const bare = { sourceNo: sources.length + 1, hash: null, content: null, tokenCount: 0 };
        sources.push(aRegisteredSource({ ...bare, reference: 'url:https://example.org/' }));
        const artifact = anArtifactVersion();
        const gap = { gap: 'orphan', phase: 'research', itemId: 'R-1', reference: null } as const;
        const approval = anApproval({ acceptedGaps: [gap], comment: `it's "fine"` });
        const step = aStep(workflow, { sources, artifact, approval });
        await store.unitOfWork((bound) => bound.workflows.apply(step));
        deepEqual(await workflows.get(workflow), step.workflow);
        deepEqual(await workflows.listSources(workflow), sources);
        deepEqual(await workflows.listArtifacts(workflow), [artifact]);
        deepEqual(await workflows.listApprovals(workflow), [approval]);
      },
    },
    {
      rule: 'a step on another version is STALE and writes nothing',
      async check(store) {
        const { workflows } = store.repositories;
        const workflow = await aStored(store);
        const step = aStep(workflow, { fromVersion: 2, sources: [aRegisteredSource()] });
        await failsWith('STALE', () => store.unitOfWork((bound) => bound.workflows.apply(step)));
        await failsWith('STALE', () =>
          store.unitOfWork((bound) =>
            bound.workflows.apply({ ...step, workflow: { ...workflow, tenantId: 'other' } }),
          ),
        );
        deepEqual(await workflows.listSources(workflow), []);
        deepEqual(await workflows.get(workflow), workflow);
      },
    },
    {
      rule: 'an approval is voided once, with the time and the reason, and another may follow',
      async check(store) {
        const { workflows } = store.repositories;
        const workflow = await aStored(store);
        const first = anApproval();
        const one = aStep(workflow, { artifact: anArtifactVersion(), approval: first });
        await workflows.apply(one);
        const next = anArtifactVersion({ version: 2, hash: 'b2'.repeat(32) });
        const because = { voided: [1], voidedBecause: 'version 2 was put' };
        const two = aStep(one.workflow, { artifact: next, ...because });
        await workflows.apply(two);
        const last = anApproval({
          approvalNo: 2,
          artifactVersion: 2,
          artifactHash: next.hash,
        });
        await workflows.apply(aStep(two.workflow, { approval: last }));
        const voidedAt = two.workflow.updatedAt;
        deepEqual(await workflows.listApprovals(workflow), [
          { ...first, voidedAt, voidedBecause: 'version 2 was put' },
          last,
        ]);
      },
    },
    {
      rule: 'artifacts are listed by phase, then by version',
      async check(store) {
        const { workflows } = store.repositories;
        const workflow = await aStored(store);
        const spec = anArtifactVersion({
          phase: 'planning',
          artifact: {
            kind: 'implementation_spec',
            items: [
              {
                itemId: 'S-1',
                section: 'steps',
                text: 'Do.',
                research: ['R-1'],
                files: ['a b.ts'],
              },
            ],
          },
        });
        const versions = [anArtifactVersion(), spec, anArtifactVersion({ version: 2 })];
        let now = workflow;
        for (const artifact of versions) {
          const step = aStep(now, { artifact });
          await workflows.apply(step);
          now = step.workflow;
        }
        deepEqual(await workflows.listArtifacts(workflow), [versions[0], versions[2], spec]);
      },
    },
    {
      rule: 'the session that implements is kept with its pin, and forgotten when it is removed',
      async check(store) {
        const { workflows, sessions } = store.repositories;
        const workflow = await aStored(store);
        const { tenantId } = workflow;
        const session = aSession({ tenantId });
        const pin = { sessionId: session.sessionId, itemNo: 3, artifactHash: 'c3'.repeat(32) };
        const step = aStep({ ...workflow, pin });
        await failsWith('STORE_FAILED', () => workflows.apply(step));
        await sessions.insert(session);
        await workflows.apply(step);
        deepEqual(await workflows.get(workflow), step.workflow);
        await sessions.delete(session);
        deepEqual((await workflows.get(workflow)).pin, null);
      },
    },
    {
      rule: 'what belongs to another tenant is not there',
      async check(store) {
        const { workflows } = store.repositories;
        const workflow = await aStored(store);
        const sources = [aRegisteredSource()];
        const artifact = anArtifactVersion();
        await workflows.apply(aStep(workflow, { sources, artifact, approval: anApproval() }));
        const other = { tenantId: 'somebody else', workflowId: workflow.workflowId };
        await failsWith('NOT_FOUND', () => workflows.get(other));
        equal(await workflows.findByName(other.tenantId, workflow.name), null);
        deepEqual(await workflows.listSources(other), []);
        deepEqual(await workflows.listArtifacts(other), []);
        deepEqual(await workflows.listApprovals(other), []);
      },
    },
  ],
};
