import { type ContextStrategy, createOssature, renderPayload } from 'ossature';

/** A source of the host's own: what its on-call notes say, as fragments of the plan that asks. */
const onCallNotes: ContextStrategy = {
  name: 'on-call-notes',
  quality: 0.6, // how good its fragments usually are, 0..1
  canHandle: ({ query }) => (query.includes('login') ? 0.8 : 0), // at once: no promise
  assemble: async ({ planId }) => [
    {
      planId,
      fragmentId: 'on-call-17',
      content: 'Logins failed on Monday: the session store was restarted.',
      tokenCount: 0, // counted again by the core
      relevance: 0.9,
      decisionId: null,
    },
  ],
};

/** What a model is shown of a plan, within a budget: text, and what did not fit with its reason. */
export async function ownStrategy(): Promise<{ text: string; leftOut: readonly string[] }> {
  const core = await createOssature({
    store: { kind: 'in-memory' },
    strategies: [onCallNotes], // beside ours
  });
  await core.projects.create('harbor');
  const plan = await core.plans.create({ project: 'harbor', goal: 'Fix the login' });
  await core.imports.import(plan.planId, [
    {
      item: 'fragment',
      fragment: {
        fragmentId: 'n1',
        content: 'Login tokens live an hour; after that the session store is asked again.',
        relevance: 0.8,
      },
    },
    {
      item: 'fragment',
      fragment: { fragmentId: 'n2', content: 'The logo is blue. '.repeat(200), relevance: 0.1 },
    },
  ]);
  const payload = await core.contexts.assemble({
    planId: plan.planId,
    query: 'Why does the login fail?',
    maxTokens: 400,
    reservedTokens: 100, // of these, for the answer
  });
  await core.close();
  return {
    text: renderPayload(payload), // at most 300 tokens
    leftOut: payload.excluded.map(({ fragmentId, reason }) => `${fragmentId}: ${reason}`),
  };
}
