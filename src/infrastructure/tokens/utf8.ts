/** UTF-8 of a part of a string without a copy of the part, which `TextEncoder` would need. */

/**
 * Writes the units from `start` to `end` and returns the number of bytes written. The target must
 * hold three bytes a unit. Lone surrogates become U+FFFD, as everywhere where JavaScript text becomes bytes.
 */
export function writeUtf8(text: string, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  for (let index = start; index < end; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      target[length++] = unit;
    } else if (unit < 0x800) {
      target[length++] = 0xc0 | (unit >> 6);
      target[length++] = 0x80 | (unit & 0x3f);
    } else {
      const codePoint = scalarAt(text, index, end);
      if (codePoint > 0xffff) {
        index += 1;
        target[length++] = 0xf0 | (codePoint >> 18);
        target[length++] = 0x80 | ((codePoint >> 12) & 0x3f);
      } else {
        target[length++] = 0xe0 | (codePoint >> 12);
      }
      target[length++] = 0x80 | ((codePoint >> 6) & 0x3f);
      target[length++] = 0x80 | (codePoint & 0x3f);
    }
  }
  return length;
}

function scalarAt(text: string, index: number, end: number): number {
  const codePoint = text.codePointAt(index) ?? 0xfffd;
  const isLone = (codePoint & 0xfffff800) === 0xd800;
  const isCut = codePoint > 0xffff && index + 1 >= end;
  return isLone || isCut ? 0xfffd : codePoint;
}
