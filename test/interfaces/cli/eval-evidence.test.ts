/** `agents eval evidence` on Postgres, on a file of two cases. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { agents, answer } from './cli-support.js';

const turns = Array.from({ length: 20 }, (_, at) => ({
  turn_id: `t${at}`,
  speaker: at % 2 === 0 ? 'Ada' : 'Ben',
  text: at === 4 ? 'The crane lifts lemons from the ship.' : `Nothing of interest, number ${at}.`,
}));
const question = { question_id: 'q', text: 'What does the crane lift?', evidence: ['t4'] };
const aCase = (name: string) =>
  JSON.stringify({ case_id: name, turns, questions: [question, { ...question, evidence: ['x'] }] });

describe('eval evidence on the command line', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let folder: string;
  let file: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    env = { DATABASE_URL: database.url };
    await agents(['database', 'migrate'], { env });
    folder = mkdtempSync(join(tmpdir(), 'ossature-eval-'));
    file = join(folder, 'cases.jsonl');
    writeFileSync(file, `${aCase('one')}\n\n{"case_id": 7}\nno json\n${aCase('two')}\n`);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  it('measures every arm and names the lines and questions that it could not use', async () => {
    const { exit_code, data } = await answer(['eval', 'evidence', file, '--budgets', '10'], {
      env,
    });
    expect(exit_code).toBe(0);
    expect(data).toMatchObject({
      kind: 'evidence',
      n: { cases: 2, questions: 2, left_out: 2, turns: 40 },
      failures: [
        { what: 'line 3', count: 1 },
        { what: 'line 4', reason: 'is not JSON', count: 1 },
        { what: 'question', reason: 'unknown-turn', count: 2 },
      ],
      warnings: ['2 cases: too few to rank.'],
    });
    const arms = data?.['arms'] as readonly { name: string; figures: Record<string, unknown> }[];
    expect(arms.map(({ name }) => name)).toEqual([
      'recency',
      'head',
      'random',
      'bm25',
      'oracle',
      'ours',
    ]);
    expect(arms.at(-1)?.figures['share@10']).toEqual({ value: 1, low: 1, high: 1, n: 2 });
  });

  it.each([
    { bound: 'ours.share@10>=1', exitCode: 0 },
    { bound: 'recency.share@10>=0.5', exitCode: 1 },
    { bound: 'ours.nothing>=0', exitCode: 1 },
  ])('ends with $exitCode where $bound is asserted', async ({ bound, exitCode }) => {
    const argv = ['eval', 'evidence', file, '--budgets', '10', '--assert', bound];
    const { exit_code, messages } = await answer(argv, { env });
    expect(exit_code).toBe(exitCode);
    const isTold = messages.some(({ text }) => text.includes(bound));
    expect(isTold).toBe(exitCode === 1);
  });

  it('says in blind that BM25 has no question to go by', async () => {
    const { data } = await answer(['eval', 'evidence', file, '--task', 'blind'], { env });
    expect(data?.['not_assessed']).toEqual([
      { criterion: 'bm25', reason: 'needs the question, which is blind', count: 1 },
    ]);
  });

  it.each([
    { rule: 'budgets out of range', words: ['--budgets', '0'], said: 'percentages above 0' },
    { rule: 'budgets above the whole', words: ['--budgets', '5,101'], said: 'at most 100' },
    { rule: 'an unknown arm', words: ['--arms', 'luck'], said: 'recency, head, random' },
    { rule: 'an unknown task', words: ['--task', 'deaf'], said: 'aware, blind' },
    { rule: 'a bad assertion', words: ['--assert', 'ours'], said: 'NAME>=VALUE' },
  ])('refuses $rule with the valid ones', async ({ words, said }) => {
    const { exit_code, messages } = await answer(['eval', 'evidence', file, ...words], { env });
    expect(exit_code).toBe(2);
    expect(messages[0]?.text).toContain(said);
  });

  it('ends with 1 where nothing is usable', async () => {
    const none = join(folder, 'none.jsonl');
    writeFileSync(none, '{"case_id": 7}\n');
    const { exit_code, messages } = await answer(['eval', 'evidence', none], { env });
    expect(exit_code).toBe(1);
    expect(messages[0]).toMatchObject({ code: 'INVALID_INPUT' });
    expect(messages[0]?.text).toContain('line 1');
  });

  it('reads meetings of the QMSum layout', async () => {
    const meetings = join(folder, 'meetings.jsonl');
    const meeting = {
      meeting_transcripts: turns.map(({ speaker, text }) => ({ speaker, content: text })),
      specific_query_list: [{ query: question.text, relevant_text_span: [['4', '4']] }],
    };
    writeFileSync(meetings, `${JSON.stringify(meeting)}\n`);
    const { stdout } = await agents(
      ['eval', 'evidence', meetings, '--arms', 'ours', '--budgets', '10', '--format', 'plain'],
      { env },
    );
    expect(stdout).toContain('questions: 1');
    expect(stdout).toMatch(/ours\s+10 %\s+1, n 1, no interval/);
  });
});
