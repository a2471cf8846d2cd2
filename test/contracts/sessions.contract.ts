/** What every SessionRepository promises. */
import { deepEqual, equal } from 'node:assert/strict';
import { type Contract, failsWith } from './contract.js';
import { aStoredRoot, HARD_IDS, HARD_TEXTS, LATER, newPlanId, NOW } from './sample-values.js';
import type { KnownSource } from '../../src/domain/session/known-source.js';
import { markedEntry } from '../../src/domain/session/marked-entry.js';
import type { SessionRepository } from '../../src/domain/session/repositories.js';
import type { Session } from '../../src/domain/session/session.js';
import {
  aSession,
  aUsage,
  EVERY_KIND,
  MARKS_AND_LOOKALIKES,
  placed,
  prompts,
} from './session-values.js';

const ALL = { from: 1, to: null };

export const SESSIONS_CONTRACT: Contract = {
  port: 'SessionRepository',
  rules: [
    {
      rule: 'a session comes back as it was inserted, and an insert of the same is none',
      async check({ repositories: { sessions } }) {
        const session = aSession({
          agentName: 'lead “ü” 🚢',
          model: 'NULL',
          projectRoot: 'C:\\new',
          settings: { keep_turns: 8, nested: [{ 'a"b': null }] },
          cycle: 3,
          revision: 4,
          updatedAt: LATER,
        });
        equal(await sessions.insert(session), true);
        equal(await sessions.insert({ ...session, agentName: 'other' }), false);
        deepEqual(await sessions.get(session), session);
        deepEqual(await sessions.find(session), session);
        const twin = aSession({
          tenantId: session.tenantId,
          vendorSessionId: session.vendorSessionId,
        });
        equal(await sessions.insert(twin), false);
        equal(await sessions.find(twin), null);
      },
    },
    {
      rule: 'the vendor’s name finds a session of the tenant and the vendor',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        const { tenantId, vendor, vendorSessionId } = session;
        await sessions.insert(session);
        const named = vendorSessionId ?? '';
        deepEqual(await sessions.findByVendorId(tenantId, vendor, named), session);
        equal(await sessions.findByVendorId(tenantId, 'codex', named), null);
        equal(await sessions.findByVendorId('somebody else', vendor, named), null);
      },
    },
    {
      rule: 'sessions without a name of the vendor stand beside each other',
      async check({ repositories: { sessions } }) {
        const { tenantId } = aSession();
        const two = [1, 2].map(() => aSession({ tenantId, vendorSessionId: null }));
        for (const session of two) equal(await sessions.insert(session), true);
        deepEqual(await sessions.list(tenantId), [...two].reverse());
      },
    },
    {
      rule: 'what belongs to another tenant is not there',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        await sessions.insert(session);
        await sessions.append(session, placed(EVERY_KIND), NOW);
        await sessions.addUsage(session, [aUsage()]);
        const other = { tenantId: 'somebody else', sessionId: session.sessionId };
        equal(await sessions.find(other), null);
        for (const ask of [
          () => sessions.get(other),
          () => sessions.lock(other),
          () => sessions.delete(other),
          () => sessions.setParent(other, session.sessionId, null),
        ]) {
          await failsWith('NOT_FOUND', ask);
        }
        await failsWith('STALE', () => sessions.append(other, prompts(['x'], 11), NOW));
        deepEqual(await sessions.listEntries(other, ALL), []);
        deepEqual(await sessions.listUsage(other), []);
        deepEqual(await sessions.listChildren(other), []);
        deepEqual(await sessions.findKnown(other, ['k1']), []);
        equal((await sessions.findCallUnits(other, ['c1'])).size, 0);
        await sessions.setActive(other, [1], false);
        equal((await sessions.listEntries(session, ALL))[0]?.active, true);
      },
    },
    {
      rule: 'two tenants hold a session of one id each, and neither sees the other’s entries',
      async check({ repositories: { sessions } }) {
        const mine = aSession();
        const theirs = { ...mine, tenantId: `${mine.tenantId}, another` };
        for (const session of [mine, theirs]) equal(await sessions.insert(session), true);
        await sessions.append(mine, prompts(['shared', 'mine']), NOW);
        await sessions.append(theirs, prompts(['shared']), NOW);
        equal((await sessions.get(theirs)).lastSeq, 1);
        await sessions.delete(theirs);
        equal((await sessions.listEntries(mine, ALL)).length, 2);
      },
    },
    {
      rule: 'entries of every kind come back as they were, arguments in their order',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        const entries = placed(EVERY_KIND);
        await sessions.insert(session);
        await sessions.append(session, entries, LATER);
        const stored = await sessions.listEntries(session, ALL);
        deepEqual(stored, entries);
        equal(JSON.stringify(stored[3]).includes('{"z":[1,0.1'), true);
        deepEqual(await sessions.get(session), {
          ...session,
          lastSeq: entries.length,
          lastTurn: 1,
          updatedAt: LATER,
        });
      },
    },
    {
      rule: 'texts come back word for word, whatever they hold, and equal ones are no fault',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        const texts = [...Object.values(HARD_TEXTS), ...Object.values(HARD_TEXTS)];
        await sessions.insert(session);
        await sessions.append(session, prompts(texts), NOW);
        const stored = await sessions.listEntries(session, ALL);
        deepEqual(
          stored.map(({ content }) => content),
          texts,
        );
      },
    },
    {
      rule: 'entries are listed by range and kind, in order',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        const entries = placed(EVERY_KIND);
        await sessions.insert(session);
        await sessions.append(session, entries, NOW);
        deepEqual(await sessions.listEntries(session, { from: 3, to: 4 }), entries.slice(2, 4));
        deepEqual(await sessions.listEntries(session, { from: 10, to: null }), entries.slice(9));
        deepEqual(await sessions.listEntries(session, { from: 99, to: null }), []);
        deepEqual(
          await sessions.listEntries(session, ALL, ['tool_call', 'summary']),
          entries.filter(({ kind }) => kind === 'tool_call' || kind === 'summary'),
        );
        deepEqual(await sessions.listEntriesAt(session, [9, 99, 3]), [entries[2], entries[8]]);
        deepEqual(await sessions.listEntriesAt(session, []), []);
        const hashes = entries.map(({ contentHash }) => contentHash);
        deepEqual(await sessions.listHashes(session, ALL), hashes);
        deepEqual(await sessions.listHashes(session, { from: 3, to: 7 }), hashes.slice(2, 7));
        deepEqual(await sessions.listHashes(session, { from: 99, to: null }), []);
      },
    },
    {
      rule: 'marks are those of the entries, whatever their fields hold',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        const entries = placed(MARKS_AND_LOOKALIKES);
        await sessions.insert(session);
        await sessions.append(session, entries, NOW);
        const marks = entries.map(markedEntry);
        deepEqual(await sessions.listMarks(session, ALL), marks);
        deepEqual(await sessions.listMarks(session, { from: 3, to: 7 }), marks.slice(2, 7));
        deepEqual(await sessions.listMarks(session, { from: 5, to: null }), marks.slice(4));
        deepEqual(await sessions.listMarks(session, { from: entries.length + 1, to: null }), []);
        deepEqual(await sessions.listMarks(aSession(), ALL), []);
        await sessions.setActive(session, [2], false);
        equal((await sessions.listMarks(session, { from: 2, to: 2 }))[0]?.active, false);
        const other = { name: 'letters', version: '2' };
        const counts = entries.map(({ seq }) => ({ seq, tokenCount: 2 ** 40 + seq }));
        await sessions.addCounts(session, other, counts);
        await sessions.setCounter(session, other);
        deepEqual(
          (await sessions.listMarks(session, ALL)).map(({ tokenCount }) => tokenCount),
          counts.map(({ tokenCount }) => tokenCount),
        );
      },
    },
    {
      rule: 'rulings are listed in order up to an entry, and entries behind one are summed',
      async check(store) {
        const { sessions } = store.repositories;
        const session = aSession();
        await sessions.insert(session);
        const entries = placed(EVERY_KIND);
        await sessions.append(session, entries, LATER);
        const ruled = entries.filter((entry) => entry.kind === 'tool_result' && entry.ruling);
        equal(ruled.length > 0, true);
        deepEqual(await sessions.listRulings(session, entries.length), ruled);
        deepEqual(await sessions.listRulings(session, (ruled[0]?.seq ?? 1) - 1), []);
        const active = entries.filter((entry) => entry.active && entry.seq > 2);
        deepEqual(await sessions.sumEntries(session, 2), {
          entries: active.length,
          tokens: active.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
          largestTokens: Math.max(...active.map(({ tokenCount }) => tokenCount)),
          turns: 1,
        });
        const nothing = { entries: 0, tokens: 0, largestTokens: 0, turns: 0 };
        deepEqual(await sessions.sumEntries(session, entries.length), nothing);
      },
    },
    {
      rule: 'a long session has the marks, hashes and sums of its entries, whatever is changed of them',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        await sessions.insert(session);
        for (const count of [500, 11, 1, 700, 1, 340]) await grow(sessions, session, count);
        await requireMarksOfEntries(sessions, session);
        await sessions.setActive(session, [1, 2, 600, 1_040, 1_500], false);
        await requireMarksOfEntries(sessions, session);
        await grow(sessions, session, 500);
        const all = await sessions.listEntries(session, ALL);
        const wholeBlock = all.filter(({ seq }) => seq > 1_024 && seq <= 1_536);
        await sessions.setActive(
          session,
          wholeBlock.map(({ seq }) => seq),
          false,
        );
        await grow(sessions, session, 520);
        await requireMarksOfEntries(sessions, session);
        await sessions.setActive(session, [1_100, 1_500], true);
        const other = { name: 'letters', version: '2' };
        const counts = all.map(({ seq }) => ({ seq, tokenCount: 7 * seq }));
        await sessions.addCounts(session, other, counts);
        await requireMarksOfEntries(sessions, session);
        await sessions.setCounter(session, other);
        await requireMarksOfEntries(sessions, session);
        await grow(sessions, session, 600);
        await requireMarksOfEntries(sessions, session);
      },
    },
    {
      rule: 'entries go on from the last one, or the session has moved on',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        await sessions.insert(session);
        await sessions.append(session, prompts(['one', 'two']), NOW);
        await sessions.append(session, prompts(['three'], 2), NOW);
        await failsWith('STALE', () => sessions.append(session, prompts(['again'], 2), NOW));
        await failsWith('STALE', () => sessions.append(session, prompts(['gap'], 5), NOW));
        await failsWith('STALE', () => sessions.append(aSession(), prompts(['nobody’s']), NOW));
        await sessions.append(session, [], NOW);
        const stored = await sessions.listEntries(session, ALL);
        deepEqual(
          stored.map(({ content }) => content),
          ['one', 'two', 'three'],
        );
      },
    },
    {
      rule: 'a key is taken once in a session, and an append is all or nothing',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        await sessions.insert(session);
        await sessions.append(session, prompts(['one']), NOW);
        const twins = prompts(['two', 'three'], 1).map((entry) => ({ ...entry, sourceKey: 'k' }));
        await failsWith('STORE_FAILED', () => sessions.append(session, twins, NOW));
        equal((await sessions.get(session)).lastSeq, 1);
        equal((await sessions.listEntries(session, ALL)).length, 1);
      },
    },
    {
      rule: 'known keys are told with their prints, the others are absent',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        const entries = prompts(HARD_IDS).map((entry, index) => ({
          ...entry,
          sourceKey: (HARD_IDS[index] ?? '').slice(0, 500),
        }));
        await sessions.insert(session);
        await sessions.append(session, entries, NOW);
        const known = await sessions.findKnown(session, [
          ...entries.map(({ sourceKey }) => sourceKey),
          'unknown',
        ]);
        deepEqual(
          [...known].sort((a, b) => a.seq - b.seq),
          entries.map(({ sourceKey, seq, entryPrint, active }) => ({
            sourceKey,
            seq,
            entryPrint,
            active,
          })),
        );
        deepEqual(await sessions.findKnown(session, []), []);
      },
    },
    {
      rule: 'units of calls are found by call id, of an id used twice the later one',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        await sessions.insert(session);
        const entries = placed([...EVERY_KIND, ...EVERY_KIND.slice(3, 4)]);
        await sessions.append(session, entries, NOW);
        deepEqual(
          await sessions.findCallUnits(session, ['c1', 'c2', 'c3']),
          new Map([
            ['c2', 'unit 5'],
            ['c1', 'unit 12'],
          ]),
        );
        equal((await sessions.findCallUnits(session, [])).size, 0);
      },
    },
    {
      rule: 'entries are marked as rewound and taken up again, and nothing else of them changes',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        const entries = prompts(['one', 'two', 'three']);
        await sessions.insert(session);
        await sessions.append(session, entries, NOW);
        await sessions.setActive(session, [2, 3, 99], false);
        await sessions.setActive(session, [3], true);
        deepEqual(
          await sessions.listEntries(session, ALL),
          entries.map((entry) => ({ ...entry, active: entry.seq !== 2 })),
        );
      },
    },
    {
      rule: 'children are listed oldest first; an unknown parent is not found',
      async check({ repositories: { sessions } }) {
        const parent = aSession();
        const { tenantId } = parent;
        const late = aSession({ tenantId, createdAt: LATER });
        const early = aSession({ tenantId });
        for (const session of [parent, late, early]) await sessions.insert(session);
        const entryId: string = newPlanId();
        await sessions.setParent(late, parent.sessionId, entryId);
        await sessions.setParent(early, parent.sessionId, null);
        deepEqual(await sessions.listChildren(parent), [
          { ...early, parentSessionId: parent.sessionId },
          { ...late, parentSessionId: parent.sessionId, parentEntryId: entryId },
        ]);
        await failsWith('NOT_FOUND', () => sessions.setParent(early, newPlanId(), null));
      },
    },
    {
      rule: 'a session serves the first plan that it is given',
      async check(store) {
        const { sessions } = store.repositories;
        const [first, second] = [await aStoredRoot(store), await aStoredRoot(store)];
        const session = aSession();
        await sessions.insert(session);
        await sessions.setPlan(session, first.root.planId);
        await sessions.setPlan(session, second.root.planId);
        deepEqual(await sessions.get(session), { ...session, planId: first.root.planId });
        await failsWith('NOT_FOUND', () =>
          sessions.setPlan({ ...session, tenantId: 'another' }, first.root.planId),
        );
      },
    },
    {
      rule: 'usage is kept once a key and listed by key',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        await sessions.insert(session);
        const [b, a] = [aUsage({ usageKey: 'b' }), aUsage({ usageKey: 'B', model: null })];
        await sessions.addUsage(session, [b, a]);
        await sessions.addUsage(session, [aUsage({ usageKey: 'b', outputTokens: 1 })]);
        deepEqual(await sessions.listUsage(session), [a, b]);
        await sessions.addUsage(session, [
          aUsage({ usageKey: 'b', outputTokens: 99, cachedInputTokens: 0, seq: 9 }),
          aUsage({ usageKey: 'B', outputTokens: 1 }),
        ]);
        deepEqual(await sessions.listUsage(session), [a, { ...b, outputTokens: 99 }]);
        await failsWith('STORE_FAILED', () => sessions.addUsage(aSession(), [b]));
      },
    },
    {
      rule: 'the model of the last entry that has one is the session’s',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        await sessions.insert(session);
        const [first, second, third] = prompts(['a', 'b', 'c']);
        if (first === undefined || second === undefined || third === undefined) return;
        await sessions.append(session, [first, { ...second, model: 'large' }, third], NOW);
        equal((await sessions.get(session)).model, 'large');
        await sessions.append(session, prompts(['d'], 3), NOW);
        equal((await sessions.get(session)).model, 'large');
      },
    },
    {
      rule: 'bytes of media are kept apart, once a tenant, and given to sessions that name them',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        const other = aSession({ tenantId: session.tenantId });
        for (const one of [session, other]) await sessions.insert(one);
        const long = Buffer.alloc(300, 7).toString('base64');
        const medium = { mediaHash: 'e'.repeat(64), data: long };
        const picture = EVERY_KIND.find(({ kind }) => kind === 'attachment');
        if (picture === undefined) throw new Error('There is no attachment among the kinds.');
        const [entry] = placed([{ ...picture, mediaHash: medium.mediaHash } as typeof picture]);
        if (entry === undefined) throw new Error('Nothing was placed.');
        await failsWith('STALE', () => sessions.append(session, [entry], NOW));
        await sessions.addMedia(session, [medium]);
        await sessions.addMedia(session, [medium]);
        await sessions.append(session, [entry], NOW);
        deepEqual(await sessions.listEntries(session, ALL), [entry]);
        const wanted = [medium.mediaHash, 'f'.repeat(64)];
        deepEqual([...(await sessions.findMedia(session, wanted))], [[medium.mediaHash, long]]);
        equal((await sessions.findMedia(other, wanted)).size, 0);
        await sessions.delete(session);
        equal((await sessions.findMedia(session, wanted)).size, 0);
      },
    },
    {
      rule: 'the last source of a session is found by its beginning, in its tenant',
      async check({ repositories: { sessions } }) {
        const [session, other] = [aSession(), aSession({ tenantId: 'another, of a source' })];
        for (const one of [session, other]) {
          await sessions.insert(one);
          await sessions.append(one, prompts(['a', 'b']), NOW);
        }
        const source = aSource(session.sessionId);
        const { headPrint } = source;
        await sessions.keepSource(session, { ...source, headPrint: 'e'.repeat(64), sessions: 3 });
        await sessions.keepSource(session, source);
        deepEqual(await sessions.findSources(session.tenantId, headPrint), [source]);
        deepEqual(await sessions.findSources(session.tenantId, 'e'.repeat(64)), []);
        deepEqual(await sessions.findSources(other.tenantId, headPrint), []);
      },
    },
    {
      rule: 'a source is not kept of a session that has moved on, and goes with marks and with the session',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        await sessions.insert(session);
        await sessions.append(session, prompts(['a', 'b']), NOW);
        const source = aSource(session.sessionId);
        const find = () => sessions.findSources(session.tenantId, source.headPrint);
        await sessions.keepSource(session, { ...source, lastSeq: 1 });
        deepEqual(await find(), []);
        await sessions.keepSource(session, source);
        await sessions.setActive(session, [1], false);
        deepEqual(await find(), []);
        await sessions.keepSource(session, source);
        await sessions.delete(session);
        deepEqual(await find(), []);
      },
    },
    {
      rule: 'counts by another counter stand beside the old ones, and are given once it is the session’s',
      async check({ repositories: { sessions } }) {
        const session = aSession();
        await sessions.insert(session);
        await sessions.append(session, prompts(['a', 'b']), NOW);
        const other = { name: 'letters', version: '2' };
        const countsOf = async () =>
          (await sessions.listEntries(session, ALL)).map(({ tokenCount }) => tokenCount);
        const recounted = [70, 80].map((tokenCount, index) => ({ seq: index + 1, tokenCount }));
        await sessions.addCounts(session, other, recounted);
        deepEqual(await countsOf(), [1, 2]);
        await sessions.setCounter(session, other);
        deepEqual(await countsOf(), [70, 80]);
        const { counterName, counterVersion } = await sessions.get(session);
        deepEqual([counterName, counterVersion], ['letters', '2']);
        await sessions.append(session, prompts(['c'], 2), NOW);
        deepEqual(await countsOf(), [70, 80, 3]);
        await failsWith('NOT_FOUND', () => sessions.setCounter(aSession(), other));
      },
    },
    {
      rule: 'a session goes with everything of it; its children and the texts of others stay',
      async check({ repositories: { sessions, trails } }) {
        const session = aSession();
        const { tenantId } = session;
        const child = aSession({ tenantId });
        for (const one of [session, child]) await sessions.insert(one);
        await sessions.append(session, prompts(['shared', 'own']), NOW);
        await sessions.append(child, prompts(['shared']), NOW);
        await sessions.addUsage(session, [aUsage()]);
        await sessions.setParent(child, session.sessionId, null);

        await sessions.delete(session);

        equal(await sessions.find(session), null);
        deepEqual(await sessions.listEntries(session, ALL), []);
        deepEqual(await sessions.listUsage(session), []);
        equal((await trails.read(session)).artifacts.size, 0);
        const { lastSeq, lastTurn } = await sessions.get(child);
        deepEqual(await sessions.get(child), { ...child, lastSeq, lastTurn });
        equal((await sessions.listEntries(child, ALL))[0]?.content, 'shared');
        await failsWith('NOT_FOUND', () => sessions.delete(session));
        equal(await sessions.insert(session), true);
      },
    },
    {
      rule: 'the sessions of plans are listed newest first',
      async check(store) {
        const { sessions } = store.repositories;
        const { root } = await aStoredRoot(store);
        const planId: string = root.planId;
        const [early, late] = [aSession({ planId }), aSession({ planId, createdAt: LATER })];
        for (const session of [late, early, aSession()]) await sessions.insert(session);
        deepEqual(await sessions.listByPlans([planId, newPlanId()]), [late, early]);
        deepEqual(await sessions.listByPlans([]), []);
      },
    },
    {
      rule: 'a session of an unknown project, plan or parent is refused',
      async check({ repositories: { sessions } }) {
        for (const given of [
          { projectId: newPlanId() },
          { planId: newPlanId() },
          { parentSessionId: newPlanId() },
        ]) {
          await failsWith('STORE_FAILED', () => sessions.insert(aSession(given)));
        }
      },
    },
    {
      rule: 'of two that append to one session at once, one waits for the other',
      async check({ repositories: { sessions }, unitOfWork }) {
        const session = aSession();
        await sessions.insert(session);
        const append = (text: string): Promise<void> =>
          unitOfWork(async (bound) => {
            const { lastSeq } = await bound.sessions.lock(session);
            await bound.sessions.append(
              session,
              prompts([text], lastSeq).map((entry) => ({ ...entry, turn: 1 })),
              NOW,
            );
          });
        await Promise.all(['a', 'b', 'c', 'd'].map(append));
        const stored = await sessions.listEntries(session, ALL);
        deepEqual(
          stored.map(({ seq }) => seq),
          [1, 2, 3, 4],
        );
      },
    },
  ],
};

/** Appends so many entries, in turns of thirty. */
async function grow(sessions: SessionRepository, session: Session, count: number): Promise<void> {
  const { lastSeq } = await sessions.get(session);
  const kinds = Array.from(
    { length: count },
    (_, index) => EVERY_KIND[(lastSeq + index) % EVERY_KIND.length] ?? EVERY_KIND[0],
  );
  const entries = placed(
    kinds.flatMap((entry) => entry ?? []),
    lastSeq,
  );
  await sessions.append(
    session,
    entries.map((entry) => ({ ...entry, turn: Math.ceil(entry.seq / 30) })),
    NOW,
  );
}

async function requireMarksOfEntries(sessions: SessionRepository, session: Session): Promise<void> {
  const entries = await sessions.listEntries(session, ALL);
  const last = entries.length;
  const ends = [
    [1, null],
    [2, last],
    [512, 513],
    [513, 1_024],
    [600, null],
    [1_025, last - 1],
  ] as const;
  for (const [from, to] of ends) {
    const own = entries.filter(({ seq }) => seq >= from && seq <= (to ?? last));
    deepEqual(await sessions.listMarks(session, { from, to }), own.map(markedEntry));
    const hashes = own.map(({ contentHash }) => contentHash);
    deepEqual(await sessions.listHashes(session, { from, to }), hashes);
  }
  for (const behind of [0, 1, 511, 512, 1_030, last - 1, last]) {
    const own = entries.filter(({ active, seq }) => active && seq > behind);
    deepEqual(await sessions.sumEntries(session, behind), {
      entries: own.length,
      tokens: own.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
      largestTokens: own.reduce((most, { tokenCount }) => Math.max(most, tokenCount), 0),
      turns: new Set(own.map(({ turn }) => turn)).size,
    });
  }
}

function aSource(sessionId: string): KnownSource {
  return {
    sessionId,
    headPrint: 'a'.repeat(64),
    sourcePrint: 'b'.repeat(64),
    position: 1,
    sessions: 2,
    lastSeq: 2,
    receipt: { lines: 3, problems: { total: 1, first: [{ reason: 'glued', ids: ['“ü”'] }] } },
  };
}
