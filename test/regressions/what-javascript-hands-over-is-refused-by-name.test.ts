/** A caller without types gets our error, naming the field, and never a TypeError from inside; nothing is ignored in silence. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOssature, type Ossature, type OssatureOptions } from '../../src/index.js';

type Loose = (...given: unknown[]) => Promise<unknown>;

describe('what JavaScript hands over', () => {
  let core: Ossature;
  let planId: string;
  beforeAll(async () => {
    core = await createOssature({ store: { kind: 'in-memory' } });
    await core.projects.create('p');
    ({ planId } = await core.plans.create({ project: 'p', goal: 'g' }));
  });
  afterAll(() => core.close());

  const fragment = (given: object) => [
    { item: 'fragment', fragment: { fragmentId: 'f', content: 'c', relevance: 1, ...given } },
  ];
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;

  // prettier-ignore
  it.each<[string, string, () => unknown[]]>([
    ['a spawn without a request',       'INVALID_INPUT',    () => ['spawn', planId]],
    ['a spawn of nothing',              'INVALID_INPUT',    () => ['spawn', planId, null]],
    ['a spawn with a misspelt field',   'INVALID_INPUT',    () => ['spawn', planId, { goal: 'x', skeleton_ratio: 0.9 }]],
    ['a plan with a misspelt field',    'INVALID_INPUT',    () => ['create', { project: 'p', goal: 'x', ratio: 1 }]],
    ['a plan named like an id',         'INVALID_INPUT',    () => ['create', { project: 'p', goal: 'x', name: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }]],
    ['an import of nothing',            'INVALID_INPUT',    () => ['import', planId, null]],
    ['an import of null items',         'INVALID_INPUT',    () => ['import', planId, [null]]],
    ['an import of unknown items',      'INVALID_INPUT',    () => ['import', planId, [{ item: 'zzz' }]]],
    ['an item without its fragment',    'INVALID_INPUT',    () => ['import', planId, [{ item: 'fragment' }]]],
    ['circular metadata',               'INVALID_FRAGMENT', () => ['import', planId, fragment({ metadata: circular })]],
    ['metadata with a BigInt',          'INVALID_FRAGMENT', () => ['import', planId, fragment({ metadata: { n: 1n } })]],
    ['a time that is none',             'INVALID_FRAGMENT', () => ['import', planId, fragment({ createdAt: new Date(Number.NaN) })]],
    ['tokens beyond the safe integers', 'INVALID_FRAGMENT', () => ['import', planId, [
      ...fragment({ fragmentId: 'x', tokenCount: Number.MAX_SAFE_INTEGER }),
      ...fragment({ fragmentId: 'y', content: 'd', tokenCount: 1 }),
    ]]],
  ])('as %s is %s', async (_, code, call) => {
    const [what, ...given] = call();
    const calls: Readonly<Record<string, Loose>> = {
      spawn: core.coordinator.spawnChild.bind(core.coordinator) as Loose,
      create: core.plans.create.bind(core.plans) as Loose,
      import: core.imports.import.bind(core.imports) as Loose,
    };

    await expect(calls[String(what)]?.(...given)).rejects.toMatchObject({ code });
    await expect(core.coordinator.spawnChild(planId, { goal: 'still works' })).resolves.toBeDefined();
  });

  it.each([
    ['a store of no kind', { kind: 'x' }],
    ['an address that is none', { kind: 'url', url: 'nope' }],
    ['a server of another kind', { kind: 'url', url: 'mysql://x/y' }],
  ])('as %s is INVALID_CONFIG', async (_, store) => {
    await expect(createOssature({ store } as OssatureOptions)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
  });
});
