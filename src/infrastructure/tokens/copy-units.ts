/** UTF-16 units of a part of a string as numbers. */
import { Buffer } from 'node:buffer';
import { endianness } from 'node:os';

/** From here the call of the platform's own copy pays. */
const NATIVE_UNITS = 48;

/** The platform's copy writes the lower byte first. */
const IS_LITTLE = endianness() === 'LE';

/** Writes `length` units from `offset` on, which the text must have. */
export function copyUnits(
  text: string,
  offset: number,
  length: number,
  target: Uint16Array<ArrayBuffer>,
): void {
  if (length < NATIVE_UNITS || !IS_LITTLE) {
    for (let index = 0; index < length; index += 1) {
      target[index] = text.charCodeAt(offset + index);
    }
    return;
  }
  const part = length === text.length ? text : text.slice(offset, offset + length);
  Buffer.from(target.buffer, target.byteOffset, target.byteLength).write(part, 'utf16le');
}
