/** What every FragmentRepository promises. */
import { deepEqual, equal } from 'node:assert/strict';
import type { ContextEntry, StoredFragment } from '../../src/domain/context/accumulated-context.js';
import type { RecordedFragment } from '../../src/domain/skeleton/compression-record.js';
import { type Contract, failsWith } from './contract.js';
import {
  aDecision,
  aFragment,
  aRecord,
  aStoredChild,
  aStoredRoot,
  entryOf,
  HARD_IDS,
  HARD_TEXTS,
  LATER,
  newDecisionId,
  newPlanId,
  recorded,
} from './sample-values.js';

const EVERYTHING = { offset: 0, limit: 1_000 };

const idsOf = (fragments: readonly { readonly fragmentId: string }[]): readonly string[] =>
  fragments.map(({ fragmentId }) => fragmentId);

const sorted = (entries: readonly ContextEntry[]): readonly ContextEntry[] =>
  [...entries].sort((a, b) => (a.fragmentId < b.fragmentId ? -1 : 1));

export const FRAGMENTS_CONTRACT: Contract = {
  port: 'FragmentRepository',
  rules: [
    {
      rule: 'fragments come back as they were added, whatever their texts',
      async check(store) {
        const { fragments, decisions } = store.repositories;
        const { root } = await aStoredRoot(store);
        const decision = aDecision(root.planId);
        await decisions.insert([decision]);
        const given = Object.entries(HARD_TEXTS).map(([fragmentId, content]) =>
          aFragment(root.planId, {
            fragmentId,
            content,
            decisionId: decision.decisionId,
            tokenCounter: content.slice(0, 100),
            createdAt: LATER,
            metadata: {
              [content.slice(0, 100)]: content.slice(0, 1_000),
              deep: [[{}], null, -1.5e-7],
            },
          }),
        );
        deepEqual(await fragments.add(root.planId, given), idsOf(given));
        for (const fragment of given) deepEqual(await fragments.getMany([fragment]), [fragment]);
        deepEqual(
          await fragments.listItems(root.planId, EVERYTHING),
          given.map((fragment) => ({ ...fragment, origin: 'own', superseded: false })),
        );
      },
    },
    {
      rule: 'numbers and absent values come back as they were added, to their extremes',
      async check(store) {
        const { fragments } = store.repositories;
        const { root } = await aStoredRoot(store);
        const numbers: Partial<StoredFragment>[] = [
          { tokenCount: 0, relevance: 0, tokenCounter: null },
          { tokenCount: Number.MAX_SAFE_INTEGER, relevance: 5e-324 },
          { relevance: 0.1, createdAt: new Date('1901-12-13T20:45:51.999Z') },
          { relevance: 1 - Number.EPSILON / 2, createdAt: new Date(0) },
          { relevance: 1 / 3, createdAt: new Date('9999-12-31T23:59:59.999Z') },
          { relevance: 1, metadata: {} },
        ];
        const given = numbers.map((each, index) =>
          aFragment(root.planId, { fragmentId: `n${index}`, ...each }),
        );
        await fragments.add(root.planId, given);
        deepEqual(await fragments.getMany(given), given);
        deepEqual(
          sorted(await fragments.listEntries(root.planId)),
          given.map((fragment) => entryOf(fragment)),
        );
      },
    },
    {
      rule: 'ids are compared by code unit, each its own',
      async check(store) {
        const { fragments } = store.repositories;
        const { root } = await aStoredRoot(store);
        const given = HARD_IDS.map((fragmentId, index) =>
          aFragment(root.planId, { fragmentId, content: `text ${index}` }),
        );
        deepEqual(await fragments.add(root.planId, given), HARD_IDS);
        deepEqual(await fragments.getMany(given), given);
        deepEqual(
          await fragments.findHashes(root.planId, HARD_IDS),
          new Map(given.map(({ fragmentId, contentHash }) => [fragmentId, contentHash])),
        );
        const child = await aStoredChild(store, root, given);
        deepEqual(idsOf(await fragments.listItems(child.planId, EVERYTHING)), HARD_IDS);
      },
    },
    {
      rule: 'what was given may change afterwards; what is stored does not',
      async check(store) {
        const { fragments } = store.repositories;
        const { root } = await aStoredRoot(store);
        const metadata = { kind: 'speech', turns: [1] };
        const createdAt = new Date(LATER);
        await fragments.add(root.planId, [aFragment(root.planId, { metadata, createdAt })]);
        metadata.kind = 'changed';
        metadata.turns.push(2);
        createdAt.setTime(0);
        const [stored] = await fragments.getMany([{ planId: root.planId, fragmentId: 'f' }]);
        deepEqual(stored?.metadata, { kind: 'speech', turns: [1] });
        deepEqual(stored?.createdAt, LATER);
      },
    },
    {
      rule: 'a known id is left as it is, whatever its content; the same id in another plan is another fragment',
      async check(store) {
        const { fragments } = store.repositories;
        const [one, other] = [await aStoredRoot(store), await aStoredRoot(store)];
        const first = aFragment(one.root.planId, { fragmentId: 'a' });
        await fragments.add(one.root.planId, [first]);
        const again = aFragment(one.root.planId, { fragmentId: 'a', content: 'other' });
        const fresh = aFragment(one.root.planId, { fragmentId: 'b' });
        deepEqual(await fragments.add(one.root.planId, [again, fresh, fresh]), ['b']);
        deepEqual(await fragments.add(one.root.planId, []), []);
        const cousin = aFragment(other.root.planId, { fragmentId: 'a', content: 'third' });
        deepEqual(await fragments.add(other.root.planId, [cousin]), ['a']);
        deepEqual(await fragments.getMany([first, cousin]), [first, cousin]);
      },
    },
    {
      rule: 'hundreds in one call keep their order',
      async check(store) {
        const { fragments } = store.repositories;
        const { root } = await aStoredRoot(store);
        const given = Array.from({ length: 451 }, (_, index) =>
          aFragment(root.planId, { fragmentId: `f${(index * 7919) % 451}` }),
        );
        deepEqual(await fragments.add(root.planId, given), idsOf(given));
        deepEqual(idsOf(await fragments.listItems(root.planId, EVERYTHING)), idsOf(given));
        deepEqual(
          idsOf(await fragments.listItems(root.planId, { offset: 200, limit: 3 })),
          idsOf(given.slice(200, 203)),
        );
        deepEqual(await fragments.listItems(root.planId, { offset: 451, limit: 3 }), []);
        deepEqual(await fragments.listItems(root.planId, { offset: 0, limit: 0 }), []);
      },
    },
    {
      rule: 'fragments of an unknown plan or decision are refused',
      async check(store) {
        const { fragments } = store.repositories;
        const { root } = await aStoredRoot(store);
        const unknown = newPlanId();
        await failsWith('STORE_FAILED', () => fragments.add(unknown, [aFragment(unknown)]));
        await failsWith('STORE_FAILED', () =>
          fragments.add(root.planId, [aFragment(root.planId, { decisionId: newDecisionId() })]),
        );
        deepEqual(await fragments.listEntries(root.planId), []);
      },
    },
    {
      rule: 'an unknown plan has no context; an unknown reference is NOT_FOUND',
      async check(store) {
        const { fragments } = store.repositories;
        const { root } = await aStoredRoot(store);
        const known = aFragment(root.planId);
        await fragments.add(root.planId, [known]);
        const unknown = newPlanId();
        deepEqual(await fragments.listEntries(unknown), []);
        deepEqual(await fragments.listItems(unknown, EVERYTHING), []);
        deepEqual(await fragments.findHashes(unknown, ['f']), new Map());
        deepEqual(await fragments.findHashes(root.planId, ['g']), new Map());
        deepEqual(await fragments.getMany([]), []);
        await failsWith('NOT_FOUND', () =>
          fragments.getMany([known, { planId: root.planId, fragmentId: 'g' }]),
        );
        await failsWith('NOT_FOUND', () =>
          fragments.getMany([{ planId: unknown, fragmentId: known.fragmentId }]),
        );
      },
    },
    {
      rule: 'whole fragments come in order of import, in whatever order they are asked for',
      async check(store) {
        const { fragments } = store.repositories;
        const [one, other] = [await aStoredRoot(store), await aStoredRoot(store)];
        const given = [
          aFragment(one.root.planId, { fragmentId: 'z' }),
          aFragment(other.root.planId, { fragmentId: 'm' }),
          aFragment(one.root.planId, { fragmentId: 'a' }),
        ];
        for (const fragment of given) await fragments.add(fragment.planId, [fragment]);
        deepEqual(await fragments.getMany([...given].reverse()), given);
      },
    },
    {
      rule: 'an accumulated context is what a plan holds and what its passes kept, in that order',
      async check(store) {
        const { fragments, records } = store.repositories;
        const { root } = await aStoredRoot(store);
        const held = ['a', 'b', 'c'].map((fragmentId) => aFragment(root.planId, { fragmentId }));
        const [a, b, c] = held as [StoredFragment, StoredFragment, StoredFragment];
        await fragments.add(root.planId, held);
        const child = await aStoredChild(store, root, [c, a]);
        const own = aFragment(child.planId, { fragmentId: 'own' });
        await fragments.add(child.planId, [own]);
        await records.insert(
          aRecord(root, child, { pass: 'recall', kept: [recorded(b)], createdAt: LATER }),
        );

        const items = await fragments.listItems(child.planId, EVERYTHING);
        deepEqual(
          items.map(({ fragmentId, planId, origin }) => [fragmentId, planId, origin]),
          [
            ['own', child.planId, 'own'],
            ['c', root.planId, 'inherited'],
            ['a', root.planId, 'inherited'],
            ['b', root.planId, 'inherited'],
          ],
        );
        deepEqual(idsOf(await fragments.listItems(child.planId, { offset: 1, limit: 2 })), [
          'c',
          'a',
        ]);
        deepEqual(
          sorted(await fragments.listEntries(child.planId)),
          [a, b, c, own].map((fragment) => entryOf(fragment)),
        );
        deepEqual(
          await fragments.findHashes(child.planId, ['a', 'own']),
          new Map([['own', own.contentHash]]),
        );
      },
    },
    {
      rule: 'entries say what was superseded and what this plan’s children had to recall, and hold no text',
      async check(store) {
        const { fragments, decisions, records } = store.repositories;
        const { root } = await aStoredRoot(store);
        const [old, next] = [aDecision(root.planId), aDecision(root.planId)];
        await decisions.insert([old, next]);
        const held = [
          aFragment(root.planId, { fragmentId: 'live', decisionId: next.decisionId }),
          aFragment(root.planId, { fragmentId: 'old', decisionId: old.decisionId }),
        ];
        const [live, stale] = held as [StoredFragment, StoredFragment];
        await fragments.add(root.planId, held);
        await decisions.markSuperseded(old.decisionId, next.decisionId);
        const kept: readonly RecordedFragment[] = [recorded(stale)];
        for (let count = 0; count < 2; count += 1) {
          const child = await aStoredChild(store, root, [live]);
          await records.insert(aRecord(root, child, { pass: 'recall', kept }));
          deepEqual(sorted(await fragments.listEntries(child.planId)), [
            entryOf(live),
            entryOf(stale, { superseded: true }),
          ]);
        }
        const entries = sorted(await fragments.listEntries(root.planId));
        deepEqual(entries, [entryOf(live), entryOf(stale, { superseded: true, recalls: 2 })]);
        equal(JSON.stringify(entries).includes(live.content), false);
        const items = await fragments.listItems(root.planId, EVERYTHING);
        deepEqual(
          items.map(({ superseded }) => superseded),
          [false, true],
        );
      },
    },
  ],
};
