/** Planted facts over many cycles: a transcript is written, compacted and asked, cycle after cycle. */
import type { PlantArm } from '../../domain/evaluation/planted/plant-defaults.js';
import { drawFacts } from '../../domain/evaluation/planted/draw-facts.js';
import {
  type CycleMeasure,
  measurePlanted,
  type PlantedArm,
} from '../../domain/evaluation/planted/measure-planted.js';
import type { PlantedFact } from '../../domain/evaluation/planted/planted-fact.js';
import { plantedReport } from '../../domain/evaluation/planted/planted-report.js';
import { writeCycle, type WrittenCycle } from '../../domain/evaluation/planted/write-cycle.js';
import type { EvaluationRun } from '../../domain/evaluation/repositories.js';
import type { EvaluationReport } from '../../domain/evaluation/report/evaluation-report.js';
import { ContextTexts, type SurvivingContext } from '../../domain/evaluation/survival.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { resolveSettings } from '../../domain/session/pass/settings.js';
import { renderUnit } from '../../domain/session/render-unit.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import { tokensWithoutPins } from '../../domain/session/summary/archive-items.js';
import { liveCycles } from '../../domain/session/summary/session-cycle.js';
import type { TranscriptEntry } from '../../domain/session/transcript.js';
import { readSummary } from '../session/read-pass-material.js';
import { PlantedAnswers } from './ask-planted-facts.js';
import { newScratchSession } from './new-scratch-session.js';
import type { AnswerProbe, Evaluator } from './ports.js';
import { noModel, type ProbeEvaluationParts } from './probe-parts.js';
import { entriesUpTo, survivingContext } from './read-point.js';
import type { Scratch } from './scratch.js';

export interface PlantRequest {
  readonly seed: number;
  readonly facts: number;
  readonly cycles: number;
  readonly arms: readonly PlantArm[];
  /** Turns of filler in a cycle. */
  readonly fillerTurns: number;
  /** Of the agent whose session it is. */
  readonly windowTokens: number;
  /** Turns of a transcript to plant into; none: they are made up. */
  readonly givenTurns: readonly (readonly TranscriptEntry[])[];
  /** Names the filler in the report. */
  readonly filler: string;
}

/** The stored run whose answers are kept and gone on with. */
export interface AskedPlant {
  readonly run: EvaluationRun;
  readonly signal: AbortSignal;
}

const TENANT = 'planted';

export class PlantedFactsService {
  constructor(
    private readonly parts: Pick<
      ProbeEvaluationParts,
      'repositories' | 'unitOfWork' | 'evaluators' | 'openScratch' | 'counter' | 'clock'
    >,
  ) {}

  /**
   * @param asked each fact is put to the answerer after every cycle, too: a call for each fact, cycle and
   * arm; null: survival alone is measured.
   * @throws OssatureError INVALID_INPUT, INVALID_CONFIG for what is out of bounds; MODEL_UNAVAILABLE.
   */
  async plant(request: PlantRequest, asked: AskedPlant | null = null): Promise<EvaluationReport> {
    const { counter, evaluators } = this.parts;
    const { arms, seed, facts: count, cycles, fillerTurns, windowTokens } = request;
    requireCount('facts', count, 1, 240);
    requireCount('cycles', cycles, 1, 100);
    requireCount('fillerTurns', fillerTurns, 1, 10_000);
    const { settings } = resolveSettings({ windowTokens }, null);
    const answers = asked === null ? null : this.#answersOf(asked);
    const facts = drawFacts({ seed, facts: count, cycles });
    const written = Array.from({ length: cycles }, (_, at) =>
      writeCycle(facts, at + 1, { seed, fillerTurns, givenTurns: request.givenTurns }),
    );
    const measured: PlantedArm[] = [];
    for (const arm of arms) {
      measured.push(await this.#measure(arm, facts, written, { request, answers }));
    }
    return plantedReport(measured, {
      seed,
      facts: count,
      cycles,
      fillerTurns,
      filler: request.filler,
      windowTokens,
      summaryTokens: settings.summaryTokens,
      versions: {
        counter: `${counter.name}@${counter.version}`,
        ...(answers !== null && {
          answerer: `${evaluators.answerer?.name}, ${evaluators.answerer?.promptVersion}`,
        }),
      },
      costs: answers?.costs ?? {},
    });
  }

  /** @throws OssatureError MODEL_UNAVAILABLE. */
  requireAnswerer(): Evaluator<AnswerProbe> {
    const { answerer } = this.parts.evaluators;
    if (answerer === null) throw noModel('answer for planted facts');
    return answerer;
  }

  #answersOf({ run, signal }: AskedPlant): PlantedAnswers {
    const { repositories, unitOfWork, clock } = this.parts;
    const answerer = this.requireAnswerer();
    const { evaluations } = repositories;
    return new PlantedAnswers({ evaluations, unitOfWork, clock, answerer, run, signal });
  }

  async #measure(
    arm: PlantArm,
    facts: readonly PlantedFact[],
    written: readonly WrittenCycle[],
    asking: Pick<CycleWork, 'request' | 'answers'>,
  ): Promise<PlantedArm> {
    const { openScratch, counter, clock } = this.parts;
    const scratch = openScratch(null);
    const session = newScratchSession(TENANT, counter, clock());
    await scratch.repositories.sessions.insert(session);
    const sources = new Map<string, readonly string[]>();
    const cycles: CycleMeasure[] = [];
    for (const [at, { entries, sources: stated }] of written.entries()) {
      await scratch.ingestion.append({ ...keyOf(session), entries, redact: null });
      const known = await entriesUpTo(
        scratch.repositories,
        session,
        (await scratch.repositories.sessions.get(keyOf(session))).lastSeq,
      );
      const entryIds = new Map(known.map(({ sourceKey, entryId }) => [sourceKey, entryId]));
      for (const [factId, keys] of stated) {
        sources.set(
          factId,
          keys.flatMap((key) => entryIds.get(key) ?? []),
        );
      }
      cycles.push(await this.#cycle(arm, at + 1, { scratch, session, facts, sources, ...asking }));
    }
    return { name: arm, cycles, isInspectable: arm !== 'opaque' };
  }

  async #cycle(
    arm: PlantArm,
    cycle: number,
    { scratch, session, facts, sources, request, answers }: CycleWork,
  ): Promise<CycleMeasure> {
    const { repositories, summaries } = scratch;
    const isPass = arm !== 'full' && arm !== 'tail';
    const { windowTokens } = request;
    const report = isPass
      ? await summaries.compact({
          ...keyOf(session),
          settings: { windowTokens, strategy: arm, fallback: arm === 'opaque' ? 'offline' : arm },
          now: true,
        })
      : null;
    const current = await repositories.sessions.get(keyOf(session));
    const entries = await entriesUpTo(repositories, current, current.lastSeq);
    const adopted = liveCycles(await repositories.summaries.listCycles(current)).at(-1);
    const summary = await readSummary(repositories, current);
    const context =
      isPass && adopted !== undefined
        ? survivingContext(entries, adopted, summary)
        : plainContext(entries, arm === 'tail' ? windowTokens : null);
    const texts = new ContextTexts(context);
    const asked = answers === null ? null : await answers.ask(arm, cycle, facts, context);
    return {
      cycle,
      outcomes: measurePlanted(facts, cycle, texts, sources, asked?.recall ?? null),
      unanswered: asked?.unanswered ?? [],
      summaryTokens: context.summary === '' ? null : tokensWithoutPins(summary, this.parts.counter),
      contextTokens: this.parts.counter.count(`${context.summary}\n${context.tail}`),
      pass: report === null ? null : report.outcome,
    };
  }
}

interface CycleWork {
  readonly scratch: Scratch;
  readonly session: Session;
  readonly facts: readonly PlantedFact[];
  readonly sources: ReadonlyMap<string, readonly string[]>;
  readonly request: PlantRequest;
  /** Null: nobody is asked. */
  readonly answers: PlantedAnswers | null;
}

function keyOf({ tenantId, sessionId }: Session) {
  return { tenantId, sessionId };
}

/** Drain line of a pass, as a share of the window: what the control `tail` may hold. */
const TAIL_SHARE = 0.8 * 0.4;

/** Entries word for word: all, or the newest within what a pass would leave. */
function plainContext(
  entries: readonly SessionEntry[],
  windowTokens: number | null,
): SurvivingContext {
  let free = windowTokens === null ? Number.MAX_SAFE_INTEGER : windowTokens * TAIL_SHARE;
  const kept: SessionEntry[] = [];
  for (const entry of [...entries].reverse()) {
    free -= entry.tokenCount;
    if (free < 0) break;
    kept.push(entry);
  }
  return {
    summary: '',
    tail: kept
      .reverse()
      .map((entry) => renderUnit([entry]))
      .join('\n'),
    carried: new Set(kept.map(({ entryId }) => entryId)),
    reachable: new Set(),
  };
}

function requireCount(field: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new OssatureError(
    'INVALID_INPUT',
    `${field} must be a whole number from ${least} to ${most}, not ${value}.`,
    { details: { field } },
  );
}
