import { describe, expect, it } from '@jest/globals';
import { requireFields } from '../../../src/domain/kernel/requests.js';

describe('a request', () => {
  it.each([
    ['nothing', undefined, 'A request'],
    ['null', null, 'A request'],
    ['a list', [], 'A request'],
    ['a text', 'goal', 'A request'],
    ['a field of another name', { goal: 'x', skeleton_ratio: 0.9 }, 'skeleton_ratio'],
  ])('is refused as %s, naming what it has', (_, value, field) => {
    expect(() => requireFields(value, 'A request', ['goal', 'skeletonRatio'])).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('goal, skeletonRatio'),
        details: { field },
      }),
    );
  });

  it('may leave fields out', () => {
    expect(() => requireFields({}, 'A request', ['goal'])).not.toThrow();
  });
});
