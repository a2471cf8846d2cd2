/** One request to a model: within the pass's time, ended by its signal, and always answered as a value. */
import type { ModelCall } from '../../../domain/session/summary/session-cycle.js';
import type { Clock } from '../../ports/system.js';
import type { SummaryAnswer } from '../summarise.js';

/** The same for whoever is asked. */
export type FailedAnswer = Extract<SummaryAnswer, { readonly kind: 'failed' }>;

export interface AskedCall<Answer> {
  readonly answer: Answer | FailedAnswer;
  readonly elapsedMs: number;
}

/** The pass was ended from outside. */
export class PassCancelled extends Error {
  override readonly name = 'PassCancelled';
}

/** @throws PassCancelled where the caller has ended the pass. */
export function requireAlive(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new PassCancelled();
}

/**
 * @param cancelled of the caller; it ends the pass.
 * @param time of the pass; when it is up, the answer is `timed-out`.
 * @throws PassCancelled
 */
export async function askInTime<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  { cancelled, time }: PassSignals,
  clock: Clock,
): Promise<AskedCall<Answer>> {
  requireAlive(cancelled);
  const startedAt = clock().getTime();
  const answer = time.aborted ? TIMED_OUT : await within(ask, { cancelled, time });
  return { answer, elapsedMs: Math.max(0, clock().getTime() - startedAt) };
}

export interface PassSignals {
  readonly cancelled: AbortSignal | undefined;
  readonly time: AbortSignal;
}

const TIMED_OUT: FailedAnswer = {
  kind: 'failed',
  failure: 'timed-out',
  reason: 'the time of the pass was up',
  usage: null,
};

function within<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  { cancelled, time }: PassSignals,
): Promise<Answer | FailedAnswer> {
  const own = new AbortController();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      own.abort(cancelled?.reason);
      settle(() => reject(new PassCancelled()));
    };
    const expire = (): void => {
      own.abort(time.reason);
      settle(() => resolve(TIMED_OUT));
    };
    const settle = (end: () => void): void => {
      cancelled?.removeEventListener('abort', stop);
      time.removeEventListener('abort', expire);
      end();
    };
    cancelled?.addEventListener('abort', stop, { once: true });
    time.addEventListener('abort', expire, { once: true });
    const run = async (): Promise<void> => {
      try {
        const answer = await ask(own.signal);
        settle(() => resolve(answer));
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'it threw';
        settle(() => resolve({ kind: 'failed', failure: 'unavailable', reason, usage: null }));
      }
    };
    void run();
  });
}

/**
 * @param window the call is about, from 0.
 * @param requestTokens by our counter, the instructions of whoever is asked included.
 */
export function modelCall(
  window: number,
  answer: ModelCall['answer'],
  { answer: { usage }, elapsedMs }: AskedCall<Pick<SummaryAnswer, 'usage'>>,
  requestTokens: number,
): ModelCall {
  return { window, answer, usage, requestTokens, elapsedMs };
}
