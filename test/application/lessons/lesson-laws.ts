/** What holds of every store of lessons, whatever was done to it. Throws by `expect` where it does not. */
import { expect } from '@jest/globals';
import type { LessonStore } from '../../../src/application/lessons/lesson-store.js';
import type { LessonEvent } from '../../../src/domain/lessons/lesson-event.js';
import { level0Of, subtreeOf } from '../../../src/domain/lessons/lesson-graph.js';
import { SpokenText } from '../../../src/domain/lessons/normal-text.js';
import type { Lineage } from '../../../src/domain/lessons/repositories.js';
import type { LessonWorld } from '../../support/lesson-world.js';

export async function lessonIdsOf({ repositories }: LessonStore, projectId: string) {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof repositories.lessons.list>> =
      await repositories.lessons.list({ scope: projectId }, { limit: 500, after });
    ids.push(...page.items.map(({ lessonId }) => lessonId));
    after = page.next;
  } while (after !== null);
  return ids;
}

/** Everything that is kept of these lessons, as one value. */
export async function tablesOf({ repositories }: LessonStore, ids: readonly string[]) {
  const { lessons, episodes } = repositories;
  const sorted = [...ids].sort();
  const each = async <Value>(read: (id: string) => Promise<Value>) => {
    const values: Value[] = [];
    for (const id of sorted) values.push(await read(id));
    return values;
  };
  return {
    lessons: await each((id) => lessons.get(id)),
    lineages: await each((id) => lessons.lineage(id)),
    texts: await each((id) => lessons.listTexts(id)),
    ledgers: [...(await lessons.ledgers(sorted))],
    evidence: [...(await lessons.evidence(sorted))],
    covers: await lessons.listCovers(sorted),
    coverage: await each((id) => episodes.listCovered(id)),
    marks: await each(async (id) => sortedByKey(await episodes.listMarks(id))),
    repairs: await each((id) => lessons.listRepairs(id)),
    tracks: await each(async (id) => sortedByKey(await lessons.trackRecords([id]))),
    conflicts: sortedByKey(await lessons.findOpenConflicts(sorted)),
  };
}

function sortedByKey<Value>(values: readonly Value[]): readonly Value[] {
  return [...values].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

export async function allEvents({ repositories }: LessonStore): Promise<readonly LessonEvent[]> {
  const events: LessonEvent[] = [];
  for (;;) {
    const page = await repositories.lessons.listEvents(events.at(-1)?.seq ?? 0, 500);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

/** P13: the events of a store, applied to an empty one, give the same tables. */
export async function expectRebuilt(
  store: LessonStore,
  empty: LessonStore,
  ids: readonly string[],
  episodeIds: readonly string[],
): Promise<void> {
  for (const episode of await store.repositories.episodes.getMany(episodeIds)) {
    await empty.repositories.episodes.insert(episode);
  }
  const events = await allEvents(store);
  // In one transaction: an apex follows from several events that were written together.
  await empty.unitOfWork(async ({ lessons, attempts }) => {
    const copied = new Set<string>();
    for (const { change, at } of events) {
      // A manifest names the attempt that dropped a claim; attempts are records of their own.
      const named = change.kind === 'manifest-set' ? change.dropped : [];
      for (const { originAttemptId: id } of named) {
        if (id === null || copied.has(id)) continue;
        copied.add(id);
        const attempt = await store.repositories.attempts.get(id);
        await attempts.open({ ...attempt, outcome: 'running', acceptedId: null, finishedAt: null });
        await attempts.close(attempt, []);
      }
      await lessons.append([change], at);
    }
  });
  expect(await tablesOf(empty, ids)).toEqual(await tablesOf(store, ids));
}

/** P1–P5, P17 and P19 of everything that the project has. */
export async function expectSound(
  world: LessonWorld,
  originals: ReadonlyMap<string, string>,
): Promise<void> {
  const { store, needs } = world;
  const { lessons } = store.repositories;
  const ids = await lessonIdsOf(store, world.projectId);
  const all = new Map((await lessons.findMany(ids)).map((lesson) => [lesson.lessonId, lesson]));
  const ledgers = await lessons.ledgers(ids);
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) continue;
    const lineage = await lessons.lineage(id);
    for (const { lessonId } of lineage.lessons) seen.add(lessonId);
    expectGraph(lineage);
    const servable = lineage.lessons.filter(({ isApex }) => isApex);
    const isLive = lineage.lessons.some(({ status }) => status !== 'archived');
    if (isLive) expect(servable).toHaveLength(1);
    for (const apex of servable) {
      const spoken = new SpokenText(all.get(apex.lessonId)?.body ?? '');
      const dropped = ledgers.get(apex.lessonId)?.dropped ?? [];
      const listed = new Map(dropped.map((entry) => [entry.fingerprint, entry]));
      for (const originalId of level0Of(lineage, apex.lessonId)) {
        for (const claim of ledgers.get(originalId)?.claims ?? []) {
          if (spoken.says(claim.text)) continue;
          const entry = listed.get(claim.fingerprint);
          expect([claim.text, entry?.fingerprint]).toEqual([claim.text, claim.fingerprint]);
          const holder = ledgers.get(entry?.holderId ?? '')?.claims ?? [];
          const held = holder.filter(({ claimId }) => entry?.claimIds.includes(claimId));
          expect(held.map(({ fingerprint }) => fingerprint)).toContain(claim.fingerprint);
          expect(all.get(entry?.holderId ?? '')?.status).not.toBe('archived');
          expect(subtreeOf(lineage, apex.lessonId).has(entry?.holderId ?? '')).toBe(true);
        }
      }
    }
  }
  for (const [id, lesson] of all) {
    const spoken = new SpokenText(lesson.body);
    for (const { claim } of ledgers.get(id)?.dropped ?? []) {
      expect([claim, spoken.says(claim)]).toEqual([claim, false]);
    }
    for (const text of [lesson.body, lesson.title, lesson.gist]) {
      expect(needs.redact(text).text).toBe(text);
    }
    expect(lesson.stats.successes + lesson.stats.failures).toBe(lesson.stats.attempts);
    if (lesson.level > 0) continue;
    const texts = await lessons.listTexts(id);
    const versions = [...texts.map(({ body }) => body), lesson.body];
    expect(versions[0]).toBe(originals.get(id));
    for (const [at, text] of versions.entries()) {
      expect(text.startsWith(versions[at - 1] ?? '')).toBe(true);
    }
    expect(lesson.status).not.toBe('demoted');
  }
}

/** P1, P2. */
function expectGraph({ lessons, edges }: Lineage): void {
  const levels = new Map(lessons.map(({ lessonId, level }) => [lessonId, level]));
  for (const { childId, parentId, kind, childLevel, parentLevel } of edges) {
    expect([levels.get(childId), levels.get(parentId)]).toEqual([childLevel, parentLevel]);
    if (kind === 'compression') expect(parentLevel).toBe(childLevel + 1);
    else expect(parentLevel).toBeGreaterThan(childLevel);
    expect(subtreeOf({ edges }, childId).has(parentId)).toBe(false);
  }
}

/** P6, P7, P11, P20 of every attempt of the project. */
export async function expectGated(world: LessonWorld): Promise<void> {
  const { attempts } = world.store.repositories;
  const accepted = new Set<string>();
  for (const lessonId of await lessonIdsOf(world.store, world.projectId)) {
    const { items } = await attempts.list({ lessonId }, { limit: 500, after: null });
    for (const attempt of items) {
      expect(attempt.outcome).not.toBe('running');
      if (attempt.outcome !== 'accepted' || attempt.dryRun || attempt.kind === 'revisit') continue;
      if (attempt.lessonId !== lessonId) continue;
      const key = `${attempt.lessonId} ${attempt.sourceVersion}`;
      expect(accepted.has(key)).toBe(false);
      accepted.add(key);
      const tokens = attempt.candidate?.tokens ?? Number.POSITIVE_INFINITY;
      expect(tokens).toBeLessThanOrEqual(attempt.targetTokens);
      expect(tokens).toBeLessThan(attempt.sourceTokens);
      expect(attempt.sample.inSample.length).toBeGreaterThan(0);
      expect(attempt.usable).toBeGreaterThan(0);
      expect(attempt.passed).toBe(attempt.usable);
      const replays = await attempts.listReplays(attempt.attemptId);
      for (const { arm, outcome, episodeId } of replays) {
        if (arm !== 'candidate' || attempt.quarantined.includes(episodeId)) continue;
        expect(outcome).toBe('passed');
      }
    }
  }
}
