/**
 * Every column of every table is written by an insert, read back, and kept or changed by an update as
 * meant. A new column fails the first test until it is stated here.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import type { StoredFragment } from '../../../src/domain/context/accumulated-context.js';
import type { Decision } from '../../../src/domain/plan/decision.js';
import type { Plan } from '../../../src/domain/plan/plan.js';
import type { CompressionRecord } from '../../../src/domain/skeleton/compression-record.js';
import {
  aChild,
  aDecision,
  aFragment,
  aProject,
  aRecord,
  aRoot,
  LATER,
  newDecisionId,
  NOW,
  ratioOf,
  recorded,
} from '../../contracts/sample-values.js';
import type { StoreUnderTest } from '../../contracts/testing.js';
import { connect, rowsOf, storeOf } from '../../support/builders.js';
import { openOnPostgres } from '../../support/stores.js';

type Columns = Readonly<Record<string, unknown>>;

const MAX = Number.MAX_SAFE_INTEGER;

const planColumns = (plan: Plan): Columns => ({
  plan_id: plan.planId,
  project_id: plan.projectId,
  parent_plan_id: plan.parentPlanId,
  root_plan_id: plan.rootPlanId,
  depth: plan.depth,
  name: plan.name,
  goal: plan.goal,
  phase: plan.phase,
  state: plan.state,
  reversions: plan.reversions,
  skeleton_ratio: plan.skeletonRatio,
  skeleton_metadata: plan.skeletonMetadata && {
    ratio: plan.skeletonMetadata.ratio,
    original_tokens: plan.skeletonMetadata.originalTokens,
    compressed_tokens: plan.skeletonMetadata.compressedTokens,
    source_decision_ids: plan.skeletonMetadata.sourceDecisionIds,
  },
  idempotency_key: plan.idempotencyKey,
  version: plan.version,
  created_at: plan.createdAt,
  updated_at: plan.updatedAt,
});

const decisionColumns = (decision: Decision): Columns => ({
  decision_id: decision.decisionId,
  plan_id: decision.planId,
  parent_decision_id: decision.parentDecisionId,
  type: decision.type,
  question: decision.question,
  choice: decision.choice,
  rationale: decision.rationale,
  superseded_by: decision.supersededBy,
  created_at: decision.createdAt,
});

const fragmentColumns = (fragment: StoredFragment): Columns => ({
  plan_id: fragment.planId,
  fragment_id: fragment.fragmentId,
  position: expect.any(Number),
  content: fragment.content,
  content_hash: fragment.contentHash,
  token_count: fragment.tokenCount,
  token_counter: fragment.tokenCounter,
  relevance: fragment.relevance,
  decision_id: fragment.decisionId,
  metadata: fragment.metadata,
  created_at: fragment.createdAt,
});

const recordColumns = (record: CompressionRecord): Columns => ({
  record_id: record.recordId,
  pass: record.pass,
  child_plan_id: record.childPlanId,
  parent_plan_id: record.parentPlanId,
  ratio: record.ratio,
  ratio_origin: record.ratioOrigin,
  relevance_source: record.relevanceSource,
  skeleton_budget: record.skeletonBudget,
  original_tokens: record.originalTokens,
  compressed_tokens: record.compressedTokens,
  kept_plan_ids: record.kept.map(({ planId }) => planId),
  kept_fragment_ids: record.kept.map(({ fragmentId }) => fragmentId),
  kept_relevances: record.kept.map(({ relevance }) => relevance),
  skipped_plan_ids: record.skipped.map(({ planId }) => planId),
  skipped_fragment_ids: record.skipped.map(({ fragmentId }) => fragmentId),
  skipped_relevances: record.skipped.map(({ relevance }) => relevance),
  skipped_reasons: record.skipped.map(({ reason }) => reason),
  created_at: record.createdAt,
});

const project = aProject({ name: `p "q" 'r' \\ 🏗️` });
const root = aRoot(project, { name: 'root', skeletonRatio: ratioOf(0.1), updatedAt: LATER });
const decision = aDecision(root.planId);
const second = aDecision(root.planId, {
  parentDecisionId: decision.decisionId,
  question: 'which?\n',
  rationale: '"because"',
  createdAt: LATER,
});
const child = aChild(root, {
  idempotencyKey: 'NULL',
  skeletonMetadata: {
    ratio: 5e-324,
    originalTokens: MAX,
    compressedTokens: MAX,
    sourceDecisionIds: [newDecisionId()],
  },
});
const fragment = aFragment(root.planId, {
  fragmentId: `{a,"b"}\\NULL`,
  content: 'é\u0301 "\\\n',
  tokenCount: MAX,
  relevance: 5e-324,
  decisionId: decision.decisionId,
  metadata: { nested: [{ 'a"b': null }, 0.1, true], emoji: '🏗️' },
  createdAt: LATER,
});
const others = ['NULL', 'b,c'].map((fragmentId) => aFragment(root.planId, { fragmentId }));
const record = aRecord(root, child, {
  ratio: 0.1,
  relevanceSource: 'goal',
  skeletonBudget: MAX,
  originalTokens: MAX,
  compressedTokens: MAX,
  kept: [{ ...recorded(fragment), relevance: 1 / 3 }],
  skipped: others.map((one, index) => ({
    ...recorded(one),
    relevance: index,
    reason: index === 0 ? ('superseded' as const) : ('over-budget' as const),
  })),
  createdAt: LATER,
});

describe('the columns of the store', () => {
  let close: () => Promise<void>;
  let client: Client;
  let store: StoreUnderTest;

  beforeAll(async () => {
    const opened = await openOnPostgres();
    client = await connect(opened.url);
    close = async () => {
      await client.end();
      await opened.close();
    };
    store = storeOf(opened.core);
    const { projects, policies, plans, spawns, decisions, fragments } = store.repositories;
    await projects.insert(project);
    await policies.setSkeletonRatio(project.projectId, 'execute', ratioOf(5e-324), NOW);
    await plans.insert(root);
    await decisions.insert([decision, second]);
    await fragments.add(root.planId, [fragment, ...others]);
    await spawns.insert({ child, decisions: [], record }, root.version);
  });
  afterAll(() => close());

  /** The row as JSON, with its times as dates. */
  async function storedRow(table: string, key: string, id: string): Promise<Columns> {
    const [row] = await rowsOf<{ readonly row: Columns }>(
      client,
      `select to_jsonb(t) as row from ossature.${table} t where ${key} = $1`,
      [id],
    );
    return Object.fromEntries(
      Object.entries(row?.row ?? {}).map(([column, value]) => [
        column,
        column.endsWith('_at') && typeof value === 'string' ? new Date(value) : value,
      ]),
    );
  }

  const INSERTED: readonly (readonly [string, string, string, Columns])[] = [
    [
      'projects',
      'project_id',
      project.projectId,
      { project_id: project.projectId, name: project.name, created_at: project.createdAt },
    ],
    [
      'context_policies',
      'project_id',
      project.projectId,
      { project_id: project.projectId, view: 'execute', skeleton_ratio: 5e-324, updated_at: NOW },
    ],
    ['plans', 'plan_id', root.planId, planColumns(root)],
    ['plans', 'plan_id', child.planId, planColumns(child)],
    ['decisions', 'decision_id', second.decisionId, decisionColumns(second)],
    ['fragments', 'fragment_id', fragment.fragmentId, fragmentColumns(fragment)],
    ['compression_records', 'record_id', record.recordId, recordColumns(record)],
  ];

  it('are all stated here', async () => {
    const found = await rowsOf<{ readonly column: string }>(
      client,
      // The migrations table is not ours to read or write but by the migrator.
      `select table_name || '.' || column_name as column from information_schema.columns
       where table_schema = 'ossature' and table_name <> 'migrations'`,
    );
    const stated = new Set(
      INSERTED.flatMap(([table, , , columns]) =>
        Object.keys(columns).map((column) => `${table}.${column}`),
      ),
    );
    expect(found.map(({ column }) => column).sort()).toEqual([...stated].sort());
  });

  it('are each given a value that is not null at least once', () => {
    const filled = new Set<string>();
    for (const [table, , , columns] of INSERTED) {
      for (const [column, value] of Object.entries(columns)) {
        if (value !== null) filled.add(`${table}.${column}`);
      }
    }
    const stated = INSERTED.flatMap(([table, , , columns]) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    );
    // Written by the update below; an insert of a superseded decision does not occur.
    expect(stated.filter((column) => !filled.has(column))).toEqual(['decisions.superseded_by']);
  });

  it.each(INSERTED)('of %s hold what was inserted, by %s %s', async (table, key, id, columns) => {
    expect(await storedRow(table, key, id)).toEqual(columns);
  });

  it('come back through the repositories', async () => {
    const { projects, policies, plans, decisions, fragments, records } = store.repositories;
    expect(await projects.get(project.projectId)).toEqual(project);
    expect((await policies.get(project.projectId)).skeletonRatios).toEqual({ execute: 5e-324 });
    expect(await plans.get(root.planId)).toEqual(root);
    expect(await plans.get(child.planId)).toEqual(child);
    expect(await decisions.get(second.decisionId)).toEqual(second);
    expect(await fragments.getMany([fragment])).toEqual([fragment]);
    expect(await records.listByChild(child.planId)).toEqual([record]);
  });

  it('of a plan change by an update where they may, and stay where they must', async () => {
    const moved: Plan = {
      ...child,
      phase: 'apply',
      state: 'applied',
      reversions: 3,
      skeletonRatio: ratioOf(0.1),
      version: child.version + 1,
      updatedAt: LATER,
    };
    await store.repositories.plans.update({
      ...moved,
      goal: 'not written',
      createdAt: LATER,
      skeletonMetadata: null,
      idempotencyKey: null,
    });

    expect(await storedRow('plans', 'plan_id', child.planId)).toEqual(planColumns(moved));
    expect(await store.repositories.plans.get(child.planId)).toEqual(moved);
  });

  it('of a plan but its version and time stay through touches', async () => {
    await store.repositories.plans.touch(root.planId, NOW);
    await store.repositories.plans.touchSubtree(root.planId, NOW);

    expect(await storedRow('plans', 'plan_id', root.planId)).toEqual(
      planColumns({ ...root, version: root.version + 2, updatedAt: NOW }),
    );
  });

  it('of a decision but the one that supersedes it stay through superseding', async () => {
    await store.repositories.decisions.markSuperseded(second.decisionId, decision.decisionId);

    expect(await storedRow('decisions', 'decision_id', second.decisionId)).toEqual(
      decisionColumns({ ...second, supersededBy: decision.decisionId }),
    );
  });

  it('of a policy change by setting it again', async () => {
    await store.repositories.policies.setSkeletonRatio(
      project.projectId,
      'execute',
      ratioOf(0.1),
      LATER,
    );

    expect(await storedRow('context_policies', 'project_id', project.projectId)).toEqual({
      project_id: project.projectId,
      view: 'execute',
      skeleton_ratio: 0.1,
      updated_at: LATER,
    });
  });
});
