/**
 * Planted facts put to an answerer after each cycle. Each answer is stored as soon as it is there, so that
 * an interrupted run goes on and asks nothing twice.
 */
import { questionOf, type Recall, recallOf } from '../../domain/evaluation/planted/ask-planted.js';
import { type PlantedFact, valueAt } from '../../domain/evaluation/planted/planted-fact.js';
import type {
  EvaluationRepository,
  EvaluationRun,
  StoredAnswer,
} from '../../domain/evaluation/repositories.js';
import type { SurvivingContext } from '../../domain/evaluation/survival.js';
import type { Clock } from '../ports/system.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { keyOf, shownContext } from './ask-point.js';
import type { AnswerProbe, Evaluator } from './ports.js';

export interface PlantedAnswersParts {
  readonly evaluations: EvaluationRepository;
  readonly unitOfWork: UnitOfWork<'evaluations'>;
  readonly clock: Clock;
  readonly answerer: Evaluator<AnswerProbe>;
  readonly run: EvaluationRun;
  readonly signal: AbortSignal;
}

/** What came of asking after one cycle. */
export interface AskedCycle {
  readonly recall: ReadonlyMap<string, Recall>;
  /** Why answers did not come, one each. */
  readonly unanswered: readonly string[];
}

/** Stands for the session of an answer: the transcript is made up, and nowhere in the store. */
const PLANTED_SESSION = 'planted';

export class PlantedAnswers {
  /** Calls, and tokens as they were reported; of answers that were there before, too. */
  readonly costs: Record<string, number> = { answers: 0 };
  #stored: Map<string, StoredAnswer> | null = null;

  constructor(private readonly parts: PlantedAnswersParts) {}

  /** @param context as a request would hold it; null: it cannot be looked into. */
  async ask(
    arm: string,
    cycle: number,
    facts: readonly PlantedFact[],
    context: SurvivingContext | null,
  ): Promise<AskedCycle> {
    const recall = new Map<string, Recall>();
    const unanswered: string[] = [];
    for (const fact of facts) {
      if (valueAt(fact, cycle) === null) continue;
      const { text, reason, usage } = await this.#answer(arm, cycle, fact, context);
      recall.set(fact.factId, recallOf(fact, cycle, text));
      if (reason !== null) unanswered.push(reason);
      this.#spend({ answers: 1, ...usage });
    }
    return { recall, unanswered };
  }

  async #answer(
    arm: string,
    cycle: number,
    fact: PlantedFact,
    context: SurvivingContext | null,
  ): Promise<StoredAnswer> {
    const { evaluations, unitOfWork, clock, answerer, run, signal } = this.parts;
    const { tenantId, runId } = run;
    this.#stored ??= new Map(
      (await evaluations.listAnswers(tenantId, runId)).map((answer) => [keyOf(answer), answer]),
    );
    const place = { arm, sessionId: PLANTED_SESSION, cycle, probeId: fact.factId };
    const known = this.#stored.get(keyOf(place));
    if (known !== undefined) return known;
    const request = { question: questionOf(fact), context: shownContext(context) };
    const came = await answerer.work(request, signal).catch((error: unknown) => ({
      outcome: 'failed' as const,
      reason: error instanceof Error ? error.message : String(error),
      usage: {},
    }));
    signal.throwIfAborted();
    const answer: StoredAnswer = {
      ...place,
      text: came.outcome === 'answered' ? came.text : null,
      reason: came.outcome === 'answered' ? null : came.reason,
      survival: null,
      findings: [],
      answerer: answerer.name,
      promptVersion: answerer.promptVersion,
      usage: came.usage,
      answeredAt: clock(),
    };
    await unitOfWork((bound) => bound.evaluations.addAnswers(tenantId, runId, [answer], []));
    return answer;
  }

  #spend(usage: Readonly<Record<string, number>>): void {
    for (const [name, amount] of Object.entries(usage)) {
      this.costs[name] = (this.costs[name] ?? 0) + amount;
    }
  }
}
