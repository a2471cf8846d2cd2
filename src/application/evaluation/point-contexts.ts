/** What is asked about at one point: the whole prefix as the control, and what an arm leaves of it. */
import { type ComparedArm, parseArms } from '../../domain/evaluation/compared-arm.js';
import type { EvaluationRun } from '../../domain/evaluation/repositories.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { noModel, type ProbeEvaluationParts } from './probe-parts.js';
import type { ReadPoint } from './read-point.js';
import { rememberSummaries } from './remember-summaries.js';
import { type ArmContext, hostContext, plainContext, ShrinkingCopy } from './shrink-prefix.js';

/** @throws OssatureError INVALID_INPUT for an arm that is none, MODEL_UNAVAILABLE for one without its summarizer. */
export function requireArm(
  name: string,
  { hostArms, summarizer }: Pick<ProbeEvaluationParts, 'hostArms' | 'summarizer'>,
): ComparedArm {
  const parsed = parseArms([name], Object.keys(hostArms));
  const [arm] = 'arms' in parsed ? parsed.arms : [];
  if (arm === undefined) {
    const valid = 'valid' in parsed ? parsed.valid : '';
    throw new OssatureError(
      'INVALID_INPUT',
      `There is no strategy ${JSON.stringify(name)}. There are ${valid}.`,
      { details: { field: 'strategy' } },
    );
  }
  if (arm.way === 'pass' && arm.strategy !== 'offline' && summarizer === null) {
    throw noModel(`shrink with ${arm.name}`);
  }
  return arm;
}

/**
 * The control first: what it cannot answer is a bad probe.
 *
 * @param arm null: the context that the stored pass left.
 */
export async function contextsAt(
  given: ProbeEvaluationParts,
  run: EvaluationRun,
  point: ReadPoint,
  arm: ComparedArm | null,
  signal: AbortSignal,
): Promise<readonly ArmContext[]> {
  const { entries, context, cycle, session } = point;
  const { tokensBefore, tokensAfter, strategy } = cycle;
  const full = plainContext('full', entries, tokensAfter, tokensBefore);
  if (arm === null) {
    const stored = {
      arm: strategy,
      context: strategy === 'opaque' ? null : context,
      tokensAfter,
    };
    const own = { removesSpan: true, failure: null, summarizerTokens: 0, elapsedMs: 0 };
    return [full, { ...stored, ...own }];
  }
  if (arm.name === 'full') return [full];
  if (arm.way === 'plain') {
    return [full, plainContext(arm.name, entries, tokensAfter, tokensBefore)];
  }
  const parts = { ...given, now: () => given.clock().getTime() };
  if (arm.way === 'host') {
    const { name } = arm;
    return [full, await hostContext(name, entries, tokensAfter, tokensBefore, parts, signal)];
  }
  const { summarizer } = given;
  const remembering = summarizer === null ? null : rememberSummaries(summarizer, run, given);
  const copy = await ShrinkingCopy.open(session, arm, tokensAfter, remembering, parts);
  await copy.extend(entries, signal);
  return [full, await copy.context(entries, tokensBefore)];
}
