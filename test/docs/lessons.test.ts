/** The example of docs/lessons.md: its file is written, its commands run in order, and end as it says. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseCommandTemplate } from '../../src/infrastructure/processes/command-template.js';
import { answer, type Envelope } from '../interfaces/cli/cli-support.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const page = readFileSync(fileURLToPath(new URL('../../docs/lessons.md', import.meta.url)), 'utf8');
const [, path = '', text = ''] = /<!-- file (\S+) -->\n```\w+\n([\s\S]*?)```/.exec(page) ?? [];

/** `NAME=$(agents … --format json | jq -r .data.field)`, or the command alone. */
const commands = [
  ...page.matchAll(
    /^ {4}(?:(\w+)=\$\()?agents (.+?)(?: --format json \| jq -r \.data\.(\w+)\))?$/gm,
  ),
].map(([, name, line = '', field]) => ({ name, line, field }));

/** Words of a line as a shell cuts them. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

describe('docs/lessons.md', () => {
  let database: TestDatabase;
  let folder: string;
  const ids = new Map<string, string>();
  const answers = new Map<string, Envelope>();

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'ossature-lessons-'));
    writeFileSync(join(folder, path), text);
    const env = {
      DATABASE_URL: database.url,
      OSSATURE_MODEL: /OSSATURE_MODEL=(\w+)/.exec(page)?.[1] ?? '',
      PATH: process.env['PATH'] ?? '',
    };
    await answer(['database', 'migrate'], { env });
    for (const { name, line, field } of commands) {
      const words = wordsOf(line).map((word) =>
        word === path
          ? join(folder, path)
          : word.replace(/^\$(\w+)$/, (_, id: string) => ids.get(id) ?? ''),
      );
      const found = await answer(words, { env });
      answers.set(line, found);
      if (name !== undefined) ids.set(name, String(found.data?.[field ?? '']));
    }
  }, 120_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  const data = (beginning: string) => {
    const line = commands.find((command) => command.line.startsWith(beginning))?.line ?? '';
    return answers.get(line)?.data;
  };

  it('shows commands that all succeed', () => {
    const failed = [...answers].filter(([, { exit_code }]) => exit_code !== 0);

    expect(commands.length).toBe(22);
    expect(failed).toEqual([]);
  });

  it('reaches the third level, which says one rule and knows of six more', () => {
    const tree = data('lesson tree') as {
      readonly lessons: readonly {
        readonly level: number;
        readonly left_here: readonly unknown[];
      }[];
    };

    expect(tree.lessons.map(({ level }) => level)).toEqual([0, 1, 2, 3]);
    expect(tree.lessons.reduce((sum, { left_here }) => sum + left_here.length, 0)).toBe(6);
  });

  it('tries the delays first, then the claim that helps', () => {
    expect(data('lesson fail $THREE --prompt')).toMatchObject({
      status: 'open',
      next: { chosen: { option: { text: expect.stringContaining('@delays') } } },
    });
    expect(data('lesson fail --descent')).toMatchObject({
      status: 'open',
      next: { chosen: { option: { text: expect.stringContaining('@body200') } } },
    });
    expect(data('lesson rescue')).toMatchObject({ end: 'rescued-by-claim', repairs: [] });
  });

  it('folds the claim back with its second rescue', () => {
    expect(data('lesson fail $THREE --correction')).toMatchObject({
      outcome: 'recorded',
      repairs: [{ appended: true, retired: false }],
    });
    expect(data('lesson repair')).toMatchObject({ repairs: [] });
    expect(data('lesson show $THREE')).toMatchObject({
      level: 3,
      body: expect.stringContaining('@body200'),
      preserve: expect.arrayContaining([expect.objectContaining({ source: 'repair' })]),
    });
  });

  it('shows templates of commands that can be taken apart', () => {
    const templates = [...page.matchAll(/^ {4}OSSATURE_LESSONS_REPLAY_COMMAND='(.+)'$/gm)].map(
      ([, template = '']) => template,
    );
    writeFileSync(join(folder, 'claude'), '', { mode: 0o755 });
    writeFileSync(join(folder, 'codex'), '', { mode: 0o755 });
    const words = templates.map(
      (template) => parseCommandTemplate(template, { PATH: folder }).arguments,
    );

    expect(words[0]).toEqual([
      '-p',
      '--tools',
      '',
      '--strict-mcp-config',
      '--no-session-persistence',
    ]);
    expect(words[1]?.at(-1)).toBe('-');
  });
});
