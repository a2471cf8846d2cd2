/** One request to the summarizer: within the pass's time, ended by its signal, and always answered as a value. */
import type { ModelCall } from '../../../domain/session/summary/session-cycle.js';
import type { Summarizer, SummaryAnswer, SummaryRequest } from '../summarise.js';
import type { Clock } from '../../ports/system.js';

export interface AskedCall {
  readonly answer: SummaryAnswer;
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
export async function askSummarizer(
  summarizer: Summarizer,
  request: SummaryRequest,
  { cancelled, time }: PassSignals,
  clock: Clock,
): Promise<AskedCall> {
  requireAlive(cancelled);
  const startedAt = clock().getTime();
  const answer = time.aborted ? TIMED_OUT : await within(summarizer, request, { cancelled, time });
  return { answer, elapsedMs: Math.max(0, clock().getTime() - startedAt) };
}

export interface PassSignals {
  readonly cancelled: AbortSignal | undefined;
  readonly time: AbortSignal;
}

const TIMED_OUT: SummaryAnswer = {
  kind: 'failed',
  failure: 'timed-out',
  reason: 'the time of the pass was up',
  usage: null,
};

function within(
  { summarise }: Summarizer,
  request: SummaryRequest,
  { cancelled, time }: PassSignals,
): Promise<SummaryAnswer> {
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
    const ask = async (): Promise<void> => {
      try {
        const answer = await summarise(request, own.signal);
        settle(() => resolve(answer));
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'it threw';
        settle(() => resolve({ kind: 'failed', failure: 'unavailable', reason, usage: null }));
      }
    };
    void ask();
  });
}

/** Tokens of a request by our counter, the summarizer's own instructions included. */
export function modelCall(
  window: number,
  answer: ModelCall['answer'],
  { answer: { usage }, elapsedMs }: AskedCall,
  requestTokens: number,
): ModelCall {
  return { window, answer, usage, requestTokens, elapsedMs };
}
