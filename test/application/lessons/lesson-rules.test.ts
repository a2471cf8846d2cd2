/** Rules of the services beside the scenarios. Bad input is a typed error that names the field, and nothing of it is written. */
import { describe, expect, it } from '@jest/globals';
import { LessonRecallService } from '../../../src/application/lessons/lesson-recall-service.js';
import { createInMemoryLessonStore } from '../../../src/infrastructure/persistence/in-memory/in-memory-lesson-store.js';
import { BLOCKS, bodyOf, LessonWorld, NEEDS } from '../../support/lesson-world.js';
import { compressorOf } from './scripted-models.js';

const worldOf = (options = {}): LessonWorld =>
  new LessonWorld(createInMemoryLessonStore(), options);

const SOUND = {
  projectId: null,
  family: 'retry',
  title: 'Retry',
  gist: 'Applies when a call fails',
  body: 'Retry. @idem',
} as const;

const STRANGER = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

describe('addLesson', () => {
  it.each<readonly [string, Readonly<Record<string, unknown>>, string, string]>([
    ['an empty body', { body: ' ' }, 'INVALID_LESSON', 'body'],
    ['an oversized body', { body: 'x'.repeat(100_001) }, 'INVALID_LESSON', 'body'],
    ['a gist of 26 words', { gist: 'word '.repeat(26) }, 'INVALID_LESSON', 'gist'],
    ['a gist of two lines', { gist: 'one\ntwo' }, 'INVALID_LESSON', 'gist'],
    ['a title of 121 characters', { title: 'x'.repeat(121) }, 'INVALID_LESSON', 'title'],
    ['a family that is no slug', { family: 'Retry It' }, 'INVALID_LESSON', 'family'],
    ['an origin of ours', { origin: 'compression' }, 'INVALID_LESSON', 'origin'],
    ['a question about nothing', { question: 'Why?' }, 'INVALID_LESSON', 'question'],
    ['a contradiction without a question', { contradicts: STRANGER }, 'NOT_FOUND', ''],
    ['a project id that is none', { projectId: 'harbor' }, 'INVALID_ID', 'project_id'],
    [
      'two relations at once',
      { refines: STRANGER, specialises: STRANGER },
      'INVALID_LESSON',
      'specialises',
    ],
    ['a lesson id that is none', { refines: 'n_retry' }, 'INVALID_ID', 'lesson_id'],
    ['an unknown lesson', { refines: STRANGER }, 'NOT_FOUND', ''],
  ])('%s is refused', async (_case, fields, code, field) => {
    const world = worldOf();
    await expect(world.ledger.addLesson({ ...SOUND, ...fields })).rejects.toMatchObject({
      code,
      ...(field === '' ? {} : { details: { field } }),
    });
    expect((await world.ledger.listLessons()).items).toEqual([]);
  });

  it('the same text in the same scope is not stored again', async () => {
    const world = worldOf();
    const first = await world.ledger.addLesson(SOUND);
    const again = await world.ledger.addLesson({
      ...SOUND,
      body: ' RETRY.\n@idem ',
      title: 'Other',
    });

    expect(again).toMatchObject({ outcome: 'known', lesson: { lessonId: first.lesson.lessonId } });
  });

  it('lone surrogates and NUL are repaired, and the receipt tells', async () => {
    const { lesson, repaired } = await worldOf().ledger.addLesson({
      ...SOUND,
      body: 'Retry \u0000 or \ud800 not. @idem',
    });

    expect([lesson.body, repaired]).toEqual(['Retry \ufffd or \ufffd not. @idem', 2]);
  });
});

describe('recordUse', () => {
  it.each<readonly [string, Readonly<Record<string, unknown>>, string, string]>([
    ['an empty prompt', { prompt: ' ' }, 'INVALID_EPISODE', 'prompt'],
    ['an unknown outcome', { outcome: 'maybe' }, 'INVALID_EPISODE', 'outcome'],
    ['a confidence above 1', { confidence: 1.1 }, 'INVALID_EPISODE', 'confidence'],
    ['a confidence that is no number', { confidence: Number.NaN }, 'INVALID_EPISODE', 'confidence'],
    [
      'a check without values',
      { check: { type: 'contains', values: [] } },
      'INVALID_EPISODE',
      'check',
    ],
    [
      'a check of 1,001 characters',
      { check: { type: 'contains', values: ['x'.repeat(1_001)] } },
      'INVALID_EPISODE',
      'check',
    ],
    ['used what was not served', { served: [] }, 'INVALID_USE', 'used'],
    ['corrected what was not served', { corrected: [STRANGER] }, 'INVALID_USE', 'corrected'],
    [
      'a span of what was not served',
      { spans: [{ lessonId: STRANGER, text: 'x' }] },
      'INVALID_USE',
      'spans',
    ],
    ['an id that is none', { used: ['n_retry'] }, 'INVALID_ID', 'lesson_id'],
    ['an unknown lesson', { used: [STRANGER], served: [STRANGER] }, 'NOT_FOUND', ''],
  ])('%s is refused', async (_case, fields, code, field) => {
    const world = worldOf();
    const { lesson } = await world.ledger.addLesson(SOUND);
    await expect(
      world.ledger.recordUse({
        prompt: 'A task',
        outcome: 'success',
        used: [lesson.lessonId],
        ...fields,
      }),
    ).rejects.toMatchObject({ code, ...(field === '' ? {} : { details: { field } }) });
    expect(await world.lesson(lesson.lessonId)).toEqual(lesson);
  });

  it('a message tells what was given, its beginning only and without secrets', async () => {
    const world = worldOf();
    const secret = `sk-ant-${'a1B2c3D4'.repeat(4)}`;
    const messageOf = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'nothing was refused',
        (error: unknown) => String(error),
      );
    const use = (outcome: string) =>
      world.ledger.recordUse({ prompt: 'A task', outcome: outcome as 'success' });
    const family = (text: string) => world.ledger.addLesson({ ...SOUND, family: text });

    expect(await messageOf(use('maybe'))).toMatch(/, got "maybe"\.$/);
    expect(await messageOf(use(secret))).toMatch(/, got "\[redacted:anthropic-key:\w{8}\]"\.$/);
    expect(await messageOf(family(secret))).not.toContain(secret);
    expect(await messageOf(family('Retry It'))).toMatch(/, got "Retry It"\.$/);
    expect(await messageOf(world.ledger.addLesson({ ...SOUND, title: 'x'.repeat(200) }))).toMatch(
      /, got "x{59}… \(200 characters\)\.$/,
    );
  });

  it('a lesson named twice is refused', async () => {
    const world = worldOf();
    const { lesson } = await world.ledger.addLesson(SOUND);
    const used = [lesson.lessonId, lesson.lessonId];
    await expect(
      world.ledger.recordUse({ prompt: 'A task', outcome: 'success', used }),
    ).rejects.toMatchObject({ code: 'INVALID_USE', details: { lessonId: lesson.lessonId } });
  });

  it('the same key gives the same receipt once, and refuses another use', async () => {
    const world = worldOf();
    const lessonId = await world.add(SOUND.body);
    const use = { prompt: 'A task', outcome: 'success', used: [lessonId], useKey: 'k1' } as const;
    const first = await world.ledger.recordUse(use);

    expect(await world.ledger.recordUse(use)).toEqual(first);
    expect((await world.lesson(lessonId)).stats).toMatchObject({ shown: 1, successes: 1 });
    await expect(world.ledger.recordUse({ ...use, prompt: 'Another' })).rejects.toMatchObject({
      code: 'DUPLICATE_KEY',
    });
  });

  it.each([
    ['low confidence', { confidence: 0.49 }, false],
    ['low confidence with a correction', { confidence: 0.1, corrected: true }, true],
    ['enough confidence', { confidence: 0.5 }, true],
  ])('%s: %j is recorded: %s', async (_case, { confidence, ...how }, recorded) => {
    const world = worldOf();
    const lessonId = await world.add(SOUND.body);
    const receipt = await world.ledger.recordUse({
      prompt: 'A task',
      outcome: 'success',
      used: [lessonId],
      confidence,
      ...('corrected' in how ? { corrected: [lessonId] } : {}),
    });

    expect(receipt.recorded).toBe(recorded);
    expect((await world.lesson(lessonId)).stats.shown).toBe(Number(recorded));
  });

  it('a correction is a failure of the lesson, though the work went well', async () => {
    const world = worldOf();
    const lessonId = await world.add(SOUND.body);
    await world.ledger.recordUse({
      prompt: 'A task',
      outcome: 'success',
      used: [lessonId],
      corrected: [lessonId],
      correction: 'Keys are needed for writes',
    });

    expect((await world.lesson(lessonId)).stats).toMatchObject({ failures: 1, successes: 0 });
    expect((await world.ledger.regressionSet(lessonId)).entries).toEqual([]);
    expect(await world.hints(lessonId)).toEqual(['Keys are needed for writes']);
  });

  it('the end of a session credits only what the session did not credit yet', async () => {
    const world = worldOf();
    const [a, b] = [await world.add('First. @idem'), await world.add('Second. @backoff')];
    const sessionId = 'session 1';
    await world.use(a, ['@idem'], { sessionId });
    const end = await world.ledger.recordUse({
      kind: 'session-end',
      prompt: 'The whole session',
      outcome: 'success',
      used: [a, b],
      sessionId,
    });

    expect(end).toMatchObject({
      credited: [b],
      notCredited: [{ lessonId: a, reason: 'already-credited' }],
    });
  });
});

describe('compress', () => {
  it('an abort closes the attempt as abandoned, and nothing else is written', async () => {
    const abort = new AbortController();
    const world = worldOf({
      models: {
        propose: compressorOf(() => {
          abort.abort();
          return new Promise(() => {});
        }),
      },
    });
    const lessonId = await world.retry('e1', 'e2');
    const { attempt } = await world.compression.compress(lessonId, { signal: abort.signal });

    expect(attempt).toMatchObject({ outcome: 'abandoned', details: { because: 'aborted' } });
    expect((await world.ledger.tree(lessonId)).lessons).toHaveLength(1);
    expect(await world.hints(lessonId)).toEqual([]);
  });

  it('an agent inside of this process is refused before anything is written', async () => {
    const world = worldOf();
    const { replay } = world.needs.models;
    if (replay === null) throw new Error('The world has an agent.');
    const inside = world.with({
      models: { ...world.needs.models, replay: { ...replay, isolation: 'call' } },
    });
    const lessonId = await world.retry('e1', 'e2');

    await expect(inside.compress(lessonId)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect((await inside.listAttempts()).items).toEqual([]);
    const { accepted } = await inside.compress(lessonId, {
      settings: { 'replay.allow_in_process': true },
    });
    expect(accepted?.provisionalBecause).toEqual(['no-process']);
  });

  it.each([
    ['no time: the lease stands', 0, []],
    ['an eighth of the lease: it is prolonged', 45, [405, 450, 495]],
    ['a minute: it is prolonged', 60, [420, 480, 540]],
  ])('replays that take %s', async (_case, seconds, leases) => {
    const world = worldOf();
    const { replay } = world.needs.models;
    if (replay === null) throw new Error('The world has an agent.');
    const started = world.now.getTime();
    const seen: number[] = [];
    const slow = world.with({
      repositories: {
        ...world.needs.repositories,
        attempts: {
          ...world.needs.repositories.attempts,
          async prolong(attempt) {
            seen.push((attempt.leaseUntil.getTime() - started) / 1_000);
            await world.needs.repositories.attempts.prolong(attempt);
          },
        },
      },
      models: {
        ...world.needs.models,
        replay: {
          ...replay,
          async replay(request, signal) {
            const result = await replay.replay(request, signal);
            world.now = new Date(world.now.getTime() + seconds * 1_000);
            return result;
          },
        },
      },
    });
    const { attempt } = await slow.compress(await world.retry('e1', 'e2', 'e3'), {
      settings: { 'replay.max_concurrent': 1 },
    });

    expect([attempt.outcome, seen]).toEqual(['accepted', leases]);
  });

  it('what broke off is stale, too, where the source changed meanwhile, and marks nothing', async () => {
    const world = worldOf();
    const lessonId = await world.retry('e1', 'e2');
    const changing = world.with({
      models: {
        ...world.needs.models,
        propose: compressorOf(async () => {
          await world.ledger.addLesson({ ...SOUND, body: 'Wait a day. @day', refines: lessonId });
          throw new Error('down');
        }),
      },
    });
    const { attempt } = await changing.compress(lessonId);

    expect(attempt).toMatchObject({
      outcome: 'stale',
      reason: null,
      details: { reached: 'compressor-failed' },
    });
  });

  it('an invalid setting of a call is refused by its key', async () => {
    const world = worldOf();
    const lessonId = await world.retry('e1', 'e2');
    await expect(
      world.compression.compress(lessonId, { settings: { 'compression.max_ratio': 2 } }),
    ).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      details: { field: 'lessons.compression.max_ratio' },
    });
  });
});

describe('descents and conflicts', () => {
  it('a report again changes nothing, and a closed descent takes no other', async () => {
    const world = worldOf();
    const original = await world.retry('e1');
    const { accepted } = await world.compression.compress(original);
    const opened = await world.recall.openDescent({
      lessonId: accepted?.lessonId ?? '',
      prompt: 'Read',
      diagnosis: { missing: ['@body200'] },
    });
    const { descentId } = opened.descent;
    const report = { descentId, step: 1, outcome: 'succeeded' } as const;
    await world.recall.advanceDescent(report);
    const after = await world.ledger.getLesson(accepted?.lessonId ?? '');
    await world.recall.advanceDescent(report);

    expect(await world.ledger.getLesson(accepted?.lessonId ?? '')).toEqual(after);
    await expect(
      world.recall.advanceDescent({ descentId, step: 2, outcome: 'failed' }),
    ).rejects.toMatchObject({ code: 'DESCENT_CLOSED' });
  });

  it('a failure at level 0 is a gap of knowledge, and no error', async () => {
    const world = worldOf();
    const { descent } = await world.recall.openDescent({
      lessonId: await world.retry('e1'),
      prompt: 'Something new',
    });
    expect(descent).toMatchObject({ status: 'closed', end: 'nothing-below' });
  });

  it('a claim that was not dropped cannot have rescued; the error lists those that were', async () => {
    const world = worldOf();
    const { accepted } = await world.compression.compress(await world.retry('e1'));
    await expect(
      world.recall.recordRescue({ lessonId: accepted?.lessonId ?? '', claim: 'Feed the cat' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND', details: { claims: [{}] } });
  });

  it('both sides of a conflict are served with its question until it is settled, once', async () => {
    const world = worldOf();
    const first = await world.retry('e1');
    const { lesson, conflict } = await world.ledger.addLesson({
      ...SOUND,
      projectId: world.projectId,
      title: 'Never retry remote services',
      body: 'Never retry. @never',
      contradicts: first,
      question: 'Are remote calls retried?',
    });
    const { served } = await world.recall.recall({
      prompt: 'A remote service call fails',
      projectId: world.projectId,
    });
    expect(new Map(served.map(({ lessonId, question }) => [lessonId, question]))).toEqual(
      new Map([first, lesson.lessonId].map((id) => [id, 'Are remote calls retried?'])),
    );

    const conflictId = conflict?.conflictId ?? '';
    await world.ledger.resolve({ conflictId, keep: first });
    expect(await world.lesson(first)).toMatchObject({ status: 'active', isApex: true });
    expect(await world.lesson(lesson.lessonId)).toMatchObject({
      status: 'archived',
      isApex: false,
    });
    await expect(world.ledger.resolve({ conflictId, keep: 'both' })).rejects.toMatchObject({
      code: 'CONFLICT_CLOSED',
    });
  });

  it('a holder that is needed is not archived', async () => {
    const world = worldOf();
    const original = await world.retry('e1');
    const { accepted } = await world.compression.compress(original);
    await expect(world.ledger.archive([original])).rejects.toMatchObject({
      code: 'HOLDER_IN_USE',
      details: { usedBy: [accepted?.lessonId] },
    });
    await world.ledger.archive([original, accepted?.lessonId ?? '']);
    expect(await world.lesson(original)).toMatchObject({ status: 'archived' });
  });
});

describe('recall', () => {
  it('a body that does not fit gives its gist, and what fits no more is named', async () => {
    const world = worldOf();
    const lessonId = await world.retry('e1');
    const packed = async (maxPackTokens: number) => {
      const { served, leftOut, packTokens } = await world.recall.recall({
        prompt: 'A remote service call fails',
        projectId: world.projectId,
        maxPackTokens,
      });
      return [served[0]?.form ?? leftOut[0]?.reason, packTokens];
    };

    expect(await packed(60)).toEqual(['body', 60]);
    expect(await packed(59)).toEqual(['gist', 8]);
    expect(await packed(7)).toEqual(['over-budget', 0]);
    expect(await world.lesson(lessonId)).toMatchObject({ stats: { shown: 2 } });
  });

  it('a judge of relevance orders what words alone would miss; where it is down, words do', async () => {
    let isDown = false;
    const world = worldOf({
      models: {
        relevance: {
          identity: 'scripted',
          judge: async ({
            lessons,
          }: {
            readonly lessons: readonly { readonly lessonId: string; readonly title: string }[];
          }) => {
            if (isDown) throw new Error('down');
            return lessons.map(({ lessonId, title }) => ({
              lessonId,
              relevance: title === 'Parser 1' ? 0.9 : 0,
              reason: 'because',
            }));
          },
        },
      },
    });
    for (let at = 1; at <= 4; at += 1) {
      await world.add(`About ${at}. @fact${at}`, { title: `Parser ${at}`, family: `f${at}` });
    }
    const ask = () =>
      world.recall.recall({ prompt: 'Unrelated words', projectId: world.projectId });
    const judged = await ask();
    expect(judged).toMatchObject({ relevanceSource: 'model', warnings: [] });
    expect(judged.served.map(({ title, why }) => [title, why])).toEqual([['Parser 1', 'because']]);
    isDown = true;
    const words = await ask();
    expect(words).toMatchObject({ relevanceSource: 'bm25', served: [] });
    expect(words.warnings).toHaveLength(1);
  });

  it('a caller that ends it while a judge thinks gets nothing, and the session has seen nothing', async () => {
    const abort = new AbortController();
    const world = worldOf({
      models: {
        relevance: {
          identity: 'scripted',
          judge: () => {
            abort.abort();
            return new Promise(() => {});
          },
        },
      },
    });
    for (let at = 1; at <= 4; at += 1) await world.add(`About ${at}. @f${at}`);
    const ask = (signal?: AbortSignal) =>
      world.recall.recall({
        prompt: 'A remote service call fails',
        projectId: world.projectId,
        sessionId: 'session 1',
        ...(signal === undefined ? {} : { signal }),
      });

    await expect(ask(abort.signal)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await world.recall.contextCompacted('session 1')).toBe(0);
  });

  it('a pack is measured by the counter in force, as the text that is served', async () => {
    const world = worldOf();
    const original = await world.retry('e1');
    const { accepted } = await world.compression.compress(original);
    const level1 = accepted?.lessonId ?? '';
    await world.recall.recordRescue({ lessonId: level1, claim: BLOCKS.B4 });
    const letters = {
      name: 'letters',
      version: '1',
      count: (text: string) => text.length,
    };
    const { served, packTokens } = await new LessonRecallService({
      ...world.needs,
      tokenCounter: letters,
    }).recall({ prompt: 'A remote service call fails', projectId: world.projectId });

    const text = `${bodyOf('B0', 'B1', 'B2', 'B3')}\n\n${BLOCKS.B4}`;
    expect(served.map(({ tokens }) => tokens)).toEqual([text.length]);
    expect(packTokens).toBe(text.length);
  });

  it('at most three families are served', async () => {
    const world = worldOf();
    for (let at = 1; at <= 4; at += 1)
      await world.add(`About ${at}. @f${at}`, { family: `f${at}` });
    const { served, leftOut } = await world.recall.recall({
      prompt: 'A remote service call fails',
      projectId: world.projectId,
    });

    expect(served).toHaveLength(3);
    expect(leftOut).toMatchObject([{ reason: 'family-limit' }]);
  });

  it('what a person refines is attached at once, and folded in by the next one', async () => {
    const world = worldOf();
    const original = await world.retry('e1');
    const { accepted } = await world.compression.compress(original);
    const level1 = accepted?.lessonId ?? '';
    const refined = await world.ledger.addLesson({
      projectId: world.projectId,
      title: 'More',
      gist: 'Applies when more is known',
      body: 'Give up after one hour. @hour',
      refines: level1,
    });
    expect(refined).toMatchObject({
      outcome: 'refined',
      lesson: { lessonId: original, version: 3 },
    });
    expect((await world.ledger.getLesson(original)).earlierTexts).toMatchObject([
      { body: bodyOf('B0', 'B1', 'B2', 'B3', 'B4') },
    ]);
    const { served } = await world.recall.recall({
      prompt: 'A remote service call fails',
      projectId: world.projectId,
    });
    expect(served[0]).toMatchObject({
      lessonId: level1,
      patches: [{ claim: 'Give up after one hour. @hour', holderId: original }],
    });

    await world.use(level1, NEEDS.e1);
    const { repairs } = await world.recall.recordRescue({
      lessonId: level1,
      claim: 'Give up after one hour. @hour',
    });
    expect(repairs).toMatchObject([{ appended: true, retired: false }]);
  });
});
