import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Fact } from '../../../../src/domain/evaluation/fact.js';
import { aggregateMarks } from '../../../../src/domain/evaluation/grading/aggregate-marks.js';
import {
  gradeAnswer,
  type GradingTexts,
} from '../../../../src/domain/evaluation/grading/grade-answer.js';
import { criteriaOf, CRITERIA, DIMENSIONS } from '../../../../src/domain/evaluation/criteria.js';
import type { Probe } from '../../../../src/domain/evaluation/probe.js';
import { referenceAnswer } from '../../../../src/domain/evaluation/probes/reference-answer.js';
import { KnownTexts } from '../../../../src/domain/session/summary/identifiers.js';
import { aProbe } from '../../../contracts/evaluation-values.js';

const PROJECT = Array.from({ length: 100 }, (_, at) => `src/part-${at}/file-${at}.ts`);
const TEXTS: GradingTexts = {
  known: new KnownTexts([PROJECT.join('\n'), 'exit code 2, 412 ms, 97 failed, E4021 happened']),
  knownPaths: PROJECT,
};

function aFact(differing: Partial<Fact>): Fact {
  return {
    factId: 'f1',
    kind: 'exact',
    topic: 'value',
    subject: null,
    value: 'E4021',
    aliases: [],
    options: [],
    required: true,
    sourceEntryIds: ['E1'],
    ...differing,
  };
}

const asking = (differing: Partial<Fact>, probe: Partial<Probe> = {}): Probe =>
  aProbe({ type: 'recall', format: null, forbidden: [], facts: [aFact(differing)], ...probe });

const THREE_FILES = asking(
  { kind: 'set', topic: 'files-modified', value: PROJECT.slice(0, 3) },
  { type: 'artifact', format: 'one-per-line' },
);

function markOf(probe: Probe, answer: string, criterionId: string): number | null | undefined {
  return gradeAnswer(probe, answer, TEXTS).marks.find((mark) => mark.criterionId === criterionId)
    ?.score;
}

describe('a fact in an answer', () => {
  const state = {
    kind: 'state',
    subject: PROJECT[0] ?? '',
    options: ['created', 'modified'],
  } as const;
  it.each<{ rule: string; fact: Partial<Fact>; answer: string; value: number }>([
    { rule: 'exact is a whole token', fact: {}, answer: 'It was E4021.', value: 5 },
    { rule: 'exact is no part of a longer one', fact: {}, answer: 'It was E40211.', value: 0 },
    { rule: 'exact keeps case', fact: {}, answer: 'e4021', value: 0 },
    {
      rule: 'white space is folded',
      fact: { value: 'two  words' },
      answer: 'so two\nwords it is',
      value: 5,
    },
    {
      rule: 'an alias counts',
      fact: { aliases: ['the login code'] },
      answer: 'the login code',
      value: 5,
    },
    {
      rule: 'a version is no part of a longer one',
      fact: { value: '4.0.2' },
      answer: '4.0.21 or 14.0.2',
      value: 0,
    },
    {
      rule: 'a version ends with its sentence',
      fact: { value: '4.0.2' },
      answer: 'It is 4.0.2.',
      value: 5,
    },
    {
      rule: 'a full path counts whole',
      fact: { kind: 'path', value: PROJECT[7] ?? '' },
      answer: './src/part-7/file-7.ts',
      value: 5,
    },
    {
      rule: 'its name counts 0.8',
      fact: { kind: 'path', value: PROJECT[7] ?? '' },
      answer: 'file-7.ts',
      value: 4,
    },
    {
      rule: 'a number needs its unit',
      fact: { kind: 'number', value: '412 ms' },
      answer: '412 s',
      value: 0,
    },
    {
      rule: 'thousands marks are ignored',
      fact: { kind: 'number', value: '1204 ms' },
      answer: '1,204 ms',
      value: 5,
    },
    {
      rule: 'a second value is 0',
      fact: { kind: 'number', value: '412 ms' },
      answer: '412 ms or 413 ms',
      value: 0,
    },
    {
      rule: 'another unit is another thing',
      fact: { kind: 'number', value: '412 ms' },
      answer: '412 ms at 97 %',
      value: 5,
    },
    {
      rule: 'a state is told of its subject',
      fact: { ...state, value: 'modified' },
      answer: `${PROJECT[0]} was changed; other.ts was created.`,
      value: 5,
    },
    {
      rule: 'two states contradict',
      fact: { ...state, value: 'modified' },
      answer: `${PROJECT[0]}: created, modified`,
      value: 0,
    },
    {
      rule: 'the other choice is 0',
      fact: { kind: 'choice', value: 'Redis', options: ['Redis', 'Memory'] },
      answer: 'Memory',
      value: 0,
    },
    {
      rule: 'half in the wrong order is half',
      fact: { kind: 'ordered', value: ['a1', 'b2'] },
      answer: 'b2\na1',
      value: 0,
    },
    {
      rule: 'order is by pairs',
      fact: { kind: 'ordered', value: ['a1', 'b2', 'c3'] },
      answer: 'a1\nc3\nb2',
      value: 3.3,
    },
  ])('$rule', ({ fact, answer, value }) => {
    expect(markOf(asking(fact), answer, 'accuracy_factual')).toBe(value);
  });

  it('of kind free is not judged', () => {
    expect(markOf(asking({ kind: 'free' }), 'E4021', 'accuracy_factual')).toBeNull();
  });
});

describe('gradeAnswer', () => {
  const probes: readonly Probe[] = [
    asking({}),
    asking({ kind: 'number', value: '412 ms' }, { format: 'single-value' }),
    THREE_FILES,
    asking(
      { kind: 'ordered', topic: 'todos', value: ['first thing', 'second thing'] },
      { type: 'continuation', format: 'one-per-line' },
    ),
  ];
  const proses = ['', 'Well, let us see what there is to say.', 'Nothing else comes to mind!'];

  it('gives the reference answer full marks in all it can judge', () => {
    for (const probe of probes) {
      const { marks } = gradeAnswer(probe, referenceAnswer(probe), TEXTS);
      expect(marks.filter(({ score }) => score !== null && score !== 5)).toEqual([]);
    }
  });

  it('changes no mark for text without facts before or after, or for saying a thing twice', () => {
    const choice = fc.record({
      probe: fc.constantFrom(...probes),
      before: fc.constantFrom(...proses),
      after: fc.constantFrom(...proses),
      part: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(choice, ({ probe, before, after, part }) => {
        const answer = referenceAnswer(probe).split('\n').slice(0, part).join('\n') || 'E4021';
        const { marks } = gradeAnswer(probe, answer, TEXTS);
        const scores = (text: string) =>
          gradeAnswer(probe, text, TEXTS).marks.map((one) => one.score);
        expect(scores(`${before}\n${answer}\n${after}`)).toEqual(marks.map(({ score }) => score));
        expect(scores(`${answer}\n${answer}`)).toEqual(marks.map(({ score }) => score));
      }),
      { seed: 5 },
    );
  });

  it('counts paths told by folder as full paths', () => {
    const [one = '', two = '', three = ''] = PROJECT;
    const short = `src/: ${[one, two, three].map((path) => path.slice(4)).join(', ')}`;
    expect(markOf(THREE_FILES, short, 'artifact_files_modified')).toBe(
      markOf(THREE_FILES, [one, two, three].join('\n'), 'artifact_files_modified'),
    );
    expect(markOf(THREE_FILES, short, 'accuracy_technical')).toBe(5);
  });

  it('earns less than 1 for naming all files of a project for a set of three', () => {
    const { marks } = gradeAnswer(THREE_FILES, PROJECT.join('\n'), TEXTS);
    const ofSet = [
      'artifact_files_modified',
      'accuracy_factual',
      'completeness_coverage',
      'accuracy_technical',
    ];
    const scores = marks.flatMap((one) =>
      ofSet.includes(one.criterionId) ? (one.score ?? 5) : [],
    );
    expect(scores).toHaveLength(ofSet.length);
    expect(Math.max(...scores)).toBeLessThan(1);
  });

  it('holds a missing file dearer than a superfluous one', () => {
    const missing = markOf(THREE_FILES, PROJECT.slice(0, 2).join('\n'), 'artifact_files_modified');
    const more = markOf(THREE_FILES, PROJECT.slice(0, 4).join('\n'), 'artifact_files_modified');
    expect(more).toBeGreaterThan(missing ?? 5);
  });

  it('gives an empty answer 0 in all it can judge', () => {
    for (const probe of probes) {
      const { marks } = gradeAnswer(probe, ' ', TEXTS);
      expect(marks.filter(({ score }) => score !== null && score !== 0)).toEqual([]);
    }
  });

  it('lets the order of sentences matter to ordered facts alone', () => {
    const reversed = (probe: Probe) => referenceAnswer(probe).split('\n').reverse().join('\n');
    for (const probe of probes) {
      const same = JSON.stringify(gradeAnswer(probe, reversed(probe), TEXTS).marks);
      const isSame =
        same === JSON.stringify(gradeAnswer(probe, referenceAnswer(probe), TEXTS).marks);
      expect(isSame).toBe(probe.facts[0]?.kind !== 'ordered');
    }
  });

  it('charges 2 for an identifier that is made up, and none for one of the span', () => {
    expect(markOf(asking({}), 'E4021 in src/nowhere/at-all.ts', 'accuracy_technical')).toBe(3);
    expect(markOf(asking({}), `E4021 in ${PROJECT[5]}`, 'accuracy_technical')).toBe(5);
  });

  it('checks what a constraint forbids, and the form where one is asked for', () => {
    const strict = asking({}, { forbidden: ['rm -rf'], format: 'single-value' });
    expect(markOf(strict, 'E4021, then rm -rf it', 'instruction_constraints')).toBe(0);
    expect(markOf(strict, 'E4021', 'instruction_constraints')).toBe(5);
    expect(markOf(THREE_FILES, PROJECT.slice(0, 3).join(', '), 'instruction_format')).toBe(0);
    expect(markOf(asking({}), 'E4021', 'instruction_format')).toBeNull();
  });

  it('never marks what needs understanding', () => {
    const never = [
      'context_conversation_state',
      'completeness_depth',
      'continuity_work_state',
      'continuity_reasoning',
    ];
    const marks = (['recall', 'continuation', 'decision'] as const).flatMap(
      (type) => gradeAnswer(asking({}, { type }), 'E4021', TEXTS).marks,
    );
    const told = marks.filter(({ criterionId }) => never.includes(criterionId));
    expect(new Set(told.map(({ score, reason }) => `${score} ${reason}`))).toEqual(
      new Set(['null needs understanding']),
    );
  });
});

describe('the criteria', () => {
  it('weigh 1 in each of six dimensions', () => {
    for (const dimension of DIMENSIONS) {
      const own = CRITERIA.filter((criterion) => criterion.dimension === dimension);
      expect(own.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1);
    }
  });

  it.each([
    ['recall', 8],
    ['artifact', 9],
    ['continuation', 9],
    ['decision', 11],
  ] as const)('of a %s probe are %i', (type, count) => {
    expect(criteriaOf(type)).toHaveLength(count);
  });
});

describe('aggregateMarks', () => {
  const mark = (criterionId: (typeof CRITERIA)[number]['criterionId'], score: number | null) => ({
    criterionId,
    score,
    reason: 'so',
    origin: 'grader' as const,
  });

  it('renormalizes weights over what was assessed, and says the share', () => {
    const { dimensions } = aggregateMarks([
      [mark('accuracy_factual', 5), mark('accuracy_technical', null)],
    ]);
    expect(dimensions[0]).toEqual({ dimension: 'accuracy', mean: 5, shareAssessed: 0.6, n: 1 });
  });

  it('has no overall unless all six were assessed', () => {
    const some = aggregateMarks([[mark('accuracy_factual', 4)]]);
    expect(some).toMatchObject({ overall: null, covered: { mean: 4, of: ['accuracy'] } });
    const all = aggregateMarks([CRITERIA.map(({ criterionId }) => mark(criterionId, 3))]);
    expect(all.overall).toBe(3);
  });

  it('has no number where nothing was assessed', () => {
    const { dimensions, notAssessed } = aggregateMarks([[mark('completeness_depth', null)]]);
    expect(dimensions.every(({ mean }) => mean === null)).toBe(true);
    expect(notAssessed).toEqual([{ criterion: 'completeness_depth', reason: 'so', count: 1 }]);
  });
});
