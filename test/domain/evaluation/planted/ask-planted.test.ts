/** Questions about planted facts, and what answers are worth. */
import { describe, expect, it } from '@jest/globals';
import { questionOf, recallOf } from '../../../../src/domain/evaluation/planted/ask-planted.js';
import { drawFacts } from '../../../../src/domain/evaluation/planted/draw-facts.js';
import type { PlantedFact } from '../../../../src/domain/evaluation/planted/planted-fact.js';

const fact = (given: Partial<PlantedFact>): PlantedFact => ({
  factId: 'f',
  kind: 'version',
  carrier: 'user-prompt',
  match: 'exact',
  subject: 'lib-abc',
  options: [],
  values: [
    { cycle: 2, value: '1.2.3' },
    { cycle: 5, value: '2.0.1' },
  ],
  ...given,
});
const state = fact({
  kind: 'path',
  match: 'state',
  subject: 'src/a.ts',
  options: ['created', 'modified', 'deleted', 'read', 'unchanged'],
  values: [
    { cycle: 1, value: 'created' },
    { cycle: 3, value: 'deleted' },
  ],
});

describe('an answer about a planted fact', () => {
  // prettier-ignore
  it.each([
    { rule: 'holds the value in force',              of: fact({}), cycle: 2, answer: 'It is 1.2.3.',            recall: 'right' },
    { rule: 'holds the later one, once it is said',  of: fact({}), cycle: 5, answer: 'It is 2.0.1.',            recall: 'right' },
    { rule: 'holds the one that was replaced',       of: fact({}), cycle: 5, answer: 'It is 1.2.3.',            recall: 'replaced' },
    { rule: 'holds both, and does not choose',       of: fact({}), cycle: 5, answer: '1.2.3, later 2.0.1',      recall: 'replaced' },
    { rule: 'holds the later one before it was said',of: fact({}), cycle: 4, answer: 'It is 2.0.1.',            recall: 'wrong' },
    { rule: 'holds a longer token',                  of: fact({}), cycle: 2, answer: 'It is 11.2.3.',           recall: 'wrong' },
    { rule: 'knows nothing',                         of: fact({}), cycle: 2, answer: 'I do not know.',          recall: 'wrong' },
    { rule: 'is empty',                              of: fact({}), cycle: 2, answer: '',                        recall: 'wrong' },
    { rule: 'did not come',                          of: fact({}), cycle: 2, answer: null,                      recall: 'unanswered' },
    { rule: 'names the state',                       of: state,    cycle: 1, answer: 'src/a.ts was created.',   recall: 'right' },
    { rule: 'names the state that is no more',       of: state,    cycle: 3, answer: 'src/a.ts was created.',   recall: 'replaced' },
    { rule: 'names the state that is',               of: state,    cycle: 3, answer: 'src/a.ts was deleted.',   recall: 'right' },
  ])('that $rule is $recall', ({ of, cycle, answer, recall }) => {
    expect(recallOf(of, cycle, answer)).toBe(recall);
  });
});

describe('a question about a planted fact', () => {
  it('names what it is about where there are several, and gives no value away', () => {
    for (const one of drawFacts({ seed: 3, facts: 48, cycles: 10 })) {
      const question = questionOf(one);
      if (one.match !== 'state') {
        for (const { value } of one.values) expect(question).not.toContain(value);
      }
      const isOfOne = !['constraint', 'command', 'symbol'].includes(one.kind);
      if (isOfOne) expect(question).toContain(one.subject);
    }
  });
});
