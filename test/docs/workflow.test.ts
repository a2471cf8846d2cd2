/** The example of docs/workflow.md: its files are written, its commands run in order, and end as it says. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answer, type Envelope } from '../interfaces/cli/cli-support.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const page = readFileSync(
  fileURLToPath(new URL('../../docs/workflow.md', import.meta.url)),
  'utf8',
);
const files = [...page.matchAll(/<!-- file (\S+) -->\n```\w+\n([\s\S]*?)```/g)].map(
  ([, path = '', text = '']) => ({ path, text }),
);
const commands = [...page.matchAll(/^ {4}agents (.+)$/gm)].map(([, line = '']) => line);

/** Words of a line as a shell cuts them. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

describe('docs/workflow.md', () => {
  let database: TestDatabase;
  let folder: string;
  let env: Record<string, string>;
  const answers: Envelope[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'ossature-workflow-'));
    env = { DATABASE_URL: database.url };
    for (const { path, text } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    await answer(['database', 'migrate'], { env });
    for (const line of commands) {
      if (line.includes('put login record.md')) implement();
      answers.push(await run(line));
    }
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  /** What the agent does between context and record. */
  function implement(): void {
    writeFileSync(join(folder, 'src/session.ts'), 'export const changed = 1;\n'.repeat(9));
  }

  /** In the folder: files by their whole path, the project by its root. */
  function run(line: string): Promise<Envelope> {
    const words = wordsOf(line).map((word) =>
      files.some(({ path }) => path === word) ? join(folder, word) : word,
    );
    const isInProject = /^workflow (put|approve|trace|context)/.test(line);
    return answer([...words, ...(isInProject ? ['--project-root', folder] : [])], { env });
  }

  it('shows commands that all succeed', () => {
    expect(commands.length).toBe(9);
    expect(answers.map(({ exit_code }) => exit_code)).toEqual(commands.map(() => 0));
  });

  it('ends completed, with what each stage takes', async () => {
    const { data } = await run('workflow show login');

    expect(data).toMatchObject({ phase: 'implementation', state: 'completed' });
    expect(data?.['stages']).toMatchObject({
      source_tokens: expect.any(Number),
      research_ratio: expect.any(Number),
      spec_ratio: expect.any(Number),
    });
  });

  it('gives the implementation its spec and the files that are there', () => {
    const context = answers[commands.indexOf('workflow context login')]?.data;

    expect(context).toMatchObject({
      outcome: 'rendered',
      files: [{ path: 'src/session.ts' }],
      left_out: [{ path: 'src/session.test.ts', tokens: null, reason: 'not-there' }],
    });
    expect(String(context?.['text'])).toContain('isOpen(session: Session, now: number)');
  });

  it('records a source that has changed since it was read as an accepted gap', async () => {
    const { data } = await run('workflow trace login');
    const { data: shown } = await run('workflow show login');
    const gap = {
      gap: 'changed-source',
      phase: 'research',
      item_id: 'R-1',
      reference: 'file:src/session.ts:5-7',
    };

    expect(data?.['gaps']).toEqual([gap]);
    expect(shown?.['approvals']).toMatchObject([
      { phase: 'research', accepted_gaps: [] },
      { phase: 'planning', accepted_gaps: [] },
      { phase: 'implementation', accepted_gaps: [gap], by: 'bob' },
    ]);
  });
});
