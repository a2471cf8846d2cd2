/** Whatever is done, in whatever order, the store in memory and the one on Postgres show the same. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constantFrom,
  nat,
  oneof,
  record,
  tuple,
} from 'fast-check';
import { createOssature, type Ossature, OssatureError } from '../../../src/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

const SEED = 20_260_101;

/** What is done. Numbers choose among what exists by then, around its end. */
type Action =
  | { readonly do: 'create'; readonly name: string | null; readonly ratio: number | null }
  | {
      readonly do: 'import';
      readonly plan: number;
      readonly fragments: readonly (readonly [
        id: string,
        text: string,
        relevance: number,
        tokens: number,
        decision: number,
      ])[];
    }
  | {
      readonly do: 'decide';
      readonly plan: number;
      readonly supersedes: number;
      readonly parent: number;
    }
  | {
      readonly do: 'spawn';
      readonly plan: number;
      readonly ratio: number | null;
      readonly key: string | null;
      readonly goal: string;
    }
  | { readonly do: 'recall'; readonly plan: number; readonly fragment: string }
  | {
      readonly do: 'move';
      readonly plan: number;
      readonly to: 'processing' | 'complete' | 'next-phase' | 'strategize-again';
    }
  | { readonly do: 'policy'; readonly view: string; readonly ratio: number | null };

const ratio = constantFrom(null, 0, 0.15, 0.5, 0.9, 1);
const fragmentId = constantFrom('a', 'b', 'c', 'd', 'A', 'é', 'NULL', '{x}');
const fragment = tuple(
  fragmentId,
  constantFrom('same', 'same', 'same', 'other'),
  constantFrom(0, 0.1, 0.5, 0.5, 1),
  constantFrom(0, 1, 10, 10, 1000),
  nat(12),
);

/** Often one of the first, so that actions meet. */
const somePlan = oneof(nat(1), nat(9));

const action: Arbitrary<Action> = oneof(
  {
    weight: 1,
    arbitrary: record({
      do: constantFrom('create' as const),
      name: constantFrom(null, 'x', 'y'),
      ratio,
    }),
  },
  {
    weight: 4,
    arbitrary: record({
      do: constantFrom('import' as const),
      plan: somePlan,
      fragments: array(fragment, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 3,
    arbitrary: record({
      do: constantFrom('decide' as const),
      plan: somePlan,
      supersedes: nat(4),
      parent: nat(20),
    }),
  },
  {
    weight: 5,
    arbitrary: record({
      do: constantFrom('spawn' as const),
      plan: somePlan,
      ratio,
      key: constantFrom(null, null, 'k'),
      goal: constantFrom('g', 'h'),
    }),
  },
  {
    weight: 4,
    arbitrary: record({
      do: constantFrom('recall' as const),
      plan: somePlan,
      fragment: fragmentId,
    }),
  },
  {
    weight: 2,
    arbitrary: record({
      do: constantFrom('move' as const),
      plan: somePlan,
      to: constantFrom(
        'processing' as const,
        'complete' as const,
        'next-phase' as const,
        'strategize-again' as const,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: record({
      do: constantFrom('policy' as const),
      view: constantFrom('default', 'strategize', 'apply'),
      ratio,
    }),
  },
);

/** One store and what a run has made in it. */
class Run {
  readonly planIds: string[] = [];
  readonly decisionIds: string[] = [];
  constructor(
    private readonly core: Ossature,
    private readonly project: string,
  ) {}

  /** What the caller sees of it: the answer, or the code of the error. */
  async outcomeOf(action: Action): Promise<unknown> {
    try {
      return await this.perform(action);
    } catch (error) {
      if (OssatureError.is(error)) return error.code;
      throw error;
    }
  }

  private plan(index: number): string {
    return this.planIds[index % this.planIds.length] ?? '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  }

  private decision(index: number): string | undefined {
    return this.decisionIds[index];
  }

  private async perform(action: Action): Promise<unknown> {
    const { core } = this;
    switch (action.do) {
      case 'create': {
        const plan = await core.plans.create({
          project: this.project,
          goal: 'go',
          ...(action.name === null ? {} : { name: action.name }),
          ...(action.ratio === null ? {} : { skeletonRatio: action.ratio }),
        });
        this.planIds.push(plan.planId);
        return plan;
      }
      case 'import':
        return core.imports.import(
          this.plan(action.plan),
          action.fragments.map(([id, text, relevance, tokenCount, decision]) => ({
            item: 'fragment',
            fragment: {
              fragmentId: id,
              content: `${text} ${id}`,
              relevance,
              tokenCount,
              decisionId: this.decision(decision) ?? null,
            },
          })),
        );
      case 'decide': {
        const supersedes = this.decision(action.supersedes);
        const parent = this.decision(action.parent);
        const decision = await core.plans.decide(this.plan(action.plan), {
          type: 'strategy_choice',
          choice: 'this',
          ...(supersedes === undefined ? {} : { supersedes: supersedes as never }),
          ...(parent === undefined ? {} : { parentDecisionId: parent as never }),
        });
        this.decisionIds.push(decision.decisionId);
        return decision;
      }
      case 'spawn': {
        const spawned = await core.coordinator.spawnChild(this.plan(action.plan), {
          goal: action.goal,
          ...(action.ratio === null ? {} : { skeletonRatio: action.ratio }),
          ...(action.key === null ? {} : { idempotencyKey: action.key }),
        });
        if (!spawned.repeated) this.planIds.push(spawned.child.planId);
        // Of superseded fragments no order is promised.
        return { ...spawned, skipped: sorted(spawned.skipped), recalled: sorted(spawned.recalled) };
      }
      case 'recall':
        return core.audit.recall(this.plan(action.plan), action.fragment);
      case 'move':
        return core.plans.move(
          this.plan(action.plan),
          action.to === 'next-phase' || action.to === 'strategize-again'
            ? { to: action.to }
            : { to: 'state', state: action.to },
        );
      case 'policy':
        return core.projects.setSkeletonRatio(this.project, action.ratio, action.view);
    }
  }

  /** Everything that can be asked about what the run made. */
  async visible(): Promise<unknown> {
    const { core } = this;
    const plans = [];
    for (const id of this.planIds) {
      const { planId } = await core.plans.get(id);
      const { spawn, dropped } = await core.audit.dropped(planId);
      plans.push({
        status: await core.status.report(planId),
        context: await core.plans.listContext(planId, { offset: 0, limit: 100 }),
        decisions: await core.plans.listDecisions(planId),
        tree: await core.plans.listTree(planId),
        dropped: sorted(dropped),
        spawn: spawn && { ...spawn, skipped: sorted(spawn.skipped) },
      });
    }
    return { plans, policy: await core.projects.explainPolicy(this.project) };
  }
}

function sorted<Value extends { readonly fragmentId: string; readonly planId?: string }>(
  values: readonly Value[],
): readonly Value[] {
  const key = ({ fragmentId: id, planId = '' }: Value): string => `${id}/${planId}`;
  return [...values].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Ids and times that both stores are given alike; several ids share a millisecond. */
function sameEverywhere() {
  let ids = 0;
  let calls = 0;
  return {
    newId: () => {
      ids += 1;
      return `01ARZ3NDEK${String(ids).padStart(16, '0')}`;
    },
    clock: () => {
      calls += 1;
      return new Date(1_700_000_000_000 + Math.floor(calls / 3));
    },
  };
}

describe('the store in memory and the store on Postgres', () => {
  let database: TestDatabase;
  let inMemory: Ossature;
  let onPostgres: Ossature;
  beforeAll(async () => {
    database = await createTestDatabase();
    inMemory = await createOssature({
      store: { kind: 'in-memory' },
      config: { maxDepth: 3 },
      ...sameEverywhere(),
    });
    onPostgres = await createOssature({
      store: { kind: 'url', url: database.url },
      config: { maxDepth: 3 },
      checkSchema: false,
      ...sameEverywhere(),
    });
    await onPostgres.migrate();
  });
  afterAll(async () => {
    await onPostgres.close();
    await database.drop();
  });

  it('answer the same to the same actions and show the same afterwards', async () => {
    let runs = 0;
    const seen = new Map<string, number>();
    await assert(
      asyncProperty(
        array(action, { minLength: 15, maxLength: 40, size: 'max' }),
        async (actions) => {
          runs += 1;
          const project = `project ${runs}`;
          const [one, other] = [new Run(inMemory, project), new Run(onPostgres, project)];
          for (const core of [inMemory, onPostgres]) await core.projects.create(project);
          const first: Action = { do: 'create', name: null, ratio: null };
          for (const each of [first, ...actions]) {
            const outcome = await one.outcomeOf(each);
            expect(await other.outcomeOf(each)).toEqual(outcome);
            const kind = `${each.do} ${typeof outcome === 'string' ? outcome : 'done'}`;
            seen.set(kind, (seen.get(kind) ?? 0) + 1);
          }
          expect(await other.visible()).toEqual(await one.visible());
        },
      ),
      { seed: SEED, numRuns: 20, endOnFailure: true },
    );
    // The runs are worth something only where they reach these.
    for (const reached of [
      'import done',
      'import DUPLICATE_FRAGMENT',
      'import INVALID_FRAGMENT',
      'decide done',
      'decide ILLEGAL_MOVE',
      'spawn done',
      'spawn DEPTH_EXCEEDED',
      'spawn IDEMPOTENCY_CONFLICT',
      'recall done',
      'recall NOT_FOUND',
      'recall ALREADY_EXISTS',
      'create ALREADY_EXISTS',
      'move ILLEGAL_MOVE',
    ]) {
      expect([...seen.keys()]).toContain(reached);
    }
  });
});
