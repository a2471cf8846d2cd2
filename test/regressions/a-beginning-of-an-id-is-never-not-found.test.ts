/** `plan recall` with a beginning that is too short, or fits several ids, says so and names them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answer, fragmentLines } from '../interfaces/cli/cli-support.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const LEFT = ['session:abcd-1', 'session:abcd-2', 'xyzw'];

describe('the beginning of the id of a dropped fragment', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let child: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    env = { DATABASE_URL: database.url };
    await answer(['database', 'migrate'], { env });
    await answer(['project', 'create', 'demo'], { env });
    const root = ['plan', 'create', '--project', 'demo', '--name', 'root', '--goal', 'g'];
    await answer(root, { env });
    const stdin = fragmentLines(
      'kept:0.9:10',
      ...LEFT.map((id) => `${id.replace(':', '_')}:0.1:90`),
    );
    await answer(['plan', 'import', 'root', '-'], {
      env,
      stdin: stdin.replaceAll('session_', 'session:'),
    });
    const spawn = ['plan', 'spawn', 'root', '--goal', 'g', '--skeleton-ratio', '0.9'];
    child = String((await answer(spawn, { env })).data?.['plan_id']);
  });
  afterAll(() => database.drop());

  // prettier-ignore
  it.each([
    { rule: 'that is too short names the minimum and what it fits',  word: 'xyz',  code: 'INVALID_INPUT', says: /"xyz" is too short.*at least 4 characters.*begins so: xyzw/,               candidates: ['xyzw'] },
    { rule: 'that fits several is ambiguous and names them',         word: 'abcd', code: 'INVALID_INPUT', says: /"abcd" is ambiguous\. 2 dropped fragments begin so: session:abcd-1, session:abcd-2/, candidates: LEFT.slice(0, 2) },
    { rule: 'that fits none is not found',                           word: 'none', code: 'NOT_FOUND',     says: /No recorded pass dropped/ },
  ])('$rule', async ({ word, code, says, candidates }) => {
    const { exit_code, messages } = await answer(['plan', 'recall', child, word], { env });
    expect(exit_code).toBe(1);
    expect(messages[0]).toMatchObject({ code, text: expect.stringMatching(says) });
    expect(messages[0]?.details?.['candidates']).toEqual(candidates);
  });

  it('that fits one gives that one back', async () => {
    const { data } = await answer(['plan', 'recall', child, 'xyzw'], { env });
    expect(data?.['fragment']).toMatchObject({ id: 'xyzw' });
  });
});
