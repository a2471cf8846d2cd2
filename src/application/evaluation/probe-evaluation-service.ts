/** Probes of a stored session: made, asked, graded, judged; without a model their survival alone. */
import type { ProbeMaterial } from '../../domain/evaluation/probes/probe-material.js';
import { PROBES_PER_TYPE, writeProbes } from '../../domain/evaluation/probes/write-probes.js';
import type { ProbeSet } from '../../domain/evaluation/probe.js';
import { PROBE_TYPES, type ProbeType } from '../../domain/evaluation/probe-type.js';
import type { ReportFailure } from '../../domain/evaluation/report/evaluation-report.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { NO_REDACTION } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import { parseSessionId, requireTenant } from '../../domain/session/session.js';
import { askPoint, gradingTexts, keyOf, placeOf, storeAnswer } from './ask-point.js';
import type { RecordedRun } from './evaluation-runs.js';
import { judgeStanding, withheldWarning } from './judge-standing.js';
import { contextsAt, requireArm } from './point-contexts.js';
import { reportOn } from './point-report.js';
import { noModel, nothingToAsk, type ProbeEvaluationParts } from './probe-parts.js';
import { proposeProbes } from './propose-probes.js';
import { readPoint, type ReadPoint } from './read-point.js';
import { namesOf, oneModelWarning, versionOf } from './run-versions.js';

export interface ProbeRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  /** A pass in force; null: the last one. */
  readonly cycle: number | null;
  readonly types: readonly ProbeType[];
  readonly seed: number;
  readonly perType?: number;
  /** Whether a model writes them. */
  readonly byModel?: boolean;
}

export interface RunProbesRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly cycle: number | null;
  /** Null: probes from structure are made for it. */
  readonly probeSetId: string | null;
  readonly seed: number;
  /** Null: the context that the stored pass left; else what this arm makes of the same prefix. */
  readonly strategy: string | null;
  /** Whether a judge marks the answers; it does once it passed its check. */
  readonly judge: boolean;
  readonly judgeRuns: number;
}

/** Answers that somebody brings, by probe. */
export interface GivenAnswer {
  readonly probeId: string;
  readonly text: string;
}

export class ProbeEvaluationService {
  constructor(private readonly parts: ProbeEvaluationParts) {}

  /**
   * Makes a set of probes and keeps it.
   *
   * @throws OssatureError NOT_FOUND where there is nothing to ask about; MODEL_UNAVAILABLE.
   */
  async write(request: ProbeRequest): Promise<ProbeSet> {
    const { types, seed, perType = PROBES_PER_TYPE, byModel = false } = request;
    const { evaluators, repositories, digest, clock, newId } = this.parts;
    if (byModel && evaluators.writer === null) throw noModel('write probes');
    const point = await this.#point(request);
    const { material } = point;
    const written =
      byModel && evaluators.writer !== null
        ? await proposeProbes(evaluators.writer, point, { types, perType, seed }, digest)
        : { ...writeProbes(material, { seed, types, perType }, digest), refused: [] };
    if (written.probes.length === 0) {
      throw new OssatureError(
        'NOT_FOUND',
        `There is nothing to ask about: the span holds no material for ${types.join(', ')}.`,
        { details: { sessionId: request.sessionId, types, refused: written.refused.length } },
      );
    }
    const set: ProbeSet = {
      probeSetId: newId(),
      tenantId: request.tenantId,
      sessionId: material.sessionId,
      point: material.point,
      spanHash: material.spanHash,
      seed,
      origin: byModel ? 'model' : 'structure',
      missing: written.missing,
      refused: written.refused,
      createdAt: clock(),
      probes: written.probes,
    };
    await this.parts.unitOfWork(({ evaluations }) => evaluations.addProbeSet(set));
    return repositories.evaluations.getProbeSet(set.tenantId, set.probeSetId);
  }

  /**
   * Asks the probes of the context after the pass, and of the whole prefix as the control. What was
   * answered in an interrupted run of the same settings is not asked again.
   *
   * @throws OssatureError NOT_FOUND, MODEL_UNAVAILABLE, STALE where the probes belong to another span,
   * INVALID_INPUT for a strategy that is none.
   */
  async run(request: RunProbesRequest, signal: AbortSignal): Promise<RecordedRun> {
    const { evaluators, repositories, runs } = this.parts;
    const { answerer, judge } = evaluators;
    if (request.judge && (judge === null || answerer === null)) throw noModel('answer and judge');
    const arm = request.strategy === null ? null : requireArm(request.strategy, this.parts);
    const tenantId = requireTenant(request.tenantId);
    const point = await this.#point(request);
    const set =
      request.probeSetId === null
        ? null
        : await repositories.evaluations.getProbeSet(tenantId, request.probeSetId);
    if (set !== null) requireSameSpan(set, point.material);
    const { seed } = request;
    const choice = { seed, types: PROBE_TYPES, perType: PROBES_PER_TYPE };
    const written = set ?? writeProbes(point.material, choice, this.parts.digest);
    if (written.probes.length === 0) throw nothingToAsk(request.sessionId);
    const wanted = request.judge ? judge : null;
    const standing = wanted === null ? null : await judgeStanding(runs, tenantId, wanted);
    const settings = {
      session_id: point.session.sessionId,
      cycle: point.cycle.cycle,
      span_hash: point.material.spanHash,
      probes: request.probeSetId ?? `structure, seed ${seed}`,
      strategy: arm?.name ?? point.cycle.strategy,
      context: arm === null ? 'of the stored pass' : 'made for this run, at the same size',
      answerer: versionOf(answerer),
      judge: versionOf(wanted),
      judge_check: standing ?? 'no judge',
      judge_runs: wanted === null ? 0 : request.judgeRuns,
    };
    return runs.record({ tenantId, kind: 'run', settings }, async (run) => {
      const contexts = await contextsAt(this.parts, run, point, arm, signal);
      const asking = standing === 'passed' ? wanted : null;
      const { probes } = written;
      const asked = { run, point, arms: contexts, probes, answerer, judge: asking };
      await askPoint({ ...asked, judgeRuns: request.judgeRuns }, this.parts, signal);
      const withheld =
        wanted === null || standing === null ? null : withheldWarning(wanted.name, standing);
      const report = await reportOn(this.parts, run, point, written, {
        question: 'What of the dropped span is still there, and does it answer?',
        settings,
        versions: namesOf(this.parts.counter, answerer, asking),
        contexts,
        failures: [],
        warnings: [oneModelWarning(evaluators, asking), withheld].filter((text) => text !== null),
        again: againOf(request),
        seed,
      });
      const timing = Object.fromEntries(
        contexts.flatMap(({ arm: name, elapsedMs }) =>
          elapsedMs > 0 ? [[`${name}_ms`, elapsedMs] as const] : [],
        ),
      );
      return { report, timing };
    });
  }

  /**
   * Marks answers that somebody brings; those that are missing shrink n.
   *
   * @throws OssatureError NOT_FOUND, STALE where the probes belong to another span, INVALID_INPUT where
   * no answer belongs to a probe of the set.
   */
  async grade(request: {
    readonly tenantId: string;
    readonly probeSetId: string;
    readonly answers: readonly GivenAnswer[];
  }): Promise<RecordedRun> {
    const { repositories, runs, digest, clock, counter, redact } = this.parts;
    const tenantId = requireTenant(request.tenantId);
    const cleaner = new TextCleaner(redact ?? NO_REDACTION);
    const set = await repositories.evaluations.getProbeSet(tenantId, request.probeSetId);
    const point = await this.#point({ tenantId, sessionId: set.sessionId, cycle: set.point.cycle });
    requireSameSpan(set, point.material);
    const known = new Map(set.probes.map((probe) => [probe.probeId, probe]));
    const given = new Map(
      request.answers.map(({ probeId, text }) => [cleaner.clean(probeId), cleaner.clean(text)]),
    );
    const unknown = [...given.keys()].filter((probeId) => !known.has(probeId));
    if (unknown.length === given.size) {
      throw new OssatureError('INVALID_INPUT', 'No answer belongs to a probe of this set.', {
        details: { probeSetId: set.probeSetId, unknown: unknown.slice(0, 20) },
      });
    }
    const settings = {
      probe_set_id: set.probeSetId,
      answers: digest(JSON.stringify([...given].sort(([a], [b]) => (a < b ? -1 : 1)))),
    };
    return runs.record({ tenantId, kind: 'grade', settings }, async (run) => {
      const before = await repositories.evaluations.listAnswers(tenantId, run.runId);
      const stored = new Set(before.map(keyOf));
      const texts = gradingTexts(point);
      for (const probe of set.probes) {
        const text = given.get(probe.probeId);
        const place = placeOf('given', point, probe);
        if (text === undefined || stored.has(keyOf(place))) continue;
        await storeAnswer(this.parts, run, probe, texts, {
          ...place,
          text,
          reason: null,
          survival: null,
          answerer: 'given',
          promptVersion: null,
          usage: {},
          answeredAt: clock(),
        });
      }
      const report = await reportOn(this.parts, run, point, set, {
        question: 'How good are the given answers?',
        settings,
        versions: namesOf(counter, null, null),
        contexts: [],
        failures: [
          ...unknown.map((probeId) => failure(`answer to ${probeId}`, 'no probe of this set')),
          ...set.probes
            .filter(({ probeId }) => !given.has(probeId))
            .map(({ probeId }) => failure(`probe ${probeId}`, 'no answer was given')),
        ],
        warnings: [],
        again: `agents eval grade ${set.probeSetId} …`,
        seed: set.seed,
      });
      return { report, timing: {} };
    });
  }

  async #point(request: {
    readonly tenantId: string;
    readonly sessionId: string;
    readonly cycle: number | null;
  }): Promise<ReadPoint> {
    const { repositories: ports, mappings, digest } = this.parts;
    const key = {
      tenantId: requireTenant(request.tenantId),
      sessionId: parseSessionId(request.sessionId),
    };
    return readPoint({ ports, mappings, digest }, key, request.cycle);
  }
}

function failure(what: string, reason: string): ReportFailure {
  return { what, reason, count: 1 };
}

function againOf({
  sessionId,
  cycle,
  strategy,
  probeSetId,
  judge,
  judgeRuns,
  seed,
}: RunProbesRequest): string {
  return [
    `agents eval run ${sessionId}`,
    ...(cycle === null ? [] : [`--cycle ${cycle}`]),
    ...(probeSetId === null ? [] : [`--probes ${probeSetId}`]),
    ...(strategy === null ? [] : [`--strategy ${strategy}`]),
    ...(judge ? [`--judge --judge-runs ${judgeRuns}`] : []),
    `--seed ${seed}`,
  ].join(' ');
}

function requireSameSpan({ probeSetId, spanHash }: ProbeSet, material: ProbeMaterial): void {
  if (spanHash === material.spanHash) return;
  throw new OssatureError(
    'STALE',
    `The probes ${probeSetId} belong to another span than the one that is there now (span_hash differs). Make a new set.`,
    { details: { probeSetId } },
  );
}
