/** Strategies that must look something up before they can say how well they serve a request. */
import { failureMessage } from '../../domain/assembly/failure-message.js';
import type { Logger } from '../ports/logger.js';
import type { StartTimer } from '../ports/timer.js';
import type { ContextStrategy, StrategyRequest } from './context-strategy.js';
import { withinTime } from './within-time.js';

/** The same strategies in the same order, each ready to be asked about this request. Never rejects. */
export type PrepareStrategies = (
  strategies: readonly ContextStrategy[],
  request: StrategyRequest,
) => Promise<readonly ContextStrategy[]>;

export function createPrepareStrategies(startTimer: StartTimer, log: Logger): PrepareStrategies {
  const ready = async (
    strategy: ContextStrategy,
    request: StrategyRequest,
  ): Promise<ContextStrategy> => {
    if (strategy.prepare === undefined) return strategy;
    const { name, quality } = strategy;
    try {
      const prepared = await withinTime(
        async (signal) => strategy.prepare?.(request, signal) ?? strategy,
        request.strategyTimeoutMs,
        startTimer,
      );
      return {
        name,
        quality,
        canHandle: (asked) => prepared.canHandle(asked),
        assemble: (asked, room) => prepared.assemble(asked, room),
      };
    } catch (error) {
      log.warn('strategy.unprepared', { name, reason: failureMessage(error) });
      return strategy;
    }
  };
  return (strategies, request) =>
    Promise.all(strategies.map((strategy) => ready(strategy, request)));
}
