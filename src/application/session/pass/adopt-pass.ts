/** A pass that went through the gate, written in one transaction or not at all. */
import { spanOf } from '../../../domain/session/pass/pass-span.js';
import {
  newVersions,
  type SessionAttempt,
  type SessionCycle,
} from '../../../domain/session/summary/session-cycle.js';
import type { PassNeeds } from '../summary-needs.js';
import type { PassTrial, Passed } from './pass-trial.js';
import type { PassWork } from './pass-work.js';

/** @returns the number of the cycle. @throws OssatureError STALE, and nothing is written. */
export async function adoptPass(
  needs: PassNeeds,
  { material, planned, plan }: PassWork,
  trial: PassTrial,
  { finished, draft }: Passed,
  settled: SessionAttempt,
): Promise<number> {
  const { session } = material;
  const { cycleNumber: cycle, replaces } = trial;
  const { cutSeq } = finished;
  const adopted: SessionCycle = {
    cycle,
    revision: session.revision + 1,
    attemptId: settled.attemptId,
    state: 'live',
    strategy: draft.strategy,
    lastSeq: session.lastSeq,
    cutSeq,
    span: spanOf(trial.span),
    spanHash: trial.spanHash,
    previews: [...planned.request.previews]
      .filter(([seq]) => seq > cutSeq)
      .map(([seq, characters]) => ({ seq, characters }))
      .sort((a, b) => a.seq - b.seq),
    stubs: finished.stubs,
    blob: draft.blob,
    replaces,
    promptAgainSeq: plan.promptAgainSeq,
    tokensBefore: finished.tokensBefore,
    tokensAfter: finished.tokensAfter,
    targetTokens: plan.targetTokens,
    floorTokens: planned.verdict.breakdown.floorTokens,
    createdAt: needs.clock(),
  };
  const step = {
    fromRevision: session.revision,
    sessionCycle: cycle,
    items: newVersions(planned.request.summary, finished.summary),
    adopted,
    rolledBack: [],
    replaced: replaces,
  };
  await needs.unitOfWork(async ({ summaries }) => {
    await summaries.apply(session, step, needs.clock());
    await summaries.settleAttempt(session, settled);
  });
  return cycle;
}
