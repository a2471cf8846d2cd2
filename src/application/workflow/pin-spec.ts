/**
 * The approved spec as one pin of the session that implements it: whole, word for word, through every
 * pass. A spec that is approved no more is unpinned, one that is approved anew takes its place.
 */
import { OssatureError } from '../../domain/kernel/errors.js';
import { activePins } from '../../domain/session/summary/summary-item.js';
import { renderForReading } from '../../domain/workflow/render-artifact.js';
import type { SpecPin, Workflow, WorkflowKey } from '../../domain/workflow/workflow.js';
import { approvalInForce, latestArtifact, stepOf } from '../../domain/workflow/workflow-acts.js';
import { readWorkflow, type StoredWorkflow, writeStep } from './workflow-history.js';
import type { WorkflowNeeds } from './workflow-request.js';

/**
 * Brings the pin to where it belongs. Safe to repeat: each step finds what one before it left, as after
 * a process that was killed in between.
 *
 * @param sessionId names the session from now on; null: as before.
 * @throws OssatureError NOT_FOUND for a session that is not there.
 */
export async function settlePin(
  needs: WorkflowNeeds,
  key: WorkflowKey,
  sessionId: string | null = null,
): Promise<Workflow> {
  const stored = await readWorkflow(needs, { key });
  const { workflow } = stored;
  const before = workflow.pin;
  const session = sessionId ?? before?.sessionId ?? null;
  if (session === null) return workflow;

  const wanted = approvedSpec(stored);
  const isThere =
    before?.sessionId === session &&
    before.artifactHash === (wanted?.hash ?? null) &&
    (sessionId === null || (await isPinned(needs, key, before)));
  if (isThere) return workflow;

  if (before !== null && before.itemNo !== null) await unpin(needs, key, before);
  const pin: SpecPin =
    wanted === null
      ? { sessionId: session, itemNo: null, artifactHash: null }
      : {
          sessionId: session,
          itemNo: await pinText(needs, { ...key, sessionId: session }, wanted.text),
          artifactHash: wanted.hash,
        };
  const step = stepOf(workflow, { pin, updatedAt: needs.clock() });
  await writeStep(needs, step);
  return step.workflow;
}

function approvedSpec(stored: StoredWorkflow) {
  const spec = latestArtifact(stored, 'planning');
  if (spec === null || approvalInForce(stored, 'planning') === null) return null;
  const text = `The approved implementation spec of ${stored.workflow.name}:\n\n${renderForReading(spec.artifact)}`;
  return { hash: spec.hash, text };
}

async function isPinned(needs: WorkflowNeeds, key: WorkflowKey, pin: SpecPin): Promise<boolean> {
  if (pin.itemNo === null) return true;
  const { summary } = await needs.summaries.read({ ...key, sessionId: pin.sessionId });
  return activePins(summary).some(({ itemNo }) => itemNo === pin.itemNo);
}

/** One that somebody unpinned already is as it should be. */
async function unpin(
  { summaries }: WorkflowNeeds,
  { tenantId }: WorkflowKey,
  { sessionId, itemNo }: SpecPin,
): Promise<void> {
  try {
    await summaries.unpin({ tenantId, sessionId, itemNo: itemNo ?? 0 });
  } catch (error) {
    if (!OssatureError.is(error, 'NOT_FOUND')) throw error;
  }
}

async function pinText(
  { summaries }: WorkflowNeeds,
  { tenantId, sessionId }: { readonly tenantId: string; readonly sessionId: string },
  text: string,
): Promise<number | null> {
  // The stored artifact is clean already.
  const redact = (clean: string) => ({ text: clean, redactions: {} });
  return (await summaries.pin({ tenantId, sessionId, text, redact })).itemNo;
}
