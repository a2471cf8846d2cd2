/** `agents lesson` on Postgres with the offline model: what each command answers, and its exit code. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf } from '../../support/lesson-world.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { answer, type Envelope, type RunSettings } from './cli-support.js';

describe('agents lesson', () => {
  let database: TestDatabase;
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'ossature-lesson-'));
    env = {
      DATABASE_URL: database.url,
      OSSATURE_MODEL: 'offline',
      OSSATURE_REDACTION_KEY: 'k',
      PATH: process.env['PATH'] ?? '',
    };
    await answer(['database', 'migrate'], { env });
    await answer(['project', 'create', 'harbor'], { env });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  const run = (words: readonly string[], settings: RunSettings = {}): Promise<Envelope> =>
    answer(['lesson', ...words], { ...settings, env: { ...env, ...settings.env } });

  async function add(...more: readonly string[]): Promise<string> {
    const words = ['add', '--family', 'retry', '--title', 'Flaky remote services'];
    const gist = ['--gist', 'Applies when a remote service call sometimes fails'];
    const stdin = bodyOf('B0', 'B1', 'B2', 'B3', 'B4');
    const { data } = await run([...words, ...gist, ...more], { stdin });
    return String(data?.['lesson_id']);
  }

  const use = (lesson: string, fact: string): Promise<Envelope> => {
    const words = ['use', '--prompt', `A task of ${fact}`, '--outcome', 'success'];
    return run([...words, '--summary', `Minded @${fact}`, '--used', lesson]);
  };

  it('gives a used lesson a shorter form, told with all that it lost', async () => {
    const lessonId = await add();
    for (const fact of ['idem', 'backoff']) {
      expect((await use(lessonId.slice(0, 20), fact)).data).toMatchObject({ credited: [lessonId] });
    }
    const { exit_code, data } = await run(['compress', lessonId]);

    expect(exit_code).toBe(0);
    expect(data).toMatchObject({
      outcome: 'accepted',
      body_after: bodyOf('B0', 'B1', 'B2'),
      dropped: [{ holder: lessonId }, { holder: lessonId }],
      passed: 2,
      usable: 2,
      accepted: { level: 1, provisional_because: ['no-holdout'] },
    });
  });
});
