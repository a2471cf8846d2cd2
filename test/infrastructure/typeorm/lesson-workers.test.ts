/** Several processes on one store of lessons: each lesson gets one attempt, and none is lost to a kill. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature } from '../../../src/index.js';
import { BASE_RULES } from '../../../src/domain/lessons/lesson-settings.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { bodyOf } from '../../support/lesson-world.js';
import { type CompiledCore, compileCore } from './compiled-core.js';

const SETTINGS = {
  ...BASE_RULES,
  'compression.min_tokens': 0,
  'compression.min_successes': 1,
};

/** One line of input: the store, and an agent that answers, or never does. */
const WORKER = `
  import { createInterface } from 'node:readline';
  import { createOssature } from './src/index.js';
  import { knowledgeAgent } from './src/infrastructure/models/knowledge-world.js';

  const hanging = {
    identity: 'hanging', isolation: 'process',
    replay: () => { console.log('"replaying"'); return new Promise(() => setInterval(() => {}, 1000)); },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { url, worker, settings, hangs, lessonId } = JSON.parse(line);
    const replay = hangs ? hanging : knowledgeAgent([], 'process');
    const core = await createOssature({
      store: { kind: 'url', url }, checkSchema: false,
      lessons: { offline: true, settings, worker, models: { replay } },
    });
    if (hangs) await core.lessons.compression.compress(lessonId);
    const made = [];
    for (;;) {
      const { reports } = await core.lessons.compression.compressDue({ limit: 100 });
      if (reports.length === 0) break;
      made.push(...reports.map(({ attempt }) => attempt.lessonId + ' ' + attempt.outcome));
    }
    console.log(JSON.stringify(made));
    await core.close();
  }
`;

let database: TestDatabase;
let compiled: CompiledCore;
let core: Ossature;
beforeAll(async () => {
  database = await createTestDatabase();
  compiled = compileCore();
  core = await createOssature({
    store: { kind: 'url', url: database.url },
    checkSchema: false,
    lessons: { offline: true, settings: SETTINGS },
  });
  await core.migrate();
}, 60_000);
afterAll(async () => {
  compiled.remove();
  await core.close();
  await database.drop();
});

async function aDueLesson(name: string): Promise<string> {
  const { ledger } = core.lessons;
  const { lesson } = await ledger.addLesson({
    projectId: null,
    family: name,
    title: name,
    gist: 'Applies when a remote call fails',
    body: `${bodyOf('B0', 'B1', 'B2', 'B3', 'B4')}\n\nOf ${name}. @${name}`,
  });
  await ledger.recordUse({
    prompt: `Mind ${name}`,
    outcome: 'success',
    acceptedSummary: 'Minded @idem',
    used: [lesson.lessonId],
  });
  return lesson.lessonId;
}

describe('workers on one store of lessons', () => {
  it('eight of them give each of a hundred due lessons exactly one attempt', async () => {
    const due: string[] = [];
    for (let count = 0; count < 100; count += 1) due.push(await aDueLesson(`lesson-${count}`));

    const workers = Array.from({ length: 8 }, () => compiled.start(WORKER));
    const made = await Promise.all(
      workers.map((each, at) =>
        each.ask<readonly string[]>({
          url: database.url,
          worker: `worker ${at}`,
          settings: SETTINGS,
        }),
      ),
    );

    expect(made.flat().sort()).toEqual(due.map((lessonId) => `${lessonId} accepted`).sort());
    for (const lessonId of due) {
      expect((await core.lessons.compression.listAttempts({ lessonId })).items).toHaveLength(1);
    }
  }, 120_000);

  it('close what a killed one left, once its lease ran out, and nothing of it is kept', async () => {
    const lessonId = await aDueLesson('killed');
    const other = compileCore();
    const worker = other.start(WORKER);
    const settings = { ...SETTINGS, 'compression.attempt_lease_s': 1 };
    const asked = { url: database.url, worker: 'killed', settings, lessonId };
    expect(await worker.ask({ ...asked, hangs: true })).toBe('replaying');
    const before = await core.lessons.ledger.getLesson(lessonId);
    await expect(core.lessons.compression.compress(lessonId)).rejects.toMatchObject({
      code: 'BUSY',
    });
    other.remove();
    await pause(1_500);

    const { attempt } = await core.lessons.compression.compress(lessonId, { ignoreCooldown: true });

    expect(attempt.outcome).toBe('accepted');
    const { items } = await core.lessons.compression.listAttempts({ lessonId });
    expect(items.map(({ outcome, worker: by }) => [outcome, by === 'killed'])).toEqual([
      ['accepted', false],
      ['abandoned', true],
    ]);
    expect(before.lesson.status).toBe('active');
    expect(before.evidence.hints).toEqual([]);
  }, 120_000);
});
