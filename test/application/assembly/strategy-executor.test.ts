import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { createStrategyExecutor } from '../../../src/application/assembly/strategy-executor.js';
import { OPEN_MS } from '../../../src/domain/assembly/circuit-breaker.js';
import { nodeTimer } from '../../../src/infrastructure/system/node-timer.js';
import { anAssemblyFragment } from '../../support/assembly-builders.js';

/** An executor whose time stands still until the test moves it. */
function anExecutor() {
  const clock = { nowMs: 0 };
  const timers = new Map<() => void, number>();
  const execute = createStrategyExecutor(
    () => new Date(clock.nowMs),
    (delayMs, onElapsed) => {
      timers.set(onElapsed, clock.nowMs + delayMs);
      return () => void timers.delete(onElapsed);
    },
  );
  const pass = (milliseconds: number): void => {
    clock.nowMs += milliseconds;
    for (const [fire, due] of timers) {
      if (due > clock.nowMs) continue;
      timers.delete(fire);
      fire();
    }
  };
  return { execute, pass, timers };
}

const fails = { name: 's', run: () => Promise.reject(new Error('down')) };
const works = { name: 's', run: async () => [anAssemblyFragment()] };
const hangs = { name: 's', run: () => new Promise<never>(() => {}) };

const reasonOf = (result: unknown): unknown =>
  (result as { failure?: { reason: string } }).failure?.reason ?? 'gave';

describe('the strategy executor', () => {
  it('answers in the order of the runs, whichever ends first', async () => {
    const { execute } = anExecutor();
    let release = (): void => {};
    const slow = {
      name: 'slow',
      run: () => new Promise<readonly []>((resolve) => (release = () => resolve([]))),
    };
    const quick = {
      name: 'quick',
      run: async () => {
        release();
        return [];
      },
    };

    expect((await execute([slow, quick], 100)).map(({ name }) => name)).toEqual(['slow', 'quick']);
  });

  it('gives each run its own time, and leaves no timer behind', async () => {
    const { execute, pass, timers } = anExecutor();
    const executing = execute([hangs, { ...works, name: 'other' }], 100);
    await Promise.resolve();
    pass(99);
    expect(timers.size).toBe(1);
    pass(1);

    expect((await executing).map(reasonOf)).toEqual(['timed-out', 'gave']);
    expect(timers.size).toBe(0);
  });

  it('does not look at what a run answers when its time is up', async () => {
    const { execute, pass } = anExecutor();
    let answer = (): void => {};
    const late = {
      name: 's',
      run: () => new Promise<readonly []>((resolve) => (answer = () => resolve([]))),
    };
    const executing = execute([late], 100);
    pass(100);
    answer();

    expect((await executing).map(reasonOf)).toEqual(['timed-out']);
  });

  it('opens once under a hundred failures at once, then lets exactly one of a hundred probe', async () => {
    const { execute, pass } = anExecutor();
    const hundred = (run: typeof works | typeof fails) =>
      Promise.all(Array.from({ length: 100 }, () => execute([run], 100)));
    const counted = async (executing: ReturnType<typeof hundred>) => {
      const counts: Record<string, number> = {};
      for (const [result] of await executing) {
        const reason = String(reasonOf(result));
        counts[reason] = (counts[reason] ?? 0) + 1;
      }
      return counts;
    };

    expect(await counted(hundred(fails))).toEqual({ threw: 100 });
    expect(await counted(hundred(works))).toEqual({ 'circuit-open': 100 });
    pass(OPEN_MS - 1);
    expect(await counted(hundred(works))).toEqual({ 'circuit-open': 100 });
    pass(1);
    expect(await counted(hundred(works))).toEqual({ gave: 1, 'circuit-open': 99 });
    expect(await counted(hundred(works))).toEqual({ gave: 100 });
  });

  it('lets exactly one of a hundred probe while the probe hangs, and opens anew when its time is up', async () => {
    const { execute, pass, timers } = anExecutor();
    for (let failure = 0; failure < 3; failure += 1) await execute([fails], 100);
    pass(OPEN_MS);
    const probing = Array.from({ length: 100 }, () => execute([hangs], 100));
    await Promise.resolve();
    expect(timers.size).toBe(1);
    expect((await execute([works], 100)).map(reasonOf)).toEqual(['circuit-open']);
    pass(100);

    const reasons = (await Promise.all(probing)).flatMap((results) => results.map(reasonOf));
    expect(reasons.filter((reason) => reason === 'timed-out')).toHaveLength(1);
    expect(reasons.filter((reason) => reason === 'circuit-open')).toHaveLength(99);
    pass(OPEN_MS - 1);
    expect((await execute([works], 100)).map(reasonOf)).toEqual(['circuit-open']);
    pass(1);
    expect((await execute([works], 100)).map(reasonOf)).toEqual(['gave']);
  });

  it('does not open for failures with a success between them', async () => {
    const { execute } = anExecutor();
    for (const run of [fails, fails, works, fails, fails]) await execute([run], 100);

    expect((await execute([works], 100)).map(reasonOf)).toEqual(['gave']);
  });

  it('tells a hundred runs that hang to stop, and keeps no timer and no listener of its own', async () => {
    const { execute, pass, timers } = anExecutor();
    const signals: AbortSignal[] = [];
    const executing = Array.from({ length: 100 }, (_, at) => {
      const run = (signal: AbortSignal) => {
        signals.push(signal);
        return new Promise<never>(() => {});
      };
      return execute([{ name: `s${at}`, run }], 100);
    });
    await Promise.resolve();
    expect(signals.map(({ aborted }) => aborted)).toEqual(signals.map(() => false));
    pass(100);
    await Promise.all(executing);

    expect(signals).toHaveLength(100);
    expect(signals.every(({ aborted, reason }) => aborted && reason instanceof Error)).toBe(true);
    expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
    expect(timers.size).toBe(0);
  });

  it('gives the timers of this process back, whichever way runs end', async () => {
    const timersOf = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const execute = createStrategyExecutor(() => new Date(0), nodeTimer);
    const before = timersOf();

    const results = await execute([works, { ...fails, name: 'f' }, { ...hangs, name: 'h' }], 5);

    expect(results.map(reasonOf)).toEqual(['gave', 'threw', 'timed-out']);
    expect(timersOf()).toBe(before);
  });

  it.each([undefined, { code: 7 }, Symbol('s')])(
    'takes an error whose message is no text, such as %p, for a failure',
    async (message) => {
      const { execute } = anExecutor();
      const odd = Object.defineProperty(new Error('x'), 'message', { value: message });

      expect(await execute([{ name: 's', run: () => Promise.reject(odd) }], 100)).toEqual([
        { name: 's', outcome: 'failed', failure: { reason: 'threw', message: 'It threw.' } },
      ]);
    },
  );

  it('keeps the circuits of strategies apart', async () => {
    const { execute } = anExecutor();
    const both = [fails, { ...works, name: 'other' }];
    for (let round = 0; round < 3; round += 1) await execute(both, 100);

    expect((await execute(both, 100)).map(reasonOf)).toEqual(['circuit-open', 'gave']);
  });
});
