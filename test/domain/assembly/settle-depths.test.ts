import { describe, expect, it } from '@jest/globals';
import { type ShownFragment, shownWhole } from '../../../src/domain/assembly/assembly-fragment.js';
import { settleDepths } from '../../../src/domain/assembly/settle-depths.js';
import { anAssemblyFragment, aScored } from '../../support/assembly-builders.js';

/** Shown at a depth, `whole`, or at one that nobody knows (`?`). */
function shownAt(depth: string): ShownFragment {
  const shown = shownWhole(anAssemblyFragment({ fragmentId: 'a' }));
  if (depth === 'whole') return shown;
  const known = depth === '?' ? null : Number(depth);
  return { ...shown, tokenCount: 5, reduced: { depth: known, fullTokenCount: 20 } };
}

describe('settleDepths', () => {
  // prettier-ignore
  it.each([
    { rule: 'whole beats an outline',                skeleton: '1',     packed: 'whole', stays: 'packed' },
    { rule: 'deeper beats shallower',                skeleton: '1',     packed: '4',     stays: 'packed' },
    { rule: 'an outline beats a title',              skeleton: '1',     packed: '0',     stays: 'skeleton' },
    { rule: 'of equal depths the skeleton stays',    skeleton: '1',     packed: '1',     stays: 'skeleton' },
    { rule: 'a depth that nobody knows is the least', skeleton: '?',    packed: '1',     stays: 'packed' },
    { rule: 'the skeleton keeps what it has whole',  skeleton: 'whole', packed: 'whole', stays: 'skeleton' },
  ])('$rule', ({ skeleton, packed, stays }) => {
    const settled = settleDepths(
      [shownAt(skeleton)],
      [{ ...aScored({ fragmentId: 'a' }), shown: shownAt(packed) }],
    );
    expect(settled.skeleton).toHaveLength(stays === 'skeleton' ? 1 : 0);
    expect(settled.packed).toHaveLength(stays === 'packed' ? 1 : 0);
    expect(settled.excluded).toEqual([
      expect.objectContaining({
        fragmentId: 'a',
        reason: 'shallower',
        strategy: stays === 'packed' ? null : 'keyword',
      }),
    ]);
  });

  it('leaves different fragments alone', () => {
    const other = aScored({ fragmentId: 'b' });
    const packed = [{ ...other, shown: shownWhole(other.fragment) }];
    const skeleton = [shownAt('1')];
    expect(settleDepths(skeleton, packed)).toEqual({ skeleton, packed, excluded: [] });
  });
});
