import { describe, expect, it } from '@jest/globals';
import { nodeTimer } from '../../../src/infrastructure/system/node-timer.js';

/** Keeps the event loop from turning, as a long computation does. */
function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('the timer of the system', () => {
  it('calls back once, not before its delay', async () => {
    const started = performance.now();
    const calls: number[] = [];
    await new Promise<void>((resolve) => {
      nodeTimer(120, () => {
        calls.push(performance.now() - started);
        resolve();
      });
    });
    await pause(80);

    expect(calls).toHaveLength(1);
    // A timer of the platform may be called back up to a millisecond early.
    expect(calls[0]).toBeGreaterThanOrEqual(117);
  });

  it('does not count what the process itself computed', async () => {
    let isElapsed = false;
    const cancel = nodeTimer(300, () => (isElapsed = true));
    block(400);
    await pause(60);
    const afterOneBlock = isElapsed;
    cancel();

    expect(afterOneBlock).toBe(false);
  });

  it('hears what arrived while the process was busy before the time is up', async () => {
    const order: string[] = [];
    const elapsed = new Promise<void>((resolve) => {
      nodeTimer(20, () => {
        order.push('elapsed');
        resolve();
      });
    });
    setTimeout(() => order.push('answer'), 10);
    block(60);
    await elapsed;

    expect(order).toEqual(['answer', 'elapsed']);
  });

  it.each([
    { rule: 'before its first step', afterMs: 0 },
    { rule: 'between two steps', afterMs: 70 },
  ])('is silent once cancelled $rule', async ({ afterMs }) => {
    let isElapsed = false;
    const cancel = nodeTimer(120, () => (isElapsed = true));
    await pause(afterMs);
    cancel();
    cancel();
    await pause(180);

    expect(isElapsed).toBe(false);
  });
});
