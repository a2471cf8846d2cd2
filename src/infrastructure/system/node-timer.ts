import type { StartTimer } from '../../application/ports/timer.js';

export const nodeTimer: StartTimer = (delayMs, onElapsed) => {
  const timer = setTimeout(onElapsed, delayMs);
  return () => clearTimeout(timer);
};
