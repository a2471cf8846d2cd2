import type { StartTimer } from '../ports/timer.js';

export class TimedOut extends Error {}

/** Work that goes on after its time is up is told so; what it still answers is not looked at. */
export function withinTime<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  timeoutMs: number,
  startTimer: StartTimer,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = new AbortController();
    const cancel = startTimer(timeoutMs, () => {
      const timedOut = new TimedOut(`It took longer than ${timeoutMs} ms.`);
      reject(timedOut);
      abort.abort(timedOut);
    });
    const start = async (): Promise<void> => {
      try {
        resolve(await work(abort.signal));
      } catch (error) {
        reject(error instanceof Error ? error : new Error('It threw.', { cause: error }));
      } finally {
        cancel();
      }
    };
    void start();
  });
}
