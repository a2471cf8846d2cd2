/**
 * The default of stage 3. All runs start at once; each has its time and its circuit breaker. The
 * breakers are shared by all assemblies of one executor and change only between awaits, one step at
 * a time, so that any number of assemblies may run together.
 */
import type {
  FailureReason,
  StrategyExecutor,
  StrategyResult,
  StrategyRun,
} from '../../domain/assembly/assembly-stages.js';
import { failureMessage } from '../../domain/assembly/failure-message.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Clock } from '../ports/system.js';
import type { StartTimer } from '../ports/timer.js';
import { Circuits, LEFT_ALONE } from './circuits.js';
import { TimedOut, withinTime } from './within-time.js';

export function createStrategyExecutor(clock: Clock, startTimer: StartTimer): StrategyExecutor {
  const circuits = new Circuits(clock);

  const execute = async (run: StrategyRun, timeoutMs: number): Promise<StrategyResult> => {
    const { name } = run;
    const ticket = circuits.enter(name);
    if (ticket === null) {
      return failure(name, 'circuit-open', LEFT_ALONE);
    }
    try {
      const fragments = await withinTime((signal) => run.run(signal), timeoutMs, startTimer);
      circuits.leave(name, ticket, true);
      return { name, outcome: 'gave', fragments };
    } catch (error) {
      circuits.leave(name, ticket, false);
      return failure(name, reasonOf(error), failureMessage(error));
    }
  };

  return (runs, timeoutMs) => Promise.all(runs.map((run) => execute(run, timeoutMs)));
}

function reasonOf(error: unknown): FailureReason {
  if (error instanceof TimedOut) return 'timed-out';
  return OssatureError.is(error, 'INVALID_FRAGMENT') ? 'invalid-fragment' : 'threw';
}

function failure(name: string, reason: FailureReason, message: string): StrategyResult {
  return { name, outcome: 'failed', failure: { reason, message } };
}
