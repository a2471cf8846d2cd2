import { describe, expect, it } from '@jest/globals';
import { spanHashOf } from '../../../../src/domain/session/pass/pass-span.js';

describe('spanHashOf', () => {
  it('is the digest of places and content hashes, as stored cycles and items have it', () => {
    const hashes = new Map([
      [3, 'a'.repeat(64)],
      [5, 'b'.repeat(64)],
    ]);
    const span = [{ seq: 3 }, { seq: 5 }];
    const hash = spanHashOf(span, (seq) => hashes.get(seq) ?? '', itself);
    expect(hash).toBe(`[[3,"${'a'.repeat(64)}"],[5,"${'b'.repeat(64)}"]]`);
  });
});

function itself(text: string): string {
  return text;
}
