/** Several ways to shrink the same prefixes to the same target, asked the same probes at the same points. */
import { type ComparedArm, parseArms } from '../../domain/evaluation/compared-arm.js';
import type { Probe } from '../../domain/evaluation/probe.js';
import { PROBE_TYPES } from '../../domain/evaluation/probe-type.js';
import { PROBES_PER_TYPE, writeProbes } from '../../domain/evaluation/probes/write-probes.js';
import type { EvaluationRun } from '../../domain/evaluation/repositories.js';
import type { ReportFailure } from '../../domain/evaluation/report/evaluation-report.js';
import { runReport } from '../../domain/evaluation/run-report/run-report.js';
import type { ArmSize } from '../../domain/evaluation/run-report/run-results.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import { parseSessionId, requireTenant } from '../../domain/session/session.js';
import type { Summarizer } from '../session/summarise.js';
import { askPoint } from './ask-point.js';
import type { RecordedRun } from './evaluation-runs.js';
import { type JudgeStanding, judgeStanding, withheldWarning } from './judge-standing.js';
import { noModel, nothingToAsk, type ProbeEvaluationParts, QUOTES } from './probe-parts.js';
import { entryTokens, sizeOf } from './point-sizes.js';
import { entriesUpTo, type ReadPoint } from './read-point.js';
import { rememberSummaries } from './remember-summaries.js';
import { namesOf, oneModelWarning, versionOf } from './run-versions.js';
import { type ArmContext, hostContext, plainContext, ShrinkingCopy } from './shrink-prefix.js';

export interface CompareRequest {
  readonly tenantId: string;
  readonly sessionIds: readonly string[];
  /** `full`, `tail`, `head`, a strategy, a strategy with a chooser (`offline:importance`), a host's own. */
  readonly arms: readonly string[];
  /** What a request may have after a pass. */
  readonly targetTokens: number;
  readonly cycles: number;
  readonly seed: number;
  /** Whether a configured judge marks the answers; it does once it passed its check. */
  readonly judge: boolean;
  /** How often each answer is judged. */
  readonly judgeRuns: number;
}

interface ComparedPoint {
  readonly point: ReadPoint;
  readonly contexts: readonly ArmContext[];
}

/** What makes the points: the same for every arm. */
const REFERENCE = { name: 'offline', way: 'pass', strategy: 'offline', trigger: null } as const;

export class StrategyComparisonService {
  constructor(private readonly parts: ProbeEvaluationParts) {}

  /**
   * @throws OssatureError NOT_FOUND where no session has a span to ask about; INVALID_INPUT for an arm
   * that is none; MODEL_UNAVAILABLE where an arm needs a summarizer and there is none.
   */
  async compare(request: CompareRequest, signal: AbortSignal): Promise<RecordedRun> {
    const { runs, evaluators, summarizer } = this.parts;
    const tenantId = requireTenant(request.tenantId);
    const arms = requireArms(request.arms, Object.keys(this.parts.hostArms));
    requireSummarizer(arms, summarizer);
    const { targetTokens, cycles, seed, sessionIds } = request;
    const judge = request.judge && evaluators.answerer !== null ? evaluators.judge : null;
    const standing = judge === null ? null : await judgeStanding(runs, tenantId, judge);
    const settings = {
      session_ids: [...sessionIds],
      arms: arms.map(({ name }) => name),
      target_tokens: targetTokens,
      cycles,
      seed,
      answerer: versionOf(evaluators.answerer),
      summarizer: summarizer?.name ?? 'none',
      judge: versionOf(judge),
      judge_check: standing ?? 'no judge',
      judge_runs: judge === null ? 0 : request.judgeRuns,
    };
    return runs.record({ tenantId, kind: 'compare', settings }, (run) =>
      this.#work(run, arms, request, { settings, standing }, signal),
    );
  }

  async #work(
    run: EvaluationRun,
    arms: readonly ComparedArm[],
    request: CompareRequest,
    told: {
      readonly settings: Readonly<Record<string, unknown>>;
      readonly standing: JudgeStanding | null;
    },
    signal: AbortSignal,
  ) {
    const { repositories, evaluators, digest, counter } = this.parts;
    const { tenantId, runId } = run;
    const { seed, sessionIds, judgeRuns } = request;
    const judge = told.standing === 'passed' ? evaluators.judge : null;
    const probes: Probe[] = [];
    const missing = new Set<string>();
    const failures: ReportFailure[] = [];
    const sizes: ArmSize[] = [];
    const points: ReadPoint[] = [];
    const timing: Record<string, number> = {};
    for (const sessionId of sessionIds) {
      const session = await repositories.sessions.get({
        tenantId,
        sessionId: parseSessionId(sessionId),
      });
      const entries = await entriesUpTo(repositories, session, session.lastSeq);
      const compared = await this.#shrink(run, session, entries, arms, request, signal);
      if (compared.failure !== null) {
        failures.push({ what: `offline on ${sessionId}`, reason: compared.failure, count: 1 });
      }
      for (const { point, contexts } of compared.points) {
        const choice = { seed, types: PROBE_TYPES, perType: PROBES_PER_TYPE };
        const written = writeProbes(point.material, choice, digest);
        probes.push(...written.probes);
        points.push(point);
        for (const type of written.missing) missing.add(type);
        const asked = { run, point, arms: contexts, probes: written.probes, judge, judgeRuns };
        await askPoint({ ...asked, answerer: evaluators.answerer }, this.parts, signal);
        sizes.push(...contexts.map((context) => sizeOf(point, context)));
      }
      for (const { arm, elapsedMs } of compared.points.at(-1)?.contexts ?? []) {
        timing[`${arm}_ms`] = (timing[`${arm}_ms`] ?? 0) + elapsedMs;
      }
    }
    if (probes.length === 0) throw nothingToAsk(sessionIds.join(', '));
    const same = oneModelWarning(evaluators, judge);
    const withheld =
      evaluators.judge === null || told.standing === null
        ? null
        : withheldWarning(evaluators.judge.name, told.standing);
    const report = runReport({
      kind: 'compare',
      question: 'Which way to shrink keeps more, at the same size?',
      settings: Object.fromEntries(
        Object.entries(told.settings).map(([name, value]) => [name, String(value)]),
      ),
      versions: namesOf(counter, evaluators.answerer, judge),
      probes,
      answers: await repositories.evaluations.listAnswers(tenantId, runId),
      marks: await repositories.evaluations.listMarks(tenantId, runId),
      judgements: await repositories.evaluations.listJudgements(tenantId, runId),
      sizes,
      entryTokens: entryTokens(points),
      missing: [...missing],
      failures,
      warnings: [same, withheld].filter((text) => text !== null),
      quotes: QUOTES,
      again: againOf(arms, request),
      seed,
    });
    return { report, timing };
  }

  /**
   * The points that the strategy `offline` makes of the session, and what every arm leaves there. A part
   * after which nothing left makes no point.
   */
  async #shrink(
    run: EvaluationRun,
    session: Session,
    entries: readonly SessionEntry[],
    arms: readonly ComparedArm[],
    { targetTokens, cycles }: CompareRequest,
    signal: AbortSignal,
  ): Promise<{ readonly points: readonly ComparedPoint[]; readonly failure: string | null }> {
    const parts = { ...this.parts, now: () => this.parts.clock().getTime() };
    const { summarizer: given } = this.parts;
    const summarizer = given === null ? null : rememberSummaries(given, run, this.parts);
    const open = (arm: Extract<ComparedArm, { way: 'pass' }>): Promise<ShrinkingCopy> =>
      ShrinkingCopy.open(session, arm, targetTokens, summarizer, parts);
    const reference = await open(REFERENCE);
    const copies = new Map<string, ShrinkingCopy>([[REFERENCE.name, reference]]);
    for (const arm of arms) {
      if (arm.way === 'pass' && !copies.has(arm.name)) copies.set(arm.name, await open(arm));
    }
    const points: ComparedPoint[] = [];
    let failure: string | null = null;
    for (const part of partsOf(entries, cycles)) {
      for (const copy of copies.values()) await copy.extend(part, signal);
      if (reference.outcome !== null) {
        failure = reference.outcome;
        continue;
      }
      const point = await reference.point();
      const before = point.cycle.tokensBefore;
      const contexts: ArmContext[] = [];
      for (const { name, way } of arms) {
        const copy = copies.get(name);
        if (way === 'plain') contexts.push(plainContext(name, point.entries, targetTokens, before));
        else if (copy !== undefined) contexts.push(await copy.context(point.entries, before));
        else
          contexts.push(
            await hostContext(name, point.entries, targetTokens, before, parts, signal),
          );
      }
      points.push({ point, contexts });
    }
    return { points, failure };
  }
}

/** Cut where a turn begins, so that no unit is parted. */
function partsOf(
  entries: readonly SessionEntry[],
  cycles: number,
): readonly (readonly SessionEntry[])[] {
  const parts: SessionEntry[][] = [[]];
  for (const [at, entry] of entries.entries()) {
    const isDue = at >= (entries.length * parts.length) / cycles;
    const isTurn = entry.turn !== entries[at - 1]?.turn;
    if (isDue && isTurn && parts.length < cycles) parts.push([]);
    parts.at(-1)?.push(entry);
  }
  return parts;
}

function requireArms(names: readonly string[], hosts: readonly string[]): readonly ComparedArm[] {
  const parsed = parseArms(names, hosts);
  if ('arms' in parsed && parsed.arms.length > 0) return parsed.arms;
  const wrong =
    'unknown' in parsed ? `There is no arm ${JSON.stringify(parsed.unknown)}.` : 'No arm is named.';
  const valid = 'valid' in parsed ? ` There are ${parsed.valid}.` : '';
  throw new OssatureError('INVALID_INPUT', `${wrong}${valid}`, { details: { field: 'arms' } });
}

function requireSummarizer(arms: readonly ComparedArm[], summarizer: Summarizer | null): void {
  const needy = arms.find((arm) => arm.way === 'pass' && arm.strategy !== 'offline');
  if (needy !== undefined && summarizer === null) throw noModel(`shrink with ${needy.name}`);
}

function againOf(arms: readonly ComparedArm[], request: CompareRequest): string {
  const { sessionIds, targetTokens, cycles, seed } = request;
  const names = arms.map(({ name }) => name).join(',');
  return `agents eval compare ${sessionIds.join(' ')} --strategies ${names} --target-tokens ${targetTokens} --cycles ${cycles} --seed ${seed}`;
}
