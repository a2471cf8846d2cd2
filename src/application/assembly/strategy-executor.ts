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
import {
  admit,
  type Circuit,
  CLOSED_CIRCUIT,
  failed,
  succeeded,
  type Ticket,
} from '../../domain/assembly/circuit-breaker.js';
import { failureMessage } from '../../domain/assembly/failure-message.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Clock } from '../ports/system.js';
import type { StartTimer } from '../ports/timer.js';
import { TimedOut, withinTime } from './within-time.js';

export function createStrategyExecutor(clock: Clock, startTimer: StartTimer): StrategyExecutor {
  const circuits = new Map<string, Circuit>();

  const enter = (name: string): Ticket | null => {
    const { circuit, ticket } = admit(circuits.get(name) ?? CLOSED_CIRCUIT, clock().getTime());
    circuits.set(name, circuit);
    return ticket;
  };
  const leave = (name: string, ticket: Ticket, isSuccess: boolean): void => {
    const circuit = circuits.get(name) ?? CLOSED_CIRCUIT;
    const next = isSuccess
      ? succeeded(circuit, ticket)
      : failed(circuit, ticket, clock().getTime());
    circuits.set(name, next);
  };
  const execute = async (run: StrategyRun, timeoutMs: number): Promise<StrategyResult> => {
    const { name } = run;
    const ticket = enter(name);
    if (ticket === null) {
      return failure(name, 'circuit-open', 'It failed repeatedly and is left alone for a while.');
    }
    try {
      const fragments = await withinTime((signal) => run.run(signal), timeoutMs, startTimer);
      leave(name, ticket, true);
      return { name, outcome: 'gave', fragments };
    } catch (error) {
      leave(name, ticket, false);
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
