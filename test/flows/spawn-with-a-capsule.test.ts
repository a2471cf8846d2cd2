/** A child gets a capsule of its parent's session: with it or not at all, and nothing left out unnamed. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { aRootWith, storeOf } from '../support/builders.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const EXAMPLE = readFileSync(resolve('examples/session.jsonl'), 'utf8');
const [reader] = transcriptReaders(sha256, createEstimateCounter());
const RULE = 'Never log a password, not even hashed.';

describe.each(Object.keys(STORES))('a spawn with a session %s', (name) => {
  let opened: OpenedCore;
  let tenants = 0;
  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  /** A root with a session of its own tenant, in which one rule is pinned. */
  async function aRootWithSession() {
    if (reader === undefined) throw new Error('no reader');
    tenants += 1;
    const tenantId = `tenant ${tenants}`;
    const { core } = opened;
    const planId = await aRootWith(core, 'a:0.9:10', 'b:0.1:10');
    const source = memorySource(EXAMPLE);
    const [receipt] = await core.sessions.ingestion.import({
      tenantId,
      source,
      reader,
      redact,
      planId,
    });
    const session = { tenantId, sessionId: receipt?.sessionId ?? '' };
    const { itemNo } = await core.sessions.summaries.pin({ ...session, text: RULE, redact });
    return { planId, session, itemNo: itemNo ?? 0 };
  }

  it('gives the child mission, constraints, decisions and artifacts, and names what it leaves out', async () => {
    const { planId, session } = await aRootWithSession();
    const { core } = opened;
    const goal = 'Review how reset tokens are stored';
    const request = { goal, ...session, capsuleTokens: 600 };
    const planned = await core.coordinator.previewSpawn(planId, request);
    const spawned = await core.coordinator.spawnChild(planId, request);
    if (spawned.outcome !== 'spawned' || planned.outcome !== 'planned')
      throw new Error('too large');

    const { child, capsule, capsuleLeftOut } = spawned;
    expect(planned.capsule).toEqual(capsule);
    expect(capsule?.tokens).toBeLessThanOrEqual(600);
    expect(capsule?.items[0]).toMatchObject({ section: 'mission', text: goal });
    const sections = new Set(capsule?.items.map(({ section }) => section));
    expect(sections).toEqual(
      new Set(['mission', 'constraints', 'decisions', 'errors', 'artifacts']),
    );
    expect(capsule?.items.map(({ text }) => text)).toContain(RULE);
    expect(capsuleLeftOut?.length).toBeGreaterThan(0);

    const { records, capsules } = storeOf(core).repositories;
    const [record] = await records.listByChild(child.planId);
    expect(record?.capsuleLeftOut).toEqual(capsuleLeftOut);
    expect(await capsules.findByPlan(child.planId)).toMatchObject({
      ...capsule,
      childPlanId: child.planId,
    });
    expect(Object.keys(child.skeletonMetadata ?? {})).toEqual([
      'ratio',
      'originalTokens',
      'compressedTokens',
      'sourceDecisionIds',
    ]);
  });

  it('takes standing rules that no pass has pinned yet', async () => {
    const { planId, session } = await aRootWithSession();
    const { summaries } = opened.core.sessions;
    await summaries.compact({
      ...session,
      now: true,
      settings: { windowTokens: 6_000, outputReserveTokens: 0, keepTurns: 1, keepTokens: 1_500 },
    });
    const { summary } = await summaries.read(session);
    const pinned = summary.items
      .filter((item) => item.section === 'constraints')
      .map(({ text }) => text);
    expect(pinned.length).toBeGreaterThan(1);

    const fresh = await aRootWithSession();
    const given = async (of: typeof fresh) => {
      const spawned = await opened.core.coordinator.spawnChild(of.planId, {
        goal: 'go',
        ...of.session,
        capsuleTokens: 100_000,
      });
      if (spawned.outcome !== 'spawned') throw new Error('too large');
      const items = spawned.capsule?.items.filter(({ section }) => section === 'constraints');
      return new Set(items?.map(({ text }) => text));
    };
    expect(await given(fresh)).toEqual(await given({ ...fresh, planId, session }));
    expect(await given(fresh)).toEqual(new Set([...(await given(fresh)), ...pinned]));
  });

  it('makes no child where mission and constraints do not fit, and cuts nothing', async () => {
    const { planId, session } = await aRootWithSession();
    const { core } = opened;
    const request = { goal: 'go', ...session, capsuleTokens: 5 };
    const verdict = await core.coordinator.spawnChild(planId, request);
    expect(verdict).toMatchObject({ outcome: 'capsule-over-budget', capsuleTokens: 5 });
    expect(await core.coordinator.previewSpawn(planId, request)).toEqual(verdict);
    expect(await core.coordinator.spawnChildren(planId, [request])).toEqual([verdict]);
    const { plans, decisions } = storeOf(core).repositories;
    expect(await plans.listChildren((await core.plans.get(planId)).planId)).toEqual([]);
    const own = await decisions.listByPlan((await core.plans.get(planId)).planId);
    expect(own.filter(({ type }) => type === 'subplan_spawn')).toEqual([]);
  });

  it('finds no session of another tenant, and refuses half a request', async () => {
    const { planId, session } = await aRootWithSession();
    const { coordinator } = opened.core;
    const spawn = (request: object) => coordinator.spawnChild(planId, { goal: 'go', ...request });
    await expect(spawn({ ...session, tenantId: 'another' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(spawn({ sessionId: session.sessionId })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(spawn({ capsuleTokens: 5 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(spawn({ ...session, capsuleTokens: 0 })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(spawn({ ...session, sessionId: 'x' })).rejects.toMatchObject({
      code: 'INVALID_ID',
    });
  });

  it('answers with the same child and capsule for the same key, and for no other session', async () => {
    const { planId, session } = await aRootWithSession();
    const { coordinator } = opened.core;
    const request = { goal: 'go', ...session, idempotencyKey: 'once' };
    const first = await coordinator.spawnChild(planId, request);
    const second = await coordinator.spawnChild(planId, request);
    if (first.outcome !== 'spawned' || second.outcome !== 'spawned') throw new Error('too large');
    expect(second).toMatchObject({
      repeated: true,
      capsule: first.capsule ?? {},
      capsuleLeftOut: first.capsuleLeftOut,
    });
    for (const other of [
      { goal: 'go', idempotencyKey: 'once' },
      { ...request, capsuleTokens: 900 },
    ]) {
      await expect(coordinator.spawnChild(planId, other)).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
      });
    }
  });

  it('is outdated once a constraint of it is withdrawn above, and stays as it was', async () => {
    const { planId, session, itemNo } = await aRootWithSession();
    const { coordinator, sessions } = opened.core;
    const spawned = await coordinator.spawnChild(planId, { goal: 'go', ...session });
    if (spawned.outcome !== 'spawned') throw new Error('too large');
    const { planId: childId } = spawned.child;
    expect(await sessions.capsules.ofPlan(childId)).toMatchObject({
      state: 'current',
      withdrawn: [],
    });
    await sessions.summaries.unpin({ ...session, itemNo });
    const after = await sessions.capsules.ofPlan(childId);
    expect(after).toMatchObject({ state: 'outdated', withdrawn: [{ text: RULE }] });
    expect(after?.capsule.items).toEqual(spawned.capsule?.items);
    await sessions.summaries.pin({ ...session, text: RULE, redact });
    expect(await sessions.capsules.ofPlan(childId)).toMatchObject({ state: 'current' });
    await sessions.stored.delete(
      await sessions.stored.resolve(session.tenantId, session.sessionId),
    );
    expect(await sessions.capsules.ofPlan(childId)).toMatchObject({ state: 'source-deleted' });
  });
});
