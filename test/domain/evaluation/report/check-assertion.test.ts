import { describe, expect, it } from '@jest/globals';
import {
  checkAssertion,
  parseAssertion,
} from '../../../../src/domain/evaluation/report/check-assertion.js';
import {
  EMPTY_REPORT,
  type EvaluationReport,
  plainFigure,
} from '../../../../src/domain/evaluation/report/evaluation-report.js';

const REPORT: EvaluationReport = {
  ...EMPTY_REPORT,
  kind: 'evidence',
  question: 'Which?',
  again: 'agents eval',
  arms: [
    { name: 'ours', figures: { 'share@10': plainFigure(0.5, 4), alone: plainFigure(2, 4) } },
    { name: 'head', figures: { 'share@10': plainFigure(0.2, 4), gap: plainFigure(null, 0) } },
  ],
};

describe('an assertion', () => {
  it.each([
    { text: 'ours.share@10>=0.5', held: true },
    { text: 'ours.share@10>=0.51', held: false },
    { text: 'head.share@10<=0.2', held: true },
    { text: 'alone>=2', held: true },
    { text: 'share@10>=0', held: false },
    { text: 'head.gap<=1', held: false },
    { text: 'ours.nothing>=0', held: false },
  ])('$text is $held', ({ text, held }) => {
    const assertion = parseAssertion(text);
    expect(assertion).not.toBeNull();
    if (assertion !== null) expect(checkAssertion(assertion, REPORT).held).toBe(held);
  });

  it.each(['ours', 'ours>1', 'ours>=high', '>=1', 'ours>=1e3'])('%s is none', (text) => {
    expect(parseAssertion(text)).toBeNull();
  });
});
