/** A call of a model ends by its answer, its time or its caller, and leaves nothing running behind. */
import { describe, expect, it } from '@jest/globals';
import { Aborted, askModel, OutOfTime } from '../../../src/application/lessons/ask-model.js';

const NEVER = new Promise<string>(() => {});

describe('a call of a model leaves no timer behind', () => {
  it.each<readonly [string, (end: AbortController) => Promise<string>, unknown]>([
    ['that answers', async () => 'yes', 'yes'],
    ['that throws', () => Promise.reject(new RangeError('no')), RangeError],
    ['that never answers, when its caller ends it', (end) => (end.abort(), NEVER), Aborted],
    ['that never answers, when its time is up', () => NEVER, OutOfTime],
  ])('%s', async (_case, ask, expected) => {
    const timers = new Set<() => void>();
    const caller = new AbortController();
    const call = askModel(
      () => ask(caller),
      1_000,
      (_delay, end) => {
        timers.add(end);
        return () => timers.delete(end);
      },
      caller.signal,
    );
    if (expected === OutOfTime) for (const end of timers) end();

    if (typeof expected === 'string') expect(await call).toBe(expected);
    else await expect(call).rejects.toBeInstanceOf(expected);
    expect(timers.size).toBe(0);
  });
});
