import { describe, expect, it } from '@jest/globals';
import { inParallel } from '../../../src/application/plan/in-parallel.js';

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('inParallel', () => {
  it.each([
    { items: 20, width: 5, atOnce: 5 },
    { items: 20, width: 1, atOnce: 1 },
    { items: 3, width: 50, atOnce: 3 },
    { items: 0, width: 5, atOnce: 0 },
  ])(
    'runs $atOnce of $items at once where the width is $width',
    async ({ items, width, atOnce }) => {
      let running = 0;
      let most = 0;
      const answers = await inParallel(
        Array.from({ length: items }, (_, index) => index),
        width,
        async (item) => {
          running += 1;
          most = Math.max(most, running);
          await pause(item % 3);
          running -= 1;
          return item * 2;
        },
      );
      expect(most).toBe(atOnce);
      expect(answers).toEqual(Array.from({ length: items }, (_, index) => index * 2));
    },
  );
});
