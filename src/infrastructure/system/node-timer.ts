import type { StartTimer } from '../../application/ports/timer.js';

/** Milliseconds of one step: the most that a delay may pass while the process is busy with itself. */
const STEP_MS = 50;

/**
 * Counts only time in which the event loop was free. A delay is waited for in steps, and a step that
 * is called back late still counts once: what this process computed meanwhile is nobody's slowness.
 */
export const nodeTimer: StartTimer = (delayMs, onElapsed) => {
  let leftMs = delayMs;
  let timer: NodeJS.Timeout | undefined;
  let last: NodeJS.Immediate | undefined;
  const wait = (): void => {
    const stepMs = Math.min(STEP_MS, leftMs);
    timer = setTimeout(() => {
      leftMs -= stepMs;
      // Answers that arrived while the loop was busy are heard before the time counts as up.
      if (leftMs > 0) wait();
      else last = setImmediate(onElapsed);
    }, stepMs);
  };
  wait();
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
};
