import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ArrayPart,
  jsonArrayElements,
} from '../../../src/interfaces/transcripts/json-array-elements.js';
import { splitElements } from '../../../src/interfaces/transcripts/json-values.js';
import { memorySource } from './transcript-support.js';

describe('elements of a large array', () => {
  it('are what parsing it whole gives, however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.jsonValue(), fc.constantFrom('\\', '"', '\\"', 'ä\\\\"'))),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(0, 2),
        async (elements, chunkBytes, indent) => {
          const content = JSON.stringify(elements, null, indent);
          const parts: ArrayPart[] = [];
          for await (const part of jsonArrayElements(memorySource(content, chunkBytes).open())) {
            parts.push(part);
          }
          const texts = parts.flatMap((part) => (part.part === 'element' ? [part.text ?? ''] : []));
          expect(texts.map((text): unknown => JSON.parse(text))).toEqual(JSON.parse(content));
          expect(parts.at(-1)).toMatchObject({
            part: 'end',
            isClosed: true,
            bytes: Buffer.byteLength(content),
            lines: content.split('\n').length,
          });
          expect(splitElements(content).map((text): unknown => JSON.parse(text))).toEqual(
            JSON.parse(content),
          );
        },
      ),
      { seed: 20260131, numRuns: 150 },
    );
  });
});
