/** A workflow through the façade: sources, approvals, the pin in the session that implements, drafts. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createOssature,
  type LanguageModel,
  type Ossature,
  redactWith,
  type Workflow,
} from '../../src/index.js';
import { aSession } from '../contracts/session-values.js';
import { storeOf } from '../support/builders.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const files: Record<string, string> = {
  'src/a.ts': 'one\ntwo\nthree\n',
  'src/b.ts': 'b '.repeat(500),
};
const reading = {
  readFile: async (path: string) => files[path] ?? null,
  redact: redactWith((text) => text.padEnd(64, '0')),
};

const research = (text = 'The clock.', source = 'file:src/a.ts:1-2'): string =>
  `# Research document\n## Components\n### R-1\n${text}\nSources:\n- ${source}\n`;
const spec = (text = 'Wind it.'): string =>
  `# Implementation spec\n## Steps\n### S-1\n${text}\nResearch: R-1\nFiles:\n- src/a.ts\n- src/b.ts\n- src/new.ts\n`;

let names = 0;
async function begun(core: Ossature, budgets = {}): Promise<Workflow> {
  names += 1;
  const name = `p${names}`;
  await core.projects.create(name);
  const { redact } = reading;
  return core.workflows.create({ tenantId: 't', project: name, name, goal: 'Go', budgets, redact });
}

const putting = (
  core: Ossature,
  key: Workflow,
  phase: 'research' | 'planning' | 'implementation',
  text: string,
) => core.workflows.put({ key, phase, text, by: 'ada', reading });
const approving = (core: Ossature, key: Workflow, phase: 'research' | 'planning') =>
  core.workflows.approve({ key, phase, by: 'bob', reading });

async function planned(core: Ossature, budgets = {}): Promise<Workflow> {
  const workflow = await begun(core, budgets);
  await putting(core, workflow, 'research', research());
  await approving(core, workflow, 'research');
  await putting(core, workflow, 'planning', spec());
  await approving(core, workflow, 'planning');
  return workflow;
}

describe.each(Object.entries(STORES))('work in three phases %s', (_, open) => {
  let opened: OpenedCore;
  let core: Ossature;
  beforeAll(async () => {
    opened = await open();
    core = opened.core;
  });
  afterAll(() => opened.close());

  const pinsOf = async (sessionId: string): Promise<readonly string[]> => {
    const { summary } = await core.sessions.summaries.read({ tenantId: 't', sessionId });
    return summary.items
      .filter(({ pinned, state }) => pinned && state === 'open')
      .map(({ text }) => text);
  };

  it('pins the approved spec whole in the session that implements, as long as it is approved', async () => {
    const workflow = await planned(core);
    const session = aSession({ tenantId: 't' });
    await storeOf(core).repositories.sessions.insert(session);
    const { sessionId } = session;
    const rule = { tenantId: 't', sessionId, text: 'Never push.', redact: reading.redact };
    await core.sessions.summaries.pin(rule);

    const context = await core.workflows.context({ key: workflow, reading, sessionId });
    expect(context.text).toContain('# Constraints\n\n- Never push.');
    expect(context.text.match(/Wind it\./g)).toHaveLength(1);
    expect(await pinsOf(sessionId)).toEqual([
      'Never push.',
      expect.stringMatching(/^The approved implementation spec of .*Wind it\./s),
    ]);

    await putting(core, workflow, 'planning', spec('Wind it twice.'));
    expect(await pinsOf(sessionId)).toEqual(['Never push.']);

    await approving(core, workflow, 'planning');
    expect(await pinsOf(sessionId)).toEqual([
      'Never push.',
      expect.stringContaining('Wind it twice.'),
    ]);

    await core.workflows.context({ key: workflow, reading, sessionId });
    expect(await pinsOf(sessionId)).toHaveLength(2);
  });

  it('puts the spec’s files into the context as far as they fit, and names the others', async () => {
    const roomy = await core.workflows.context({ key: await planned(core), reading });
    expect(roomy).toMatchObject({
      outcome: 'rendered',
      files: [{ path: 'src/a.ts' }, { path: 'src/b.ts' }],
      leftOut: [{ path: 'src/new.ts', reason: 'not-there' }],
    });
    expect(roomy.tokens).toBeLessThanOrEqual(roomy.budgetTokens);

    const small = await planned(core, { implementation: 200 });
    const narrow = await core.workflows.context({ key: small, reading });
    expect(narrow).toMatchObject({
      outcome: 'rendered',
      files: [{ path: 'src/a.ts' }],
      leftOut: [
        { path: 'src/b.ts', reason: 'over-budget' },
        { path: 'src/new.ts', reason: 'not-there' },
      ],
    });
    expect(narrow.text).toMatch(/src\/b\.ts \(\d+ tokens, no room\)/);
    expect(narrow.tokens).toBeLessThanOrEqual(200);
  });

  it('cuts nothing where the spec alone does not fit', async () => {
    const tiny = await planned(core, { implementation: 10 });

    expect(await core.workflows.context({ key: tiny, reading })).toMatchObject({
      outcome: 'over-budget',
      text: '',
      specTokens: expect.any(Number),
    });
  });

  it('keeps context from those whose spec is not approved as it is', async () => {
    const workflow = await planned(core);
    await putting(core, workflow, 'planning', spec('Other.'));

    await expect(core.workflows.context({ key: workflow, reading })).rejects.toMatchObject({
      code: 'ILLEGAL_MOVE',
    });
  });

  it('refuses what is over the budget, with the size of every item, and writes nothing', async () => {
    const workflow = await begun(core, { research: 30 });

    const report = await putting(core, workflow, 'research', research('word '.repeat(100)));

    expect(report).toMatchObject({
      outcome: 'over-budget',
      artifact: null,
      sizes: { budgetTokens: 30, items: [{ itemId: 'R-1', tokens: expect.any(Number) }] },
    });
    expect(report.sizes.items[0]?.tokens).toBeGreaterThan(100);
    const { artifacts, sources, workflow: now } = await core.workflows.show(workflow);
    expect([artifacts, sources, now.version]).toEqual([[], [], 1]);
  });

  it('lists gaps against an approval until they are accepted, and records them', async () => {
    const workflow = await begun(core);
    const orphan = research().replace(/Sources:[\s\S]*/, '');
    await putting(core, workflow, 'research', orphan);
    const gap = { gap: 'orphan', phase: 'research', itemId: 'R-1', reference: null };
    const asked = { key: workflow, phase: 'research', by: 'bob', reading } as const;

    expect(await core.workflows.approve(asked)).toMatchObject({ outcome: 'gaps', gaps: [gap] });
    expect((await core.workflows.show(workflow)).approvals).toEqual([]);

    await core.workflows.approve({ ...asked, acceptGaps: true });
    expect((await core.workflows.show(workflow)).approvals).toMatchObject([
      { acceptedGaps: [gap] },
    ]);
  });

  it('finds research that nobody took up, and sources that changed or are gone', async () => {
    files['src/x.ts'] = 'before';
    files['src/y.ts'] = 'before';
    const workflow = await begun(core);
    const two = `${research('The x.', 'file:src/x.ts')}### R-2\nThe y.\nSources:\n- file:src/y.ts\n- url:https://example.org/\n`;
    await putting(core, workflow, 'research', two);
    await approving(core, workflow, 'research');
    await putting(core, workflow, 'planning', spec());
    files['src/x.ts'] = 'after';
    delete files['src/y.ts'];

    const { items, gaps, unchecked } = await core.workflows.trace({ key: workflow, reading });

    expect(gaps).toEqual([
      { gap: 'changed-source', phase: 'research', itemId: 'R-1', reference: 'file:src/x.ts' },
      { gap: 'missing-source', phase: 'research', itemId: 'R-2', reference: 'file:src/y.ts' },
      { gap: 'uncovered', phase: 'planning', itemId: 'R-2', reference: null },
    ]);
    expect(unchecked).toEqual(['url:https://example.org/']);
    expect(items.find(({ itemId }) => itemId === 'S-1')).toMatchObject({
      standsOn: ['R-1'],
      sources: [expect.stringMatching(/^file:src\/x\.ts@[0-9a-f]{64}$/)],
    });
  });

  it('changes nothing where the same artifact is put again', async () => {
    const workflow = await planned(core);
    const before = await core.workflows.show(workflow);

    expect(await putting(core, workflow, 'research', research())).toMatchObject({
      outcome: 'unchanged',
    });
    expect(await core.workflows.show(workflow)).toEqual(before);
  });

  it('lets one of two that put at once through, and tells the other', async () => {
    const workflow = await begun(core);
    const both = await Promise.allSettled([
      putting(core, workflow, 'research', research('One.')),
      putting(core, workflow, 'research', research('Two.')),
    ]);

    const refused = both.flatMap((one) =>
      one.status === 'rejected' ? [one.reason as unknown] : [],
    );
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(2 - refused.length);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'STALE' });
    const { artifacts, workflow: now } = await core.workflows.show(workflow);
    expect(artifacts).toHaveLength(2 - refused.length);
    expect(now.version).toBe(1 + artifacts.length);
  });

  it('hides secrets before anything is kept or counted', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    files['src/secret.ts'] = `token = "${secret}"`;
    const workflow = await begun(core);
    const texts = [{ kind: 'document', name: 'notes.md', content: `It is ${secret}.` }] as const;
    await core.workflows.addSources({ key: workflow, texts, reading });
    await putting(core, workflow, 'research', research(`Uses ${secret}.`, 'file:src/secret.ts'));

    expect(JSON.stringify(await core.workflows.show(workflow))).not.toContain(secret);
  });

  it('shows nothing of a workflow to another tenant', async () => {
    const workflow = await planned(core);
    const key = { tenantId: 'other', workflowId: workflow.workflowId };
    const refusal = { code: 'NOT_FOUND' };

    await expect(core.workflows.show(key)).rejects.toMatchObject(refusal);
    await expect(core.workflows.resolve('other', workflow.name)).rejects.toMatchObject(refusal);
    await expect(core.workflows.context({ key, reading })).rejects.toMatchObject(refusal);
    expect((await core.workflows.list('other')).map(({ name }) => name)).not.toContain(
      workflow.name,
    );
  });
});

describe('a draft', () => {
  /** Answers with the texts in turn, and keeps what it was asked. */
  function scripted(...texts: readonly string[]): LanguageModel & { readonly asked: string[] } {
    const asked: string[] = [];
    return {
      name: 'scripted',
      asked,
      complete: async ({ system, messages }) => {
        asked.push([system, ...messages.map(({ text }) => text)].join('\n'));
        const usage = { inputTokens: null, cachedInputTokens: null, outputTokens: null };
        return { text: texts[asked.length - 1] ?? '', usage, finishReason: 'stop' };
      },
    };
  }
  const answer = (text: string, sources: readonly string[] = ['file:src/a.ts']): string =>
    JSON.stringify({
      kind: 'research_document',
      items: [{ item_id: 'R-1', section: 'components', text, sources }],
    });
  const { signal } = new AbortController();

  async function drafting(model: LanguageModel | null, budgets = {}) {
    const store = { kind: 'in-memory' } as const;
    const core = await createOssature(model === null ? { store } : { store, languageModel: model });
    const workflow = await begun(core, budgets);
    const request = { key: workflow, phase: 'research', reading } as const;
    await core.workflows.addSources({ key: workflow, references: ['file:src/a.ts'], reading });
    return { core, workflow, draft: () => core.workflows.draft(request, signal) };
  }

  it('is put under the same checks as a person’s, and waits for approval', async () => {
    const model = scripted(answer('Three lines.'));
    const { core, workflow, draft } = await drafting(model);

    expect(await draft()).toMatchObject({
      outcome: 'put',
      workflow: { phase: 'research', state: 'in-review' },
      artifact: { producer: 'model:scripted' },
      unread: [],
    });
    expect(model.asked[0]).toContain('file:src/a.ts\n\none\ntwo\nthree');
    await expect(putting(core, workflow, 'planning', spec())).rejects.toMatchObject({
      code: 'ILLEGAL_MOVE',
    });
  });

  it('is asked for once more with what was wrong: a form, a source, the budget', async () => {
    const model = scripted(answer('word '.repeat(200)), answer('Short.'));
    const { draft } = await drafting(model, { research: 100 });

    expect(await draft()).toMatchObject({ outcome: 'put' });
    expect(model.asked[1]).toMatch(/it takes \d+ tokens of 100: say less/);
  });

  it('meets the reasons of a rejection', async () => {
    const model = scripted(answer('First.'), answer('Second.'));
    const { core, workflow, draft } = await drafting(model);
    await draft();
    await core.workflows.reject({
      key: workflow,
      phase: 'research',
      by: 'bob',
      comment: 'Too thin.',
    });

    expect(await draft()).toMatchObject({ outcome: 'put', artifact: { version: 2 } });
    expect(model.asked[1]).toContain('Too thin.');
    expect(model.asked[1]).toContain('First.');
  });

  it.each([
    ['no JSON', ['sorry', 'no']],
    ['the wrong form', [answer(''), '{"kind":"x","items":[]}']],
    ['sources that are none', [answer('x', ['memory']), answer('x', ['memory'])]],
  ])('that stays %s is MODEL_UNREADABLE, and nothing is written', async (_, texts) => {
    const { core, workflow, draft } = await drafting(scripted(...texts));

    await expect(draft()).rejects.toMatchObject({ code: 'MODEL_UNREADABLE' });
    expect((await core.workflows.show(workflow)).artifacts).toEqual([]);
  });

  it('without a model is MODEL_UNAVAILABLE before any work', async () => {
    const { draft } = await drafting(null);

    await expect(draft()).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });
});
