/** What every SummaryRepository promises. */
import { deepEqual, equal } from 'node:assert/strict';
import type { Session } from '../../src/domain/session/session.js';
import { type Contract, failsWith, type StoreUnderTest } from './contract.js';
import { HARD_TEXTS, LATER, NOW } from './sample-values.js';
import { aCycle, anAttempt, anItem, aSession, prompts } from './session-values.js';

async function aStoredSession({ repositories }: StoreUnderTest): Promise<Session> {
  const session = aSession();
  await repositories.sessions.insert(session);
  return session;
}

const NOTHING = { items: [], adopted: null, rolledBack: [] } as const;

export const SUMMARIES_CONTRACT: Contract = {
  port: 'SummaryRepository',
  rules: [
    {
      rule: 'a step comes back as it was written, nulls and hard texts included, and moves the session',
      async check(store) {
        const { summaries, sessions } = store.repositories;
        const session = await aStoredSession(store);
        const items = Object.values(HARD_TEXTS).map((text, index) =>
          anItem({
            itemNo: index + 1,
            text,
            refs: [],
            supersededBy: null,
            textHash: null,
            pinned: false,
            spanHash: null,
            producer: 'model:a "b"',
          }),
        );
        const adopted = aCycle({
          previews: [],
          promptAgainSeq: null,
          strategy: 'anchored',
          stubs: [],
          blob: null,
        });
        const step = { fromRevision: 1, sessionCycle: 1, items, adopted, rolledBack: [] };
        await store.unitOfWork((bound) => bound.summaries.apply(session, step, LATER));
        deepEqual(await summaries.listItems(session), items);
        const [first] = items;
        deepEqual(await summaries.listItems(session, [first?.itemNo ?? 0, 99]), [first]);
        deepEqual(await summaries.listItems(session, []), []);
        deepEqual(await summaries.listCycles(session), [adopted]);
        equal(await summaries.lastItemNo(session), items.length);
        const { revision, cycle, updatedAt } = await sessions.get(session);
        deepEqual({ revision, cycle, updatedAt }, { revision: 2, cycle: 1, updatedAt: LATER });
      },
    },
    {
      rule: 'a step on another revision is STALE and writes nothing',
      async check(store) {
        const session = await aStoredSession(store);
        const step = { fromRevision: 2, sessionCycle: 1, ...NOTHING, items: [anItem()] };
        await failsWith('STALE', () =>
          store.unitOfWork((bound) => bound.summaries.apply(session, step, LATER)),
        );
        deepEqual(await store.repositories.summaries.listItems(session), []);
        equal((await store.repositories.sessions.get(session)).revision, 1);
      },
    },
    {
      rule: 'versions of a cycle that is rolled back are in force no more, and stay readable',
      async check(store) {
        const { summaries } = store.repositories;
        const session = await aStoredSession(store);
        const first = anItem();
        const second = anItem({ ...first, text: 'changed', version: 2, cycleChanged: 2 });
        const late = anItem({ itemNo: 2, supersededBy: null });
        const cycles = [aCycle(), aCycle({ cycle: 2, revision: 3 })] as const;
        const steps = [
          { ...NOTHING, fromRevision: 1, sessionCycle: 1, items: [first], adopted: cycles[0] },
          {
            ...NOTHING,
            fromRevision: 2,
            sessionCycle: 2,
            items: [second, late],
            adopted: cycles[1],
          },
          { ...NOTHING, fromRevision: 3, sessionCycle: 1, rolledBack: [2] },
        ];
        for (const step of steps) {
          await store.unitOfWork((bound) => bound.summaries.apply(session, step, LATER));
        }
        deepEqual(await summaries.listItems(session), [first]);
        deepEqual(await summaries.listItems(session, [first.itemNo]), [first]);
        deepEqual(await summaries.listVersions(session, 1), [first, second]);
        equal(await summaries.lastItemNo(session), 2);
        deepEqual(await summaries.listCycles(session), [
          cycles[0],
          { ...cycles[1], state: 'rolled-back' },
        ]);
      },
    },
    {
      rule: 'one attempt of a session runs at a time, and is settled once',
      async check(store) {
        const { summaries } = store.repositories;
        const session = await aStoredSession(store);
        const [attempt, other] = [anAttempt(), anAttempt()];
        equal(await summaries.startAttempt(session, attempt), true);
        equal(await summaries.startAttempt(session, other), false);
        equal(await summaries.startAttempt(await aStoredSession(store), other), true);
        const stopped = anAttempt({ outcome: 'stopped', finishedAt: LATER, startedAt: LATER });
        equal(await summaries.startAttempt(session, stopped), true);
        const settled = {
          ...attempt,
          outcome: 'failed' as const,
          reasons: [{ code: 'timed-out' as const, itemNo: null, reason: 'why' }],
          modelCalls: [],
          finishedAt: LATER,
        };
        await summaries.settleAttempt(session, settled);
        await failsWith('STALE', () => summaries.settleAttempt(session, settled));
        deepEqual(await summaries.listAttempts(session, 9), [stopped, settled]);
        deepEqual(await summaries.listAttempts(session, 1), [stopped]);
      },
    },
    {
      rule: 'a cycle is replaced by another and restored; settings move with a step',
      async check(store) {
        const { summaries, sessions } = store.repositories;
        const session = await aStoredSession(store);
        const [first, second] = [aCycle(), aCycle({ cycle: 2, revision: 3, replaces: [1] })];
        const apply = async (
          fromRevision: number,
          step: Partial<Parameters<typeof summaries.apply>[1]>,
        ) =>
          store.unitOfWork((bound) =>
            bound.summaries.apply(
              session,
              { ...NOTHING, fromRevision, sessionCycle: 1, ...step },
              LATER,
            ),
          );
        await apply(1, { adopted: first, settings: { keepTurns: 3 } });
        await apply(2, { adopted: second, replaced: [1] });
        deepEqual(await summaries.listCycles(session), [{ ...first, state: 'replaced' }, second]);
        await apply(3, { rolledBack: [2], restored: [1] });
        deepEqual(await summaries.listCycles(session), [
          first,
          { ...second, state: 'rolled-back' },
        ]);
        deepEqual((await sessions.get(session)).settings, { keepTurns: 3 });
      },
    },
    {
      rule: 'a lease is renewed while the attempt is started, and not afterwards',
      async check(store) {
        const { summaries } = store.repositories;
        const session = await aStoredSession(store);
        const attempt = anAttempt({ leaseUntil: null });
        await summaries.startAttempt(session, attempt);
        equal(await summaries.renewLease(session, attempt.attemptId, LATER), true);
        deepEqual((await summaries.listAttempts(session, 1))[0]?.leaseUntil, LATER);
        const settled = { ...attempt, outcome: 'cancelled' as const, finishedAt: LATER };
        await summaries.settleAttempt(session, settled);
        equal(await summaries.renewLease(session, attempt.attemptId, LATER), false);
      },
    },
    {
      rule: 'a preview that was decided stays as it was, and goes with its session',
      async check(store) {
        const { summaries, sessions } = store.repositories;
        const session = await aStoredSession(store);
        await sessions.append(session, prompts(['a', 'b', 'c']), LATER);
        await summaries.addPreviews(session, [
          { seq: 3, characters: 20 },
          { seq: 1, characters: 10 },
        ]);
        await summaries.addPreviews(session, [
          { seq: 2, characters: 30 },
          { seq: 1, characters: 99 },
        ]);
        await summaries.addPreviews(session, []);
        const decided = [
          { seq: 1, characters: 10 },
          { seq: 2, characters: 30 },
          { seq: 3, characters: 20 },
        ];
        deepEqual(await summaries.listPreviews(session), decided);
        await sessions.delete(session);
        deepEqual(await summaries.listPreviews(session), []);
      },
    },
    {
      rule: 'expansions are listed in order, and calibrations kept by tenant, model and counter',
      async check(store) {
        const { summaries } = store.repositories;
        const session = await aStoredSession(store);
        const first = {
          expansionId: anItem().itemId,
          handle: '#1 "x"',
          cycle: 2,
          entries: 3,
          tokens: 4,
          expandedAt: NOW,
        };
        const second = { ...first, expansionId: anItem().itemId, expandedAt: LATER };
        await summaries.addExpansion(session, second);
        await summaries.addExpansion(session, first);
        deepEqual(await summaries.listExpansions(session), [first, second]);
        const key = {
          tenantId: session.tenantId,
          model: 'a "model"',
          counterName: 'words',
          counterVersion: '1',
        };
        equal(await summaries.findCalibration(key), null);
        await summaries.saveCalibration(key, { factor: 1.25, reports: 1, updatedAt: NOW });
        const calibration = { factor: 0.8125, reports: 2, updatedAt: LATER };
        await summaries.saveCalibration(key, calibration);
        deepEqual(await summaries.findCalibration(key), calibration);
        equal(await summaries.findCalibration({ ...key, tenantId: 'somebody else' }), null);
        equal(await summaries.findCalibration({ ...key, counterVersion: '2' }), null);
      },
    },
    {
      rule: 'entries are found by their ids, in order, those of the session alone',
      async check(store) {
        const { summaries, sessions } = store.repositories;
        const session = await aStoredSession(store);
        const entries = prompts(['a', 'b', 'c']);
        await sessions.append(session, entries, LATER);
        const ids = [entries[2], entries[0]].map((entry) => entry?.entryId ?? '');
        const unknown = anItem().itemId;
        deepEqual(await summaries.findEntrySeqs(session, [...ids, unknown]), [1, 3]);
        deepEqual(await summaries.findEntrySeqs(session, []), []);
        deepEqual(
          await summaries.findEntryIds(session, [3, 9]),
          new Map([[3, entries[2]?.entryId]]),
        );
        deepEqual(await summaries.findEntrySeqs(await aStoredSession(store), ids), []);
      },
    },
    {
      rule: 'another tenant sees nothing, and the summary goes with its session',
      async check(store) {
        const { summaries, sessions } = store.repositories;
        const session = await aStoredSession(store);
        const step = { ...NOTHING, fromRevision: 1, sessionCycle: 1, items: [anItem()] };
        await store.unitOfWork((bound) =>
          bound.summaries.apply(session, { ...step, adopted: aCycle() }, LATER),
        );
        await summaries.startAttempt(session, anAttempt());
        const other = { tenantId: 'somebody else', sessionId: session.sessionId };
        deepEqual(await summaries.listItems(other), []);
        await failsWith('STALE', () =>
          store.unitOfWork((bound) => bound.summaries.apply(other, step, LATER)),
        );
        await sessions.delete(session);
        deepEqual(await summaries.listItems(session), []);
        deepEqual(await summaries.listCycles(session), []);
        deepEqual(await summaries.listAttempts(session, 9), []);
      },
    },
  ],
};
