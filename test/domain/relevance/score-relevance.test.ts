import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  prepareRelevance,
  type ScorableFragment,
  scoreRelevance,
} from '../../../src/domain/relevance/score-relevance.js';

const SEED = 20_261_130;
const MEGABYTE = 1_000_000;

/** Fragments from texts; a word counts as a token. */
function fragmentsOf(...contents: string[]): ScorableFragment[] {
  return contents.map((content) => ({ content, tokenCount: content.split(/\s+/).length }));
}

/** The contents, best first; equal scores newest first. */
function ranked(goal: string, fragments: readonly ScorableFragment[]): string[] {
  const scores = scoreRelevance(goal, fragments);
  return [...fragments.keys()]
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a)
    .map((position) => fragments[position]?.content ?? '');
}

/** One score a fragment, each a number in 0..1. */
function isSound(goal: string, fragments: readonly ScorableFragment[]): boolean {
  const scores = scoreRelevance(goal, fragments);
  return scores.length === fragments.length && scores.every((score) => score >= 0 && score <= 1);
}

const FILLER = Array.from({ length: 30 }, (_, at) => `weather remark ${at} sunny morning outside`);

describe('scoreRelevance', () => {
  // prettier-ignore
  it.each([
    { rule: 'a fragment with the words of the goal comes first', goal: 'release budget',      hit: 'the release budget is 40 euros altogether' },
    { rule: 'related forms of a word meet',                      goal: 'approving budgets',   hit: 'finance approved our budget last Friday' },
    { rule: 'a part of an identifier is found',                  goal: 'user file',           hit: 'call readUserFile before startup hooks run' },
    { rule: 'an error code is found',                            goal: 'why E1002',           hit: 'it stopped with E1002 on second start' },
    { rule: 'Chinese words are found',                           goal: '项目预算',             hit: '我们讨论了 预算 的 问题 和 时间' },
    { rule: 'Arabic words are found',                            goal: 'ميزانية المشروع',      hit: 'ناقشنا ميزانية المشروع في الاجتماع' },
    { rule: 'emoji are found',                                   goal: '🚀',                   hit: 'shipped it 🚀 to all users today' },
  ])('$rule', ({ goal, hit }) => {
    const fragments = fragmentsOf(...FILLER.slice(0, 15), hit, ...FILLER.slice(15));
    expect(ranked(goal, fragments)[0]).toBe(hit);
  });

  it('the neighbours of a hit come before fragments far from it', () => {
    const fragments = fragmentsOf(
      ...FILLER.slice(0, 15),
      'who signs the licence agreement now',
      ...FILLER.slice(15),
    );
    const scores = scoreRelevance('licence agreement', fragments);
    expect(Math.min(scores[14] ?? 0, scores[16] ?? 0)).toBeGreaterThan(scores[3] ?? 1);
  });

  describe('a very short fragment without a word of the goal', () => {
    const hit = 'the licence agreement is signed by the lawyers of both sides on Thursday';
    const weak = 'an agreement of another kind was mentioned in passing at lunch by somebody';
    const long = `result: ${'many words about the weather outside '.repeat(60)}`;
    const call = 'Read {"file_path":"/src/session.ts"}';

    // prettier-ignore
    it.each([
      { where: 'alone',                        around: [] },
      { where: 'in a chat',                    around: FILLER },
      { where: 'where sizes differ widely',    around: [...FILLER, long, long] },
      { where: 'in an agent session',          around: [...FILLER, call, long, call, long] },
    ])('comes after every fragment that has one ($where)', ({ around }) => {
      const fragments = fragmentsOf(...around, weak, 'yes', hit, 'ok thanks', 'mm-hmm', ...FILLER);
      const scores = scoreRelevance('licence agreement', fragments);
      const scoreOf = (content: string) => scores[fragments.findIndex((one) => one.content === content)];
      const lowest = Math.min(scoreOf(hit) ?? 0, scoreOf(weak) ?? 0);
      for (const short of ['yes', 'ok thanks', 'mm-hmm']) expect(scoreOf(short) ?? 1).toBeLessThan(lowest);
    });

    it('comes after the best turn near it in a group, cheap as it is', () => {
      const said = (name: string, text: string) => `${name}: ${text}`;
      const fragments = fragmentsOf(
        ...FILLER.map((remark, at) => said(['Ana', 'Ben', 'Eva'][at % 3] ?? '', remark)),
        said('Ana', 'yeah'),
        said('Ben', hit),
        said('Eva', 'mm-hmm'),
        said('Ana', 'yes'),
      );
      expect(ranked('licence agreement', fragments)[0]).toBe(said('Ben', hit));
    });
  });

  describe('in a conversation', () => {
    const turns = fragmentsOf(
      ...Array.from(
        { length: 20 },
        (_, at) => `${at % 2 === 0 ? 'Ana' : 'Ben'}: remark ${at} about weather`,
      ),
      'Ana: my new garden has a pond with frogs',
      'Ben: my garden had a pond with newts once',
      'Ana: hello Ben, sunny morning outside again',
    );

    it('of two turns that match as well the one of the person who is named comes first', () => {
      expect(ranked('what lives in the pond of Ana', turns)[0]).toContain('frogs');
      expect(ranked('what lives in the pond of Ben', turns)[0]).toContain('newts');
    });

    it('a turn that tells a time comes first where the goal asks for one', () => {
      const dated = fragmentsOf(
        ...FILLER.map((remark) => `Ana: ${remark}`),
        'Ben: we planted the pear tree together with everybody',
        ...FILLER.map((remark) => `Ben: ${remark}`),
        'Ana: we planted the pear tree in March with everybody',
      );
      expect(ranked('When was the pear tree planted?', dated)[0]).toContain('March');
      expect(ranked('Who planted the pear tree?', dated)[0]).toContain('together');
    });
  });

  it('the file that is worked on comes before chatter, long as it is', () => {
    const file = Array.from({ length: 400 }, (_, at) => `line ${at} of the module`).join('\n');
    const fragments = fragmentsOf(
      ...FILLER.slice(0, 15).map((remark) => `assistant: ${remark} while tests run`),
      'Read {"file_path":"/src/session.ts"}',
      `result: ${file}`,
      ...FILLER.slice(15).map((remark) => `assistant: ${remark} while tests run`),
    );
    expect(ranked('go on with the tests', fragments).slice(0, 2)).toEqual([
      fragments[15]?.content,
      fragments[16]?.content,
    ]);
  });

  it('without a word that is known the newest comes first', () => {
    const fragments = fragmentsOf('alpha beta', 'gamma delta', 'epsilon zeta');
    expect(ranked('xylophone', fragments)[0]).toBe('epsilon zeta');
    expect(ranked('', fragments)[0]).toBe('epsilon zeta');
  });

  it('where sizes differ widely the shorter of two equal matches comes first', () => {
    const long = `rollback plan ${'and more words about nothing '.repeat(60)}`;
    const fragments = fragmentsOf('rollback plan', ...FILLER, 'ok', 'yes', long);
    expect(ranked('rollback plan', fragments)[0]).toBe('rollback plan');
  });

  describe('in an agent session', () => {
    const call = (path: string, extra = '') => `Read {"file_path":"${path}"${extra}}`;
    const result = 'result: '.concat('line of a file that was read by the agent '.repeat(40));

    it('the pointer to each artifact comes before all results', () => {
      const fragments = fragmentsOf('user: hello', call('/a.ts'), result, call('/b.ts'), result);
      expect(ranked('hello', fragments).slice(0, 2).sort()).toEqual([call('/a.ts'), call('/b.ts')]);
    });

    it('a second call on an artifact does not come before the first on another', () => {
      const fragments = fragmentsOf(
        call('/a.ts'),
        result,
        call('/b.ts'),
        result,
        call('/b.ts', ',"offset":9'),
        result,
      );
      expect(ranked('', fragments).slice(0, 2)).toContain(call('/a.ts'));
    });

    it('a call that worked is the pointer, not a cheaper one that failed', () => {
      const failed = call('/a.ts');
      const worked = call('/a.ts', ', "offset": 1');
      const fragments = fragmentsOf(failed, 'result: File does not exist.', worked, result);
      expect(ranked('', fragments)[0]).toBe(worked);
    });

    it('fields given by the host replace what the text says', () => {
      const fragments: ScorableFragment[] = [
        { content: 'opened the plan', tokenCount: 3, kind: 'tool_call', artifact: '/plan.md' },
        { content: call('/c.ts'), tokenCount: 3, kind: 'assistant' },
        { content: 'thank you', tokenCount: 3, kind: 'user' },
      ];
      expect(ranked('', fragments)[0]).toBe('opened the plan');
    });
  });

  // prettier-ignore
  it.each([
    { edge: 'no fragments',                 goal: 'anything',                fragments: [] },
    { edge: 'one fragment',                 goal: 'anything',                fragments: fragmentsOf('one') },
    { edge: 'an empty goal',                goal: '',                        fragments: fragmentsOf('one', 'two') },
    { edge: 'a goal of a megabyte',         goal: 'goal '.repeat(200_000),   fragments: fragmentsOf('my goal', 'two') },
    { edge: 'a goal of one long run',       goal: '你'.repeat(MEGABYTE),      fragments: fragmentsOf('你好', 'two') },
    { edge: 'a fragment of one long run',   goal: 'a',                       fragments: fragmentsOf('a'.repeat(MEGABYTE), 'b') },
    { edge: 'a megabyte of ideographs',     goal: '你',                      fragments: fragmentsOf('你'.repeat(MEGABYTE), 'b') },
    { edge: 'a megabyte of emoji',          goal: '🚀',                      fragments: fragmentsOf('🚀'.repeat(MEGABYTE / 2), 'b') },
    { edge: 'a megabyte of blanks',         goal: 'a',                       fragments: fragmentsOf(' '.repeat(MEGABYTE), 'b') },
    { edge: 'a lone surrogate',             goal: '\ud83d',                  fragments: fragmentsOf('\ud83d', '\ude80') },
    { edge: 'empty contents',               goal: 'a',                       fragments: fragmentsOf('', '', '') },
    { edge: 'no tokens at all',             goal: 'a',                       fragments: [{ content: 'a', tokenCount: 0 }, { content: 'b', tokenCount: 0 }] },
    { edge: 'token counts that are none',   goal: 'a',                       fragments: [NaN, -5, Infinity, 1.5].map((tokenCount) => ({ content: 'a', tokenCount })) },
    { edge: 'fragments that are all equal', goal: 'same text',               fragments: fragmentsOf(...Array.from({ length: 50 }, () => 'same text')) },
    { edge: 'names of object members',      goal: 'constructor __proto__',   fragments: fragmentsOf('constructor', '__proto__', 'toString') },
  ])('$edge gives finite scores in 0..1', ({ goal, fragments }) => {
    expect(isSound(goal, fragments)).toBe(true);
  });

  it('any text gives finite scores in 0..1, and equal input equal scores', () => {
    const fragment = fc.record({
      content: fc.oneof(fc.string(), fc.string({ unit: 'binary' })),
      tokenCount: fc.integer({ min: 0, max: 5000 }),
    });
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(fragment, { maxLength: 40 }),
        (goal, fragments) => {
          expect(isSound(goal, fragments)).toBe(true);
          expect(scoreRelevance(goal, fragments)).toEqual(scoreRelevance(goal, fragments));
        },
      ),
      { seed: SEED, numRuns: 200 },
    );
  });
});

describe('prepareRelevance', () => {
  const WORDS = [
    'plan',
    'plans',
    'budget',
    'house',
    'Ana',
    'read_file',
    '日本語',
    '😀',
    'when',
    'the',
  ];
  const text = fc
    .array(fc.constantFrom(...WORDS), { maxLength: 8 })
    .map((words) => words.join(' '));
  const fragment = fc.record({
    content: fc.oneof(
      text,
      text.map((said) => `Ana: ${said}`),
      text.map((said) => `Ben: ${said} in May`),
      text.map((said) => `Read {"file_path": "/src/${said}.ts"}`),
      fc.string({ unit: 'binary' }),
    ),
    tokenCount: fc.integer({ min: 0, max: 500 }),
  });
  const goal = fc.oneof(text, fc.string({ unit: 'binary' }), fc.constant('When did Ana read it?'));

  it('fragments that were read once give each goal the scores of a fresh reading, bit for bit', () => {
    fc.assert(
      fc.property(
        fc.array(goal, { minLength: 1, maxLength: 4 }),
        fc.array(fragment, { maxLength: 40 }),
        (goals, fragments) => {
          const prepared = prepareRelevance(fragments);
          // Each twice: no question leaves anything behind that changes a later one.
          for (const asked of [...goals, ...goals]) {
            expect(prepared.score(asked)).toEqual(scoreRelevance(asked, fragments));
          }
        },
      ),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('so do more fragments than topics are learnt from', () => {
    const fragments = fragmentsOf(
      ...Array.from({ length: 1300 }, (_, at) => {
        const rare = at % 97 === 5 ? ' xylophone' : '';
        return `${at % 2 === 0 ? 'Ana' : 'Ben'}: remark${at % 11} of day${at % 40} and lot${at}${rare}`;
      }),
    );
    const prepared = prepareRelevance(fragments);
    for (const asked of ['lot7 xylophone lot8', 'What did Ana say of day3?', 'unheard', 'lot7']) {
      const scores = prepared.score(asked);
      expect(scores).toEqual(scoreRelevance(asked, fragments));
      expect(new Set(scores).size).toBeGreaterThan(1);
    }
  });
});
