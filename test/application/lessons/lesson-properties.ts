/* oxlint-disable jest/no-standalone-expect -- the acts of a history are called by tests */
/**
 * Laws of lessons under random histories, on any store: whatever is added, used, compressed, rescued,
 * refined or broken off, the laws hold after every step.
 */
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { LessonStore } from '../../../src/application/lessons/lesson-store.js';
import { OssatureError } from '../../../src/domain/kernel/errors.js';
import { holdsOut } from '../../../src/domain/lessons/regression-sample.js';
import { factsIn, knowledgeJudge } from '../../../src/infrastructure/models/knowledge-world.js';
import { sha256 } from '../../../src/infrastructure/system/node-system.js';
import { LessonWorld } from '../../support/lesson-world.js';
import {
  allEvents,
  expectGated,
  expectRebuilt,
  expectSound,
  lessonIdsOf,
  tablesOf,
} from './lesson-laws.js';
import { judgeOf } from './scripted-models.js';

const SEED = 20260101;

const KINDS = [
  'add',
  'use',
  'use',
  'grow',
  'grow',
  'grow',
  'compress',
  'fail',
  'fail',
  'rescue',
  'rescue',
  'repair',
  'refine',
  'conflict',
  'resolve',
  'crash',
  'wait',
] as const;

export interface Act {
  readonly kind: (typeof KINDS)[number];
  /** Chooses among what is there. */
  readonly at: number;
  readonly more: number;
}

export const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    at: fc.nat({ max: 999 }),
    more: fc.nat({ max: 999 }),
  }),
  { minLength: 8, maxLength: 40 },
);

/** Every fourth answer cannot be read, by its digest and not by chance. */
const moodyJudge = judgeOf(async (request, signal) =>
  Number.parseInt(sha256(request.task).slice(0, 2), 16) % 8 === 0
    ? { text: 'I cannot say.' }
    : knowledgeJudge.judge(request, signal),
);

export class History {
  readonly originals = new Map<string, string>();
  readonly episodes: string[] = [];
  #facts = 0;

  constructor(readonly world: LessonWorld) {}

  async act({ kind, at, more }: Act): Promise<void> {
    const { world } = this;
    world.pass(60 + more);
    const ids = await lessonIdsOf(world.store, world.projectId);
    // Mostly what is served, so that histories go deep; sometimes anything at all.
    const served = (await world.store.repositories.lessons.findMany(ids)).filter(
      ({ isApex }) => isApex,
    );
    const chosen = more % 4 === 0 ? ids : served.map(({ lessonId }) => lessonId).sort();
    const id = chosen[at % Math.max(1, chosen.length)];
    if (id === undefined || (kind === 'add' && this.originals.size < 3)) return this.#add(more);
    switch (kind) {
      case 'add':
        return this.#use(id, more);
      case 'grow':
        return this.#grow(id, more);
      case 'use':
        return this.#use(id, more);
      case 'compress':
        return this.#compress(id, more);
      case 'fail':
        return this.#fail(id, more);
      case 'rescue':
        return this.#rescue(id, more);
      case 'repair':
        return this.#repair(id);
      case 'refine':
        return this.#refine(id);
      case 'conflict':
        return this.#contradict(id);
      case 'resolve':
        return this.#resolve(more);
      case 'crash':
        return this.#crash(id);
      case 'wait':
        world.pass(7_200);
    }
  }

  #block(): string {
    this.#facts += 1;
    const words = Array.from(
      { length: 4 + (this.#facts % 9) },
      (_, at) => `word${at}of${this.#facts}`,
    );
    return `${words.join(' ')} @fact${this.#facts}`;
  }

  async #add(more: number): Promise<void> {
    const secret = more % 5 === 0 ? ['password="hunter2hunter2"'] : [];
    const blocks = Array.from({ length: 3 + (more % 4) }, () => this.#block());
    const lessonId = await this.world.add(['A frame', ...secret, ...blocks].join('\n\n'));
    this.originals.set(lessonId, (await this.world.lesson(lessonId)).body);
  }

  async #factsBelow(lessonId: string): Promise<readonly string[]> {
    const { lessons } = await this.world.store.repositories.lessons.lineage(lessonId);
    const ids = lessons.flatMap((one) => (one.level === 0 ? [one.lessonId] : []));
    const found = await this.world.store.repositories.lessons.findMany(ids);
    return found.flatMap(({ body }) => factsIn(body)).sort();
  }

  async #use(lessonId: string, more: number): Promise<void> {
    const facts = await this.#factsBelow(lessonId);
    const needed = [facts[more % facts.length] ?? '', ...(more % 3 === 0 ? [facts[0] ?? ''] : [])];
    const span = facts[(more + 1) % facts.length] ?? '';
    const episodeId = await this.world.use(lessonId, more % 7 === 0 ? [] : needed, {
      prompt: `Task <${this.episodes.length}>`,
      outcome: more % 11 === 0 ? 'failure' : 'success',
      ...(more % 6 === 0 ? { spans: [{ lessonId, text: span }] } : {}),
      ...(more % 13 === 0 ? { corrected: [lessonId] } : {}),
      ...(more % 17 === 0 ? { served: [lessonId], used: [] } : {}),
    });
    if (episodeId !== '') this.episodes.push(episodeId);
  }

  /** Earns a shorter form: used for the first fact alone, so that there is something to cut. */
  async #grow(lessonId: string, more: number): Promise<void> {
    const [first = ''] = factsIn((await this.world.lesson(lessonId)).body);
    for (let use = 0; use < 2; use += 1) {
      const prompt = `Task <${this.episodes.length}>`;
      this.episodes.push(await this.world.use(lessonId, [first], { prompt }));
    }
    this.world.pass(3_600);
    await this.#compress(lessonId, more);
  }

  /** P8, P18. */
  async #compress(lessonId: string, more: number): Promise<void> {
    const { world } = this;
    const before = await this.#shape();
    const asked = world.asked.length;
    try {
      const { attempt } = await world.compression.compress(lessonId, { dryRun: more % 5 === 0 });
      if (attempt.outcome !== 'accepted' || attempt.dryRun) {
        expect(await this.#shape()).toEqual(before);
      }
      const fraction = attempt.settings.values['compression.holdout_fraction'];
      const shown = world.asked.slice(asked).flatMap(({ prompts }) => prompts);
      const exposed = new Set(
        (await world.ledger.regressionSet(lessonId)).entries.flatMap((entry) =>
          entry.exposed ? [entry.episodeId] : [],
        ),
      );
      for (const [at, episodeId] of this.episodes.entries()) {
        if (!holdsOut(episodeId, fraction, sha256) || exposed.has(episodeId)) continue;
        expect(shown).not.toContain(`Task <${at}>`);
      }
    } catch (error) {
      if (!OssatureError.is(error, 'NOT_ELIGIBLE')) throw error;
      expect(await this.#shape()).toEqual(before);
    }
  }

  async #shape() {
    const { store, projectId } = this.world;
    const { lessons, ledgers } = await tablesOf(store, await lessonIdsOf(store, projectId));
    return {
      ledgers,
      lessons: lessons.map(({ lessonId, body, status, isApex, version }) => [
        lessonId,
        body,
        status,
        isApex,
        version,
      ]),
    };
  }

  /** P12. */
  async #fail(lessonId: string, more: number): Promise<void> {
    const facts = await this.#factsBelow(lessonId);
    const needed = [facts[more % facts.length] ?? '', more % 4 === 0 ? '@unknown' : ''].filter(
      Boolean,
    );
    const strategies = ['delta-patch', 'delta-jump', 'stepwise'] as const;
    const result = await this.world.recall.descend(
      {
        lessonId,
        prompt: 'A task that failed',
        strategy: strategies[more % 3] ?? 'delta-patch',
        diagnosis: { missing: more % 2 === 0 ? needed : [] },
      },
      async ({ text }) => ({
        succeeded: needed.every((fact) => factsIn(text).includes(fact)),
        summary: `Minded ${needed.join(' ')}`,
      }),
    );
    expect(result.attempts).toBeLessThanOrEqual(5);
    expect(result.succeeded).toBe(!needed.includes('@unknown'));
  }

  async #rescue(lessonId: string, more: number): Promise<void> {
    const { dropped } = (await this.world.ledger.getLesson(lessonId)).ledger;
    const entry = dropped[more % Math.max(1, dropped.length)];
    if (entry === undefined) return;
    await this.world.recall.recordRescue({ lessonId, claim: entry.fingerprint });
  }

  /** P9. */
  async #repair(lessonId: string): Promise<void> {
    const before = await this.world.lesson(lessonId);
    await this.world.repair.repair(lessonId);
    const after = await this.world.lesson(lessonId);
    expect(await this.world.repair.repair(lessonId)).toEqual([]);
    expect(await this.world.lesson(lessonId)).toEqual(after);
    expect(factsIn(after.body)).toEqual(expect.arrayContaining([...factsIn(before.body)]));
  }

  async #refine(lessonId: string): Promise<void> {
    await this.world.ledger.addLesson({
      projectId: this.world.projectId,
      title: 'More',
      gist: 'Applies when more is known',
      body: this.#block(),
      refines: lessonId,
    });
  }

  async #contradict(lessonId: string): Promise<void> {
    try {
      const { lesson } = await this.world.ledger.addLesson({
        projectId: this.world.projectId,
        family: 'retry',
        title: 'The contrary',
        gist: 'Applies when it does not',
        body: this.#block(),
        contradicts: lessonId,
        question: 'Which of the two?',
      });
      this.originals.set(lesson.lessonId, lesson.body);
    } catch (error) {
      if (!OssatureError.is(error, 'NOT_ELIGIBLE')) throw error;
    }
  }

  async #resolve(more: number): Promise<void> {
    const { projectId } = this.world;
    const { items } = await this.world.ledger.listConflicts({ projectId, open: true });
    const conflict = items[more % Math.max(1, items.length)];
    if (conflict === undefined) return;
    const keep = more % 2 === 0 ? 'both' : conflict.lessonIds[more % 4 === 1 ? 0 : 1];
    await this.world.ledger.resolve({ conflictId: conflict.conflictId, keep });
  }

  /** A worker dies in the middle of its attempt; the next one comes when its lease has run out. */
  async #crash(lessonId: string): Promise<void> {
    let isDead = false;
    const { world } = this;
    const dying = world.with({
      unitOfWork: async (work) => {
        if (isDead) throw new Error('dead');
        const result = await world.store.unitOfWork(work);
        isDead = true;
        return result;
      },
    });
    try {
      await dying.compress(lessonId);
    } catch (error) {
      const isExpected = OssatureError.is(error, 'NOT_ELIGIBLE') || String(error).includes('dead');
      if (!isExpected) throw error;
    }
    world.pass(400);
    await world.compression.closeAbandoned();
  }
}

/**
 * @param open a store for each history, or one for all.
 * @param empty an empty store, for what is rebuilt from events; null: not where the store is shared.
 */
export function describeLessonProperties(
  open: () => LessonStore | Promise<LessonStore>,
  empty: (() => LessonStore | Promise<LessonStore>) | null,
  runs: number,
): void {
  const settings = [
    {},
    {
      'compression.holdout_fraction': 0.3,
      'compression.baseline': 'on-failure',
      'compression.control': true,
    },
    { 'compression.regression_k': 2, 'compression.baseline': 'always' },
  ] as const;

  describe(`laws of lessons (seed ${SEED})`, () => {
    it('hold after every act of any history (P1–P9, P11–P13, P17–P20)', async () => {
      let accepted = 0;
      await fc.assert(
        fc.asyncProperty(acts, fc.nat({ max: 5 }), async (given, variant) => {
          const store = await open();
          const world = new LessonWorld(store, {
            settings: settings[variant % settings.length] ?? {},
            ...(variant > 2 ? { models: { judge: moodyJudge } } : {}),
          });
          const history = new History(world);
          for (const act of given) {
            await history.act(act);
            await expectSound(world, history.originals);
          }
          await world.compression.closeAbandoned();
          await expectGated(world);
          const ids = await lessonIdsOf(store, world.projectId);
          accepted += ids.length - history.originals.size;
          if (empty === null) return;
          const episodeIds = new Set<string>();
          for (const { change } of await allEvents(store)) {
            if (change.kind === 'coverage-added')
              change.episodeIds.forEach((id) => episodeIds.add(id));
          }
          await expectRebuilt(store, await empty(), ids, [...episodeIds]);
        }),
        { seed: SEED, numRuns: runs, endOnFailure: runs < 10 },
      );
      // A history in which nothing is ever accepted would prove little.
      expect(accepted).toBeGreaterThan(runs / 10);
    }, 300_000);

    it('one more episode never lets a candidate through that failed without it (P14)', async () => {
      const facts = fc.subarray(['@idem', '@backoff', '@delays', '@body200'], { minLength: 1 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(facts, { minLength: 1, maxLength: 4 }),
          facts,
          async (needs, another) => {
            const outcomes: string[] = [];
            for (const all of [needs, [...needs, another]]) {
              const world = new LessonWorld(await open());
              const lessonId = await world.retry();
              for (const needed of all) await world.use(lessonId, needed);
              const { attempt } = await world.compression.compress(lessonId);
              outcomes.push(attempt.outcome);
            }
            expect(outcomes).not.toEqual(['rejected', 'accepted']);
          },
        ),
        { seed: SEED, numRuns: runs },
      );
    }, 300_000);

    it('the same history with the same clock and ids gives identical records (P16)', async () => {
      if (empty === null) return;
      await fc.assert(
        fc.asyncProperty(acts, async (given) => {
          const dumps: string[] = [];
          for (let time = 0; time < 2; time += 1) {
            const world = new LessonWorld(await open(), { number: 1 });
            const history = new History(world);
            for (const act of given) await history.act(act);
            const ids = await lessonIdsOf(world.store, world.projectId);
            const { items } = await world.compression.listAttempts({ limit: 500 });
            dumps.push(JSON.stringify([await tablesOf(world.store, ids), items]));
          }
          expect(dumps[1]).toBe(dumps[0]);
        }),
        { seed: SEED, numRuns: Math.ceil(runs / 4) },
      );
    }, 300_000);
  });
}
