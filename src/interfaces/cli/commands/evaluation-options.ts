/** Options that several evaluation commands take, checked before any work. */
import { UsageError } from '../failure.js';

export const REPORT_FORMS = ['md', 'json', 'html'] as const;
export type ReportForm = (typeof REPORT_FORMS)[number];

export function seedOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError('--seed takes a whole number from 0 on.');
}

export function countOption(option: string, text: string, least: number, most: number): number {
  const count = Number(text);
  if (/^\d{1,15}$/.test(text) && count >= least && count <= most) return count;
  throw new UsageError(`${option} takes a whole number from ${least} to ${most}.`);
}
