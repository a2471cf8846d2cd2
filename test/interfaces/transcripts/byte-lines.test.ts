import { describe, expect, it } from '@jest/globals';
import { array, assert as assertProperty, asyncProperty, integer, string } from 'fast-check';
import {
  type ByteLine,
  byteLines,
  rawLines,
} from '../../../src/interfaces/transcripts/byte-lines.js';
import { memorySource } from './transcript-support.js';

async function linesOf(
  content: string | Uint8Array,
  chunkBytes = 3,
  limit?: number,
): Promise<ByteLine[]> {
  const lines: ByteLine[] = [];
  for await (const line of byteLines(memorySource(content, chunkBytes).open(), limit))
    lines.push(line);
  return lines;
}

describe('byteLines', () => {
  // prettier-ignore
  it.each([
    { rule: 'a final line without an end',  given: 'a\nb',            lines: ['a', 'b'] },
    { rule: 'CRLF ends',                    given: 'a\r\nb\r\n',      lines: ['a', 'b'] },
    { rule: 'a byte order mark',            given: '\ufeffa\n\ufeffb', lines: ['a', '\ufeffb'] },
    { rule: 'blank lines',                  given: '\n\na\n',         lines: ['', '', 'a'] },
    { rule: 'nothing',                      given: '',                lines: [] },
    { rule: 'the separator U+2028 as text', given: 'a\u2028b\n',      lines: ['a\u2028b'] },
  ])('reads $rule', async ({ given, lines }) => {
    expect((await linesOf(given)).map(({ text }) => text)).toEqual(lines);
  });

  it('passes over a byte order mark in a search as well', async () => {
    const texts: (string | null)[] = [];
    for await (const { text } of rawLines(memorySource('\ufeff{"a":1}\n\ufeffb', 3).open())) {
      texts.push(text);
    }
    expect(texts).toEqual(['{"a":1}', '\u00ef\u00bb\u00bfb']);
  });

  it('gives the same lines whatever the chunks, and offsets that lead back to each', async () => {
    await assertProperty(
      asyncProperty(
        array(string({ unit: 'grapheme' })),
        integer({ min: 1, max: 9 }),
        async (texts, size) => {
          const content = Buffer.from(
            texts.map((text) => `${text.replaceAll(/[\r\n\ufeff]/g, '')}\n`).join(''),
          );
          const lines = await linesOf(content, size);
          expect(lines).toEqual(await linesOf(content, 1_000_000));
          for (const { byteOffset, length, text } of lines) {
            expect(content.subarray(byteOffset, byteOffset + length).toString()).toBe(text);
          }
        },
      ),
      { seed: 20260131, numRuns: 60 },
    );
  });

  it('skips a line above the limit with its length, and reads on', async () => {
    expect(await linesOf(`a\n${'x'.repeat(50)}\nb\n`, 7, 10)).toMatchObject([
      { number: 1, text: 'a' },
      { number: 2, text: null, fault: 'too-long', byteOffset: 2, length: 50 },
      { number: 3, text: 'b', byteOffset: 53 },
    ]);
  });

  it('names a line that is not UTF-8, and reads on', async () => {
    const bytes = Buffer.concat([
      Buffer.from('a\n'),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from('b\n'),
    ]);
    expect(await linesOf(bytes)).toMatchObject([
      { text: 'a' },
      { text: null, fault: 'not-utf8' },
      { text: 'b' },
    ]);
  });
});
