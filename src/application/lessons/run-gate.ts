/** The gate of replays: the sample, the baseline on failures, what was held out, the control arm. */
import type {
  AttemptComparison,
  AttemptReason,
  ReplayResult,
} from '../../domain/lessons/attempt.js';
import type { Episode } from '../../domain/lessons/episode.js';
import { isAtLeastShare } from '../../domain/lessons/exact-share.js';
import type { ProvisionalReason } from '../../domain/lessons/lesson.js';
import { lowerBound, signTest } from '../../domain/lessons/pass-rate.js';
import { atMost } from './ask-model.js';
import type { AttemptRun } from './attempt-run.js';

export interface GateResult {
  readonly outcome: 'passed' | 'rejected' | 'failed';
  readonly reason: AttemptReason | null;
  readonly details: Readonly<Record<string, unknown>>;
  /** Readable failures that are charged to the candidate. */
  readonly failures: readonly ReplayResult[];
  /** Episodes that count, passed or not. */
  readonly usable: readonly string[];
  readonly passed: number;
  readonly passRateLowerBound: number | null;
  readonly quarantined: readonly string[];
  readonly provisionalBecause: readonly ProvisionalReason[];
  readonly comparison: AttemptComparison | null;
}

interface Phase {
  readonly counted: readonly ReplayResult[];
  readonly quarantined: readonly string[];
  readonly wins: number;
  readonly losses: number;
}

/**
 * @param sources what the baseline serves: the source, or the sources of a merge.
 * @param threshold share of the sample that must pass.
 */
export async function runGate(
  run: AttemptRun,
  candidate: string,
  source: string,
  threshold: number,
): Promise<GateResult> {
  const { plan } = run.opened;
  const { settings } = run;
  const sample = await runPhase(run, candidate, source, 'sample', plan.inSample, plan.reserve);
  const inSample = summed(sample.counted);
  const comparison =
    settings['compression.baseline'] === 'always'
      ? { wins: sample.wins, losses: sample.losses, p: signTest(sample.wins, sample.losses) }
      : null;
  const base = {
    comparison,
    details: {},
    failures: inSample.failures,
    usable: inSample.episodeIds,
    passed: inSample.passed,
    passRateLowerBound: lowerBound(inSample.passed, inSample.episodeIds.length),
    quarantined: sample.quarantined,
    provisionalBecause: [],
  };
  if (inSample.episodeIds.length === 0) {
    return { ...base, outcome: 'rejected', reason: 'insufficient-evidence' };
  }
  const enough = isAtLeastShare(inSample.passed, inSample.episodeIds.length, threshold);
  if (!enough || inSample.unreadable > 0) {
    const outcome = inSample.failures.length > 0 ? 'rejected' : 'failed';
    return { ...base, outcome, reason: 'replay-failed' };
  }

  const later = await runPhase(run, candidate, source, 'held-out', plan.heldOut, []);
  const heldOut = summed(later.counted);
  const together = {
    ...base,
    failures: [...inSample.failures, ...heldOut.failures],
    usable: [...inSample.episodeIds, ...heldOut.episodeIds],
    passed: inSample.passed + heldOut.passed,
    quarantined: [...sample.quarantined, ...later.quarantined],
  };
  const bound = lowerBound(together.passed, together.usable.length);
  if (heldOut.passed < heldOut.episodeIds.length) {
    const outcome = heldOut.failures.length > 0 ? 'rejected' : 'failed';
    return { ...together, passRateLowerBound: bound, outcome, reason: 'held-out-failed' };
  }

  const provisionalBecause: ProvisionalReason[] = [];
  if (settings['compression.holdout_fraction'] > 0) {
    const few = heldOut.episodeIds.length < settings['compression.min_held_out'];
    if (!plan.split) provisionalBecause.push('no-holdout');
    else if (few) provisionalBecause.push('few-held-out');
  }
  if (settings['compression.control']) {
    const needed = Math.min(settings['compression.min_discriminating'], base.usable.length);
    const discriminating = await countDiscriminating(run, base.usable);
    if (discriminating < needed) {
      const details = { discriminating, needed };
      return {
        ...together,
        passRateLowerBound: bound,
        details,
        outcome: 'rejected',
        reason: 'insufficient-evidence',
      };
    }
    if (needed < settings['compression.min_discriminating']) {
      provisionalBecause.push('few-discriminating');
    }
  }
  if (run.parts.agent.isolation !== 'process') provisionalBecause.push('no-process');
  return {
    ...together,
    passRateLowerBound: bound,
    provisionalBecause,
    outcome: 'passed',
    reason: null,
  };
}

/** Episodes, of these, that an agent without the lesson fails readably. */
export async function countDiscriminating(
  run: AttemptRun,
  episodeIds: readonly string[],
): Promise<number> {
  const stored = await run.storedArms(episodeIds, null);
  const results = await atMost(
    await run.episodes(episodeIds),
    run.settings['replay.max_concurrent'],
    (episode) => run.replayArm({ episode, arm: 'control', phase: 'sample', lesson: null }, stored),
  );
  return results.filter(({ outcome }) => outcome === 'failed').length;
}

async function runPhase(
  run: AttemptRun,
  candidate: string,
  source: string,
  phase: ReplayResult['phase'],
  episodeIds: readonly string[],
  reserve: readonly string[],
): Promise<Phase> {
  const baseline = run.settings['compression.baseline'];
  const atOnce = run.settings['replay.max_concurrent'];
  const counted: ReplayResult[] = [];
  const quarantined: string[] = [];
  const waiting = [...reserve];
  let wins = 0;
  let losses = 0;
  let next = episodeIds;
  while (next.length > 0) {
    const episodes = await run.episodes(next);
    const results = await atMost(episodes, atOnce, (episode) =>
      run.replay({ episode, arm: 'candidate', phase, lesson: candidate }),
    );
    const compared = baseline === 'off' ? [] : episodes.filter(isCompared(baseline, results));
    const stored = await run.storedArms(
      compared.map(({ episodeId }) => episodeId),
      source,
    );
    const sourceResults = await atMost(compared, atOnce, (episode) =>
      run.replayArm({ episode, arm: 'baseline', phase, lesson: source }, stored),
    );
    const sourceOf = new Map(sourceResults.map((result) => [result.episodeId, result.outcome]));
    const replaced: string[] = [];
    for (const result of results) {
      const bySource = sourceOf.get(result.episodeId);
      if (result.outcome === 'failed' && bySource === 'failed') {
        quarantined.push(result.episodeId);
        const following = waiting.shift();
        if (following !== undefined) replaced.push(following);
        continue;
      }
      if (result.outcome === 'passed' && bySource === 'failed') wins += 1;
      if (result.outcome === 'failed' && bySource === 'passed') losses += 1;
      counted.push(result);
    }
    next = replaced;
  }
  return { counted, quarantined, wins, losses };
}

function isCompared(baseline: 'on-failure' | 'always', results: readonly ReplayResult[]) {
  const failed = new Set(
    results.flatMap(({ outcome, episodeId }) => (outcome === 'failed' ? [episodeId] : [])),
  );
  return ({ episodeId }: Episode): boolean => baseline === 'always' || failed.has(episodeId);
}

function summed(counted: readonly ReplayResult[]) {
  return {
    episodeIds: counted.map(({ episodeId }) => episodeId),
    passed: counted.filter(({ outcome }) => outcome === 'passed').length,
    unreadable: counted.filter(({ outcome }) => outcome === 'unreadable').length,
    failures: counted.filter(({ outcome }) => outcome === 'failed'),
  };
}
