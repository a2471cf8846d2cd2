/**
 * Port: calls back once after a delay, unless it is cancelled before. Returns the cancelling; calling
 * that again, or after the callback, does nothing.
 */
export type StartTimer = (delayMs: number, onElapsed: () => void) => () => void;
