/** Facts planted into a transcript, over ten cycles, through the core: what must hold without a model. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type LanguageModel, type Ossature } from '../../src/index.js';
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

describe('recall of planted facts', () => {
  /** Says all that it was shown. Fails from the call of that number on. */
  function echo(failsFrom = Number.POSITIVE_INFINITY) {
    const asked: string[] = [];
    const model: LanguageModel = {
      name: 'echo',
      complete: async ({ messages }) => {
        const text = messages[0]?.text ?? '';
        const part = (name: string): string =>
          new RegExp(`BEGIN ${name} (\\w+)\\n([\\s\\S]*)\\nEND ${name} \\1`).exec(text)?.[2] ?? '';
        asked.push(part('question'));
        if (asked.length >= failsFrom) throw new Error('down');
        return {
          text: JSON.stringify({ answer: part('context') }),
          usage: { inputTokens: 10, cachedInputTokens: null, outputTokens: 2 },
          finishReason: 'stop',
        };
      },
    };
    return { model, asked };
  }
  const request = {
    ...PLANT_DEFAULTS,
    cycles: 2,
    facts: 12,
    fillerTurns: 12,
    windowTokens: 8_000,
    arms: ['full', 'tail', 'offline'] as const,
    givenTurns: [],
    filler: 'synthetic',
  };
  const recorded = (core: Ossature, signal = new AbortController().signal) =>
    core.evaluations.runs.record(
      { tenantId: 't', kind: 'plant', settings: { seed: request.seed, answers: true } },
      async (run) => ({
        report: await core.evaluations.plants.plant(request, { run, signal }),
        timing: {},
      }),
    );

  it('is what an answerer tells from the context alone, beside survival', async () => {
    const { model, asked } = echo();
    const core = await createOssature({ store: { kind: 'in-memory' }, languageModel: model });
    const { report } = await recorded(core);
    const survival = await core.evaluations.plants.plant(request);
    await core.close();

    const figure = (arm: string, name: string) =>
      report.arms.find((one) => one.name === arm)?.figures[name];
    expect(report.arms.map(({ name }) => name)).toEqual(['full', 'tail', 'offline']);
    // Who repeats everything also tells what was replaced, and no state of the two that have one.
    const { value: right } = figure('full', 'recall') ?? {};
    const { value: replaced } = figure('full', 'recall_replaced') ?? {};
    expect((right ?? 0) + (replaced ?? 0)).toBeCloseTo(10 / 12);
    for (const { name } of report.arms) {
      const [told, kept] = [figure(name, 'recall')?.value, figure(name, 'kept')?.value];
      expect(told).toBeLessThanOrEqual(kept ?? 0);
    }
    expect(figure('offline', 'recall')?.value).toBeGreaterThan(0);
    expect(figure('offline', 'recall')?.n).toBe(figure('offline', 'survival')?.n);
    expect(report.costs).toEqual({
      answers: asked.length,
      input_tokens: 10 * asked.length,
      output_tokens: 2 * asked.length,
    });
    expect(report.tables.map(({ title }) => title)).toEqual(
      expect.arrayContaining([
        'Recall by cycle',
        'Recall by kind',
        'Recall by carrier',
        'Recall by age in cycles',
      ]),
    );
    expect(report.plots.map(({ title }) => title)).toEqual(
      expect.arrayContaining(['Recall by cycle', 'Recall by age']),
    );
    expect(report.again).toContain('--answers');
    // Asking changes nothing of what is measured without it, and without it nothing is said of recall.
    expect(JSON.stringify(survival)).not.toContain('recall');
    expect(survival.arms.map(({ figures }) => figures['survival'])).toEqual(
      report.arms.map(({ figures }) => figures['survival']),
    );
  });

  it('of a run that stopped goes on where it stopped, and asks nothing twice', async () => {
    const stop = new AbortController();
    const { model, asked } = echo();
    const core = await createOssature({
      store: { kind: 'in-memory' },
      languageModel: {
        ...model,
        complete: async (question, signal) => {
          const answer = await model.complete(question, signal);
          if (asked.length === 20) stop.abort();
          return answer;
        },
      },
    });
    await expect(recorded(core, stop.signal)).rejects.toThrow();
    const { report } = await recorded(core);
    await core.close();

    // The one that was under way when it stopped was not stored.
    expect(asked).toHaveLength((report.costs['answers'] ?? 0) + 1);
  });

  it('says which answers did not come, and counts them in no share', async () => {
    const { model } = echo(5);
    const core = await createOssature({ store: { kind: 'in-memory' }, languageModel: model });
    const { report } = await recorded(core);
    await core.close();

    expect(report.failures.map(({ what }) => what)).toContain('answers for offline');
    expect(report.arms.at(-1)?.figures['recall']).toMatchObject({ value: null, n: 0 });
  });

  it('needs a model, and says so before any work', async () => {
    const core = await createOssature({ store: { kind: 'in-memory' } });
    await expect(recorded(core)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    await core.close();
  });
});
