import { describe, expect, it } from '@jest/globals';
import {
  aCall,
  anAssistant,
  aResult,
  aUser,
  jsonl,
  memorySource,
  readSession,
} from '../../interfaces/transcripts/transcript-support.js';

const text = (content: string) => ({ type: 'text', text: content });
const read = (...records: readonly object[]) => readSession(memorySource(jsonl(...records)));
const plan = (id: string, uuid: string, wording: string) =>
  anAssistant(`m-${uuid}`, [aCall(id, 'ExitPlanMode', { plan: wording })], { uuid });
const question = (id: string, uuid: string) =>
  anAssistant(
    `m-${uuid}`,
    [
      aCall(id, 'AskUserQuestion', {
        questions: [
          { question: 'Which store?', options: [{ label: 'Redis' }, { label: 'Memory' }] },
        ],
      }),
    ],
    { uuid },
  );
const answered = (id: string, uuid: string, answer: string) =>
  aUser([aResult(id, `"Which store?"="${answer}".`)], {
    uuid,
    toolUseResult: { answers: { 'Which store?': answer } },
  });

describe('the decisions of a session', () => {
  it('are the prompts, of which the first defines the plan and later ones intervene', async () => {
    const { decisions } = await read(
      aUser('Fix the login', { uuid: 'u1' }),
      anAssistant('m1', [text('Done.\nAll of it.')], { uuid: 'a1' }),
      aUser('Now the tests', { uuid: 'u2' }),
    );
    expect(decisions).toMatchObject([
      {
        type: 'prompt_definition',
        question: null,
        choice: 'Fix the login',
        parentDecisionId: null,
      },
      { type: 'user_intervention', question: 'Done.', choice: 'Now the tests' },
    ]);
    expect(decisions[1]?.parentDecisionId).toBe(decisions[0]?.decisionId);
    expect(decisions[0]?.createdAt).toBe('2026-01-31T12:00:00.000Z');
  });

  it('begin with an intervention where the plan has a prompt already', async () => {
    const { decisions } = await readSession(
      memorySource(jsonl(aUser('Go on', { uuid: 'u1' }))),
      true,
    );
    expect(decisions.map(({ type }) => type)).toEqual(['user_intervention']);
  });

  it('hold an approved plan, and a later one supersedes it', async () => {
    const { decisions, fragments } = await read(
      aUser('Fix the login', { uuid: 'u1' }),
      plan('c1', 'a1', 'Plan A'),
      aUser([aResult('c1', 'User has approved your plan.')], { uuid: 'u2' }),
      plan('c2', 'a2', 'Plan B'),
      aUser([aResult('c2', 'User has approved your plan.')], { uuid: 'u3' }),
      anAssistant('m9', [text('Working by plan B.')], { uuid: 'a3' }),
    );
    const [prompt, first, second] = decisions;
    expect([first, second]).toMatchObject([
      { type: 'strategy_choice', question: 'Fix the login', choice: 'Plan A', supersedes: null },
      { type: 'strategy_choice', choice: 'Plan B', supersedes: first?.decisionId },
    ]);
    expect(second?.parentDecisionId).toBe(prompt?.decisionId);
    expect(fragments.map(({ relevance }) => relevance)).toEqual([0.9, 1, 1, 0.5]);
    expect(fragments.at(-1)?.decisionId).toBe(second?.decisionId);
  });

  it('hold a plan that was sent back, with the remark', async () => {
    const { decisions } = await read(
      aUser('Fix the login', { uuid: 'u1' }),
      anAssistant('m1', [text('Here is my plan.'), aCall('c1', 'ExitPlanMode', { plan: 'A' })], {
        uuid: 'a1',
      }),
      aUser(
        [
          aResult(
            'c1',
            "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nkeep the cookie",
            true,
          ),
        ],
        { uuid: 'u2' },
      ),
    );
    expect(decisions[1]).toMatchObject({
      type: 'user_intervention',
      question: 'Here is my plan.',
      choice: 'keep the cookie',
    });
  });

  it('hold answers with the options not taken, and a later answer to the same question supersedes', async () => {
    const { decisions, fragments } = await read(
      aUser('Limit the rate', { uuid: 'u1' }),
      question('c1', 'a1'),
      answered('c1', 'u2', 'Redis'),
      question('c2', 'a2'),
      answered('c2', 'u3', 'Memory'),
      anAssistant('m9', [text('In memory then.')], { uuid: 'a9' }),
    );
    const [prompt, first, second] = decisions;
    expect(first).toMatchObject({
      type: 'implementation_choice',
      question: 'Which store?',
      choice: 'Redis',
      rationale: 'Not taken: Memory',
      supersedes: null,
    });
    expect(second).toMatchObject({ choice: 'Memory', supersedes: first?.decisionId });
    expect(fragments.map(({ relevance }) => relevance)).toEqual([0.9, 0.95, 0.95, 0.5]);
    expect(fragments.map(({ decisionId }) => decisionId)).toEqual([
      prompt?.decisionId,
      first?.decisionId,
      second?.decisionId,
      prompt?.decisionId,
    ]);
  });

  it('hold the start of a sub-agent: its brief and the agent chosen', async () => {
    const { decisions } = await read(
      aUser('Look around', { uuid: 'u1' }),
      anAssistant(
        'm1',
        [aCall('c1', 'Task', { prompt: 'Find the routes', subagent_type: 'Explore' })],
        { uuid: 'a1' },
      ),
      aUser([aResult('c1', 'There are nine.')], { uuid: 'u2' }),
    );
    expect(decisions[1]).toMatchObject({
      type: 'subplan_spawn',
      question: 'Find the routes',
      choice: 'Explore',
    });
  });
});

describe('the fragments of a session', () => {
  it('keep parallel calls and their results in one, each result behind its call', async () => {
    const { fragments } = await read(
      aUser('Look', { uuid: 'u1' }),
      anAssistant('m1', [text('Both at once.')], { uuid: 'a1' }),
      anAssistant('m1', [aCall('c1', 'Read', { file_path: 'a.ts' })], { uuid: 'a2' }),
      anAssistant('m1', [aCall('c2', 'Read', { file_path: 'b.ts' })], { uuid: 'a3' }),
      aUser([aResult('c2', 'text of b')], { uuid: 'u2' }),
      aUser('<system-reminder>Be brief.</system-reminder>', { uuid: 'u3' }),
      aUser([aResult('c1', 'text of a')], { uuid: 'u4' }),
      anAssistant('m2', [text('Read.')], { uuid: 'a4' }),
    );
    expect(fragments.map(({ content }) => content)).toEqual([
      'Look',
      'Both at once.\n→ Read file_path=a.ts\n←\ntext of a\n→ Read file_path=b.ts\n←\ntext of b',
      'Read.',
    ]);
  });

  // prettier-ignore
  it.each([
    { rule: 'a failed call',                  name: 'Bash',  input: { command: 'npm test' },            failed: true,  relevance: 0.75 },
    { rule: 'a call that changed a file',     name: 'Edit',  input: { file_path: 'a' },                 failed: false, relevance: 0.7 },
    { rule: 'a command that removes a file',  name: 'Bash',  input: { command: 'git rm a.ts' },         failed: false, relevance: 0.7 },
    { rule: 'a command that redirects',       name: 'Bash',  input: { command: 'echo a > b.txt' },      failed: false, relevance: 0.7 },
    { rule: 'any other call',                 name: 'Bash',  input: { command: 'npm test 2>&1' },       failed: false, relevance: 0.5 },
    { rule: 'a search',                       name: 'Grep',  input: { pattern: 'a' },                   failed: false, relevance: 0.4 },
    { rule: 'a command that only reads',      name: 'Bash',  input: { command: 'cat a | head -3' },     failed: false, relevance: 0.4 },
  ])('have relevance $relevance for $rule', async ({ name, input, failed, relevance }) => {
    const { fragments } = await read(
      anAssistant('m1', [aCall('c1', name, input)], { uuid: 'a1' }),
      aUser([aResult('c1', 'x', failed)], { uuid: 'u1' }),
      anAssistant('m2', [text('.')], { uuid: 'a2' }),
    );
    expect(fragments[0]?.relevance).toBe(relevance);
  });

  it('become head, tail and handle above 8,000 tokens, cut between characters', async () => {
    const { fragments, receipt } = await read(
      aUser(`begin ${'👩‍👩‍👧é'.repeat(9_000)} end`, { uuid: 'u1' }),
    );
    const [fragment] = fragments;
    expect(fragment?.tokenCount).toBeLessThanOrEqual(8_000);
    expect(fragment?.content).toMatch(
      /^begin .*\n\[\d+ of \d+ characters left out here; .*entry:1\]\n.* end$/su,
    );
    const [head = '', , tail = ''] = (fragment?.content ?? '').split('\n');
    expect(head).toMatch(/(?:👧|é)$/u);
    expect(tail).toMatch(/^(?:👩‍👩‍👧|é)/u);
    expect(fragment?.metadata).toMatchObject({ whole_tokens: expect.any(Number) });
    expect(receipt.shortened).toBe(1);
  });

  it('leave out thinking, harness text, vendor summaries and rewound branches, and count them', async () => {
    const { fragments, receipt, decisions } = await read(
      aUser('<command-name>/clear</command-name>', { uuid: 'h1' }),
      aUser('Start', { uuid: 'u1' }),
      anAssistant('m1', [{ type: 'thinking', thinking: 'hm' }, text('Started.')], {
        uuid: 'a1',
        parentUuid: 'u1',
      }),
      aUser('Wrong way', { uuid: 'u2', parentUuid: 'a1' }),
      anAssistant('m2', [text('Going wrong.')], { uuid: 'a2', parentUuid: 'u2' }),
      aUser('Right way', { uuid: 'u3', parentUuid: 'a1' }),
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 's1',
        logicalParentUuid: 'u3',
        sessionId: 'vendor-session',
        content: 'Compacted',
      },
      aUser('Summary so far', { uuid: 'c1', parentUuid: 's1', isCompactSummary: true }),
      anAssistant('m3', [text('Right.')], { uuid: 'a3', parentUuid: 'c1' }),
      { type: 'file-history-snapshot', snapshot: {} },
    );
    expect(fragments.map(({ content }) => content)).toEqual([
      'Start',
      'Started.',
      'Right way',
      'Right.',
    ]);
    expect(decisions.map(({ choice }) => choice)).toEqual(['Start', 'Right way']);
    expect(receipt.leftOut).toEqual({
      harness: 1,
      thinking: 1,
      'inactive-branch': 2,
      system: 1,
      'vendor-summary': 1,
    });
    expect(receipt.skipped).toEqual({ 'file-history-snapshot': 1 });
  });

  it('keep what a person wrote beside a reminder', async () => {
    const { fragments, receipt } = await read(
      aUser(
        [
          text('<system-reminder>x</system-reminder>\nDo it'),
          text('<ide_selection>y</ide_selection>'),
        ],
        { uuid: 'u1' },
      ),
    );
    expect(fragments.map(({ content }) => content)).toEqual(['Do it']);
    expect(receipt.leftOut).toEqual({ harness: 2 });
  });

  it('wait for the result of a last call: a cut file names the unit, a grown one brings it', async () => {
    const records = [
      aUser('Look', { uuid: 'u1' }),
      anAssistant('m1', [text('Looking.'), aCall('c1', 'Read', { file_path: 'a' })], {
        uuid: 'a1',
      }),
      aUser([aResult('c1', 'text of a')], { uuid: 'u2' }),
    ];
    const cut = await read(...records.slice(0, 2));
    const grown = await read(...records);
    expect(cut.receipt).toMatchObject({
      fragments: 1,
      leftOut: { 'incomplete-unit': 2 },
      incomplete: ['a1'],
    });
    expect(grown.fragments.slice(0, 1)).toEqual(cut.fragments);
    expect(grown.fragments).toHaveLength(2);
  });

  it('say of a call without result that it has none', async () => {
    const { fragments } = await read(
      anAssistant('m1', [aCall('c1', 'Bash', { command: 'sleep 9' })], { uuid: 'a1' }),
      aUser('Stop', { uuid: 'u1' }),
    );
    expect(fragments[0]?.content).toBe('→ Bash command=sleep 9\n(no result)');
    expect(fragments[0]?.metadata).toMatchObject({ unanswered_calls: ['c1'] });
  });

  it('hold a result without call, which is a problem with its id', async () => {
    const { fragments, receipt } = await read(aUser([aResult('lost', 'ok')], { uuid: 'u1' }));
    expect(fragments[0]?.content).toBe('(result of a call that is not in the transcript)\n←\nok');
    expect(receipt.problems.first).toMatchObject([
      { reason: 'result-without-call', ids: ['lost'] },
    ]);
  });

  it('are redacted before they are counted, in call, result and decision alike', async () => {
    const secret = ['sk-', 'ant-', 'abcdefghijklmnop1234'].join('');
    const reading = await read(
      aUser(`Use ${secret}`, { uuid: 'u1' }),
      anAssistant('m1', [aCall('c1', 'Bash', { command: `curl -H "x: ${secret}"` })], {
        uuid: 'a1',
      }),
      aUser([aResult('c1', `sent ${secret}`)], { uuid: 'u2' }),
      anAssistant('m2', [text('ok')], { uuid: 'a2' }),
    );
    expect(JSON.stringify(reading)).not.toContain(secret);
    expect(reading.receipt.redactions).toEqual({ 'anthropic-key': 3 });
  });
});
