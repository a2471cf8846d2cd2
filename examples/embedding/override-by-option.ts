import { createOssature, type FragmentScorer, type Logger, type TokenCounter } from 'ossature';

/** Counts as the model at hand does. Stored counts remember the name and version. */
const words: TokenCounter = {
  name: 'words',
  version: '1',
  count: (text) => text.split(/\s+/u).filter((word) => word !== '').length,
};

/** One score in 0..1 for each fragment, in the order given. */
const longestFirst: FragmentScorer = (_goal, fragments) => {
  const longest = Math.max(1, ...fragments.map(({ content }) => content.length));
  return fragments.map(({ content }) => content.length / longest);
};

/** The options cover what nine hosts in ten replace. */
export async function overrideByOption(logger: Logger): Promise<readonly string[]> {
  const core = await createOssature({
    store: { kind: 'in-memory' },
    logger,
    tokenCounter: words,
    fragmentScorer: longestFirst,
  });
  await core.projects.create('harbor');
  const plan = await core.plans.create({ project: 'harbor', goal: 'Fix the login' });
  await core.imports.import(
    plan.planId,
    ['one two three four', 'one two', 'one'].map((content) => ({
      item: 'fragment' as const,
      fragment: { fragmentId: content, content, relevance: 0.5 },
    })),
  );
  const { inherited } = await core.coordinator.spawnChild(plan.planId, {
    goal: 'Anything',
    skeletonRatio: 0.4,
    relevance: 'goal',
  });
  await core.close();
  return inherited.map(({ fragmentId, tokenCount }) => `${fragmentId}: ${tokenCount} tokens`);
}
