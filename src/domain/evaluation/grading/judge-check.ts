/**
 * A judge is checked before its marks count: fixed answers of known worth must come out in their order, and
 * padding may not gain. Twenty cases, one error at most.
 */
import type { Fact } from '../fact.js';
import type { Probe } from '../probe.js';
import type { Mark } from './mark.js';

export const CHECKED_ANSWERS = [
  'perfect',
  'half',
  'wrong',
  'empty',
  'padded',
  'reworded',
  'confident',
] as const;
export type CheckedAnswer = (typeof CHECKED_ANSWERS)[number];

export interface JudgeSubject {
  readonly subject: string;
  readonly probe: Pick<Probe, 'question' | 'type' | 'facts'>;
  readonly context: string;
  readonly answers: Readonly<Record<CheckedAnswer, string>>;
}

/** The first must not be below the second; `above`: it must be above it. */
export interface JudgeCase {
  readonly subject: string;
  readonly first: CheckedAnswer;
  readonly relation: 'above' | 'not-below';
  readonly second: CheckedAnswer;
}

/** Errors with which a judge still passes (specification of evaluation, §4). */
export const ERRORS_ALLOWED = 1;

const PADDING =
  'It is worth saying that this deserves a thorough and careful look from every side, as always in such matters. ';

function subject(
  name: string,
  type: Probe['type'],
  question: string,
  truth: readonly string[],
  told: Readonly<Record<'perfect' | 'half' | 'wrong' | 'reworded', string>>,
): JudgeSubject {
  const facts = truth.map((value, at): Fact => ({
    factId: `f${at + 1}`,
    kind: 'exact',
    topic: 'value',
    subject: null,
    value,
    aliases: [],
    options: [],
    required: true,
    sourceEntryIds: [name],
  }));
  return {
    subject: name,
    probe: { question, type, facts },
    context: `Record of the work so far.\n${told.perfect}`,
    answers: {
      ...told,
      empty: '',
      padded: `${PADDING.repeat(3)}${told.half} ${PADDING.repeat(3)}`,
      confident: `There is no doubt whatsoever, and I have checked it twice: ${told.wrong}`,
    },
  };
}

export const JUDGE_SUBJECTS: readonly JudgeSubject[] = [
  subject(
    'error',
    'recall',
    'Which error code came back, and with which exit code did the command end?',
    ['E4021', 'exit code 3'],
    {
      perfect: 'The error code was E4021, and the command ended with exit code 3.',
      half: 'The error code was E4021.',
      wrong: 'The error code was E9911, and the command ended with exit code 0.',
      reworded: 'It failed with exit code 3; what it reported was E4021.',
    },
  ),
  subject(
    'files',
    'artifact',
    'Which files were modified, and what was changed in each?',
    ['src/mooring.ts', 'tieUp', 'src/crane.ts', 'liftLimit'],
    {
      perfect: 'src/mooring.ts, where tieUp was changed, and src/crane.ts, where liftLimit was.',
      half: 'src/mooring.ts, where tieUp was changed.',
      wrong: 'src/lighthouse.ts, where blink was changed, and src/ferry.ts, where depart was.',
      reworded: 'Two: liftLimit in src/crane.ts was altered, and so was tieUp in src/mooring.ts.',
    },
  ),
  subject(
    'todos',
    'continuation',
    'What is still to be done, in which order?',
    ['Paint the buoy', 'Oil the winch'],
    {
      perfect: 'First: Paint the buoy. Then: Oil the winch.',
      half: 'Paint the buoy.',
      wrong: 'Nothing is left; everything has been finished and released.',
      reworded: 'Two things are left: Paint the buoy comes first, Oil the winch after it.',
    },
  ),
  subject(
    'choice',
    'decision',
    'Where are the tide tables kept, what was rejected, and why?',
    ['Postgres', 'Redis', 'a restart must not lose them'],
    {
      perfect: 'In Postgres. Redis was rejected, because a restart must not lose them.',
      half: 'In Postgres. Redis was rejected.',
      wrong: 'In a file on disk. Nothing else was looked at, because nobody minds losing them.',
      reworded:
        'Because a restart must not lose them, Redis was turned down and Postgres holds them.',
    },
  ),
];

const ORDER: readonly Omit<JudgeCase, 'subject'>[] = [
  { first: 'perfect', relation: 'above', second: 'half' },
  { first: 'half', relation: 'above', second: 'wrong' },
  { first: 'reworded', relation: 'above', second: 'half' },
  { first: 'half', relation: 'not-below', second: 'padded' },
  { first: 'half', relation: 'above', second: 'confident' },
];

/** Five of each subject. */
export const JUDGE_CASES: readonly JudgeCase[] = JUDGE_SUBJECTS.flatMap(({ subject: name }) =>
  ORDER.map((order) => ({ subject: name, ...order })),
);

export interface JudgeVerdict {
  readonly passed: boolean;
  readonly errors: readonly JudgeCase[];
}

/**
 * @param worth mean mark of each answer, by subject; null: it could not be read, so its cases are errors.
 * An empty answer must not be above a perfect one; otherwise every case of its subject is an error.
 */
export function judgeVerdict(
  worth: (subject: string, answer: CheckedAnswer) => number | null,
): JudgeVerdict {
  const errors = JUDGE_CASES.filter(({ subject: name, first, relation, second }) => {
    const [one, other] = [worth(name, first), worth(name, second)];
    const [best, none] = [worth(name, 'perfect'), worth(name, 'empty')];
    if (one === null || other === null || best === null || none === null) return true;
    if (none >= best) return true;
    return relation === 'above' ? one <= other : one < other;
  });
  return { passed: errors.length <= ERRORS_ALLOWED, errors };
}

export function meanMark(marks: readonly Mark[]): number | null {
  const scores = marks.flatMap(({ score }) => score ?? []);
  if (scores.length === 0) return null;
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
