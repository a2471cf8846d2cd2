/** What goes wrong with a model, as our errors: a reason for programs, and in words what to do next. */
import { OssatureError } from '../../domain/kernel/errors.js';

export type UnavailableReason =
  | 'no-model'
  | 'network'
  | 'timeout'
  | 'cancelled'
  | 'rate-limited'
  | 'server-error'
  | 'refused'
  | 'redirected';

export type UnreadableReason = 'not-json' | 'wrong-shape' | 'too-large' | 'empty';

/** Facts for programs; never a key, an address with its query, or a word of a request or answer. */
export interface FailureFacts {
  readonly model: string;
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** The provider's own word for it, such as `insufficient_quota`. */
  readonly providerCode?: string;
  /** Before which the provider does not want to be asked again. */
  readonly retryAfterMs?: number;
}

export function modelUnavailable(
  reason: UnavailableReason,
  message: string,
  facts: FailureFacts | undefined,
  cause?: unknown,
): OssatureError {
  return new OssatureError('MODEL_UNAVAILABLE', message, { details: { reason, ...facts }, cause });
}

export function modelUnreadable(
  reason: UnreadableReason,
  message: string,
  facts: FailureFacts,
): OssatureError {
  return new OssatureError('MODEL_UNREADABLE', message, { details: { reason, ...facts } });
}

/** The error of a call that its signal ended. */
export function modelStopped(signal: AbortSignal, model: string): OssatureError {
  const isTime = (signal.reason as { name?: unknown } | undefined)?.name === 'TimeoutError';
  return isTime
    ? modelUnavailable('timeout', `${model} did not answer in time.`, { model })
    : modelUnavailable('cancelled', `The call of ${model} was cancelled.`, { model });
}

/** What a foreign model threw, as our error; ours as it is. */
export function asModelError(error: unknown, model: string): OssatureError {
  if (OssatureError.is(error)) return error;
  // Clients put requests, answers and headers into their errors, so none of it becomes message or cause.
  return modelUnavailable('network', `${model} could not be asked.`, { model });
}

const CODE_FORM = /^[\w.-]{1,64}$/;

/** A provider's word for an error, if it is one word: sentences may repeat the request. */
export function providerCodeIn(body: unknown): string | undefined {
  const error = fieldsOf(fieldsOf(body)?.['error']) ?? fieldsOf(body);
  return [error?.['code'], error?.['type']].find(
    (word): word is string => typeof word === 'string' && CODE_FORM.test(word),
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
