/** Probes written, answered and judged by a model that misbehaves: a typed answer each time, and never a mark made up. */
import { describe, expect, it } from '@jest/globals';
import { buildJudgeRequest } from '../../../src/domain/evaluation/grading/judge-request.js';
import { promptedEvaluators } from '../../../src/infrastructure/models/prompted-evaluators.js';
import { type ScriptedAnswer, scriptedModel } from '../../support/scripted-model.js';

const question = buildJudgeRequest(
  { type: 'recall', question: 'Which version?', facts: [] },
  'It is 1.2.3.',
  'context',
);
const marks = question.criteria.map(({ criterionId }) => ({ criterionId, score: 4, reason: 'so' }));
const [first, ...others] = marks;
const proposal = {
  type: 'recall',
  question: 'Which version?',
  format: null,
  facts: [
    {
      kind: 'exact',
      topic: 'value',
      subject: null,
      value: '1.2.3',
      aliases: [],
      options: [],
      required: true,
      sources: [3],
      evidence: 'version 1.2.3',
    },
  ],
};
const inTime = () => AbortSignal.timeout(5_000);

function evaluatorsOf(...answers: readonly ScriptedAnswer[]) {
  const model = scriptedModel(...answers);
  const { writer, answerer, judge } = promptedEvaluators(model);
  if (writer === null || answerer === null || judge === null) throw new Error('There are three.');
  return { model, writer, answerer, judge };
}
const twice = (answer: ScriptedAnswer): readonly ScriptedAnswer[] => [answer, answer];
const json = (value: unknown): string => JSON.stringify(value);

describe('a prompted judge', () => {
  it('gives one mark for each criterion that it was asked for', async () => {
    const { judge, model } = evaluatorsOf(json({ marks }));
    expect(await judge.work(question, inTime())).toMatchObject({
      outcome: 'judged',
      marks: marks.map((mark) => ({ ...mark, origin: 'judge' })),
      usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 3 },
    });
    expect(model.requests).toHaveLength(1);
  });

  it('is asked once more with the complaint, and then believed', async () => {
    const { judge, model } = evaluatorsOf(json({ marks: others }), json({ marks }));
    expect(await judge.work(question, inTime())).toMatchObject({ outcome: 'judged' });
    expect(json(model.requests[1]?.messages)).toContain(`one mark for ${first?.criterionId}`);
  });

  // prettier-ignore
  it.each([
    { rule: 'talk',                    answer: 'Quite good, I think.',                                           outcome: 'unreadable' },
    { rule: 'a mark too few',          answer: json({ marks: others }),                                          outcome: 'unreadable' },
    { rule: 'a mark twice',            answer: json({ marks: [...marks, first] }),                               outcome: 'unreadable' },
    { rule: 'a criterion of its own',  answer: json({ marks: [...others, { ...first, criterionId: 'charm' }] }), outcome: 'unreadable' },
    { rule: 'a mark above 5',          answer: json({ marks: [...others, { ...first, score: 6 }] }),             outcome: 'unreadable' },
    { rule: 'half a mark',             answer: json({ marks: [...others, { ...first, score: 3.5 }] }),           outcome: 'unreadable' },
    { rule: 'a mark without a reason', answer: json({ marks: [...others, { ...first, reason: '' }] }),           outcome: 'unreadable' },
    { rule: 'cut-off JSON',            answer: json({ marks }).slice(0, -9),                                     outcome: 'unreadable' },
    { rule: 'an answer cut by length', answer: { text: json({ marks }), finishReason: 'length' },                outcome: 'failed' },
    { rule: 'a filtered answer',       answer: { text: '', finishReason: 'filtered' },                           outcome: 'failed' },
    { rule: 'nobody',                  answer: async () => { throw new Error('down'); },                         outcome: 'failed' },
  ] as readonly { rule: string; answer: ScriptedAnswer; outcome: string }[])('that answers with $rule is $outcome and gives no mark', async ({ answer, outcome }) => {
    const { judge } = evaluatorsOf(...twice(answer));
    const judgement = await judge.work(question, inTime());
    expect(judgement).toMatchObject({ outcome, reason: expect.stringMatching(/\S/) });
    expect(judgement).not.toHaveProperty('marks');
  });
});

describe('a prompted answerer', () => {
  // prettier-ignore
  it.each([
    { rule: 'its answer',              answer: json({ answer: 'It is 1.2.3.' }),                  outcome: 'answered' },
    { rule: 'an empty answer',         answer: json({ answer: '' }),                              outcome: 'answered' },
    { rule: 'talk',                    answer: 'It is 1.2.3.',                                    outcome: 'failed' },
    { rule: 'another shape',           answer: json({ text: 'It is 1.2.3.' }),                    outcome: 'failed' },
    { rule: 'an answer cut by length', answer: { text: '{"answer": "It', finishReason: 'length' }, outcome: 'failed' },
    { rule: 'nobody',                  answer: async () => { throw new Error('down'); },          outcome: 'failed' },
  ] as readonly { rule: string; answer: ScriptedAnswer; outcome: string }[])('that gives $rule has $outcome', async ({ answer, outcome }) => {
    const { answerer } = evaluatorsOf(...twice(answer));
    expect(await answerer.work({ question: 'Which version?', context: '' }, inTime())).toMatchObject({ outcome });
  });
});

describe('a prompted writer of probes', () => {
  const [fact] = proposal.facts;
  // prettier-ignore
  it.each([
    { rule: 'a probe',                    answer: json({ probes: [proposal] }),                                            outcome: 'written' },
    { rule: 'nothing to ask',             answer: json({ probes: [] }),                                                    outcome: 'written' },
    { rule: 'talk',                       answer: 'Which version was it?',                                                 outcome: 'failed' },
    { rule: 'a type of its own',          answer: json({ probes: [{ ...proposal, type: 'riddle' }] }),                     outcome: 'failed' },
    { rule: 'a probe without facts',      answer: json({ probes: [{ ...proposal, facts: [] }] }),                          outcome: 'failed' },
    { rule: 'a fact without evidence',    answer: json({ probes: [{ ...proposal, facts: [{ ...fact, evidence: '' }] }] }), outcome: 'failed' },
    { rule: 'a fact that cites nothing',  answer: json({ probes: [{ ...proposal, facts: [{ ...fact, sources: [] }] }] }),  outcome: 'failed' },
    { rule: 'nobody',                     answer: async () => { throw new Error('down'); },                                outcome: 'failed' },
  ] as readonly { rule: string; answer: ScriptedAnswer; outcome: string }[])('that gives $rule has $outcome', async ({ answer, outcome }) => {
    const { writer } = evaluatorsOf(...twice(answer));
    const written = await writer.work({ span: '[entry:3]\nversion 1.2.3', types: ['recall'], perType: 1 }, inTime());
    expect(written).toMatchObject({ outcome });
  });
});

describe('without a model', () => {
  it('there is nobody to write, answer or judge', () => {
    expect(promptedEvaluators(null)).toEqual({ writer: null, answerer: null, judge: null });
  });
});
