/** What every store of lessons promises: its six repositories, their transactions and the lock. */
import { deepEqual, equal } from 'node:assert/strict';
import type {
  LessonLock,
  LessonRepositories,
  LessonUnitOfWork,
} from '../../src/application/lessons/lesson-store.js';
import type { RegressionEntry } from '../../src/domain/lessons/episode.js';
import type { Lesson } from '../../src/domain/lessons/lesson.js';
import type { LessonChange } from '../../src/domain/lessons/lesson-event.js';
import { failsWith } from './contract.js';
import {
  aClaim,
  adding,
  aDescent,
  aDropped,
  aLesson,
  aLessonAttempt,
  aLessonUse,
  anEpisode,
  aParentOf,
  aReplay,
  aRescue,
  aStep,
  aUse,
  closedAs,
  compressing,
  digestOf,
  newLessonKey,
} from './lesson-values.js';
import { HARD_TEXTS, LATER, NOW } from './sample-values.js';

/** A store of lessons as the core uses it. */
export interface LessonStoreUnderTest {
  readonly repositories: LessonRepositories;
  readonly unitOfWork: LessonUnitOfWork;
  readonly lock: LessonLock;
}

export interface LessonContractRule {
  readonly rule: string;
  readonly check: (store: LessonStoreUnderTest) => Promise<void>;
}

const PAGE = { limit: 500, after: null };

async function append(
  { unitOfWork }: LessonStoreUnderTest,
  ...changes: readonly LessonChange[]
): Promise<void> {
  await unitOfWork(({ lessons }) => lessons.append(changes, LATER));
}

async function stored(store: LessonStoreUnderTest, change: Partial<Lesson> = {}): Promise<Lesson> {
  const lesson = aLesson(change);
  await append(store, adding(lesson));
  return lesson;
}

/** Level 0, and the level 1 above it that lost its only claim. */
async function lineage(store: LessonStoreUnderTest, change: Partial<Lesson> = {}) {
  const child = aLesson();
  const claim = aClaim(1, `Wait 100ms ${child.lessonId}`);
  const parent = aParentOf(child, change);
  const dropped = aDropped(child, claim);
  await append(store, adding(child, [claim]), ...compressing(child, parent), {
    kind: 'manifest-set',
    lessonId: parent.lessonId,
    dropped: [dropped],
  });
  return { child, parent, claim, dropped };
}

/** A due lesson needs an episode that it answers for. */
async function covered(store: LessonStoreUnderTest, lesson: Lesson) {
  const episode = anEpisode();
  await store.unitOfWork(async ({ episodes, lessons }) => {
    await episodes.insert(episode);
    await lessons.append(
      [{ kind: 'coverage-added', lessonId: lesson.lessonId, episodeIds: [episode.episodeId] }],
      LATER,
    );
  });
  return episode;
}

const DUE = {
  scope: null,
  now: LATER,
  minSuccesses: 2,
  maxLevel: 6,
  minTokens: 32,
  cooldownSeconds: 900,
  cooldownMaxSeconds: 86_400,
};

const usedTwice = (lessonId: string): LessonChange => ({
  kind: 'stats-added',
  lessonId,
  delta: { shown: 2, successes: 2, lastUsedAt: NOW },
});

async function isDue(store: LessonStoreUnderTest, lessonId: string, change = {}): Promise<boolean> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<LessonRepositories['lessons']['listDue']>> =
      await store.repositories.lessons.listDue({ ...DUE, ...change }, { limit: 100, after });
    if (page.items.some((lesson) => lesson.lessonId === lessonId)) return true;
    after = page.next;
  } while (after !== null);
  return false;
}

const LESSON_RULES: readonly LessonContractRule[] = [
  {
    rule: 'a lesson comes back as it was written, hard texts included',
    async check(store) {
      const { lessons } = store.repositories;
      for (const text of Object.values(HARD_TEXTS)) {
        if (text.trim() === '') continue;
        const lesson = await stored(store, {
          body: `${text.slice(0, 90_000)} ${newLessonKey()}`,
          title: text.slice(0, 9) || 't',
          tags: [text],
        });
        deepEqual(await lessons.get(lesson.lessonId), lesson);
      }
    },
  },
  {
    rule: 'every field of a lesson that is not empty comes back',
    async check(store) {
      const lesson = aLesson({
        stats: {
          shown: 9,
          attempts: 7,
          successes: 5,
          failures: 2,
          expansions: 3,
          rescues: 4,
          savedTokens: -12,
          addedTokens: 8,
          lastUsedAt: NOW,
        },
        compression: { lastAttemptAt: NOW, rejections: 2, saturated: true, evidence: 11 },
      });
      await append(store, adding(lesson));
      deepEqual(await store.repositories.lessons.findMany([lesson.lessonId, 'unknown']), [lesson]);
      const { body: _body, ...summary } = lesson;
      const { items } = await store.repositories.lessons.list(
        { scope: undefined, family: lesson.family },
        PAGE,
      );
      deepEqual(items, [summary]);
    },
  },
  {
    rule: 'an unknown lesson is NOT_FOUND where it is got, changed or locked',
    async check(store) {
      const { lessons } = store.repositories;
      await failsWith('NOT_FOUND', () => lessons.get('unknown'));
      await failsWith('NOT_FOUND', () => lessons.lineage('unknown'));
      await failsWith('NOT_FOUND', () => append(store, usedTwice('unknown')));
      await failsWith('NOT_FOUND', () =>
        store.unitOfWork((bound) => bound.lessons.lock(['unknown'])),
      );
    },
  },
  {
    rule: 'one text stands at level 0 of a scope once',
    async check(store) {
      const lesson = await stored(store);
      const twin = aLesson({ bodyFingerprint: lesson.bodyFingerprint });
      await failsWith('ALREADY_EXISTS', () => append(store, adding(twin)));
      deepEqual(
        await store.repositories.lessons.findByFingerprint(null, lesson.bodyFingerprint),
        lesson,
      );
      equal(await store.repositories.lessons.findByFingerprint(null, 'unknown'), null);
    },
  },
  {
    rule: 'lessons are found by the beginning of their ids, ascending, with no wildcard',
    async check(store) {
      const one = await stored(store);
      const other = await stored(store);
      const { lessons } = store.repositories;
      deepEqual(await lessons.findByPrefix(one.lessonId, 5), [one.lessonId]);
      const both = await lessons.findByPrefix(one.lessonId.slice(0, 6), 500);
      deepEqual(
        both.filter((id) => id === one.lessonId || id === other.lessonId),
        [one.lessonId, other.lessonId],
      );
      deepEqual(await lessons.findByPrefix('%', 5), []);
      deepEqual(await lessons.findByPrefix('_', 5), []);
    },
  },
  {
    rule: 'a list goes on where its page ended',
    async check(store) {
      const family = `pages-${newLessonKey().toLowerCase()}`;
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1)
        ids.push((await stored(store, { family })).lessonId);
      const { lessons } = store.repositories;
      const first = await lessons.list({ scope: undefined, family }, { limit: 2, after: null });
      const second = await lessons.list(
        { scope: undefined, family },
        { limit: 2, after: first.next },
      );
      deepEqual(
        [...first.items, ...second.items].map(({ lessonId }) => lessonId),
        ids,
      );
      equal(second.next, null);
    },
  },
  {
    rule: 'a list holds what its filter says',
    async check(store) {
      const family = `filter-${newLessonKey().toLowerCase()}`;
      const child = aLesson({ family });
      const parent = aParentOf(child, { family });
      await append(store, adding(child), ...compressing(child, parent), {
        kind: 'stats-added',
        lessonId: parent.lessonId,
        delta: { successes: 10, addedTokens: 1 },
      });
      const { lessons } = store.repositories;
      const idsOf = async (filter: object): Promise<readonly string[]> =>
        (await lessons.list({ scope: null, family, ...filter }, PAGE)).items.map(
          ({ lessonId }) => lessonId,
        );
      deepEqual(await idsOf({ status: 'superseded' }), [child.lessonId]);
      deepEqual(await idsOf({ level: 1 }), [parent.lessonId]);
      deepEqual(await idsOf({ apex: true }), [parent.lessonId]);
      deepEqual(await idsOf({ costly: true }), [parent.lessonId]);
      deepEqual(await idsOf({ scope: 'another project' }), [child.lessonId, parent.lessonId]);
    },
  },
  {
    rule: 'a lineage is all lessons that edges join, from whichever it is asked',
    async check(store) {
      const { child, parent } = await lineage(store);
      for (const { lessonId } of [child, parent]) {
        const found = await store.repositories.lessons.lineage(lessonId);
        deepEqual(
          found.lessons.map(({ lessonId: id, level, status, isApex }) => [
            id,
            level,
            status,
            isApex,
          ]),
          [
            [child.lessonId, 0, 'superseded', false],
            [parent.lessonId, 1, 'active', true],
          ],
        );
        deepEqual(found.edges, [
          {
            childId: child.lessonId,
            parentId: parent.lessonId,
            kind: 'compression',
            childLevel: 0,
            parentLevel: 1,
          },
        ]);
      }
    },
  },
  {
    rule: 'an edge against the levels is LEVEL_RULE, one back down CYCLE, the same text twice ALREADY_EXISTS',
    async check(store) {
      const { child, parent } = await lineage(store);
      const edge = { kind: 'compression', childLevel: 0, parentLevel: 1 } as const;
      const other = await stored(store);
      await failsWith('LEVEL_RULE', () =>
        append(store, {
          kind: 'edge-added',
          edge: { ...edge, childId: other.lessonId, parentId: child.lessonId },
        }),
      );
      await failsWith('LEVEL_RULE', () =>
        append(store, {
          kind: 'edge-added',
          edge: { ...edge, childId: other.lessonId, parentId: parent.lessonId, parentLevel: 2 },
        }),
      );
      const twin = aParentOf(child, { bodyDigest: parent.bodyDigest });
      await failsWith('ALREADY_EXISTS', () => append(store, ...compressing(child, twin)));
      equal((await store.repositories.lessons.lineage(child.lessonId)).edges.length, 1);
    },
  },
  {
    rule: 'a text that changed leaves the one before behind, with its version and its ledger anew',
    async check(store) {
      const lesson = await stored(store);
      const body = `${lesson.body}\n\nAnd more.`;
      const claims = [aClaim(1, lesson.body), aClaim(2, 'And more.')];
      const text = {
        body,
        tokens: 62,
        bodyDigest: digestOf(body),
        bodyFingerprint: digestOf(`${body} print`),
        counterName: 'words',
        counterVersion: '2',
      };
      await append(store, {
        kind: 'text-changed',
        lessonId: lesson.lessonId,
        text,
        version: 2,
        claims,
      });
      const { lessons } = store.repositories;
      deepEqual(await lessons.get(lesson.lessonId), {
        ...lesson,
        ...text,
        version: 2,
        updatedAt: LATER,
      });
      deepEqual(await lessons.listTexts(lesson.lessonId), [
        {
          lessonId: lesson.lessonId,
          version: 1,
          body: lesson.body,
          tokens: 60,
          bodyDigest: lesson.bodyDigest,
          replacedAt: LATER,
        },
      ]);
      deepEqual((await lessons.ledgers([lesson.lessonId])).get(lesson.lessonId)?.claims, claims);
    },
  },
  {
    rule: 'manifest, covers, spans and hints come back in their order, and are replaced as a whole',
    async check(store) {
      const { child, parent, dropped } = await lineage(store);
      const spans = [
        { text: 'one "span"', start: 2, end: 9, count: 2, firstSeenAt: NOW, lastSeenAt: LATER },
        { text: 'of a patch', start: null, end: null, count: 1, firstSeenAt: NOW, lastSeenAt: NOW },
      ];
      const hints = [
        {
          text: 'missing: @idem',
          source: 'replay',
          claimIds: ['c1'],
          episodeId: null,
          addedAt: NOW,
        },
      ] as const;
      const { lessonId } = parent;
      const cover = {
        childId: child.lessonId,
        childClaimId: 'c1',
        parentId: lessonId,
        how: 'dropped',
        parentClaimIds: [],
        audited: true,
      } as const;
      await append(
        store,
        { kind: 'spans-set', lessonId, spans },
        { kind: 'hints-set', lessonId, hints },
        { kind: 'covers-set', covers: [{ ...cover, how: 'kept', parentClaimIds: ['c1'] }] },
        { kind: 'covers-set', covers: [cover] },
      );
      const { lessons } = store.repositories;
      deepEqual((await lessons.evidence([lessonId])).get(lessonId), { spans, hints, rescues: [] });
      deepEqual((await lessons.ledgers([lessonId])).get(lessonId)?.dropped, [dropped]);
      deepEqual(await lessons.listCovers([child.lessonId]), [cover]);
      await append(
        store,
        { kind: 'spans-set', lessonId, spans: [] },
        { kind: 'hints-set', lessonId, hints: [] },
        { kind: 'manifest-set', lessonId, dropped: [] },
      );
      deepEqual((await lessons.evidence([lessonId])).get(lessonId)?.spans, []);
      deepEqual((await lessons.ledgers([lessonId])).get(lessonId)?.dropped, []);
    },
  },
  {
    rule: 'counters add up, and leave version and time of change alone',
    async check(store) {
      const lesson = await stored(store);
      const { lessonId } = lesson;
      await append(
        store,
        { kind: 'stats-added', lessonId, delta: { shown: 1, successes: 1, lastUsedAt: LATER } },
        { kind: 'stats-added', lessonId, delta: { failures: 1, savedTokens: -5, addedTokens: 2 } },
        { kind: 'stats-added', lessonId, delta: { expansions: 1, rescues: 1 } },
      );
      const { stats, version, updatedAt } = await store.repositories.lessons.get(lessonId);
      deepEqual(stats, {
        shown: 1,
        attempts: 2,
        successes: 1,
        failures: 1,
        expansions: 1,
        rescues: 1,
        savedTokens: -5,
        addedTokens: 2,
        lastUsedAt: LATER,
      });
      deepEqual([version, updatedAt], [1, lesson.updatedAt]);
    },
  },
  {
    rule: 'rescues count towards a repair until one used them up',
    async check(store) {
      const { parent, child, dropped } = await lineage(store);
      const rescues = [aRescue(parent, dropped), aRescue(parent, dropped)];
      await append(
        store,
        ...rescues.map((rescue) => ({ kind: 'rescue-recorded', rescue }) as const),
      );
      const { lessons } = store.repositories;
      const repairable = async (): Promise<boolean> =>
        (await lessons.listRepairable(undefined, 2, PAGE)).items.includes(parent.lessonId);
      equal(await repairable(), true);
      const repair = {
        repairId: newLessonKey(),
        lessonId: parent.lessonId,
        fingerprint: dropped.fingerprint,
        claim: dropped.claim,
        holderId: child.lessonId,
        appended: true,
        bodyBefore: 'a',
        bodyAfter: 'a\n\nb',
        tokensBefore: 44,
        tokensAfter: 60,
        retired: false,
        createdAt: NOW,
      };
      const rescueIds = rescues.map(({ rescueId }) => rescueId);
      await append(store, { kind: 'repair-recorded', repair, rescueIds });
      equal(await repairable(), false);
      deepEqual(await lessons.listRepairs(parent.lessonId), [repair]);
      const kept = (await lessons.evidence([parent.lessonId])).get(parent.lessonId)?.rescues;
      deepEqual(
        kept?.map(({ repairId }) => repairId),
        [repair.repairId, repair.repairId],
      );
    },
  },
  {
    rule: 'tries are summed by target over the lessons asked for',
    async check(store) {
      const { parent, child, dropped } = await lineage(store);
      const claim = {
        kind: 'claim',
        fingerprint: dropped.fingerprint,
        holderId: child.lessonId,
      } as const;
      const whole = { kind: 'lesson', lessonId: child.lessonId } as const;
      const { lessonId } = parent;
      await append(
        store,
        { kind: 'target-tried', lessonId, target: claim, rescued: true },
        { kind: 'target-tried', lessonId, target: claim, rescued: false },
        { kind: 'target-tried', lessonId, target: whole, rescued: false },
      );
      const records = await store.repositories.lessons.trackRecords([lessonId]);
      deepEqual(
        new Set(
          records.map((record) =>
            JSON.stringify([record.target.kind, record.tries, record.rescues]),
          ),
        ),
        new Set(['["claim",2,1]', '["lesson",1,0]']),
      );
      deepEqual(records.find(({ target }) => target.kind === 'claim')?.target, claim);
    },
  },
  {
    rule: 'a conflict is open until it is closed, and names both lessons',
    async check(store) {
      const [one, other] = [await stored(store), await stored(store)];
      const conflict = {
        conflictId: newLessonKey(),
        lessonIds: [one.lessonId, other.lessonId],
        question: 'Retry "writes"?',
        status: 'open',
        kept: [],
        note: null,
        openedAt: NOW,
        closedAt: null,
      } as const;
      await append(store, { kind: 'conflict-opened', conflict });
      const { lessons } = store.repositories;
      deepEqual(await lessons.findOpenConflicts([other.lessonId]), [conflict]);
      equal(
        (await lessons.servableExtras([one.lessonId], 3)).get(one.lessonId)?.question,
        conflict.question,
      );
      const closed = {
        ...conflict,
        status: 'closed',
        kept: [one.lessonId],
        note: 'no',
        closedAt: LATER,
      } as const;
      await append(store, { kind: 'conflict-closed', conflict: closed });
      deepEqual(await lessons.findConflict(conflict.conflictId), closed);
      deepEqual(await lessons.findOpenConflicts([one.lessonId]), []);
      const { items } = await lessons.listConflicts({ scope: null, open: false }, PAGE);
      equal(
        items.some(({ conflictId }) => conflictId === conflict.conflictId),
        true,
      );
      equal(await lessons.findConflict('unknown'), null);
    },
  },
  {
    rule: 'sticky patches are the entries with rescues in the lineage, most rescues first',
    async check(store) {
      const child = aLesson();
      const claims = ['one', 'two', 'three'].map((text, index) =>
        aClaim(index + 1, `${text} ${child.lessonId}`),
      );
      const parent = aParentOf(child);
      const dropped = claims.map((claim) => aDropped(child, claim));
      const [, second, third] = dropped;
      if (second === undefined || third === undefined) return;
      await append(
        store,
        adding(child, claims),
        ...compressing(child, parent),
        { kind: 'manifest-set', lessonId: parent.lessonId, dropped },
        { kind: 'rescue-recorded', rescue: aRescue(parent, second) },
        { kind: 'rescue-recorded', rescue: aRescue(parent, third) },
        { kind: 'rescue-recorded', rescue: aRescue(parent, third) },
      );
      const extras = await store.repositories.lessons.servableExtras(
        [parent.lessonId, child.lessonId],
        3,
      );
      deepEqual(extras.get(parent.lessonId), {
        lessonId: parent.lessonId,
        droppedCount: 3,
        sticky: [
          { ...third, rescues: 2 },
          { ...second, rescues: 1 },
        ],
        question: null,
      });
      deepEqual(extras.get(child.lessonId)?.sticky, []);
    },
  },
  {
    rule: 'a search sees apexes alone, with the terms asked for and how many have each',
    async check(store) {
      const term = `term${newLessonKey().toLowerCase()}`;
      const child = aLesson();
      const parent = aParentOf(child);
      const alone = aLesson();
      await append(
        store,
        adding(child, undefined, [term]),
        adding(alone, undefined, [term, 'other', 'third']),
        ...compressing(child, parent),
      );
      const found = await store.repositories.lessons.searchApexes(null, [term, 'nowhere-at-all']);
      deepEqual(
        found.matches.map(({ lesson, length, terms }) => [lesson.lessonId, length, terms]),
        [[alone.lessonId, 3, [{ term, count: 1 }]]],
      );
      deepEqual(
        found.documentFrequencies,
        new Map([
          [term, 1],
          ['nowhere-at-all', 0],
        ]),
      );
      equal(found.lessonsInScope >= 2, true);
      const nothing = await store.repositories.lessons.searchApexes(null, ['nowhere-at-all']);
      deepEqual([nothing.matches, nothing.lessonsInScope], [[], found.lessonsInScope]);
    },
  },
  {
    rule: 'apexes come by posterior, without those that are left out',
    async check(store) {
      const good = await stored(store);
      const plain = await stored(store);
      await append(store, {
        kind: 'stats-added',
        lessonId: good.lessonId,
        delta: { successes: 400 },
      });
      const { lessons } = store.repositories;
      const [first] = await lessons.listByPosterior(null, 1, []);
      equal(first?.lessonId, good.lessonId);
      const rest = await lessons.listByPosterior(null, 500, [good.lessonId]);
      equal(
        rest.some(({ lessonId }) => lessonId === good.lessonId),
        false,
      );
      equal(
        rest.some(({ lessonId }) => lessonId === plain.lessonId),
        true,
      );
    },
  },
  {
    rule: 'a lesson is due when it has proven itself on an episode and its wait is over',
    async check(store) {
      const lesson = await stored(store);
      const { lessonId } = lesson;
      await append(store, usedTwice(lessonId));
      equal(await isDue(store, lessonId), false);
      const episode = await covered(store, lesson);
      equal(await isDue(store, lessonId), true);
      equal(await isDue(store, lessonId, { minSuccesses: 3 }), false);
      equal(await isDue(store, lessonId, { minTokens: 61 }), false);
      equal(await isDue(store, lessonId, { maxLevel: 0 }), false);
      const state = { rejections: 2, saturated: false, evidence: 0 };
      const after = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);
      await append(store, {
        kind: 'compression-state-set',
        lessonId,
        compression: { ...state, lastAttemptAt: NOW },
      });
      equal(await isDue(store, lessonId, { now: after(1_799) }), false);
      equal(await isDue(store, lessonId, { now: after(1_800) }), true);
      equal(await isDue(store, lessonId, { now: after(1_000), cooldownMaxSeconds: 1_000 }), true);
      const mark = {
        lessonId,
        episodeId: episode.episodeId,
        kind: 'quarantined',
        markedAt: NOW,
        sourceDigest: lesson.bodyDigest,
      } as const;
      const late = { now: after(90_000) };
      await append(store, { kind: 'mark-set', mark });
      equal(await isDue(store, lessonId, late), false);
      await append(store, { kind: 'mark-set', mark: { ...mark, sourceDigest: 'of another text' } });
      equal(await isDue(store, lessonId, late), true);
      await append(store, {
        kind: 'compression-state-set',
        lessonId,
        compression: { ...state, saturated: true, lastAttemptAt: NOW },
      });
      equal(await isDue(store, lessonId, late), false);
    },
  },
  {
    rule: 'events come back in their order with all they carry',
    async check(store) {
      const lesson = aLesson();
      const changes: readonly LessonChange[] = [
        adding(lesson),
        usedTwice(lesson.lessonId),
        {
          kind: 'compression-bug',
          lessonId: lesson.lessonId,
          version: 1,
          descentId: 'd',
          episodeId: null,
        },
      ];
      const { lessons } = store.repositories;
      let before = 0;
      for (let page = await lessons.listEvents(0, 500); page.length > 0;) {
        before = page.at(-1)?.seq ?? before;
        page = await lessons.listEvents(before, 500);
      }
      await append(store, ...changes);
      const events = await lessons.listEvents(before, 10);
      deepEqual(
        events.map(({ change, at }) => ({ change, at })),
        changes.map((change) => ({ change, at: LATER })),
      );
      equal(await lessons.countCompressionBugs(lesson.lessonId, 1), 1);
      equal(await lessons.countCompressionBugs(lesson.lessonId, 2), 0);
    },
  },
  {
    rule: 'work that fails leaves nothing behind',
    async check(store) {
      const lesson = aLesson();
      const fault = new Error('enough');
      await store
        .unitOfWork(async ({ lessons }) => {
          await lessons.append([adding(lesson)], NOW);
          throw fault;
        })
        .catch(() => {});
      deepEqual(await store.repositories.lessons.findMany([lesson.lessonId]), []);
    },
  },
  {
    rule: 'the lock of a lesson is held by one at a time, tried once, and given back after an error',
    async check({ lock }) {
      const lessonId = newLessonKey();
      const outcome = await lock(lessonId, async () => {
        deepEqual(await lock(lessonId, async () => 'inner'), { held: false });
        return lock(newLessonKey(), async () => 'other');
      });
      deepEqual(outcome, { held: true, result: { held: true, result: 'other' } });
      await lock(lessonId, async () => {
        throw new Error('enough');
      }).catch(() => {});
      deepEqual(await lock(lessonId, async () => 1), { held: true, result: 1 });
    },
  },
];

const EPISODE_RULES: readonly LessonContractRule[] = [
  {
    rule: 'an episode comes back as it was written',
    async check({ repositories: { episodes } }) {
      const full = anEpisode();
      const bare = anEpisode({ axis: null, acceptedSummary: null, check: null, sessionId: null });
      await episodes.insert(full);
      await episodes.insert(bare);
      deepEqual(await episodes.getMany([bare.episodeId, full.episodeId]), [bare, full]);
      deepEqual(await episodes.get(full.episodeId), full);
      await failsWith('NOT_FOUND', () => episodes.get('unknown'));
      await failsWith('NOT_FOUND', () => episodes.getMany([full.episodeId, 'unknown']));
      await failsWith('STORE_FAILED', () => episodes.insert(full));
      deepEqual(await episodes.findByPrefix(full.episodeId, 3), [full.episodeId]);
    },
  },
  {
    rule: 'a use comes back by its key, which is taken once',
    async check(store) {
      const { episodes } = store.repositories;
      const [used, shown] = [await stored(store), await stored(store)];
      const episode = anEpisode();
      await episodes.insert(episode);
      const use = aUse(episode, [
        aLessonUse(used.lessonId),
        aLessonUse(shown.lessonId, { used: false, succeeded: false, credited: false }),
      ]);
      await store.unitOfWork((bound) => bound.episodes.insertUse(use));
      deepEqual(await episodes.findUse(use.useKey ?? ''), use);
      equal(await episodes.findUse('unknown'), null);
      await failsWith('ALREADY_EXISTS', () =>
        store.unitOfWork((bound) =>
          bound.episodes.insertUse(aUse(episode, [], { useKey: use.useKey })),
        ),
      );
      deepEqual(await episodes.findCredited('session-1', [used.lessonId, shown.lessonId]), [
        used.lessonId,
      ]);
      deepEqual(await episodes.findCredited('another', [used.lessonId]), []);
      equal(await episodes.countUsedTogether([used.lessonId]), 1);
      equal(await episodes.countUsedTogether([used.lessonId, shown.lessonId]), 0);
    },
  },
  {
    rule: 'a regression set is what the subtree covers or used uncorrected, with the marks of the subtree',
    async check(store) {
      const { child, parent } = await lineage(store);
      const { episodes } = store.repositories;
      const [byParent, byChild, used, corrected, failed] = [
        anEpisode(),
        anEpisode({ axis: null }),
        anEpisode(),
        anEpisode(),
        anEpisode({ outcome: 'failure' }),
      ];
      const use = (episode: typeof used, change = {}) =>
        aUse(episode, [aLessonUse(child.lessonId, change)]);
      await store.unitOfWork(async (bound) => {
        for (const each of [byParent, byChild, used, corrected, failed]) {
          await bound.episodes.insert(each);
        }
        await bound.episodes.insertUse(use(used));
        await bound.episodes.insertUse(use(corrected, { corrected: true, succeeded: false }));
        await bound.episodes.insertUse(use(failed, { succeeded: false }));
        const marked = { markedAt: NOW, sourceDigest: null };
        const { lessonId } = child;
        await bound.lessons.append(
          [
            {
              kind: 'coverage-added',
              lessonId: parent.lessonId,
              episodeIds: [byParent.episodeId, used.episodeId],
            },
            { kind: 'coverage-added', lessonId, episodeIds: [byChild.episodeId] },
            { kind: 'coverage-added', lessonId, episodeIds: [byChild.episodeId] },
            {
              kind: 'mark-set',
              mark: { ...marked, lessonId, episodeId: byChild.episodeId, kind: 'sticky' },
            },
            {
              kind: 'mark-set',
              mark: { ...marked, lessonId, episodeId: used.episodeId, kind: 'exposed' },
            },
            {
              kind: 'mark-set',
              mark: {
                lessonId,
                episodeId: byParent.episodeId,
                kind: 'quarantined',
                markedAt: NOW,
                sourceDigest: child.bodyDigest,
              },
            },
          ],
          NOW,
        );
      });
      const plain = { createdAt: NOW, stickyAt: null, exposed: false, quarantined: false };
      const byId = (entries: readonly RegressionEntry[]) =>
        [...entries].sort((a, b) => (a.episodeId < b.episodeId ? -1 : 1));
      deepEqual(
        byId(await episodes.regressionSet(parent.lessonId, 5_000)),
        byId([
          {
            ...plain,
            episodeId: byParent.episodeId,
            axis: 'retries',
            tiedTo: parent.lessonId,
            quarantined: true,
          },
          {
            ...plain,
            episodeId: byChild.episodeId,
            axis: null,
            tiedTo: child.lessonId,
            stickyAt: NOW,
          },
          {
            ...plain,
            episodeId: used.episodeId,
            axis: 'retries',
            tiedTo: parent.lessonId,
            exposed: true,
          },
        ]),
      );
      equal((await episodes.regressionSet(child.lessonId, 5_000)).length, 2);
      const few = await episodes.regressionSet(parent.lessonId, 1);
      equal(
        few.some(({ episodeId }) => episodeId === byChild.episodeId),
        true,
      );
      deepEqual(await episodes.listCovered(child.lessonId), [byChild.episodeId]);
      equal((await episodes.listMarks(parent.lessonId)).length, 3);
      equal((await episodes.listMarks(parent.lessonId, used.episodeId)).length, 1);
      await append(store, {
        kind: 'mark-lifted',
        lessonId: child.lessonId,
        episodeId: used.episodeId,
        mark: 'exposed',
      });
      deepEqual(await episodes.listMarks(child.lessonId, used.episodeId), []);
      await failsWith('NOT_FOUND', () => episodes.regressionSet('unknown', 5));
    },
  },
];

const ATTEMPT_RULES: readonly LessonContractRule[] = [
  {
    rule: 'one attempt of a lesson runs at a time, and is closed once',
    async check(store) {
      const lesson = await stored(store);
      const { attempts } = store.repositories;
      const attempt = aLessonAttempt(lesson);
      equal(await attempts.open(attempt), true);
      equal(await attempts.open(aLessonAttempt(lesson)), false);
      deepEqual(await attempts.findRunning(lesson.lessonId), attempt);
      const renewed = {
        ...attempt,
        leaseUntil: new Date(LATER.getTime() + 1_000),
        toldSpans: 'observed' as const,
      };
      await attempts.renew(renewed);
      deepEqual(await attempts.get(attempt.attemptId), renewed);
      const { attemptId } = attempt;
      const calls = { ...renewed.calls, probes: 3 };
      const leaseUntil = new Date(LATER.getTime() + 2_000);
      await attempts.prolong({ attemptId, leaseUntil, calls });
      deepEqual(await attempts.get(attemptId), { ...renewed, leaseUntil, calls });
      equal(await store.unitOfWork((bound) => bound.attempts.lockRunning(attempt.attemptId)), true);
      const proposed = { ...renewed, candidate: closedAs(renewed).candidate };
      await attempts.renew(proposed);
      await attempts.renew({ ...proposed, candidate: null });
      deepEqual(await attempts.get(attempt.attemptId), proposed, 'a candidate that is there stays');
      const closed = closedAs(proposed);
      await store.unitOfWork((bound) => bound.attempts.close({ ...closed, candidate: null }, []));
      deepEqual(await attempts.get(attempt.attemptId), closed);
      equal(await attempts.findRunning(lesson.lessonId), null);
      equal(
        await store.unitOfWork((bound) => bound.attempts.lockRunning(attempt.attemptId)),
        false,
      );
      await failsWith('STALE', () => store.unitOfWork((bound) => bound.attempts.close(closed, [])));
      await failsWith('STALE', () => attempts.renew(renewed));
      await failsWith('STALE', () => attempts.prolong({ attemptId, leaseUntil, calls }));
      await failsWith('NOT_FOUND', () => attempts.get('unknown'));
    },
  },
  {
    rule: 'replays come back in order, tell failed candidates, and are found again by arm',
    async check(store) {
      const lesson = await stored(store);
      const [one, other] = [anEpisode(), anEpisode()];
      const { attempts, episodes } = store.repositories;
      await episodes.insert(one);
      await episodes.insert(other);
      const attempt = aLessonAttempt(lesson);
      await attempts.open(attempt);
      const replays = [
        aReplay(attempt, one),
        aReplay(attempt, other, {
          ordinal: 2,
          outcome: 'passed',
          reason: null,
          answer: null,
          fault: 'f',
          processId: null,
        }),
        aReplay(attempt, other, {
          ordinal: 3,
          outcome: 'unreadable',
          arm: 'control',
          phase: 'held-out',
          armKey: 'unread',
        }),
        aReplay(attempt, other, {
          ordinal: 4,
          reused: true,
          checkedMechanically: true,
          armKey: 'reused',
        }),
      ];
      const closed = closedAs(attempt);
      await attempts.renew({ ...attempt, candidate: closed.candidate });
      await store.unitOfWork((bound) => bound.attempts.close(closed, replays));
      deepEqual(await attempts.listReplays(attempt.attemptId), replays);
      deepEqual(await attempts.listFailedCandidates(lesson.lessonId), [
        { digest: closed.candidate?.digest, episodeIds: [one.episodeId, other.episodeId] },
      ]);
      const [first] = replays;
      const keys = replays.map(({ armKey }) => armKey);
      const arms = await attempts.findArms(keys, NOW);
      equal(arms.size, 2);
      deepEqual(arms.get(first?.armKey ?? ''), {
        armKey: first?.armKey,
        outcome: 'failed',
        reason: first?.reason,
        missing: first?.missing,
      });
      equal((await attempts.findArms(keys, LATER)).size, 0);
    },
  },
  {
    rule: 'attempts are listed newest first, numbered without dry runs, and expire with their lease',
    async check(store) {
      const lesson = await stored(store);
      const { attempts } = store.repositories;
      const first = aLessonAttempt(lesson);
      await attempts.open(first);
      await attempts.close(closedAs(first), []);
      const dry = aLessonAttempt(lesson, { dryRun: true, attemptNo: 2 });
      await attempts.open(dry);
      const idsOf = async (filter: object, page = PAGE): Promise<readonly string[]> =>
        (await attempts.list({ lessonId: lesson.lessonId, ...filter }, page)).items.map(
          ({ attemptId }) => attemptId,
        );
      deepEqual(await idsOf({}), [dry.attemptId, first.attemptId]);
      deepEqual(await idsOf({ outcome: 'rejected' }), [first.attemptId]);
      const page = await attempts.list({ lessonId: lesson.lessonId }, { limit: 1, after: null });
      const next = await attempts.list(
        { lessonId: lesson.lessonId },
        { limit: 1, after: page.next },
      );
      deepEqual(
        next.items.map(({ attemptId }) => attemptId),
        [first.attemptId],
      );
      equal(await attempts.lastAttemptNo(lesson.lessonId), 1);
      const isExpired = async (now: Date): Promise<boolean> =>
        (await attempts.listExpired(now, 500)).some(({ attemptId }) => attemptId === dry.attemptId);
      equal(await isExpired(NOW), false);
      equal(await isExpired(LATER), true);
      deepEqual(await attempts.findByPrefix(first.attemptId, 2), [first.attemptId]);
      await attempts.close(closedAs(dry, { outcome: 'abandoned', reason: null }), []);
    },
  },
];

const DESCENT_RULES: readonly LessonContractRule[] = [
  {
    rule: 'a descent comes back with its steps, as they were added and reported',
    async check(store) {
      const lesson = await stored(store);
      const descent = aDescent(lesson);
      const { descentId } = descent;
      const { descents } = store.repositories;
      await store.unitOfWork((bound) => bound.descents.insert(descent));
      deepEqual(await descents.get(descentId), descent);
      const failed = aStep(descentId, { outcome: 'failed', reportedAt: NOW });
      const last = aStep(descentId, { step: 2, chosen: null });
      const closed = {
        ...descent,
        status: 'closed',
        end: 'knowledge-gap',
        closedAt: LATER,
        notConsidered: [],
        steps: [failed, last],
      } as const;
      await store.unitOfWork(async (bound) => {
        deepEqual(await bound.descents.lock(descentId), descent);
        await bound.descents.update(closed, [failed, last]);
      });
      deepEqual(await descents.get(descentId), closed);
      deepEqual(await descents.findByPrefix(descentId, 2), [descentId]);
      await failsWith('NOT_FOUND', () => descents.get('unknown'));
    },
  },
  {
    rule: 'a session has one serving of a lesson, and none after it was cleared',
    async check(store) {
      const lesson = await stored(store);
      const sessionId = newLessonKey();
      const { servings } = store.repositories;
      const serving = {
        sessionId,
        lessonId: lesson.lessonId,
        version: 1,
        form: 'body',
        turn: 3,
        servedAt: NOW,
      } as const;
      await servings.put([serving]);
      const later = { ...serving, form: 'gist', turn: 12, version: 2, servedAt: LATER } as const;
      await servings.put([later]);
      deepEqual(await servings.find(sessionId, [lesson.lessonId, 'unknown']), [later]);
      equal(await servings.clear(sessionId), 1);
      deepEqual(await servings.find(sessionId, [lesson.lessonId]), []);
      equal(await servings.clear(sessionId), 0);
    },
  },
  {
    rule: 'the overrides of the global lessons are replaced as a whole',
    async check({ repositories: { lessonPolicies } }) {
      await lessonPolicies.set(null, { 'compression.max_ratio': 0.7, 'recall.max_families': 2 });
      await lessonPolicies.set(null, { 'compression.max_ratio': 0.6 });
      deepEqual(await lessonPolicies.get(null), { 'compression.max_ratio': 0.6 });
      await lessonPolicies.set(null, {});
      deepEqual(await lessonPolicies.get(null), {});
    },
  },
  {
    rule: 'of two who change different settings neither undoes the other',
    async check({ repositories: { lessonPolicies } }) {
      await lessonPolicies.set(null, { 'compression.max_ratio': 0.7, 'recall.max_expansions': 4 });
      await Promise.all([
        lessonPolicies.change(null, { 'recall.max_families': 2 }, []),
        lessonPolicies.change(null, { 'compression.max_ratio': 0.6 }, ['recall.max_expansions']),
      ]);
      deepEqual(await lessonPolicies.get(null), {
        'compression.max_ratio': 0.6,
        'recall.max_families': 2,
      });
      await lessonPolicies.set(null, {});
    },
  },
];

/** One list a port. */
export const LESSON_STORE_RULES: Readonly<Record<string, readonly LessonContractRule[]>> = {
  LessonRepository: LESSON_RULES,
  EpisodeRepository: EPISODE_RULES,
  AttemptRepository: ATTEMPT_RULES,
  'DescentRepository, ServingRepository and LessonPolicyRepository': DESCENT_RULES,
};
