/**
 * A summarizer whose answers a run keeps: a pass that is made again after an interruption gets what was
 * answered then. Its requests are equal, as a scratch core counts its ids and its clock stands.
 */
import type { EvaluationRepository, EvaluationRun } from '../../domain/evaluation/repositories.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest } from '../../domain/kernel/measures.js';
import type { Summarizer, SummaryAnswer } from '../session/summarise.js';
import type { Clock } from '../ports/system.js';

export interface RememberingParts {
  readonly repositories: { readonly evaluations: EvaluationRepository };
  readonly digest: Digest;
  readonly clock: Clock;
}

/** Failures are not kept: they are asked again. */
export function rememberSummaries(
  summarizer: Summarizer,
  { tenantId, runId }: Pick<EvaluationRun, 'tenantId' | 'runId'>,
  { repositories: { evaluations }, digest, clock }: RememberingParts,
): Summarizer {
  return {
    ...summarizer,
    summarise: async (request, signal) => {
      const requestHash = digest(JSON.stringify([summarizer.name, request]));
      const known = await evaluations.findSummary(tenantId, runId, requestHash);
      if (known !== null) return fromJson(known);
      const answer = await summarizer.summarise(request, signal);
      if (answer.kind === 'failed' || signal.aborted) return answer;
      const kept = { requestHash, answer: JSON.stringify(answer), answeredAt: clock() };
      try {
        await evaluations.addSummary(tenantId, runId, kept);
      } catch (error) {
        // The same request at the same time: what came first is there.
        if (!OssatureError.is(error, 'STALE')) throw error;
      }
      return answer;
    },
  };
}

function fromJson(text: string): SummaryAnswer {
  const answer = JSON.parse(text) as SummaryAnswer;
  if (answer.kind !== 'opaque' || answer.blob.expiresAt === null) return answer;
  const { blob } = answer;
  return { ...answer, blob: { ...blob, expiresAt: new Date(blob.expiresAt ?? 0) } };
}
