/** A part of the host's that has to answer at once and answers with a promise: its rejection ends no process. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { type CompiledCore, compileCore } from '../infrastructure/typeorm/compiled-core.js';

const PROGRAM = `
  import { createInterface } from 'node:readline';
  import { createOssature } from './src/index.js';

  const late = async () => { throw new Error('late'); };
  const strategy = { name: 'late', quality: 1, canHandle: late, assemble: async () => [] };
  const options = {
    canHandle: { strategies: [strategy] },
    scorer: { fragmentScorer: late },
    compressor: { compressors: { late: { compressToBudget: late } } },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const part = JSON.parse(line);
    const stages = part in options ? {} : { [part]: late };
    const core = await createOssature({ store: { kind: 'in-memory' }, stages, ...options[part] });
    await core.projects.create('harbor');
    const { planId } = await core.plans.create({ project: 'harbor', goal: 'mend the login' });
    await core.imports.import(planId, [
      { item: 'fragment', fragment: { fragmentId: 'one', content: 'one of the harbor', relevance: 1 } },
    ]);
    const outcome = await core.contexts
      .assemble({ planId, ...(part === 'compressor' ? { compressor: 'late' } : {}) })
      .then(({ strategies }) => strategies.find(({ name }) => name === 'late')?.failure?.reason, ({ code }) => code);
    await new Promise((resolve) => setTimeout(resolve, 20));
    console.log(JSON.stringify(outcome ?? null));
  }
`;

describe('a promise where an answer is due', () => {
  let core: CompiledCore | undefined;
  afterAll(() => core?.remove());

  it('is a breach of that part, and its rejection later ends no process', async () => {
    core = compileCore();
    const worker = core.start(PROGRAM);

    expect(await worker.ask('canHandle')).toBe('invalid-confidence');
    for (const part of [
      'scorer',
      'strategySelector',
      'budgetAllocator',
      'strategyExecutor',
      'fragmentDeduplicator',
      'detailDepthResolver',
      'fragmentScorer',
      'budgetPacker',
      'fragmentOrderer',
      'preambleGenerator',
      'skeletonCompressor',
    ]) {
      expect([part, await worker.ask(part)]).toEqual([part, 'STAGE_BREACH']);
    }
  }, 60_000);
});
