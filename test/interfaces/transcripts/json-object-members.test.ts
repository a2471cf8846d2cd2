import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  jsonObjectMembers,
  type MemberPart,
} from '../../../src/interfaces/transcripts/json-object-members.js';
import { memorySource } from './transcript-support.js';

async function partsOf(content: string, chunkBytes: number, maxValueBytes?: number) {
  const parts: MemberPart[] = [];
  const chunks = memorySource(content, chunkBytes).open();
  for await (const part of jsonObjectMembers(chunks, (name) => name === 'items', maxValueBytes)) {
    parts.push(part);
  }
  return parts;
}

/** The objects put together again from their parts. */
function rebuilt(parts: readonly MemberPart[]): readonly Record<string, unknown>[] {
  const objects: Record<string, unknown>[] = [];
  for (const part of parts) {
    const current = objects.at(-1);
    if (part.part === 'object') objects.push({});
    if (current === undefined) continue;
    if (part.part === 'member') current[part.name] = JSON.parse(part.text ?? '');
    if (part.part === 'element') {
      const elements = (current[part.name] ??= []) as unknown[];
      elements.push(JSON.parse(part.text ?? ''));
    }
  }
  return objects;
}

const anObject = fc.record({
  'a "name"': fc.jsonValue(),
  items: fc.array(fc.jsonValue(), { minLength: 1 }),
  last: fc.string({ unit: 'grapheme' }),
});

describe('members of large objects', () => {
  it('are what parsing them whole gives, however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anObject, { maxLength: 3 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(0, 2),
        async (objects, chunkBytes, indent) => {
          const content = objects.map((object) => JSON.stringify(object, null, indent)).join('\n');
          const parts = await partsOf(content, chunkBytes);
          expect(rebuilt(parts)).toEqual(JSON.parse(JSON.stringify(objects)));
          expect(parts.at(-1)).toMatchObject({
            part: 'end',
            isClosed: true,
            bytes: Buffer.byteLength(content),
            lines: content.split('\n').length,
          });
        },
      ),
      { seed: 20260131, numRuns: 150 },
    );
  });

  it('have the place of their first byte', async () => {
    const content = '{"x": 1,\n "items": [\n  "ä",\n  {"b": 2}\n]}';
    const parts = await partsOf(content, 5);
    const places = parts.flatMap((part) =>
      part.part === 'member' || part.part === 'element' ? [part] : [],
    );
    expect(places.map(({ number, text }) => [number, text?.trim()])).toEqual([
      [1, '1'],
      [3, '"ä"'],
      [4, '{"b": 2}'],
    ]);
    for (const { byteOffset, text } of places) {
      expect(Buffer.from(content).subarray(byteOffset).toString()).toContain(text ?? '?');
    }
  });

  it('above the limit are passed over without being held, and told', async () => {
    const parts = await partsOf(`{"items":["${'x'.repeat(100)}","y"],"z":1}`, 7, 50);
    expect(parts).toMatchObject([
      { part: 'object' },
      { part: 'element', text: null, fault: 'too-long', length: 102 },
      { part: 'element', text: '"y"' },
      { part: 'member', name: 'z' },
      { part: 'end', isClosed: true },
    ]);
  });

  it.each(['{"items":[1,', '{"a":1', '{"a":1} x', '[1]'])('of %j have no end', async (content) => {
    expect((await partsOf(content, 4)).at(-1)).toMatchObject({ part: 'end', isClosed: false });
  });
});
