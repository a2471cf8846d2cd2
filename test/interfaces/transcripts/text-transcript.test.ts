import { describe, expect, it } from '@jest/globals';
import { textReader } from '../../../src/interfaces/transcripts/text-transcript.js';
import { outline, readEvents } from './reader-support.js';
import { countQuarters, memorySource, sha256 } from './transcript-support.js';

const reader = textReader({ digest: sha256, counter: countQuarters });
const read = async (content: string) => readEvents(reader, memorySource(content, 19));

/** About as many tokens of the counter as asked for, on one line. */
const line = (tokens: number) => 'word '.repeat((tokens * 4) / 5).trim();

describe('text with speakers', () => {
  it('is an entry for each part, with the lines that follow', async () => {
    const { entries, lines, bytes, sessions } = await read(
      'Notes first.\r\n\r\nUser: Do it\n  and well.\n\nassistant: Done.\nSystem:\nBe brief.\nUser:\n\n',
    );
    expect(sessions).toEqual([null]);
    expect(outline(entries)).toEqual([
      'system/system Notes first.',
      'user/human Do it\n  and well.',
      'assistant/agent Done.',
      'system/system Be brief.',
    ]);
    expect([lines, bytes]).toEqual([10, 83]);
  });

  it('has results of calls that it does not tell', async () => {
    const { entries } = await read('Tool: 3 files\n');
    expect(entries).toMatchObject([{ kind: 'tool_result', author: 'tool', content: '3 files' }]);
  });

  it('may name its speakers otherwise', async () => {
    const other = textReader({
      digest: sha256,
      counter: countQuarters,
      speakers: { 'Q (me)': 'user', A: 'assistant' },
    });
    const source = memorySource('Q (me): Why?\nA: Because.\nUser: no speaker here\n');
    expect(outline((await readEvents(other, source)).entries)).toEqual([
      'user/human Why?',
      'assistant/agent Because.\nUser: no speaker here',
    ]);
  });

  it('gives equal keys again, and other keys to equal parts', async () => {
    const content = 'User: a\nAssistant: a\nUser: a\n';
    const [first, second] = [await read(content), await read(content)];
    expect(second).toEqual(first);
    expect(new Set(first.entries.map(({ sourceKey }) => sourceKey)).size).toBe(3);
  });

  it('with a line that is not UTF-8 is read, and the line is named', async () => {
    const bytes = Buffer.concat([
      Buffer.from('User: a\n'),
      Buffer.of(0xff, 0x0a),
      Buffer.from('b\n'),
    ]);
    const { entries, problems } = await readEvents(reader, memorySource(bytes, 3));
    expect(outline(entries)).toEqual(['user/human a\nb']);
    expect(problems).toMatchObject([{ reason: 'not-utf8', line: 2, byteOffset: 8, length: 1 }]);
  });

  // prettier-ignore
  it.each([
    { fits: true,  what: 'a first line that names a speaker',   text: '\n  \nUser: hello' },
    { fits: true,  what: 'two speakers that begin paragraphs',  text: 'A log.\n\nUser: hello\n\nAssistant: hi\n' },
    { fits: false, what: 'one speaker in the middle',           text: 'A log.\n\nUser: hello\n' },
    { fits: false, what: 'a word inside a paragraph',           text: 'A log.\nUser: hello\nTool: x\n' },
    { fits: false, what: 'prose',                               text: 'User guide: hello\n' },
    { fits: false, what: 'JSON',                                text: '["User: hello"]' },
  ])('is told ($fits) by $what', ({ fits, text }) => {
    expect(reader.detect({ text, isWhole: true })).toBe(fits);
  });
});

describe('text without speakers', () => {
  // prettier-ignore
  it.each([
    { rule: 'is one note where it fits',                    paragraphs: [line(500), line(500)],                            tokens: [1000] },
    { rule: 'is cut at the last blank line that fits',      paragraphs: [line(900), line(900), line(900)],                 tokens: [1800, 900] },
    { rule: 'is cut between lines of a long paragraph',     paragraphs: [`${line(1500)}\n${line(1500)}`],                  tokens: [1500, 1500] },
    { rule: 'is cut inside a line that is too long',        paragraphs: [line(5000)],                                      tokens: [1500, 1500, 1500, 500] },
  ])('$rule', async ({ paragraphs, tokens }) => {
    const { entries } = await read(paragraphs.join('\n\n'));
    const counted = entries.map(({ content }) => countQuarters.count(content));
    expect(entries.every(({ kind, author }) => kind === 'system' && author === 'system')).toBe(true);
    expect(counted.every((count) => count <= 2_000)).toBe(true);
    counted.forEach((count, index) => expect(Math.abs(count - (tokens[index] ?? 0))).toBeLessThan(5));
    expect(counted).toHaveLength(tokens.length);
    const words = entries.map(({ content }) => content).join(' ').split(/\s+/);
    expect(words.join('')).toBe(paragraphs.join(' ').split(/\s+/).join(''));
  });
});
