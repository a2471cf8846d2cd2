/** UTF-8 of UTF-16 units. */

/**
 * Writes the units from `start` to `end` and returns the number of bytes written. The target must
 * hold three bytes a unit. Lone surrogates become U+FFFD, as everywhere where JavaScript text becomes bytes.
 */
export function writeUtf8(
  units: Uint16Array,
  start: number,
  end: number,
  target: Uint8Array,
): number {
  let length = 0;
  for (let index = start; index < end; index += 1) {
    const unit = units[index] ?? REPLACEMENT;
    if (unit < 0x80) {
      target[length++] = unit;
    } else if (unit < 0x800) {
      target[length++] = 0xc0 | (unit >> 6);
      target[length++] = 0x80 | (unit & 0x3f);
    } else {
      const codePoint = scalarAt(units, index, end);
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

const REPLACEMENT = 0xfffd;

function scalarAt(units: Uint16Array, index: number, end: number): number {
  const next = index + 1 < end ? (units[index + 1] ?? REPLACEMENT) : REPLACEMENT;
  const codePoint = codePointOf(units[index] ?? REPLACEMENT, next);
  return (codePoint & 0xfffff800) === 0xd800 ? REPLACEMENT : codePoint;
}

/** Of two units one behind the other; of a lone surrogate the unit itself. */
export function codePointOf(unit: number, next: number): number {
  const isPair = (unit & 0xfc00) === 0xd800 && (next & 0xfc00) === 0xdc00;
  return isPair ? ((unit & 0x3ff) << 10) + (next & 0x3ff) + 0x10000 : unit;
}
