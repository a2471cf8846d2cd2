/** A store with workflows moves whole: what was put, read, said and voided, and the pin of the spec. */
import { expect, it } from '@jest/globals';
import {
  anApproval,
  anArtifactVersion,
  aRegisteredSource,
  aStep,
  aWorkflow,
} from '../contracts/workflow-values.js';
import { aProject } from '../contracts/sample-values.js';
import { aSession } from '../contracts/session-values.js';
import { storeOf } from '../support/builders.js';
import { openOnPostgres } from '../support/stores.js';

it('moves workflows with everything of them, and the other side goes on from there', async () => {
  const from = await openOnPostgres();
  const to = await openOnPostgres();
  const { projects, sessions, workflows } = storeOf(from.core).repositories;
  const project = aProject();
  await projects.insert(project);
  const workflow = aWorkflow(project.projectId);
  const session = aSession({ tenantId: workflow.tenantId });
  await sessions.insert(session);
  await workflows.insert(workflow);
  const pin = { sessionId: session.sessionId, itemNo: 1, artifactHash: 'e5'.repeat(32) };
  const put = aStep(
    { ...workflow, pin },
    {
      sources: [aRegisteredSource()],
      artifact: anArtifactVersion(),
      approval: anApproval(),
    },
  );
  await workflows.apply(put);
  const edited = aStep(put.workflow, {
    artifact: anArtifactVersion({ version: 2 }),
    voided: [1],
    voidedBecause: 'version 2 was put',
  });
  await workflows.apply(edited);
  const lines: string[] = [];
  await from.core.exportStore((line) => {
    lines.push(line);
  });

  const { rows } = await to.core.importStore(
    (async function* stream() {
      yield* lines;
    })(),
  );

  expect(rows).toMatchObject({
    workflows: 1,
    workflow_sources: 1,
    workflow_artifacts: 2,
    workflow_approvals: 1,
  });
  const moved = storeOf(to.core).repositories.workflows;
  expect(await moved.get(workflow)).toEqual(edited.workflow);
  expect(await moved.listSources(workflow)).toEqual(await workflows.listSources(workflow));
  expect(await moved.listArtifacts(workflow)).toEqual(await workflows.listArtifacts(workflow));
  expect(await moved.listApprovals(workflow)).toEqual(await workflows.listApprovals(workflow));
  const again = anApproval({ approvalNo: 2, artifactVersion: 2 });
  await moved.apply(aStep(edited.workflow, { approval: again }));
  await from.close();
  await to.close();
});
