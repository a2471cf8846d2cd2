import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { packFragments } from '../../../src/domain/assembly/pack-fragments.js';
import { aScored, countWords } from '../../support/assembly-builders.js';

/** Ranked fragments written as `id:tokens:strategy`, shares as `strategy:tokens`; what is in, what is not. */
function pack(roomTokens: number, shares: readonly string[], ...texts: string[]) {
  const { packed, excluded } = packFragments(
    texts.map((text) => {
      const [fragmentId = '', tokens, strategy = 's'] = text.split(':');
      return aScored({ fragmentId, tokenCount: Number(tokens), content: fragmentId }, { strategy });
    }),
    {
      roomTokens,
      smallestFragment: 10,
      shares: shares.map((text) => {
        const [name = '', tokens] = text.split(':');
        return { name, budgetTokens: Number(tokens) };
      }),
    },
    countWords,
  );
  return {
    in: packed.map(({ fragment }) => fragment.fragmentId).join(' '),
    out: excluded.map(({ fragmentId, reason }) => `${fragmentId}:${reason}`).join(' '),
  };
}

const FILE = [
  'export class Sessions of every user that is known to the server {',
  '  start(user with a name that is long enough to count here) {',
  ...Array.from({ length: 40 }, (_, at) => `    this line ${at} is one of the body`),
].join('\n');

describe('packFragments', () => {
  // prettier-ignore
  it.each([
    { rule: 'the best come first while they fit',     room: 40, shares: ['s:40'],         given: ['a:20', 'b:20', 'c:20'],      in: 'a b', out: 'c:over-budget' },
    { rule: 'too large is passed over',               room: 40, shares: ['s:40'],         given: ['a:30', 'b:20', 'c:10'],      in: 'a c', out: 'b:over-budget' },
    { rule: 'a share is kept for its strategy',       room: 40, shares: ['s:20', 't:20'], given: ['a:20:s', 'b:20:s', 'c:20:t'], in: 'a c', out: 'b:over-budget' },
    { rule: 'what a share leaves goes to the others', room: 40, shares: ['s:20', 't:20'], given: ['a:20:s', 'b:20:s'],          in: 'a b', out: '' },
    { rule: 'without a share there is what is left',  room: 40, shares: ['s:20'],         given: ['a:20:x', 'b:20:s', 'c:20:x'], in: 'a b', out: 'c:over-budget' },
    { rule: 'fewer than 10 tokens are too few',       room: 40, shares: ['s:40'],         given: ['a:9', 'b:10'],               in: 'b',   out: 'a:too-small' },
    { rule: 'a budget of nothing packs nothing',      room: 0,  shares: ['s:0'],          given: ['a:20'],                      in: '',    out: 'a:over-budget' },
    { rule: 'nor does one below it',                  room: -5, shares: ['s:20'],         given: ['a:20'],                      in: '',    out: 'a:over-budget' },
    { rule: 'nothing gives nothing',                  room: 40, shares: [],               given: [],                            in: '',    out: '' },
  ])('$rule', ({ room, shares, given, in: kept, out }) => {
    expect(pack(room, shares, ...given)).toEqual({ in: kept, out });
  });

  it('takes the outline of a text that is too large', () => {
    const room = {
      smallestFragment: 10,
      roomTokens: 60,
      shares: [{ name: 'keyword', budgetTokens: 60 }],
    };
    const file = aScored({ content: FILE, tokenCount: countWords(FILE), contentDomain: 'code' });

    const [packed] = packFragments([file], room, countWords).packed;

    expect(packed?.shown).toMatchObject({
      tokenCount: 26,
      reduced: { depth: 4, fullTokenCount: countWords(FILE) },
    });
    expect(packed?.shown.content).not.toContain('line 3');
  });

  it('makes whole what it reduced for a share, where others leave room', () => {
    const tokenCount = countWords(FILE);
    const room = {
      smallestFragment: 10,
      roomTokens: tokenCount,
      shares: [{ name: 'keyword', budgetTokens: 60 }],
    };

    const [packed] = packFragments(
      [aScored({ content: FILE, tokenCount })],
      room,
      countWords,
    ).packed;

    expect(packed?.shown.reduced).toBeUndefined();
    expect(packed?.shown.content).toBe(FILE);
  });

  it('prefers the renderings that a source brings', () => {
    const room = {
      smallestFragment: 10,
      roomTokens: 20,
      shares: [{ name: 'keyword', budgetTokens: 20 }],
    };
    const outline = 'one two three four five six seven eight nine ten eleven';
    const fragment = {
      content: FILE,
      tokenCount: 300,
      renderings: [{ depth: 2, content: outline }],
    };

    const [packed] = packFragments([aScored(fragment)], room, countWords).packed;

    expect(packed?.shown).toMatchObject({ content: outline, reduced: { depth: 2 } });
  });

  it('takes fragments of any size where nothing is too small', () => {
    const shares = [{ name: 'keyword', budgetTokens: 20 }];
    const room = { roomTokens: 20, shares, smallestFragment: 0 };

    expect(packFragments([aScored({ tokenCount: 1 })], room, countWords).packed).toHaveLength(1);
  });

  it('refers to the texts that it is given', () => {
    const scored = aScored({ content: FILE, tokenCount: 20 });
    const room = {
      smallestFragment: 10,
      roomTokens: 20,
      shares: [{ name: 'keyword', budgetTokens: 20 }],
    };

    const [packed] = packFragments([scored], room, countWords).packed;

    expect(packed?.shown.content).toBe(scored.fragment.content);
    expect(packed?.fragment).toBe(scored.fragment);
  });

  // prettier-ignore
  it.each([
    { rule: 'a short turn is taken beside a turn that is shown',    position: 4, group: 'turn 2', roomTokens: 50, reason: null },
    { rule: 'it is too small where no neighbour of it is shown',    position: 9, group: 'turn 2', roomTokens: 50, reason: 'too-small' },
    { rule: 'what is part of nothing is too small by itself',       position: 4, group: undefined, roomTokens: 50, reason: 'too-small' },
    { rule: 'it needs room like any other',                         position: 4, group: 'turn 2', roomTokens: 22, reason: 'over-budget' },
  ])('$rule', ({ position, group, roomTokens, reason }) => {
    const asked = aScored({ fragmentId: 'asked', tokenCount: 20, position: 3, group: 'turn 1' });
    const short = { fragmentId: 'short', tokenCount: 5, position };
    const answer = aScored(group === undefined ? short : { ...short, group });
    const shares = [{ name: 'keyword', budgetTokens: roomTokens }];
    const room = { roomTokens, shares, smallestFragment: 10 };

    const { packed, excluded } = packFragments([asked, answer], room, countWords);

    expect(packed).toHaveLength(reason === null ? 2 : 1);
    expect(excluded.map((one) => one.reason)).toEqual(reason === null ? [] : [reason]);
  });

  it('never exceeds the room, and names every fragment once', () => {
    const size = fc.record({
      tokens: fc.nat({ max: 80 }),
      strategy: fc.constantFrom('s', 't', 'u'),
    });
    fc.assert(
      fc.property(fc.nat({ max: 300 }), fc.array(size, { maxLength: 30 }), (roomTokens, sizes) => {
        const ranked = sizes.map(({ tokens, strategy }, at) =>
          aScored({ fragmentId: `f${at}`, tokenCount: tokens, content: FILE }, { strategy }),
        );
        const half = Math.floor(roomTokens / 2);
        const shares = ['s', 't'].map((name) => ({ name, budgetTokens: half }));
        const { packed, excluded } = packFragments(
          ranked,
          { roomTokens, shares, smallestFragment: 10 },
          countWords,
        );
        const used = packed.reduce((sum, { shown }) => sum + shown.tokenCount, 0);
        const ids = [...packed.map(({ fragment }) => fragment), ...excluded].map(
          ({ fragmentId }) => fragmentId,
        );
        expect(used).toBeLessThanOrEqual(roomTokens);
        expect(ids.sort()).toEqual(ranked.map(({ fragment }) => fragment.fragmentId).sort());
      }),
      { seed: 13 },
    );
  });
});
