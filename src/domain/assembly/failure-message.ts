/** Characters of a failure's message: it is shown, and a stack of a host must not fill a payload. */
const LONGEST_MESSAGE = 300;

/**
 * What a part of the host's threw, in words. Anything can be thrown, and an error's message can be
 * anything: what has no text is spoken of as `otherwise`.
 */
export function failureMessage(error: unknown, otherwise = 'It threw.'): string {
  try {
    const message: unknown = error instanceof Error ? error.message : undefined;
    return typeof message === 'string' ? message.slice(0, LONGEST_MESSAGE) : otherwise;
  } catch {
    return otherwise;
  }
}
