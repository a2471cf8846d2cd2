/** A call that a service refused with a status: whether to come again, when, and what to tell the user. */
import type { OssatureError } from '../../domain/kernel/errors.js';
import { modelUnavailable } from './model-failure.js';
import { retryAfterMs } from './retry-after.js';

export interface Refusal {
  /** The model's name. */
  readonly model: string;
  /** Where it is asked, in words. */
  readonly place: string;
  /** Below 400: an error that came with the status of an answer. */
  readonly status: number;
  readonly providerCode: string | undefined;
  readonly header: (name: string) => string | null | undefined;
  readonly now: Date;
}

export interface FailedTry {
  readonly outcome: 'failed';
  readonly error: OssatureError;
  /** Whether the same call may succeed later. */
  readonly isRetryable: boolean;
  /** The server's own word on when; null: it said nothing. */
  readonly retryAfterMs: number | null;
}

export function refusedCall(refusal: Refusal): FailedTry {
  const { model, place, status, providerCode } = refusal;
  const isRateLimit = status === 429;
  const isRetryable = isRateLimit || status === 408 || status >= 500;
  const waitMs = isRetryable ? retryAfterMs(refusal.header, refusal.now) : null;
  const code = providerCode === undefined ? '' : ` (${providerCode})`;
  const error = modelUnavailable(
    isRateLimit ? 'rate-limited' : isRetryable ? 'server-error' : 'refused',
    `${model} at ${place} reported ${status < 400 ? 'an error' : status}${code}: ${adviceOn(status)}.`,
    {
      model,
      status,
      ...(providerCode !== undefined && { providerCode }),
      ...(waitMs !== null && { retryAfterMs: waitMs }),
    },
  );
  return { outcome: 'failed', error, isRetryable, retryAfterMs: waitMs };
}

/** @param isRetryable whether the same call may succeed later. */
export function failedTry(error: OssatureError, isRetryable: boolean): FailedTry {
  return { outcome: 'failed', error, isRetryable, retryAfterMs: null };
}

function adviceOn(status: number): string {
  if (status === 401 || status === 403) return 'check the key and what it is allowed';
  if (status === 404) return 'check the address and the name of the model';
  if (status === 413) return 'the request is too large for it';
  if (status === 429) return 'it is asked too often, or the quota is used up; try again later';
  if (status >= 500) return 'it is in trouble; try again later';
  return 'it does not take this request';
}
