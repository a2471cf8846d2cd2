/** Facts planted into a transcript, over ten cycles, through the core: what must hold without a model. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature } from '../../src/index.js';
import type { Summarizer } from '../../src/application/session/summarise.js';
import { PLANT_DEFAULTS } from '../../src/domain/evaluation/planted/plant-defaults.js';

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);

/** Adds a line about the first entry of each window, and nothing else. */
const SCRIPTED: Summarizer = {
  name: 'scripted',
  windowTokens: null,
  overheadTokens: 0,
  summarise: async ({ window }) => ({
    kind: 'patch',
    usage: null,
    end: 'complete',
    patch: {
      operations: [
        {
          operation: 'add',
          section: 'current_state',
          text: 'Work went on as before.',
          refs: [],
          sources: window.seqs.slice(0, 1).map((seq) => `entry:${seq}`),
          state: 'open',
        },
      ],
    },
  }),
};

describe('planted facts over ten cycles', () => {
  let core: Ossature;

  beforeAll(async () => {
    core = await createOssature({ store: { kind: 'in-memory' } });
  });
  afterAll(() => core.close());

  const plant = (seed: number, arms: readonly ('full' | 'tail' | 'offline')[], cycles = 10) =>
    core.evaluations.plants.plant({
      ...PLANT_DEFAULTS,
      seed,
      cycles,
      arms,
      givenTurns: [],
      filler: 'synthetic',
    });

  it.each(SEEDS)(
    'seed %i: offline keeps what must be kept and serves nothing replaced',
    async (seed) => {
      const report = await plant(seed, ['offline']);
      const figures = report.arms[0]?.figures ?? {};
      const value = (name: string): number => figures[name]?.value ?? Number.NaN;
      expect(value('passes')).toBe(10);
      expect(value('constraints')).toBe(1);
      expect(value('paths')).toBe(1);
      for (const group of ['decisions', 'user_values', 'todos', 'error_lines']) {
        expect({ group, isEnough: value(group) >= 0.95 }).toEqual({ group, isEnough: true });
      }
      expect(value('stale')).toBe(0);
      expect(value('cycles_over_summary_tokens')).toBe(0);
    },
  );

  it('gives the same report, byte for byte, from the same seed', async () => {
    const [first, second] = [await plant(3, ['offline']), await plant(3, ['offline'])];
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
    expect(JSON.stringify(await plant(4, ['offline'], 2))).not.toBe(
      JSON.stringify(await plant(3, ['offline'], 2)),
    );
  });

  it('finds everything in the whole transcript, and next to nothing in its end alone', async () => {
    const report = await plant(1, ['full', 'tail'], 4);
    const [full, tail] = report.arms;
    expect(full?.figures['kept']?.value).toBe(1);
    expect(tail?.figures['survival']?.value).toBeLessThan(0.5);
  });

  it.each(SEEDS)(
    'seed %i: anchored with a scripted summarizer keeps what must be kept',
    async (seed) => {
      const scripted = await createOssature({
        store: { kind: 'in-memory' },
        summarizer: SCRIPTED,
      });
      const report = await scripted.evaluations.plants.plant({
        ...PLANT_DEFAULTS,
        seed,
        arms: ['anchored'],
        givenTurns: [],
        filler: 'synthetic',
      });
      await scripted.close();
      const figures = report.arms[0]?.figures ?? {};
      const value = (name: string): number => figures[name]?.value ?? Number.NaN;
      expect({ failures: report.failures, passes: value('passes') }).toEqual({
        failures: [],
        passes: 10,
      });
      expect(value('constraints')).toBe(1);
      expect(value('paths')).toBe(1);
      for (const group of ['decisions', 'user_values', 'todos', 'error_lines']) {
        expect({ group, isEnough: value(group) >= 0.95 }).toEqual({ group, isEnough: true });
      }
      expect(value('stale')).toBe(0);
      expect(value('cycles_over_summary_tokens')).toBe(0);
    },
  );

  it('refuses counts that are none', async () => {
    await expect(plant(1, ['offline'], 0)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
