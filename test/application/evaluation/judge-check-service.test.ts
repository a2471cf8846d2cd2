import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { JudgeCheckService } from '../../../src/application/evaluation/judge-check-service.js';
import type { Evaluators, JudgeAnswer } from '../../../src/application/evaluation/ports.js';
import { JUDGE_CASES, JUDGE_SUBJECTS } from '../../../src/domain/evaluation/grading/judge-check.js';
import {
  blindContext,
  buildJudgeRequest,
  type JudgeRequest,
} from '../../../src/domain/evaluation/grading/judge-request.js';
import { createInMemoryStore } from '../../../src/infrastructure/persistence/in-memory/in-memory-unit-of-work.js';
import { aProbe, aRun } from '../../contracts/evaluation-values.js';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A run in a store of its own. */
async function aStore() {
  const { repositories, unitOfWork } = createInMemoryStore();
  const run = aRun({ kind: 'judge-check' });
  await repositories.evaluations.startRun(run);
  return { run, parts: { repositories, unitOfWork, digest, clock: () => new Date(0) } };
}

function judgeOf(score: (request: JudgeRequest) => number, onAsk = () => {}): Evaluators {
  const work: JudgeAnswer = async (request) => {
    onAsk();
    return {
      outcome: 'judged',
      usage: { input_tokens: 1 },
      marks: request.criteria.map(({ criterionId }) => ({
        criterionId,
        score: score(request),
        reason: 'so',
        origin: 'judge',
      })),
    };
  };
  const judge = { name: 'model:test', promptVersion: '1', work };
  return { writer: null, answerer: null, judge };
}

/** Marks by the share of the facts that the answer holds. */
const bySight = ({ answer, facts }: JudgeRequest): number => {
  const values = facts.flatMap((fact) => fact.values);
  return (5 * values.filter((value) => answer.includes(value)).length) / values.length;
};

describe('the check of a judge', () => {
  const { signal } = new AbortController();

  it('has twenty cases', () => {
    expect(JUDGE_CASES).toHaveLength(20);
  });

  it.each([
    { rule: 'passes one that goes by the facts', score: bySight, passed: true },
    { rule: 'fails one that marks everything alike', score: () => 3, passed: false },
    {
      rule: 'fails one that pays for length',
      score: ({ answer }: JudgeRequest) => Math.min(5, answer.length / 100),
      passed: false,
    },
    {
      rule: 'fails one that is upside down',
      score: (request: JudgeRequest) => 5 - bySight(request),
      passed: false,
    },
  ])('$rule', async ({ score, passed }) => {
    const { run, parts } = await aStore();
    const checked = await new JudgeCheckService(judgeOf(score), parts).check(run, signal);
    expect(checked.passed).toBe(passed);
    expect(checked.report.warnings).toHaveLength(passed ? 0 : 1);
  });

  it('fails one that cannot be read, without a mark', async () => {
    const judge = {
      name: 'model:test',
      promptVersion: '1',
      work: async () => ({ outcome: 'unreadable' as const, reason: 'no JSON', usage: {} }),
    };
    const { run, parts } = await aStore();
    const evaluators = { writer: null, answerer: null, judge };
    const checked = await new JudgeCheckService(evaluators, parts).check(run, signal);
    expect(checked.passed).toBe(false);
    expect(checked.report.n['unreadable']).toBe(7 * JUDGE_SUBJECTS.length);
  });

  it('asks about no answer twice when it goes on after an interruption', async () => {
    const { run, parts } = await aStore();
    const stop = new AbortController();
    let asked = 0;
    const judge = judgeOf(bySight, () => {
      asked += 1;
      if (asked === 11) stop.abort();
    });
    const check = new JudgeCheckService(judge, parts);
    await expect(check.check(run, stop.signal)).rejects.toBeDefined();
    expect(asked).toBe(11);
    const checked = await check.check(run, signal);
    expect(checked.passed).toBe(true);
    expect(asked).toBe(11 + 28 - 10);
  });

  it('is MODEL_UNAVAILABLE without a judge', async () => {
    const { run, parts } = await aStore();
    const none = new JudgeCheckService({ writer: null, answerer: null, judge: null }, parts);
    await expect(none.check(run, signal)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });
});

describe('what a judge gets', () => {
  const rendered = (no: number, id: string): string =>
    `#${no} [open] src/a.ts – modified [entry:${no}]\n(3 archived: section:files_read)\n${id}\n[10 of 99 characters left out here, ${no} tokens in all; the whole: entry:${no}]`;

  it('is byte-equal for two arms with equal answer and context', () => {
    const [one, other] = [
      rendered(7, '01J8ZQ4Q2M7V0C3K5T9N6R1W8X'),
      rendered(412, '01J8ZQ4Q2M7V0C3K5T9N6R1W9Y'),
    ].map((context) => JSON.stringify(buildJudgeRequest(aProbe(), 'an answer', context)));
    expect(one).toBe(other);
  });

  it('holds no handle, id or size, and keeps what is said', () => {
    expect(blindContext(rendered(7, '01J8ZQ4Q2M7V0C3K5T9N6R1W8X'))).toBe(
      '- src/a.ts – modified\n\n[id]\n[…]',
    );
  });
});
