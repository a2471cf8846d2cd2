/** Stage 1: who can serve this request, and how well. */
import { answerNow } from './answer-now.js';
import type {
  AskableStrategy,
  RankedStrategy,
  StrategyFailure,
  StrategySelector,
} from './assembly-stages.js';
import { failureMessage } from './failure-message.js';

/** Serves where nobody else answers. */
export const FALLBACK_STRATEGY = 'keyword';

/**
 * Asks every strategy and ranks them: the preferred ones first, in the order of the preference, then
 * by confidence, quality and name. A strategy that throws or answers outside 0..1 is not run, and
 * says why. Where none answers above 0, the fallback runs with its quality as its confidence.
 */
export const selectStrategies: StrategySelector = (strategies, request, preferred) => {
  const asked = strategies.map((strategy) => ask(strategy, request, preferred));
  const isAnswered = asked.some(({ confidence }) => confidence > 0);
  const answered = isAnswered ? asked : asked.map(asFallback);
  const known = new Set(strategies.map(({ name }) => name));
  return [...answered, ...unknown(preferred.filter((name) => !known.has(name)))].sort(
    (a, b) =>
      placeOf(a, preferred) - placeOf(b, preferred) ||
      b.confidence - a.confidence ||
      b.quality - a.quality ||
      (a.name < b.name ? -1 : 1),
  );
};

function ask<Request>(
  strategy: AskableStrategy<Request>,
  request: Request,
  preferred: readonly string[],
): RankedStrategy {
  const { name, quality } = strategy;
  const facts = { name, quality, isPreferred: preferred.includes(name) };
  let answer: unknown;
  try {
    answer = answerNow(strategy.canHandle(request));
  } catch (error) {
    const message = failureMessage(error, 'canHandle threw.');
    return { ...facts, confidence: 0, failure: { reason: 'threw', message } };
  }
  if (typeof answer === 'number' && answer >= 0 && answer <= 1) {
    return { ...facts, confidence: answer, failure: null };
  }
  const failure: StrategyFailure = {
    reason: 'invalid-confidence',
    message: `canHandle must answer a number in [0, 1], got ${typeof answer === 'number' ? answer : typeof answer}.`,
  };
  return { ...facts, confidence: 0, failure };
}

function asFallback(asked: RankedStrategy): RankedStrategy {
  const serves = asked.name === FALLBACK_STRATEGY && asked.failure === null;
  return serves ? { ...asked, confidence: asked.quality } : asked;
}

function unknown(names: readonly string[]): readonly RankedStrategy[] {
  return [...new Set(names)].map((name) => ({
    name,
    quality: 0,
    confidence: 0,
    isPreferred: true,
    failure: {
      reason: 'unknown',
      message: `There is no strategy ${JSON.stringify(name.slice(0, 60))}.`,
    },
  }));
}

function placeOf({ name, isPreferred }: RankedStrategy, preferred: readonly string[]): number {
  return isPreferred ? preferred.indexOf(name) : preferred.length;
}
