/** What every CompressionRecordRepository promises. */
import { deepEqual } from 'node:assert/strict';
import type { RecordedFragment } from '../../src/domain/skeleton/compression-record.js';
import { type Contract, failsWith } from './contract.js';
import {
  aChild,
  aFragment,
  aRecord,
  aRoot,
  aStoredRoot,
  HARD_IDS,
  LATER,
  newPlanId,
  recorded,
} from './sample-values.js';

export const RECORDS_CONTRACT: Contract = {
  port: 'CompressionRecordRepository',
  rules: [
    {
      rule: 'a record comes back as it was inserted, its lists in order',
      async check(store) {
        const { spawns, records, fragments } = store.repositories;
        const { root } = await aStoredRoot(store);
        const held = HARD_IDS.map((fragmentId, index) =>
          aFragment(root.planId, {
            fragmentId,
            tokenCount: index === 0 ? Number.MAX_SAFE_INTEGER : index,
            relevance: [0, 0.1, 1, 1 / 3, 5e-324][index % 5] ?? 0,
          }),
        );
        await fragments.add(root.planId, held);
        const skipped = held.map((fragment, index) => ({
          ...recorded(fragment),
          reason: index % 2 === 0 ? ('over-budget' as const) : ('superseded' as const),
        }));
        const child = aChild(root);
        const record = aRecord(root, child, {
          ratio: 5e-324,
          ratioOrigin: 'policy',
          skeletonBudget: Number.MAX_SAFE_INTEGER,
          originalTokens: Number.MAX_SAFE_INTEGER,
          compressedTokens: Number.MAX_SAFE_INTEGER - 1,
          kept: held.map(recorded).reverse(),
          skipped,
        });
        await spawns.insert({ child, decisions: [], record }, 1);
        deepEqual(await records.listByChild(child.planId), [record]);
      },
    },
    {
      rule: 'relevances of a pass that scored against the goal are those of the pass',
      async check(store) {
        const { spawns, records, fragments } = store.repositories;
        const { root } = await aStoredRoot(store);
        const held = ['a', 'b'].map((fragmentId) => aFragment(root.planId, { fragmentId }));
        await fragments.add(root.planId, held);
        const scored = held.map((one, index) => ({ ...recorded(one), relevance: index / 3 }));
        const child = aChild(root);
        const record = aRecord(root, child, {
          relevanceSource: 'goal',
          capsuleLeftOut: [
            { section: 'decisions', sourceId: 'd', tokens: 3, reason: 'does-not-fit' },
          ],
          kept: scored.slice(0, 1),
          skipped: scored.slice(1).map((one) => ({ ...one, reason: 'over-budget' as const })),
        });
        await spawns.insert({ child, decisions: [], record }, 1);
        deepEqual(await records.listByChild(child.planId), [record]);
      },
    },
    {
      rule: 'empty lists come back empty',
      async check(store) {
        const { spawns, records } = store.repositories;
        const { root } = await aStoredRoot(store);
        const child = aChild(root);
        const record = aRecord(root, child, {
          ratio: 0,
          ratioOrigin: 'default',
          skeletonBudget: 0,
          originalTokens: 0,
          compressedTokens: 0,
        });
        await spawns.insert({ child, decisions: [], record }, 1);
        deepEqual(await records.listByChild(child.planId), [record]);
        deepEqual(await records.listByChild(root.planId), []);
        deepEqual(await records.listByChild(newPlanId()), []);
      },
    },
    {
      rule: 'the passes of a child are listed oldest first, and one spawn is all it can have',
      async check(store) {
        const { spawns, records, fragments } = store.repositories;
        const { root } = await aStoredRoot(store);
        const child = aChild(root);
        const spawn = aRecord(root, child);
        await spawns.insert({ child, decisions: [], record: spawn }, 1);
        const kept = ['one', 'two'].map((fragmentId) => aFragment(root.planId, { fragmentId }));
        await fragments.add(root.planId, kept);
        const [one, two] = kept.map(recorded) as [RecordedFragment, RecordedFragment];
        const late = aRecord(root, child, { pass: 'recall', kept: [one], createdAt: LATER });
        const later = aRecord(root, child, { pass: 'recall', kept: [two], createdAt: LATER });
        for (const record of [later, late]) await records.insert(record);
        await failsWith('STORE_FAILED', () => records.insert(aRecord(root, child)));
        deepEqual(await records.listByChild(child.planId), [spawn, late, later]);
      },
    },
    {
      rule: 'a record of an unknown child or parent is refused, and an id is taken once',
      async check(store) {
        const { spawns, records } = store.repositories;
        const { project, root } = await aStoredRoot(store);
        const unknown = aRoot(project);
        const [child, sibling] = [aChild(root), aChild(root)];
        const record = aRecord(root, child);
        await spawns.insert({ child, decisions: [], record }, 1);
        const recall = { pass: 'recall' as const };
        await failsWith('STORE_FAILED', () => records.insert(aRecord(root, unknown, recall)));
        await failsWith('STORE_FAILED', () => records.insert(aRecord(unknown, child, recall)));
        const { recordId } = record;
        await failsWith('STORE_FAILED', () =>
          records.insert(aRecord(root, child, { ...recall, recordId })),
        );
        await failsWith('STORE_FAILED', () =>
          spawns.insert({ child: sibling, decisions: [], record: { ...record } }, 1),
        );
        await failsWith('NOT_FOUND', () => store.repositories.plans.get(sibling.planId));
        deepEqual(await records.listByChild(child.planId), [record]);
      },
    },
  ],
};
