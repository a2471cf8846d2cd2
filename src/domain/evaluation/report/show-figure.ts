/** Figures as text: the number, its interval and n, or the word that there is none. */
import type { Figure } from './evaluation-report.js';

/** Digits behind the point. */
const DIGITS = 3;

export function showNumber(value: number | null, digits = DIGITS): string {
  if (value === null) return '–';
  return Number.isInteger(value) ? String(value) : value.toFixed(digits);
}

/** `0.812 [0.774, 0.848], n 35`; without an interval `0.812, n 35, no interval`. */
export function showFigure({ value, low, high, n }: Figure): string {
  if (value === null) return `–, n ${n}`;
  if (low === null || high === null) return `${showNumber(value)}, n ${n}, no interval`;
  return `${showNumber(value)} [${showNumber(low)}, ${showNumber(high)}], n ${n}`;
}
