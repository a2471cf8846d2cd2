/** Calls of a model's service: again where that can help, and never beyond the time there is. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../application/ports/system.js';
import type { OssatureError } from '../../domain/kernel/errors.js';
import { modelStopped } from './model-failure.js';
import type { FailedTry } from './refused-call.js';
import { untilAborted } from './until-aborted.js';

/** What one try came to. */
export type Try<Result> = { readonly outcome: 'answered'; readonly value: Result } | FailedTry;

export interface RetryPolicy {
  /** Of all tries and the waiting between them. */
  readonly timeoutMs: number;
  /** Waits before the second try, the third, and so on, where the server says nothing. */
  readonly retryDelaysMs: readonly number[];
}

/** Two retries; two minutes are the time of a whole pass over a session (`pass_timeout_ms`). */
export const DEFAULT_RETRIES: RetryPolicy = { timeoutMs: 120_000, retryDelaysMs: [500, 2_000] };

interface Call {
  /** Named in errors. */
  readonly model: string;
  /** The caller's. */
  readonly signal: AbortSignal;
  readonly policy: RetryPolicy;
  readonly clock: Clock;
}

/**
 * A wait that would outlast the time of the call is not begun: the failure says how long it would have been.
 *
 * @throws OssatureError that of the last try, or MODEL_UNAVAILABLE once the time is up.
 */
export async function callWithRetries<Result>(
  { model, signal, policy, clock }: Call,
  attempt: (signal: AbortSignal) => Promise<Try<Result>>,
): Promise<Result> {
  const time = limitedTime(signal, policy.timeoutMs);
  const stopped = (): OssatureError => modelStopped(time.signal, model);
  const deadline = clock().getTime() + policy.timeoutMs;
  try {
    for (const delayMs of [...policy.retryDelaysMs, null]) {
      const made = await untilAborted(time.signal, stopped, () => attempt(time.signal));
      if (made.outcome === 'answered') return made.value;
      if (delayMs === null || !made.isRetryable) throw made.error;
      const waitMs = made.retryAfterMs ?? delayMs;
      if (clock().getTime() + waitMs >= deadline) throw made.error;
      await pause(waitMs, undefined, { signal: time.signal }).catch(() => {
        // Where the time ran out, what the server said last tells more than that it did.
        throw wasCancelled(signal) ? stopped() : made.error;
      });
    }
    throw stopped();
  } finally {
    time.end();
  }
}

/** The caller's signal, with an end of its own. Not by `AbortSignal.any`: on Node 20 that keeps every signal it joined. */
function limitedTime(
  caller: AbortSignal,
  timeoutMs: number,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const forward = (): void => controller.abort(caller.reason);
  const timer = setTimeout(() => {
    controller.abort(new DOMException('The time of the call is up.', 'TimeoutError'));
  }, timeoutMs);
  caller.addEventListener('abort', forward, { once: true });
  if (caller.aborted) forward();
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
      caller.removeEventListener('abort', forward);
    },
  };
}

function wasCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as { name?: unknown } | undefined)?.name !== 'TimeoutError';
}
