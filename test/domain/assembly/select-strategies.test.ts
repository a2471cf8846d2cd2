import { describe, expect, it } from '@jest/globals';
import { selectStrategies } from '../../../src/domain/assembly/select-strategies.js';

/** Strategies written as `name:quality:answer`. */
function strategiesOf(...texts: string[]) {
  return texts.map((text) => {
    const [name = '', quality, answer] = text.split(':');
    return {
      name,
      quality: Number(quality),
      canHandle: (): number => {
        if (answer === 'throws') throw new Error('no index');
        return answer === 'text' ? ('1' as unknown as number) : Number(answer);
      },
    };
  });
}

const rank = (preferred: readonly string[], ...texts: string[]) =>
  selectStrategies(strategiesOf(...texts), {}, preferred);

describe('selectStrategies', () => {
  // prettier-ignore
  it.each([
    { rule: 'the most confident comes first', preferred: [],    given: ['a:.5:.2', 'b:.5:.9'],             order: 'b:0.9 a:0.2' },
    { rule: 'equal confidence goes by quality', preferred: [],  given: ['a:.5:.2', 'b:.8:.2'],             order: 'b:0.2 a:0.2' },
    { rule: 'and then by name',               preferred: [],    given: ['b:.5:.2', 'a:.5:.2'],             order: 'a:0.2 b:0.2' },
    { rule: 'preferred ones come first',      preferred: ['a'], given: ['a:.5:.2', 'b:.5:.9'],             order: 'a:0.2 b:0.9' },
    { rule: 'in the order of the preference', preferred: ['c', 'a'], given: ['a:.5:.2', 'b:.5:.9', 'c:.5:.1'], order: 'c:0.1 a:0.2 b:0.9' },
    { rule: 'keyword serves where none answers', preferred: [], given: ['a:.5:0', 'keyword:.3:0'],         order: 'keyword:0.3 a:0' },
    { rule: 'but not where one does',         preferred: [],    given: ['a:.5:.1', 'keyword:.3:0'],        order: 'a:0.1 keyword:0' },
    { rule: 'without strategies none is ranked', preferred: [], given: [],                                 order: '' },
  ])('$rule', ({ preferred, given, order }) => {
    expect(rank(preferred, ...given).map(({ name, confidence }) => `${name}:${confidence}`).join(' ')).toBe(order);
  });

  it.each([
    { answer: 'throws', reason: 'threw' },
    { answer: 'NaN', reason: 'invalid-confidence' },
    { answer: '1.5', reason: 'invalid-confidence' },
    { answer: '-1', reason: 'invalid-confidence' },
    { answer: 'text', reason: 'invalid-confidence' },
  ])('an answer of $answer is not run, and says $reason', ({ answer, reason }) => {
    const [, faulty] = rank([], 'good:.5:.5', `faulty:.5:${answer}`);

    expect(faulty).toMatchObject({ name: 'faulty', confidence: 0, failure: { reason } });
  });

  it('a preferred strategy that there is none of is named', () => {
    expect(rank(['ghost'], 'a:.5:.5')[0]).toMatchObject({
      name: 'ghost',
      confidence: 0,
      failure: { reason: 'unknown' },
    });
  });
});
