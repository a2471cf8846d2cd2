/** What a source has and does not offer is named in the payload, as everything else that is left out. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ContextStrategy, Ossature } from '../../src/index.js';
import { createOssature } from '../../src/index.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const PACK_TOKENS = 40;

describe.each(Object.entries(STORES))('what is held back %s', (_, open) => {
  let opened: OpenedCore;
  let core: Ossature;
  let planId: string;
  beforeAll(async () => {
    opened = await open();
    ({ core } = opened);
    await core.projects.create('services');
    ({ planId } = await core.plans.create({ project: 'services', goal: 'Make uploads robust' }));
  });
  afterAll(() => opened.close());

  const named = async (maxTokens: number) => {
    const { fragments, excluded } = await core.contexts.assemble({
      planId,
      query: 'A remote upload service fails',
      maxTokens,
      reservedTokens: 0,
    });
    return { shown: fragments.map(({ fragmentId }) => fragmentId), excluded };
  };

  it('a lesson that applies and does not fit the pack is named by its id and version', async () => {
    const { projectId } = await core.projects.getByName('services');
    await core.lessons.ledger.setPolicy(projectId, { 'recall.max_pack_tokens': PACK_TOKENS });
    const ids: string[] = [];
    for (const family of ['retry', 'queue', 'cache']) {
      const { lesson } = await core.lessons.ledger.addLesson({
        projectId,
        family,
        title: `A remote upload service fails: ${family}`,
        gist: `When a remote upload service fails, mind the ${family} before anything else is tried`,
        body: `When a remote upload service fails, mind the ${family}: look it up, wait, and try once more, then tell the user about it.`,
      });
      ids.push(`lesson:${lesson.lessonId}@${lesson.version}`);
    }

    const { shown, excluded } = await named(2_000);

    const out = excluded.filter(({ strategy }) => strategy === 'lesson-recall');
    expect([...shown, ...out.map(({ fragmentId }) => fragmentId)]).toEqual(
      expect.arrayContaining(ids),
    );
    expect(out.length).toBeGreaterThan(0);
    expect(new Set(out.map(({ reason }) => reason))).toEqual(new Set(['over-budget']));
  });

  it('decisions beyond the room are named, each once', async () => {
    for (let at = 0; at < 30; at += 1) {
      await core.plans.decide(planId, {
        type: 'implementation_choice',
        question: `How is part ${at} of the upload to be sent?`,
        choice: `in pieces of ${at} megabytes`,
      });
    }

    const { shown, excluded } = await named(200);

    const decisions = [...shown, ...excluded.map(({ fragmentId }) => fragmentId)].filter((id) =>
      id.startsWith('decision:'),
    );
    expect(new Set(decisions).size).toBe(30);
    expect(decisions).toHaveLength(30);
  });
});

describe('a strategy of a host that holds something back', () => {
  const aSource = (leftOut: unknown): ContextStrategy => ({
    name: 'archive',
    quality: 0.9,
    canHandle: () => 0.9,
    assemble: async () => ({ fragments: [], leftOut: leftOut as never }),
  });

  async function assembled(leftOutOf: (planId: string) => unknown) {
    let planId = '';
    const source: ContextStrategy = {
      ...aSource([]),
      assemble: (request, room) => aSource(leftOutOf(planId)).assemble(request, room),
    };
    const core = await createOssature({ store: { kind: 'in-memory' }, strategies: [source] });
    await core.projects.create('services');
    ({ planId } = await core.plans.create({ project: 'services', goal: 'g' }));
    const payload = await core.contexts.assemble({ planId });
    await core.close();
    return payload;
  }

  it.each([
    { given: {}, reason: 'over-budget' },
    { given: { reason: 'not-offered' }, reason: 'not-offered' },
  ])('has it named with the reason $reason', async ({ given, reason }) => {
    const { excluded } = await assembled((planId) => [
      { planId, fragmentId: 'old', tokenCount: 7, ...given },
    ]);
    expect(excluded).toEqual([
      expect.objectContaining({ fragmentId: 'old', tokenCount: 7, reason, strategy: 'archive' }),
    ]);
  });

  // prettier-ignore
  it.each([
    { rule: 'without an id',        of: () => ({ tokenCount: 7 }) },
    { rule: 'that is null',         of: () => null },
    { rule: 'of another plan',      of: () => ({ planId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', fragmentId: 'a', tokenCount: 7 }) },
    { rule: 'of another reason',    of: (planId: string) => ({ planId, fragmentId: 'a', tokenCount: 7, reason: 'duplicate' }) },
  ])('fails where it names something $rule, and the assembly goes on', async ({ of }) => {
    const { strategies } = await assembled((planId) => [of(planId)]);
    expect(strategies[0]).toMatchObject({ name: 'archive', failure: { reason: 'invalid-fragment' } });
  });
});
