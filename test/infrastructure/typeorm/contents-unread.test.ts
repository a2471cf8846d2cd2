/** Spawning decides by sizes: a role that may not read fragments.content can spawn, recall and report. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createOssature, type Ossature } from '../../../src/index.js';
import { aRootWith, connect } from '../../support/builders.js';
import { openOnPostgres } from '../../support/stores.js';

describe('a role without the right to read contents', () => {
  const role = `reader_${randomBytes(6).toString('hex')}`;
  let owner: Ossature;
  let reader: Ossature;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const opened = await openOnPostgres();
    owner = opened.core;
    const client = await connect(opened.url);
    await client.query(`
      create role ${role} login;
      grant usage on schema ossature to ${role};
      grant select, insert, update on all tables in schema ossature to ${role};
      revoke select on ossature.fragments from ${role};
      grant select (plan_id, fragment_id, position, content_hash, token_count, relevance,
        decision_id) on ossature.fragments to ${role}`);
    const url = new URL(opened.url);
    url.username = role;
    reader = await createOssature({ store: { kind: 'url', url: url.href } });
    close = async () => {
      await reader.close();
      await client.query(`drop owned by ${role}; drop role ${role}`);
      await client.end();
      await opened.close();
    };
  });
  afterAll(() => close());

  it('spawns, spawns below, lists what was dropped, recalls and reports', async () => {
    const parent = await aRootWith(owner, 'a:0.9:10', 'b:0.5:10', 'c:0.1:10');

    const { child, inherited } = await reader.coordinator.spawnChild(parent, {
      goal: 'go',
      skeletonRatio: 0.5,
    });
    await reader.coordinator.spawnChild(child.planId, { goal: 'below' });
    const { dropped } = await reader.audit.dropped(child.planId);
    await reader.audit.recall(child.planId, 'b');

    expect(inherited.map(({ fragmentId }) => fragmentId)).toEqual(['a']);
    expect(dropped.map(({ fragmentId }) => fragmentId)).toEqual(['b', 'c']);
    expect((await reader.status.report(child.planId)).context.inherited.fragments).toBe(2);
  });

  it('is refused only where scoring against the goal asks for texts', async () => {
    const parent = await aRootWith(owner, 'a:0.9:10');
    const request = { goal: 'go', relevance: 'goal' } as const;
    await expect(reader.coordinator.spawnChild(parent, request)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('permission denied'),
    });
    await expect(owner.coordinator.spawnChild(parent, request)).resolves.toBeDefined();
  });
});
