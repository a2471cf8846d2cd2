import { describe, expect, it } from '@jest/globals';
import {
  type FileFragment,
  fragmentFileFormat,
  type FragmentFileReceipt,
  readFragmentFile,
} from '../../../src/interfaces/transcripts/fragment-file.js';
import { countQuarters, memorySource, redact } from './transcript-support.js';

async function read(
  content: string,
  skipInvalid = false,
  chunkBytes = 5,
): Promise<{ readonly fragments: readonly FileFragment[]; readonly receipt: FragmentFileReceipt }> {
  const source = memorySource(content, chunkBytes, 'fragments.json');
  const reading = readFragmentFile({ source, counter: countQuarters, redact, skipInvalid });
  const fragments: FileFragment[] = [];
  for await (const fragment of reading.items) fragments.push(fragment);
  return { fragments, receipt: reading.receipt() };
}

const good = { fragment_id: 'a', content: 'eight ch', relevance: 0.5 };
const text = (value: unknown) => JSON.stringify(value);

describe('a fragment file', () => {
  // prettier-ignore
  it.each([
    { form: 'a JSON array',               content: text([good, { ...good, fragment_id: 'b' }]) },
    { form: 'an array over many lines',   content: JSON.stringify([good, { ...good, fragment_id: 'b' }], null, 2) },
    { form: 'JSONL',                      content: `${text(good)}\n${text({ ...good, fragment_id: 'b' })}` },
    { form: 'JSONL with a BOM and CRLF',  content: `\ufeff${text(good)}\r\n\r\n${text({ ...good, fragment_id: 'b' })}\r\n` },
    { form: 'an array with a BOM',        content: `\ufeff ${text([good, { ...good, fragment_id: 'b' }])}\n` },
  ])('may be $form', async ({ content }) => {
    const { fragments, receipt } = await read(content);
    expect(fragments.map(({ fragmentId }) => fragmentId)).toEqual(['a', 'b']);
    expect(receipt).toMatchObject({ format: 'fragment-file', fragments: 2, bytes: Buffer.byteLength(content) });
  });

  it('has its tokens counted where it does not give them', async () => {
    const { fragments } = await read(text([good, { ...good, fragment_id: 'b', token_count: 77 }]));
    expect(fragments.map(({ tokenCount }) => tokenCount)).toEqual([2, 77]);
  });

  it('is redacted, and what changed is counted anew', async () => {
    const content = 'PASSWORD=correcthorse';
    const { fragments, receipt } = await read(text([{ ...good, content, token_count: 999 }]));
    expect(fragments[0]?.content).toMatch(/^PASSWORD=\[redacted:assignment:[0-9a-f]{8}\]$/);
    expect(fragments[0]?.tokenCount).toBe(countQuarters.count(fragments[0]?.content ?? ''));
    expect(receipt.redactions).toEqual({ assignment: 1 });
  });

  it('keeps every optional field', async () => {
    const decision_id = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
    const given = {
      ...good,
      decision_id,
      decision: 'Use it',
      created_at: '2026-01-31T12:00:00Z',
      metadata: { path: 'a' },
    };
    expect((await read(text([given]))).fragments).toEqual([
      {
        fragmentId: 'a',
        content: 'eight ch',
        relevance: 0.5,
        tokenCount: 2,
        counted: true,
        decisionId: decision_id,
        decision: 'Use it',
        createdAt: '2026-01-31T12:00:00Z',
        metadata: { path: 'a' },
        place: { number: 1, byteOffset: 1, length: expect.any(Number) },
      },
    ]);
  });

  // prettier-ignore
  it.each([
    { rule: 'a missing id',            bad: { content: 'x', relevance: 1 },            names: 'fragment_id' },
    { rule: 'an empty id',             bad: { ...good, fragment_id: '' },              names: 'fragment_id' },
    { rule: 'content that is no text', bad: { ...good, content: 3 },                   names: 'content' },
    { rule: 'relevance above 1',       bad: { ...good, relevance: 1.1 },               names: 'relevance' },
    { rule: 'relevance as text',       bad: { ...good, relevance: '1' },               names: 'relevance' },
    { rule: 'a broken count',          bad: { ...good, token_count: 1.5 },             names: 'token_count' },
    { rule: 'a decision without form', bad: { ...good, decision_id: 'd1' },            names: 'decision_id' },
    { rule: 'a time without zone',     bad: { ...good, created_at: '2026-01-31 12:00' }, names: 'created_at' },
    { rule: 'metadata as a list',      bad: { ...good, metadata: [] },                 names: 'metadata' },
    { rule: 'a field not known',       bad: { ...good, relevanse: 1 },                 names: 'relevanse' },
    { rule: 'a value that is no object', bad: 'text',                                  names: 'object' },
  ])('with $rule is refused, naming line and field, or left out on demand', async ({ bad, names }) => {
    for (const content of [`${text(good)}\n${text(bad)}\n`, `[${text(good)},\n${text(bad)}]`]) {
      await expect(read(content)).rejects.toMatchObject({
        code: 'INVALID_FRAGMENT',
        message: expect.stringMatching(new RegExp(`fragments\\.json, line 2: .*${names}`)),
      });
      const { fragments, receipt } = await read(content, true);
      expect(fragments).toHaveLength(1);
      expect(receipt.problems).toMatchObject({ total: 1, first: [{ line: 2, reason: 'bad-field' }] });
    }
  });

  it.each(['[{"fragment_id":"a"', `[${text(good)}`, `[${text(good)}] x`])(
    'that breaks off or goes on behind its end is refused: %s',
    async (content) => {
      await expect(read(content)).rejects.toMatchObject({ code: 'INVALID_FRAGMENT' });
    },
  );

  it.each(['', '[]', ' \n'])('without fragments (%j) yields zeros and a note', async (content) => {
    const { receipt } = await read(content);
    expect(receipt).toMatchObject({ fragments: 0, notes: ['fragments.json holds no fragments.'] });
  });

  // prettier-ignore
  it.each([
    { content: text(good),                              fits: true },
    { content: text([good]),                            fits: true },
    { content: text({ content: 'x', relevance: 1 }),    fits: true },
    { content: '[]',                                    fits: true },
    { content: text([{ role: 'user', content: 'x' }]),  fits: false },
    { content: text({ type: 'user', content: text(good) }), fits: false },
  ])('is told by its first object: $content', ({ content, fits }) => {
    expect(fragmentFileFormat.detect({ text: content, isWhole: true })).toBe(fits);
  });
});
