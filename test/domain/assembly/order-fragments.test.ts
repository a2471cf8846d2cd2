import { describe, expect, it } from '@jest/globals';
import { orderFragments } from '../../../src/domain/assembly/order-fragments.js';
import { aScored } from '../../support/assembly-builders.js';

/** Packed fragments written as `id:score:group:position`, and the ids in the order of reading. */
function order(...texts: string[]): string {
  const packed = texts.map((text) => {
    const [fragmentId = '', total, group, position] = text.split(':');
    const scored = aScored(
      {
        fragmentId,
        ...(group === undefined ? {} : { group, position: Number(position) }),
      },
      { total: Number(total) },
    );
    return { ...scored, shown: scored.fragment };
  });
  return orderFragments(packed)
    .map(({ fragment }) => fragment.fragmentId)
    .join(' ');
}

describe('orderFragments', () => {
  // prettier-ignore
  it.each([
    { rule: 'the best stand at the edges',       given: ['a:.5', 'b:.9', 'c:.7', 'd:.1'],               order: 'b a d c' },
    { rule: 'a turn stays in its order',         given: ['a2:.9:t:2', 'a1:.2:t:1', 'b:.5'],             order: 'a1 a2 b' },
    { rule: 'a turn is as good as its best',     given: ['b:.5', 'a1:.1:t:1', 'a2:.9:t:2', 'c:.3'],     order: 'a1 a2 c b' },
    { rule: 'ids decide between equals',         given: ['b:.5', 'a:.5', 'c:.5'],                       order: 'a c b' },
    { rule: 'nothing gives nothing',             given: [],                                             order: '' },
  ])('$rule', ({ given, order: expected }) => {
    expect(order(...given)).toBe(expected);
  });
});
