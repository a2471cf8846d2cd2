/**
 * What the o200k_base split pattern asks of a character, as bits. The pattern's classes overlap (a
 * combining mark is upper, lower and symbol at once), so a character has traits, not a class.
 *
 * `\p{…}` is Unicode as the running Node knows it. Letters that a later Unicode adds are split as
 * symbols until then.
 */

import { codePointOf } from './utf8.js';

/** May stand in the first part of a word: `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`. */
export const UPPERISH = 1;
/** May stand in the second part of a word: `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`. */
export const LOWERISH = 2;
/** `\p{N}` */
export const NUMBER = 4;
/** `[\r\n]` */
export const LINE_BREAK = 8;
/** `\s`: the Unicode property, as in the reference; a byte order mark is none, U+0085 is one. */
export const WHITE_SPACE = 16;
/** `[^\s\p{L}\p{N}]` */
export const SYMBOLIC = 32;
/** May stand once before a word: `[^\r\n\p{L}\p{N}]`. */
export const LEADING = 64;
/** Takes two UTF-16 units. The highest bit, so that `width` is a shift. */
const WIDE = 128;

/**
 * By code point. 0: not asked for yet, as every character has a trait, so the table fills itself on
 * use; and always of a surrogate, which says nothing without the unit behind it.
 */
export const TRAITS = new Uint8Array(0x110000);

/** Of a unit that is no surrogate. */
export function traitsOfUnit(unit: number): number {
  return TRAITS[unit] || classify(unit);
}

/** Of a surrogate and the unit behind it; a lone one counts as U+FFFD. */
export function traitsOfSurrogate(unit: number, next: number): number {
  const codePoint = codePointOf(unit, next);
  return codePoint === unit ? SYMBOLIC | LEADING : TRAITS[codePoint] || classify(codePoint);
}

/** UTF-16 units of a character with these traits. */
export function width(traits: number): number {
  return 1 + (traits >>> 7);
}

function classify(codePoint: number): number {
  const traits = traitsOf(codePoint) | (codePoint > 0xffff ? WIDE : 0);
  TRAITS[codePoint] = traits;
  return traits;
}

function traitsOf(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (/[\r\n]/.test(character)) return LINE_BREAK | WHITE_SPACE;
  if (/\p{White_Space}/u.test(character)) return WHITE_SPACE | LEADING;
  if (/\p{N}/u.test(character)) return NUMBER;
  if (/\p{Ll}/u.test(character)) return LOWERISH;
  if (/[\p{Lu}\p{Lt}]/u.test(character)) return UPPERISH;
  if (/[\p{Lm}\p{Lo}]/u.test(character)) return UPPERISH | LOWERISH;
  if (/\p{M}/u.test(character)) return UPPERISH | LOWERISH | SYMBOLIC | LEADING;
  return SYMBOLIC | LEADING;
}
