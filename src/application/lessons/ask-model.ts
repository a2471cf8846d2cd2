/** One call of a model port: ended by its time or by the caller, whatever the port itself does. */
import type { StartTimer } from '../ports/timer.js';

/** The caller's signal ended the work; told apart from a model that failed. */
export class Aborted extends Error {}

export class OutOfTime extends Error {}

/**
 * @throws Aborted where the caller's signal is up, OutOfTime, or what the port threw. What the port
 * still answers after that is not looked at.
 */
export function askModel<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  timeoutMs: number,
  startTimer: StartTimer,
  caller: AbortSignal | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (caller?.aborted === true) {
      reject(new Aborted('The caller ended the work.'));
      return;
    }
    const abort = new AbortController();
    // A port that never answers must not keep a timer, and with it the process, alive.
    const release = (): void => {
      cancel();
      caller?.removeEventListener('abort', onAbort);
    };
    const end = (error: Error): void => {
      release();
      reject(error);
      abort.abort(error);
    };
    const onAbort = (): void => end(new Aborted('The caller ended the work.'));
    const cancel = startTimer(timeoutMs, () => end(new OutOfTime(`No answer in ${timeoutMs} ms.`)));
    caller?.addEventListener('abort', onAbort, { once: true });
    const run = async (): Promise<void> => {
      try {
        resolve(await ask(abort.signal));
      } catch (error) {
        reject(error instanceof Error ? error : new Error('It threw.', { cause: error }));
      } finally {
        release();
      }
    };
    void run();
  });
}

/** Runs the works in order, at most so many at once; answers in the order of the works. */
export async function atMost<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>();
  const waiting = [...items.entries()];
  const runner = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, item] = next;
      results.set(at, await work(item));
    }
  };
  const runners = await Promise.allSettled(
    Array.from({ length: Math.min(atOnce, items.length) }, runner),
  );
  const failed = runners.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return items.map((_item, at) => results.get(at) as Result);
}
