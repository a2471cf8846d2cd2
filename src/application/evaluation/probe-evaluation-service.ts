/** Probes of a stored session: made, asked, graded, judged; without a model their survival alone. */
import { gradeAnswer, type GradingTexts } from '../../domain/evaluation/grading/grade-answer.js';
import { BLOB_LINE } from '../../domain/evaluation/grading/judge-request.js';
import { knownPathsOf } from '../../domain/evaluation/probes/artifact-drafts.js';
import type { ProbeMaterial } from '../../domain/evaluation/probes/probe-material.js';
import { PROBES_PER_TYPE, writeProbes } from '../../domain/evaluation/probes/write-probes.js';
import type { Probe, ProbeSet } from '../../domain/evaluation/probe.js';
import { PROBE_TYPES, type ProbeType } from '../../domain/evaluation/probe-type.js';
import type {
  EvaluationRepository,
  EvaluationRun,
  StoredAnswer,
  StoredMark,
} from '../../domain/evaluation/repositories.js';
import type { ReportFailure } from '../../domain/evaluation/report/evaluation-report.js';
import { type ArmSize, runReport } from '../../domain/evaluation/run-report.js';
import {
  ContextTexts,
  type SurvivingContext,
  survivalOf,
} from '../../domain/evaluation/survival.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import { renderUnit } from '../../domain/session/render-unit.js';
import type { SessionEntry } from '../../domain/session/session.js';
import { parseSessionId, requireTenant } from '../../domain/session/session.js';
import { KnownTexts } from '../../domain/session/summary/identifiers.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import type { Clock, NewId } from '../ports/system.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { SummaryPorts } from '../session/read-pass-material.js';
import type { EvaluationRuns, RecordedRun } from './evaluation-runs.js';
import { judgeAnswers } from './judge-answers.js';
import type { Evaluators } from './ports.js';
import { proposeProbes } from './propose-probes.js';
import { comparePrefix } from './compare-arms.js';
import type { ComparedArm } from '../../domain/evaluation/compared-arm.js';
import { entriesUpTo, readPoint, type ReadPoint } from './read-point.js';
import type { OpenScratch } from './scratch.js';

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
  /** Whether a judge marks the answers. */
  readonly judge: boolean;
  readonly judgeRuns: number;
}

export interface CompareRequest {
  readonly tenantId: string;
  readonly sessionIds: readonly string[];
  readonly arms: readonly ComparedArm[];
  /** What a request may have after a pass. */
  readonly targetTokens: number;
  readonly cycles: number;
  readonly seed: number;
}

/** Answers that somebody brings, by probe. */
export interface GivenAnswer {
  readonly probeId: string;
  readonly text: string;
}

export interface ProbeEvaluationParts {
  readonly repositories: SummaryPorts & { readonly evaluations: EvaluationRepository };
  readonly unitOfWork: UnitOfWork<'evaluations'>;
  readonly runs: EvaluationRuns;
  readonly evaluators: Evaluators;
  readonly mappings: readonly ToolMapping[];
  readonly counter: TokenCounter;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly openScratch: OpenScratch;
}

/** Quotes of a report, unless they are left out of it. */
const QUOTES = 8;

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
   * @throws OssatureError NOT_FOUND, MODEL_UNAVAILABLE, STALE where the probes belong to another span.
   */
  async run(request: RunProbesRequest, signal: AbortSignal): Promise<RecordedRun> {
    const { evaluators, repositories, runs } = this.parts;
    const { answerer, judge } = evaluators;
    if (request.judge && (judge === null || answerer === null)) throw noModel('answer and judge');
    const tenantId = requireTenant(request.tenantId);
    const point = await this.#point(request);
    const set =
      request.probeSetId === null
        ? null
        : await repositories.evaluations.getProbeSet(tenantId, request.probeSetId);
    if (set !== null) requireSameSpan(set, point.material);
    const written =
      set ??
      writeProbes(
        point.material,
        { seed: request.seed, types: PROBE_TYPES, perType: PROBES_PER_TYPE },
        this.parts.digest,
      );
    if (written.probes.length === 0) throw nothingToAsk(request.sessionId);
    const settings = {
      session_id: point.session.sessionId,
      cycle: point.cycle.cycle,
      span_hash: point.material.spanHash,
      probes: request.probeSetId ?? `structure, seed ${request.seed}`,
      strategy: point.cycle.strategy,
      answerer: answerer?.name ?? 'none',
      judge: request.judge ? (judge?.name ?? 'none') : 'none',
      judge_runs: request.judge ? request.judgeRuns : 0,
    };
    return runs.record({ tenantId, kind: 'run', settings }, async (run) => {
      const failures = await this.#askAll(
        run,
        point,
        armsOf(point),
        written.probes,
        request,
        signal,
      );
      return {
        report: await this.#report(run, point, written, settings, failures, request),
        timing: {},
      };
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
    const { repositories, runs, digest, clock } = this.parts;
    const tenantId = requireTenant(request.tenantId);
    const set = await repositories.evaluations.getProbeSet(tenantId, request.probeSetId);
    const point = await this.#point({ tenantId, sessionId: set.sessionId, cycle: set.point.cycle });
    requireSameSpan(set, point.material);
    const known = new Map(set.probes.map((probe) => [probe.probeId, probe]));
    const given = new Map(request.answers.map(({ probeId, text }) => [probeId, text]));
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
      const stored = new Set(await this.#answered(run));
      const texts = gradingTexts(point);
      for (const probe of set.probes) {
        const text = given.get(probe.probeId);
        const place = placeOf('given', point, probe);
        if (text === undefined || stored.has(JSON.stringify(Object.values(place)))) continue;
        await this.#store(run, probe, texts, {
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
      const failures: readonly ReportFailure[] = [
        ...unknown.map((probeId) => ({
          what: `answer to ${probeId}`,
          reason: 'no probe of this set',
          count: 1,
        })),
        ...set.probes
          .filter(({ probeId }) => !given.has(probeId))
          .map(({ probeId }) => ({
            what: `probe ${probeId}`,
            reason: 'no answer was given',
            count: 1,
          })),
      ];
      return {
        report: await this.#report(run, point, set, settings, failures, { seed: set.seed }),
        timing: {},
      };
    });
  }

  /**
   * Several ways to shrink the same prefixes to the same target, asked the same probes at the same points.
   *
   * @throws OssatureError NOT_FOUND where no session has a span to ask about; MODEL_UNAVAILABLE.
   */
  async compare(request: CompareRequest, signal: AbortSignal): Promise<RecordedRun> {
    const { repositories, runs, counter, digest, evaluators } = this.parts;
    const tenantId = requireTenant(request.tenantId);
    const { arms, targetTokens, cycles, seed, sessionIds } = request;
    const settings = {
      session_ids: [...sessionIds],
      arms: [...arms],
      target_tokens: targetTokens,
      cycles,
      seed,
      answerer: evaluators.answerer?.name ?? 'none',
    };
    return runs.record({ tenantId, kind: 'compare', settings }, async (run) => {
      const probes: Probe[] = [];
      const missing = new Set<string>();
      const failures: ReportFailure[] = [];
      const sizes: ArmSize[] = [];
      for (const sessionId of sessionIds) {
        const key = { tenantId, sessionId: parseSessionId(sessionId) };
        const session = await repositories.sessions.get(key);
        const entries = await entriesUpTo(repositories, session, session.lastSeq);
        const compared = await comparePrefix(session, entries, request, this.parts);
        if (compared.failure !== null) {
          failures.push({ what: `offline on ${sessionId}`, reason: compared.failure, count: 1 });
        }
        for (const { point, arms: contexts } of compared.points) {
          const choice = { seed, types: PROBE_TYPES, perType: PROBES_PER_TYPE };
          const written = writeProbes(point.material, choice, digest);
          probes.push(...written.probes);
          for (const type of written.missing) missing.add(type);
          failures.push(
            ...(await this.#askAll(
              run,
              point,
              contexts.map(({ arm, context }) => [arm, context]),
              written.probes,
              { judge: false, judgeRuns: 1 },
              signal,
            )),
          );
          for (const { arm, tokensAfter, failure } of contexts) {
            const share = arm === 'offline' ? spanShare(point) : null;
            const before = point.cycle.tokensBefore;
            sizes.push({ ...sizeOf(arm, point, before, tokensAfter, share), failure });
          }
        }
      }
      if (probes.length === 0) throw nothingToAsk(sessionIds.join(', '));
      const report = runReport({
        kind: 'compare',
        question: 'Which way to shrink keeps more, at the same size?',
        settings: Object.fromEntries(
          Object.entries(settings).map(([name, value]) => [name, String(value)]),
        ),
        versions: { counter: `${counter.name}@${counter.version}` },
        probes,
        answers: await repositories.evaluations.listAnswers(tenantId, run.runId),
        marks: await repositories.evaluations.listMarks(tenantId, run.runId),
        sizes,
        missing: [...missing],
        failures,
        warnings: [],
        quotes: QUOTES,
        again: `agents eval compare ${sessionIds.join(' ')} --strategies ${arms.join(',')} --target-tokens ${targetTokens} --cycles ${cycles} --seed ${seed}`,
        seed,
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

  async #answered({ tenantId, runId }: EvaluationRun): Promise<readonly string[]> {
    const answers = await this.parts.repositories.evaluations.listAnswers(tenantId, runId);
    return answers.map(({ arm, sessionId, cycle, probeId }) =>
      JSON.stringify([arm, sessionId, cycle, probeId]),
    );
  }

  async #askAll(
    run: EvaluationRun,
    point: ReadPoint,
    arms: readonly (readonly [string, SurvivingContext | null])[],
    probes: readonly Probe[],
    request: Pick<RunProbesRequest, 'judge' | 'judgeRuns'>,
    signal: AbortSignal,
  ): Promise<readonly ReportFailure[]> {
    const { answerer, judge } = this.parts.evaluators;
    const answered = new Set(await this.#answered(run));
    const texts = gradingTexts(point);
    const failures: ReportFailure[] = [];
    for (const [arm, context] of arms) {
      const ready = context === null ? null : new ContextTexts(context, point.session.projectRoot);
      const whole = context === null ? BLOB_LINE : `${context.summary}\n${context.tail}`;
      for (const probe of probes) {
        const place = placeOf(arm, point, probe);
        if (answered.has(JSON.stringify(Object.values(place)))) continue;
        const answer =
          answerer === null
            ? null
            : await answerer
                .work({ question: probe.question, context: whole }, signal)
                .catch(failed);
        const text = answer?.outcome === 'answered' ? answer.text : null;
        const stored = {
          ...place,
          text,
          reason:
            text === null ? (answer?.outcome === 'failed' ? answer.reason : 'no answerer') : null,
          survival:
            ready === null
              ? null
              : Object.fromEntries(
                  probe.facts.map((fact) => [fact.factId, survivalOf(fact, ready)]),
                ),
          answerer: answerer?.name ?? null,
          promptVersion: answerer?.promptVersion ?? null,
          usage: answer?.usage ?? {},
          answeredAt: this.parts.clock(),
        };
        const judged =
          request.judge && judge !== null && text !== null
            ? await judgeAnswers(judge, probe, text, whole, request.judgeRuns, signal)
            : { marks: [], failures: [], usage: {} };
        failures.push(...judged.failures);
        const usage = { ...stored.usage };
        for (const [name, tokens] of Object.entries(judged.usage)) {
          usage[`judge_${name}`] = (usage[`judge_${name}`] ?? 0) + tokens;
        }
        await this.#store(
          run,
          probe,
          texts,
          { ...stored, usage },
          judged.marks.map((mark) => ({ ...place, ...mark })),
        );
      }
    }
    return failures;
  }

  async #store(
    { tenantId, runId }: EvaluationRun,
    probe: Probe,
    texts: GradingTexts,
    answer: Omit<StoredAnswer, 'findings'>,
    judged: readonly StoredMark[] = [],
  ): Promise<void> {
    const graded =
      answer.text === null ? { findings: [], marks: [] } : gradeAnswer(probe, answer.text, texts);
    const { arm, sessionId, cycle, probeId } = answer;
    const marks = graded.marks.map((mark): StoredMark => ({
      arm,
      sessionId,
      cycle,
      probeId,
      judgeRun: 0,
      ...mark,
    }));
    await this.parts.unitOfWork(({ evaluations }) =>
      evaluations.addAnswers(
        tenantId,
        runId,
        [{ ...answer, findings: graded.findings }],
        [...marks, ...judged],
      ),
    );
  }

  async #report(
    run: EvaluationRun,
    point: ReadPoint,
    { probes, missing }: Pick<ProbeSet, 'probes' | 'missing'>,
    settings: Readonly<Record<string, string | number>>,
    failures: readonly ReportFailure[],
    { seed, judge: isJudged = false }: { readonly seed: number; readonly judge?: boolean },
  ) {
    const { repositories, counter, evaluators } = this.parts;
    const { tenantId, runId, kind } = run;
    const { answerer, judge } = evaluators;
    const before = point.cycle.tokensBefore;
    const isSame = isJudged && answerer !== null && answerer.name === judge?.name;
    return runReport({
      kind,
      question:
        kind === 'grade'
          ? 'How good are the given answers?'
          : 'What of the dropped span is still there, and does it answer?',
      settings: Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [name, String(value)]),
      ),
      versions: {
        counter: `${counter.name}@${counter.version}`,
        ...(answerer === null || kind === 'grade'
          ? {}
          : { answerer: `${answerer.name}, prompt ${answerer.promptVersion}` }),
        ...(isJudged && judge !== null
          ? { judge: `${judge.name}, prompt ${judge.promptVersion}` }
          : {}),
      },
      probes,
      answers: await repositories.evaluations.listAnswers(tenantId, runId),
      marks: await repositories.evaluations.listMarks(tenantId, runId),
      sizes:
        kind === 'grade'
          ? []
          : [
              sizeOf('full', point, before, before, null),
              sizeOf(
                point.cycle.strategy,
                point,
                before,
                point.cycle.tokensAfter,
                spanShare(point),
              ),
            ],
      missing,
      failures,
      warnings: isSame ? [`Answerer and judge are one model (${answerer.name}).`] : [],
      quotes: QUOTES,
      again: `agents eval ${kind} ${kind === 'grade' ? '…' : point.session.sessionId} --seed ${seed}`,
      seed,
    });
  }
}

function failed(error: unknown) {
  const reason = error instanceof Error ? error.message : String(error);
  return { outcome: 'failed' as const, reason, usage: {} };
}

function sizeOf(
  arm: string,
  { session, cycle }: ReadPoint,
  tokensBefore: number,
  tokensAfter: number,
  share: number | null,
) {
  const { sessionId } = session;
  return {
    arm,
    sessionId,
    cycle: cycle.cycle,
    tokensBefore,
    tokensAfter,
    spanShare: share,
    failure: null,
  };
}

/** What was removed of the span: what the context lost, over the tokens that left. */
function spanShare({ cycle, material }: ReadPoint): number | null {
  const spanTokens = material.span.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  return spanTokens === 0 ? null : (cycle.tokensBefore - cycle.tokensAfter) / spanTokens;
}

/** The control first: what it cannot answer is a bad probe. */
function armsOf({
  entries,
  context,
  cycle,
}: ReadPoint): readonly (readonly [string, SurvivingContext])[] {
  const active = entries.filter((entry) => entry.active);
  const full: SurvivingContext = {
    summary: '',
    tail: textOf(active),
    carried: new Set(active.map(({ entryId }) => entryId)),
    reachable: new Set(),
  };
  return [
    ['full', full],
    [cycle.strategy, context],
  ];
}

function textOf(entries: readonly SessionEntry[]): string {
  return entries.map((entry) => renderUnit([entry])).join('\n');
}

function gradingTexts({ entries, material }: ReadPoint): GradingTexts {
  return {
    known: new KnownTexts(entries.map((entry) => renderUnit([entry]))),
    knownPaths: knownPathsOf(material),
  };
}

function placeOf(arm: string, { session, cycle }: ReadPoint, { probeId }: Probe) {
  return { arm, sessionId: session.sessionId, cycle: cycle.cycle, probeId };
}

function requireSameSpan({ probeSetId, spanHash }: ProbeSet, material: ProbeMaterial): void {
  if (spanHash === material.spanHash) return;
  throw new OssatureError(
    'STALE',
    `The probes ${probeSetId} belong to another span than the one that is there now (span_hash differs). Make a new set.`,
    { details: { probeSetId } },
  );
}

function nothingToAsk(sessionId: string): OssatureError {
  return new OssatureError(
    'NOT_FOUND',
    `There is nothing to ask about in session ${sessionId}: the span holds no material for a probe.`,
    { details: { sessionId } },
  );
}

function noModel(what: string): OssatureError {
  return new OssatureError(
    'MODEL_UNAVAILABLE',
    `A model is needed to ${what}, and none is configured. Configure one, or leave the option out: survival needs none.`,
  );
}
