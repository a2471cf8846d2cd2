/**
 * The one error class of the library. A verdict (not due, does not fit) is a returned value; only a
 * broken contract is thrown, and then always as this class with one of these codes.
 * `docs/errors.md` explains each code; a test keeps the two lists equal.
 */
export const ERROR_CODES = [
  'INVALID_RATIO',
  'INVALID_BUDGET',
  'INVALID_FRAGMENT',
  'DUPLICATE_FRAGMENT',
  'INVALID_ID',
  'INVALID_INPUT',
  'INVALID_TRANSCRIPT',
  'INVALID_CONFIG',
  'ILLEGAL_MOVE',
  'DEPTH_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'IDEMPOTENCY_CONFLICT',
  'STALE',
  'STORE_FAILED',
  'STORE_UNAVAILABLE',
  'STORE_BUSY',
  'SCHEMA_OUTDATED',
  'SCHEMA_TOO_NEW',
  'WOULD_LOSE_DATA',
  'STAGE_BREACH',
  'NOT_PORTABLE',
  'MODEL_UNAVAILABLE',
  'MODEL_UNREADABLE',
  'INVALID_LESSON',
  'INVALID_EPISODE',
  'INVALID_USE',
  'LEVEL_RULE',
  'CYCLE',
  'DUPLICATE_KEY',
  'NOT_ELIGIBLE',
  'BUSY',
  'HOLDER_IN_USE',
  'DESCENT_CLOSED',
  'CONFLICT_CLOSED',
  'FEATURE_OFF',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export type ErrorDetails = Readonly<Record<string, unknown>>;

const BRAND: unique symbol = Symbol.for('ossature/error') as never;

export class OssatureError extends Error {
  override readonly name = 'OssatureError';
  readonly code: ErrorCode;
  /** Facts a program may act on: ids, field names, bounds. Never contents of fragments. */
  readonly details: ErrorDetails;
  readonly [BRAND] = true;

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly details?: ErrorDetails; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = Object.freeze({ ...options.details });
  }

  /** Recognises the error across two installed copies of the package, which `instanceof` does not. */
  static is(error: unknown, code?: ErrorCode): error is OssatureError {
    return (
      typeof error === 'object' &&
      error !== null &&
      (error as Partial<OssatureError>)[BRAND] === true &&
      (code === undefined || (error as OssatureError).code === code)
    );
  }
}
