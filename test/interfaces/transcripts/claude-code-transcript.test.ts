import { describe, expect, it } from '@jest/globals';
import { claudeCodeReader } from '../../../src/interfaces/transcripts/claude-code-transcript.js';
import {
  aCall,
  anAssistant,
  aResult,
  aUser,
  jsonl,
  memorySource,
  readSession,
  sha256,
} from './transcript-support.js';

const first = aUser('One', { uuid: 'u1' });
const second = anAssistant('m1', [{ type: 'text', text: 'Two' }], { uuid: 'a1' });
const line = (record: object) => JSON.stringify(record);

describe('a session of Claude Code', () => {
  // prettier-ignore
  it.each([
    { reason: 'glued',           given: `${line(first)}${line(second)}\n`,               fragments: 2 },
    { reason: 'not-json',        given: `${line(first)}\n{"type":\n${line(second)}\n`,   fragments: 2 },
    { reason: 'incomplete-tail', given: `${line(first)}\n${line(second).slice(0, 40)}`,  fragments: 1 },
    { reason: 'bad-shape',       given: `${line(first)}\n3\n${line(second)}\n`,          fragments: 2 },
    { reason: 'bad-shape',       given: `${line(first)}\n{"type":"user","uuid":"x"}\n`,  fragments: 1 },
  ])('with a line that is $reason is read, and the line is named', async ({ reason, given, fragments }) => {
    const { receipt } = await readSession(memorySource(given, 10));
    expect(receipt.fragments).toBe(fragments);
    expect(receipt.problems).toMatchObject({ total: 1, first: [{ reason }] });
    const [problem] = receipt.problems.first;
    expect(given.slice(problem?.byteOffset ?? -1)).not.toBe('');
  });

  it('of which most lines are unreadable is refused', async () => {
    const reading = readSession(memorySource(`${line(first)}\nnot json\nnor this\n`));
    await expect(reading).rejects.toMatchObject({ code: 'INVALID_TRANSCRIPT' });
  });

  it('with a record twice holds it once; the same key with other content is kept and reported', async () => {
    const { fragments, receipt } = await readSession(
      memorySource(jsonl(first, first, aUser('Other', { uuid: 'u1' }))),
    );
    expect(fragments.map(({ content }) => content)).toEqual(['One', 'Other']);
    expect(receipt).toMatchObject({ ignored: 1, problems: { first: [{ reason: 'key-reused' }] } });
  });

  it('with a record twice, its fields in another order, holds it once', async () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      const fields = Object.entries(value).reverse();
      return Object.fromEntries(fields.map(([name, field]) => [name, reversed(field)]));
    };
    const input = { path: 'a', limit: 2 };
    const blocks = [{ type: 'tool_use', id: 'c1', name: 'Read', input }];
    const call = anAssistant('m2', blocks, { uuid: 'a2' });
    const again = [first, call].map((record) => reversed(record) as Record<string, unknown>);
    const { receipt } = await readSession(memorySource(jsonl(first, call, ...again)));
    expect(receipt).toMatchObject({ ignored: 2, problems: { total: 0 } });
  });

  it.each(['', '\n\n  \n'])('of nothing but blanks (%j) yields zeros and a note', async (given) => {
    const { receipt } = await readSession(memorySource(given));
    expect(receipt).toMatchObject({
      sessionId: null,
      fragments: 0,
      decisions: 0,
      problems: { total: 0 },
    });
    expect(receipt.notes).toEqual(['session.jsonl is empty: nothing was read.']);
  });

  it('names sub-agents inside the file, their records and the call that started each', async () => {
    const brief = { uuid: 's1', isSidechain: true, agentId: 'agent-7' };
    const { fragments, receipt } = await readSession(
      memorySource(
        jsonl(
          first,
          anAssistant(
            'm1',
            [aCall('c1', 'Task', { prompt: 'Find it', subagent_type: 'Explore' })],
            { uuid: 'a1' },
          ),
          aUser('Find it', brief),
          anAssistant('m2', [{ type: 'text', text: 'Found.' }], { ...brief, uuid: 's2' }),
          aUser('Nobody asked', { uuid: 's3', isSidechain: true }),
          aUser([aResult('c1', 'Found.')], { uuid: 'u2', toolUseResult: { agentId: 'agent-7' } }),
        ),
      ),
    );
    expect(fragments).toHaveLength(2);
    expect(receipt.children).toEqual([
      { agentId: 'agent-7', records: 2, callId: 'c1', kind: 'sub-agent' },
      { agentId: 's3', records: 1, callId: null, kind: 'sub-agent' },
    ]);
    expect(receipt.leftOut).toEqual({ 'sub-agent': 3 });
    expect(receipt.problems.first).toMatchObject([{ reason: 'sub-agent-unlinked', ids: ['s3'] }]);
  });

  it('of a sub-agent alone is a session of its own, whose prompts are no person’s', async () => {
    const parts = { isSidechain: true, agentId: 'agent-7' };
    const { decisions, fragments, receipt } = await readSession(
      memorySource(jsonl(aUser('Find it', { uuid: 's1', ...parts }), { ...second, ...parts })),
    );
    expect(receipt.vendorSessionId).toBe('vendor-session/agent-agent-7');
    expect(decisions).toEqual([]);
    expect(fragments.map(({ content }) => content)).toEqual(['Two']);
  });

  it('of the vendor’s own compaction run yields nothing but its name', async () => {
    const parts = { isSidechain: true, agentId: 'acompact-1' };
    const { receipt } = await readSession(
      memorySource(jsonl({ ...first, ...parts }, { ...second, ...parts })),
    );
    expect(receipt).toMatchObject({
      fragments: 0,
      children: [{ kind: 'vendor-compaction', records: 2 }],
    });
  });

  it('has the same ids under any name of the file', async () => {
    const content = jsonl(first, second);
    const here = await readSession(memorySource(content, 64, 'here.jsonl'));
    const there = await readSession(memorySource(content, 5, 'there.jsonl'));
    expect(there.items).toEqual(here.items);
  });

  it.each([400, 200_000])(
    'with a value nested %i levels deep is read to its end',
    async (depth) => {
      const nested = `{"type":"user","uuid":"n","sessionId":"vendor-session","message":{"content":[{"type":"odd","x":${'['.repeat(depth)}${']'.repeat(depth)}}]}}`;
      const { fragments, receipt } = await readSession(
        memorySource(`${nested}\n${jsonl(first, second)}`),
      );
      expect(fragments.map(({ content }) => content)).toEqual(['One', 'Two']);
      expect(receipt.problems.total).toBe(depth > 500 ? 1 : 0);
    },
  );

  // prettier-ignore
  it.each([
    { rule: 'is told by a record with its ids',        text: `${line(first)}\n`,                        isWhole: true,  fits: true },
    { rule: 'is told by a record cut off by the head', text: line(first).slice(0, -9),                  isWhole: false, fits: true },
    { rule: 'is told by a title alone',                text: '{"type":"summary","leafUuid":"x"}\n',     isWhole: true,  fits: true },
    { rule: 'is not any JSONL with types',             text: '{"type":"user","content":"x"}\n',         isWhole: true,  fits: false },
    { rule: 'is not prose that quotes its fields',     text: 'see "sessionId": and "parentUuid": here', isWhole: false, fits: false },
  ])('$rule', ({ text, isWhole, fits }) => {
    expect(claudeCodeReader(sha256).detect({ text, isWhole })).toBe(fits);
  });
});
