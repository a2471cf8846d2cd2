/** Foreign errors become ours at this edge, with the original as the cause and the next step in the message. */
import { OssatureError } from '../../../domain/kernel/errors.js';

/** SQLSTATEs after which the same work may succeed when it is run again from its reads. */
const RETRYABLE = new Set(['40001', '40P01']);

/** SQLSTATEs and system errors that say: no server is listening, or it went away. */
const GONE = new Set([
  '57P01',
  '57P02',
  '57P03',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
]);

const GONE_MESSAGE =
  /connection terminated|timeout exceeded when trying to connect|client was closed|not queryable|server closed the connection|database has been closed|driver not connected|connection is not established/i;

const QUERY_CANCELED = '57014';
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';
const INVALID_SCHEMA = '3F000';
const DISK_FULL = '53100';
const READ_ONLY = '25006';
const UNIQUE_VIOLATION = '23505';

export function translate(error: unknown): OssatureError {
  if (OssatureError.is(error)) return error;
  const { code, message } = factsOf(error);
  const failed = (
    as: 'STALE' | 'STORE_UNAVAILABLE' | 'SCHEMA_OUTDATED' | 'STORE_FAILED',
    text: string,
  ): OssatureError => new OssatureError(as, text, { cause: error, details: { sqlState: code } });

  if (RETRYABLE.has(code)) {
    return failed('STALE', `The store refused a concurrent change (${message}). Try again.`);
  }
  if (GONE.has(code) || code.startsWith('08') || GONE_MESSAGE.test(message)) {
    return failed(
      'STORE_UNAVAILABLE',
      `The database cannot be reached (${message}). Check that it runs and that its address is right; nothing was written.`,
    );
  }
  if (code === QUERY_CANCELED) {
    return failed(
      'STORE_UNAVAILABLE',
      `The database stopped the statement (${message}); nothing was written. Try again, or raise its statement_timeout.`,
    );
  }
  if (code === UNDEFINED_TABLE || code === UNDEFINED_COLUMN || code === INVALID_SCHEMA) {
    return failed(
      'SCHEMA_OUTDATED',
      `The database lacks tables of this version (${message}). Run "agents database migrate".`,
    );
  }
  if (code === DISK_FULL || code === 'ENOSPC') {
    return failed('STORE_FAILED', 'The disk of the database is full. Free space and run it again.');
  }
  if (code === READ_ONLY) {
    return failed('STORE_FAILED', 'The database is read-only here. Connect to a writable server.');
  }
  return failed('STORE_FAILED', `The database refused: ${message}`);
}

/**
 * A commit without an answer, or a change that commits by itself: the moments of which nobody can say
 * whether it was carried out. A statement that the server stopped is known to have done nothing.
 */
export function unanswered(error: unknown): OssatureError {
  const failure = translate(error);
  const isStopped = failure.details['sqlState'] === QUERY_CANCELED;
  if (failure.code !== 'STORE_UNAVAILABLE' || isStopped) return failure;
  return new OssatureError(
    failure.code,
    'The database went away before it answered: all of it was written, or nothing. Look before you repeat it; with an idempotency key a spawn can be repeated blindly.',
    { details: { ...failure.details, committed: 'unknown' }, cause: error },
  );
}

/** Whether a unique constraint of this name was violated. */
export function violates(error: unknown, constraint: string): boolean {
  const cause = OssatureError.is(error) ? error.cause : error;
  const { code, violated } = factsOf(cause);
  return code === UNIQUE_VIOLATION && violated === constraint;
}

const FOREIGN_KEY_VIOLATION = '23503';

/** Whether a row names one that does not exist. */
export function namesUnknown(error: unknown): boolean {
  const cause = OssatureError.is(error) ? error.cause : error;
  return factsOf(cause).code === FOREIGN_KEY_VIOLATION;
}

function factsOf(error: unknown): {
  readonly code: string;
  readonly message: string;
  readonly violated: string;
} {
  const { code, message, constraint, errors } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly constraint?: unknown;
    readonly errors?: readonly unknown[];
  };
  const [first] = Array.isArray(errors) ? (errors as readonly unknown[]) : [];
  if (first !== undefined && (typeof message !== 'string' || message === '')) return factsOf(first);
  return {
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' && message !== '' ? message : String(code ?? error),
    violated: typeof constraint === 'string' ? constraint : '',
  };
}
