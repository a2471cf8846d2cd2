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

class TimedOut extends Error {}

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
      const fragments = await withinTime(run, timeoutMs, startTimer);
      leave(name, ticket, true);
      return { name, outcome: 'gave', fragments };
    } catch (error) {
      leave(name, ticket, false);
      return failure(name, reasonOf(error), failureMessage(error));
    }
  };

  return (runs, timeoutMs) => Promise.all(runs.map((run) => execute(run, timeoutMs)));
}

/** A run that goes on after its time is up is told so; what it still answers is not looked at. */
function withinTime(
  run: StrategyRun,
  timeoutMs: number,
  startTimer: StartTimer,
): ReturnType<StrategyRun['run']> {
  return new Promise((resolve, reject) => {
    const abort = new AbortController();
    const cancel = startTimer(timeoutMs, () => {
      const timedOut = new TimedOut(`It took longer than ${timeoutMs} ms.`);
      reject(timedOut);
      abort.abort(timedOut);
    });
    const start = async (): Promise<void> => {
      try {
        resolve(await run.run(abort.signal));
      } catch (error) {
        reject(error instanceof Error ? error : new Error('It threw.', { cause: error }));
      } finally {
        cancel();
      }
    };
    void start();
  });
}

function reasonOf(error: unknown): FailureReason {
  if (error instanceof TimedOut) return 'timed-out';
  return OssatureError.is(error, 'INVALID_FRAGMENT') ? 'invalid-fragment' : 'threw';
}

function failure(name: string, reason: FailureReason, message: string): StrategyResult {
  return { name, outcome: 'failed', failure: { reason, message } };
}
