/** What every DecisionRepository promises. */
import { deepEqual } from 'node:assert/strict';
import { type Contract, failsWith } from './contract.js';
import {
  aDecision,
  aStoredRoot,
  HARD_TEXTS,
  LATER,
  newDecisionId,
  newPlanId,
} from './sample-values.js';

export const DECISIONS_CONTRACT: Contract = {
  port: 'DecisionRepository',
  rules: [
    {
      rule: 'decisions come back as they were inserted',
      async check(store) {
        const { decisions } = store.repositories;
        const { root } = await aStoredRoot(store);
        const first = aDecision(root.planId);
        const texts = Object.values(HARD_TEXTS).map((text) =>
          aDecision(root.planId, {
            parentDecisionId: first.decisionId,
            type: 'a_word_of_the_host_2',
            question: text,
            choice: text,
            rationale: text,
            createdAt: LATER,
          }),
        );
        await decisions.insert([first, ...texts]);
        for (const decision of [first, ...texts]) {
          deepEqual(await decisions.get(decision.decisionId), decision);
        }
      },
    },
    {
      rule: 'one insert takes a decision together with its parent, and none is fine',
      async check(store) {
        const { decisions } = store.repositories;
        const { root } = await aStoredRoot(store);
        const parent = aDecision(root.planId);
        const child = aDecision(root.planId, { parentDecisionId: parent.decisionId });
        await decisions.insert([child, parent]);
        await decisions.insert([]);
        deepEqual(await decisions.get(child.decisionId), child);
      },
    },
    {
      rule: 'a known id is ALREADY_EXISTS, and nothing of the same insert is written',
      async check(store) {
        const { decisions } = store.repositories;
        const [one, other] = [await aStoredRoot(store), await aStoredRoot(store)];
        const known = aDecision(one.root.planId);
        const fresh = aDecision(other.root.planId);
        await decisions.insert([known]);
        await failsWith('ALREADY_EXISTS', () =>
          decisions.insert([fresh, { ...known, planId: other.root.planId, choice: 'other' }]),
        );
        deepEqual(await decisions.get(known.decisionId), known);
        await failsWith('NOT_FOUND', () => decisions.get(fresh.decisionId));
      },
    },
    {
      rule: 'a decision of an unknown plan or below an unknown decision is refused',
      async check(store) {
        const { decisions } = store.repositories;
        const { root } = await aStoredRoot(store);
        for (const refused of [
          aDecision(newPlanId()),
          aDecision(root.planId, { parentDecisionId: newDecisionId() }),
        ]) {
          await failsWith('STORE_FAILED', () => decisions.insert([refused]));
          await failsWith('NOT_FOUND', () => decisions.get(refused.decisionId));
        }
      },
    },
    {
      rule: 'many are found at once, each once, without those that do not exist',
      async check(store) {
        const { decisions } = store.repositories;
        const { root } = await aStoredRoot(store);
        const [one, two] = [aDecision(root.planId), aDecision(root.planId)];
        await decisions.insert([one, two]);
        const found = await decisions.findMany([
          two.decisionId,
          newDecisionId(),
          one.decisionId,
          two.decisionId,
        ]);
        deepEqual(
          [...found].sort((a, b) => (a.decisionId < b.decisionId ? -1 : 1)),
          [one, two],
        );
        deepEqual(await decisions.findMany([]), []);
      },
    },
    {
      rule: 'the decisions of a plan are listed oldest first, superseded ones included',
      async check(store) {
        const { decisions } = store.repositories;
        const [one, other] = [await aStoredRoot(store), await aStoredRoot(store)];
        const early = aDecision(one.root.planId);
        const twin = aDecision(one.root.planId);
        const late = aDecision(one.root.planId, { createdAt: LATER });
        await decisions.insert([late, twin, early, aDecision(other.root.planId)]);
        await decisions.markSuperseded(early.decisionId, late.decisionId);
        deepEqual(await decisions.listByPlan(one.root.planId), [
          { ...early, supersededBy: late.decisionId },
          twin,
          late,
        ]);
        deepEqual(await decisions.listByPlan(newPlanId()), []);
      },
    },
    {
      rule: 'superseding an unknown decision, or by an unknown one, is NOT_FOUND',
      async check(store) {
        const { decisions } = store.repositories;
        const { root } = await aStoredRoot(store);
        const known = aDecision(root.planId);
        await decisions.insert([known]);
        await failsWith('NOT_FOUND', () =>
          decisions.markSuperseded(newDecisionId(), known.decisionId),
        );
        await failsWith('NOT_FOUND', () =>
          decisions.markSuperseded(known.decisionId, newDecisionId()),
        );
        deepEqual(await decisions.get(known.decisionId), known);
      },
    },
  ],
};
