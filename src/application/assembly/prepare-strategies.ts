/** Strategies that must look something up before they can say how well they serve a request. */
import { failureMessage } from '../../domain/assembly/failure-message.js';
import type { Clock } from '../ports/system.js';
import type { StartTimer } from '../ports/timer.js';
import { Circuits, LEFT_ALONE } from './circuits.js';
import type { ContextStrategy, StrategyRequest } from './context-strategy.js';
import { withinTime } from './within-time.js';

/** The same strategies in the same order, each ready to be asked about this request. Never rejects. */
export type PrepareStrategies = (
  strategies: readonly ContextStrategy[],
  request: StrategyRequest,
) => Promise<readonly ContextStrategy[]>;

/** Each preparation has its time and its circuit breaker; one that fails is named when it is asked. */
export function createPrepareStrategies(clock: Clock, startTimer: StartTimer): PrepareStrategies {
  const circuits = new Circuits(clock);

  const ready = async (
    strategy: ContextStrategy,
    request: StrategyRequest,
  ): Promise<ContextStrategy> => {
    if (strategy.prepare === undefined) return strategy;
    const { name, quality } = strategy;
    const ticket = circuits.enter(name);
    if (ticket === null) return failing(strategy, LEFT_ALONE);
    try {
      const prepared = await withinTime(
        async (signal) => strategy.prepare?.(request, signal) ?? strategy,
        request.strategyTimeoutMs,
        startTimer,
      );
      circuits.leave(name, ticket, true);
      return {
        name,
        quality,
        canHandle: (asked) => prepared.canHandle(asked),
        assemble: (asked, room) => prepared.assemble(asked, room),
      };
    } catch (error) {
      circuits.leave(name, ticket, false);
      return failing(strategy, failureMessage(error));
    }
  };
  return (strategies, request) =>
    Promise.all(strategies.map((strategy) => ready(strategy, request)));
}

/** Selection names what throws when it is asked, and does not run it. */
function failing({ name, quality }: ContextStrategy, message: string): ContextStrategy {
  const fail = (): never => {
    throw new Error(message);
  };
  return { name, quality, canHandle: fail, assemble: async () => fail() };
}
