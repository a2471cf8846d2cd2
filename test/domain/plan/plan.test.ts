import { describe, expect, it } from '@jest/globals';
import {
  childOf,
  DEFAULT_MAX_DEPTH,
  movePlan,
  type Plan,
  requireRoomBelow,
} from '../../../src/domain/plan/plan.js';
import { aProject, aRoot, LATER, newPlanId, NOW, ratioOf } from '../../contracts/sample-values.js';

const project = aProject();
const root = aRoot(project, { name: 'nightly', skeletonRatio: ratioOf(0.4) });

const spawned = (parent: Plan): Plan =>
  childOf(parent, {
    planId: newPlanId(),
    goal: 'fix the tests',
    skeletonMetadata: { ratio: 0, originalTokens: 0, compressedTokens: 0, sourceDecisionIds: [] },
    idempotencyKey: 'k',
    now: LATER,
  });

describe('a plan', () => {
  it('that has no parent is its own root at depth 0, without a skeleton', () => {
    expect(root).toMatchObject({
      parentPlanId: null,
      rootPlanId: root.planId,
      depth: 0,
      skeletonMetadata: null,
      version: 1,
    });
  });

  it('that is spawned is one deeper, of the same root and project, unnamed and without a ratio of its own', () => {
    const child = spawned(root);
    const grandchild = spawned(child);
    expect(child).toMatchObject({
      projectId: project.projectId,
      parentPlanId: root.planId,
      rootPlanId: root.planId,
      depth: 1,
      name: null,
      skeletonRatio: null,
      phase: 'action',
      state: 'queued',
      version: 1,
      createdAt: LATER,
    });
    expect(grandchild).toMatchObject({
      parentPlanId: child.planId,
      rootPlanId: root.planId,
      depth: 2,
    });
  });

  it('moves by one version, and only in position and time', () => {
    expect(movePlan(root, { to: 'state', state: 'processing' }, LATER)).toEqual({
      ...root,
      state: 'processing',
      version: 2,
      updatedAt: LATER,
    });
    expect(root).toMatchObject({ state: 'queued', version: 1, updatedAt: NOW });
  });

  it('has a limit of five generations by default', () => {
    expect(DEFAULT_MAX_DEPTH).toBe(5);
  });

  it.each([
    { depth: 0, maxDepth: 1, room: true },
    { depth: 4, maxDepth: 5, room: true },
    { depth: 5, maxDepth: 5, room: false },
    { depth: 6, maxDepth: 5, room: false },
    { depth: 5, maxDepth: 6, room: true },
  ])('at depth $depth has room below a limit of $maxDepth: $room', ({ depth, maxDepth, room }) => {
    const check = (): void => requireRoomBelow({ ...root, depth }, maxDepth);
    if (room) expect(check).not.toThrow();
    else {
      expect(check).toThrow(
        expect.objectContaining({
          code: 'DEPTH_EXCEEDED',
          details: { planId: root.planId, depth, maxDepth },
        }),
      );
    }
  });
});
