/** Export and import move everything, and a damaged file moves nothing. */
import { describe, expect, it } from '@jest/globals';
import type { Ossature } from '../../src/index.js';
import { type OpenedCore, openOnPostgres } from '../support/stores.js';

async function filledStore(): Promise<OpenedCore & { readonly childId: string }> {
  const opened = await openOnPostgres();
  const { core } = opened;
  await core.projects.create('harbor “ünïcode” 🚢');
  await core.projects.setSkeletonRatio('harbor “ünïcode” 🚢', 0.1, 'execute');
  const plan = await core.plans.create({
    project: 'harbor “ünïcode” 🚢',
    goal: 'a "goal"\nof two lines',
  });
  const decision = await core.plans.decide(plan.planId, { type: 'strategy_choice', choice: 'one' });
  await core.plans.decide(plan.planId, {
    type: 'strategy_choice',
    choice: 'two',
    supersedes: decision.decisionId,
  });
  await core.imports.import(
    plan.planId,
    Array.from({ length: 450 }, (__, index) => ({
      item: 'fragment' as const,
      fragment: {
        fragmentId: `f{"${index}",}`,
        content: `text ${index} \\ "quoted" 🚢`,
        relevance: index === 0 ? 5e-324 : index / 450,
        tokenCount: index === 1 ? 9_007_199_254_000_000 : index,
        metadata: { nested: [{ index }] },
      },
    })),
  );
  const { child } = await core.coordinator.spawnChild(plan.planId, {
    goal: 'go',
    skeletonRatio: 0.9,
  });
  return { ...opened, childId: child.planId };
}

async function linesOf(core: Ossature): Promise<string[]> {
  const lines: string[] = [];
  await core.exportStore((line) => {
    lines.push(line);
  });
  return lines;
}

async function* stream(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** Everything but the time of the export and the sum that depends on it. */
const contentOf = (lines: readonly string[]) => lines.slice(1, -1);

describe('moving a store', () => {
  it('brings every row to the other side, and the other side goes on from there', async () => {
    const from = await filledStore();
    const to = await openOnPostgres();
    const lines = await linesOf(from.core);

    const summary = await to.core.importStore(stream(lines));

    const filled = Object.entries(summary.rows).filter(([, rows]) => rows > 0);
    expect(Object.fromEntries(filled)).toEqual({
      projects: 1,
      context_policies: 1,
      plans: 2,
      decisions: 5,
      fragments: 450,
      compression_records: 1,
    });
    expect(contentOf(await linesOf(to.core))).toEqual(contentOf(lines));
    const receipt = await to.core.imports.import(from.childId, [
      { item: 'fragment', fragment: { fragmentId: 'new', content: 'new', relevance: 1 } },
    ]);
    expect(receipt.fragmentsAdded).toBe(1);
    await from.close();
    await to.close();
  });

  it('refuses a damaged file whole, naming the line', async () => {
    const from = await filledStore();
    const lines = await linesOf(from.core);
    await from.close();
    const rowOfPlan = lines.findIndex((line) => line.startsWith('{"table":"plans"'));
    const damaged: Readonly<Record<string, readonly string[]>> = {
      'cut short': lines.slice(0, -1),
      'a row is missing': lines.filter((__, index) => index !== rowOfPlan + 3),
      'a row was changed': lines.map((line) => line.replace('text 7 ', 'text 8 ')),
      'a line is no JSON': [...lines.slice(0, 5), '{"table":', ...lines.slice(5)],
      'the head is missing': lines.slice(1),
      'something stands behind the end': [...lines, lines[1] ?? ''],
      'of a newer version': [
        (lines[0] ?? '').replace(
          /"schema_version":"[^"]+"/,
          '"schema_version":"Future9999999999999"',
        ),
        ...lines.slice(1),
      ],
    };
    const to = await openOnPostgres();

    for (const given of Object.values(damaged)) {
      await expect(to.core.importStore(stream(given))).rejects.toMatchObject({
        code: expect.stringMatching(/^(INVALID_INPUT|SCHEMA_TOO_NEW|STORE_FAILED)$/),
      });
      expect(await to.core.projects.list()).toEqual([]);
    }
    await to.core.importStore(stream(lines));
    await expect(to.core.importStore(stream(lines))).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    });
    await to.close();
  });
});
