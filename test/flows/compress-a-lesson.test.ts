/** A lesson from its first use to a repaired level, through the façade. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature } from '../../src/index.js';
import { BASE_RULES } from '../../src/domain/lessons/lesson-settings.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { bodyOf, wordCounter } from '../support/lesson-world.js';

const STORES = ['in memory', 'on Postgres'] as const;

const databases: TestDatabase[] = [];
afterAll(async () => {
  for (const database of databases) await database.drop();
});

async function aDatabase(): Promise<string> {
  const database = await createTestDatabase();
  databases.push(database);
  return database.url;
}

async function openCore(on: (typeof STORES)[number], offline: boolean): Promise<Ossature> {
  const core = await createOssature({
    store: on === 'in memory' ? { kind: 'in-memory' } : { kind: 'url', url: await aDatabase() },
    checkSchema: false,
    tokenCounter: wordCounter,
    lessons: { offline, settings: { ...BASE_RULES, 'compression.min_tokens': 0 } },
  });
  if (on === 'on Postgres') await core.migrate();
  return core;
}

async function usedLesson({ lessons }: Ossature): Promise<string> {
  const { lesson } = await lessons.ledger.addLesson({
    projectId: null,
    family: 'retry',
    title: 'Flaky remote services',
    gist: 'Applies when a remote service call sometimes fails',
    body: bodyOf('B0', 'B1', 'B2', 'B3', 'B4'),
  });
  for (const fact of ['@idem', '@backoff']) {
    await lessons.ledger.recordUse({
      prompt: `A task that needs ${fact.slice(1)}`,
      outcome: 'success',
      acceptedSummary: `Minded ${fact}`,
      used: [lesson.lessonId],
    });
  }
  return lesson.lessonId;
}

describe.each(STORES)('lessons of a core %s', (on) => {
  it('a used lesson gets a shorter level, and a claim that rescues twice comes back', async () => {
    const core = await openCore(on, true);
    const original = await usedLesson(core);

    const { reports } = await core.lessons.compression.compressDue();
    const level1 = reports[0]?.accepted;
    expect(level1).toMatchObject({ level: 1, tokens: 44, provisionalBecause: [] });

    const lessonId = level1?.lessonId ?? '';
    const { served } = await core.lessons.recall.recall({
      prompt: 'A remote service fails',
      projectId: null,
    });
    expect(served).toMatchObject([{ lessonId, form: 'body', droppedCount: 1 }]);

    const { projectId } = await core.projects.create('services');
    const plan = await core.plans.create({
      project: 'services',
      name: 'upload',
      goal: 'Make the upload robust',
    });
    const payload = await core.contexts.assemble({
      planId: plan.planId,
      query: 'A remote service fails',
    });
    expect(projectId).toBe(plan.projectId);
    expect(payload.fragments).toMatchObject([
      {
        fragmentId: `lesson:${lessonId}@1`,
        strategy: 'lesson-recall',
        content: expect.stringContaining('@idem'),
      },
    ]);

    for (const rescue of [1, 2]) {
      const opened = await core.lessons.recall.openDescent({
        lessonId,
        prompt: `Read from the store, time ${rescue}`,
        diagnosis: { missing: ['@body200'] },
      });
      // The second time the claim is in the pack from the start, and the host says that it was seen to help.
      if (rescue === 1) {
        expect(opened.next?.text).toContain('@body200');
        const { descentId } = opened.descent;
        await core.lessons.recall.advanceDescent({ descentId, outcome: 'succeeded' });
      }
    }
    const [entry] = (await core.lessons.ledger.getLesson(lessonId)).ledger.dropped;
    await core.lessons.recall.recordRescue({ lessonId, claim: entry?.fingerprint ?? '' });

    const { lesson, ledger } = await core.lessons.ledger.getLesson(lessonId);
    expect(lesson).toMatchObject({ tokens: 60, status: 'demoted', demotedBecause: 'retired' });
    expect(ledger.dropped).toEqual([]);
    expect((await core.lessons.ledger.getLesson(original)).lesson).toMatchObject({
      status: 'active',
      isApex: true,
    });
    await core.close();
  });

  it('without a model nothing is written', async () => {
    const core = await openCore(on, false);
    const lessonId = await usedLesson(core);

    await expect(core.lessons.compression.compress(lessonId)).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    });
    expect((await core.lessons.compression.listAttempts()).items).toEqual([]);
    await core.close();
  });
});
