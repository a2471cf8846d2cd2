import { describe, expect, it } from '@jest/globals';
import { array, assert as assertProperty, constantFrom, integer, property } from 'fast-check';
import { previewEntry, previewText } from '../../../../src/domain/session/pass/oversized.js';
import { stored } from '../random-transcript.js';

const CLUSTERS = ['a', ' ', '\n', 'é', 'e\u0301', '한', '😀', '👩‍👩‍👧', '🇩🇪', '👍🏽', 'क्षि', '\r\n'];
const MARKER = /\n\[\d+ of \d+ characters left out here, \d+ tokens in all; the whole: entry:7\]\n/;

function boundariesOf(text: string): ReadonlySet<number> {
  const segments = [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)];
  return new Set([...segments.map(({ index }) => index), text.length]);
}

describe('previewText', () => {
  it('cuts between characters as a reader sees them, at every length', () => {
    assertProperty(
      property(
        array(constantFrom(...CLUSTERS), { minLength: 150, maxLength: 400 }),
        integer({ min: 2, max: 200 }),
        (clusters, characters) => {
          const text = clusters.join('');
          const preview = previewText(text, characters, 'entry:7', 99);
          if (preview === text) return;
          const [head = '', tail = ''] = preview.split(MARKER);
          const boundaries = boundariesOf(text);
          expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
          expect(boundaries.has(head.length)).toBe(true);
          expect(boundaries.has(text.length - tail.length)).toBe(true);
          expect(preview.length).toBeLessThan(text.length);
        },
      ),
      { seed: 20261102, numRuns: 200 },
    );
  });

  it('leaves a text alone that would not become shorter', () => {
    expect(previewText('x'.repeat(60), 50, 'entry:7', 15)).toBe('x'.repeat(60));
  });

  it('names what is left out, the size of the whole, and the handle', () => {
    expect(previewText(`${'a'.repeat(500)}${'z'.repeat(500)}`, 6, 'entry:7', 250)).toBe(
      'aaa\n[994 of 1000 characters left out here, 250 tokens in all; the whole: entry:7]\nzzz',
    );
  });
});

describe('previewEntry', () => {
  const common = { occurredAt: null, active: true, messageKey: 'm', content: '' };
  const long = 'y'.repeat(5_000);

  it('shortens each long argument and keeps the shape of the call', () => {
    const [call] = stored([
      {
        ...common,
        sourceKey: 'a',
        kind: 'tool_call',
        author: 'agent',
        callId: 'c',
        toolName: 'Write',
        arguments: { path: 'a.ts', text: long, lines: [1, long] },
        effect: 'changes',
        spawn: null,
      },
    ]);
    const shown = call && previewEntry(call, 400);
    expect(shown).toMatchObject({
      kind: 'tool_call',
      callId: 'c',
      arguments: {
        path: 'a.ts',
        text: expect.stringContaining('entry:1'),
        lines: [1, expect.stringContaining('entry:1')],
      },
    });
    expect(JSON.stringify(shown).length).toBeLessThan(2_000);
  });

  it('shows many short arguments as the beginning and the end of one text', () => {
    const [call] = stored([
      {
        ...common,
        sourceKey: 'a',
        kind: 'tool_call',
        author: 'agent',
        callId: 'c',
        toolName: 'Add',
        arguments: { rows: Array.from({ length: 5_000 }, (_, row) => row) },
        effect: 'other',
        spawn: null,
      },
    ]);
    expect(call && previewEntry(call, 100)).toMatchObject({
      arguments: { preview: expect.stringContaining('entry:1') },
    });
  });

  it('leaves media as they are', () => {
    const [image] = stored([
      {
        ...common,
        sourceKey: 'a',
        kind: 'attachment',
        author: 'human',
        mediaKind: 'image',
        mediaType: 'image/png',
        bytes: 9,
        callId: null,
      },
    ]);
    expect(image && previewEntry(image, 100)).toBe(image);
  });
});
