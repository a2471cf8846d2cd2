/** The container: every token resolves, what a host replaces reaches everything that uses it. */
import { describe, expect, it } from '@jest/globals';
import { ContainerModule } from 'inversify';
import {
  createOssature,
  type OssatureOptions,
  replace,
  type SkeletonCompressor,
  SkeletonCompressorService,
  TOKENS,
} from '../../../src/index.js';
import { createInMemoryStore } from '../../../src/infrastructure/persistence/in-memory/in-memory-unit-of-work.js';

const inMemory = (options: Partial<OssatureOptions> = {}) =>
  createOssature({ store: { kind: 'in-memory' }, ...options });

describe('the container', () => {
  it('resolves every token', async () => {
    const core = await inMemory();

    for (const token of Object.values(TOKENS)) expect(core.resolve<unknown>(token)).toBeDefined();
  });

  it('knows the compressor as skeleton_compressor_service, and as the port that a pipeline asks for', async () => {
    const core = await inMemory();
    const port: SkeletonCompressor = core.resolve(TOKENS.skeletonCompressor);

    expect(TOKENS.skeletonCompressorService).toBe('skeleton_compressor_service');
    expect(core.resolve(TOKENS.skeletonCompressorService)).toBe(core.skeletons);
    expect(port).toBe(core.skeletons);
    expect(
      port.compressToBudget([{ fragmentId: 'a', tokenCount: 5, relevance: 1 }], 4).skipped,
    ).toHaveLength(1);
  });

  it('warns loudly when a pass leaves the child with nothing', async () => {
    const warnings: string[] = [];
    const quiet = (): void => {};
    const warn = (event: string): void => {
      warnings.push(event);
    };
    const core = await inMemory({ logger: { debug: quiet, info: quiet, error: quiet, warn } });

    core.skeletons.compress([{ fragmentId: 'a', content: 'a', tokenCount: 10, relevance: 1 }], 0.5);

    expect(warnings).toEqual(['skeleton.emptied']);
  });

  it('applies the default ratio where the caller of the compressor gives none', async () => {
    const core = await inMemory();

    const { metadata } = core.skeletons.compress([
      { fragmentId: 'a', content: 'a', tokenCount: 85, relevance: 1 },
      { fragmentId: 'b', content: 'b', tokenCount: 15, relevance: 0.5 },
    ]);

    expect(metadata).toMatchObject({ ratio: 0.15, compressedTokens: 85 });
  });

  it('builds everything on what a module replaces', async () => {
    const asked: number[] = [];
    class Asked extends SkeletonCompressorService {
      override compressWeighed: SkeletonCompressorService['compressWeighed'] = (
        fragments,
        ratio,
      ) => {
        asked.push(ratio ?? -1);
        return super.compressWeighed(fragments, ratio);
      };
    }
    const core = await inMemory({
      modules: [
        new ContainerModule((options) => {
          replace(
            options,
            TOKENS.skeletonCompressorService,
            [TOKENS.logger],
            (logger) => new Asked(logger),
          );
        }),
      ],
    });
    await core.projects.create('p');
    const plan = await core.plans.create({ project: 'p', goal: 'g' });

    await core.coordinator.spawnChild(plan.planId, { goal: 'child', skeletonRatio: 0.4 });

    expect(asked).toEqual([0.4]);
    expect(core.resolve(TOKENS.skeletonCompressor)).toBeInstanceOf(Asked);
  });

  it('takes a whole store of the host, with its unit of work', async () => {
    const store = createInMemoryStore();
    const first = await createOssature({ store: { kind: 'repositories', ...store } });
    await first.projects.create('p');
    const second = await createOssature({ store: { kind: 'repositories', ...store } });

    expect((await second.projects.list()).map(({ name }) => name)).toEqual(['p']);
  });

  it.each([
    ['no store', {}, 'INVALID_CONFIG'],
    [
      'a schema name that is none',
      { store: { kind: 'in-memory' }, config: { schema: 'a"; drop' } },
      'INVALID_CONFIG',
    ],
    [
      'an unknown setting',
      { store: { kind: 'in-memory' }, config: { maxDeph: 3 } },
      'INVALID_CONFIG',
    ],
    [
      'a depth limit of 0',
      { store: { kind: 'in-memory' }, config: { maxDepth: 0 } },
      'INVALID_CONFIG',
    ],
    [
      'a server that is not there',
      { store: { kind: 'url', url: 'postgres://u@127.0.0.1:1/x' } },
      'STORE_UNAVAILABLE',
    ],
  ])('refuses %s, saying what to do', async (_, options, code) => {
    await expect(createOssature(options as OssatureOptions)).rejects.toMatchObject({ code });
  });

  it('has no schema to migrate and no transaction to join in memory', async () => {
    const core = await inMemory();

    await expect(core.migrate()).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect(() => core.within({} as never)).toThrow(/needs a store on a DataSource/);
  });
});
