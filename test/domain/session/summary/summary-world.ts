/** Short ways to speak of summaries in tests: entries 1 to 999 exist, and their ids follow from their numbers. */
import { createHash } from 'node:crypto';
import type { PatchOperation } from '../../../../src/domain/session/summary/patch.js';
import { CODING_SCHEMA } from '../../../../src/domain/session/summary/section-schema.js';
import {
  type AnchoredSummary,
  emptySummary,
  type Making,
  type Producer,
  type SummaryItem,
} from '../../../../src/domain/session/summary/summary-item.js';
import {
  mergePatch,
  type PinProposal,
} from '../../../../src/domain/session/summary/merge-patch.js';

/** A token is four characters. */
export const counter = {
  name: 'quarter',
  version: '1',
  count: (text: string): number => Math.ceil(text.length / 4),
};

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

export const measures = { counter, digest };

export const entryIdOf = (seq: number): string => `E${seq}`;

export function making(cycle: number, producer: Producer = 'model:test'): Making {
  return {
    cycle,
    producer,
    spanHash: producer === 'host' ? null : `span ${cycle}`,
    itemIdOf: (itemNo) => `I${itemNo}`,
    entryIdOf,
  };
}

export const everyEntry: ReadonlySet<number> = new Set(
  Array.from({ length: 999 }, (_, at) => at + 1),
);

export function add(
  section: string,
  text: string,
  ...sources: readonly number[]
): Extract<PatchOperation, { operation: 'add' }> {
  return { operation: 'add', section, text, refs: [], sources, state: 'open' };
}

export function merged(
  summary: AnchoredSummary,
  operations: readonly PatchOperation[],
  step: Making = making(1),
): AnchoredSummary {
  return mergedWhole(summary, operations, step).summary;
}

export function mergedWhole(
  summary: AnchoredSummary,
  operations: readonly PatchOperation[],
  step: Making = making(1),
): { readonly summary: AnchoredSummary; readonly proposals: readonly PinProposal[] } {
  const verdict = mergePatch(summary, { operations }, everyEntry, step);
  if (verdict.outcome === 'invalid') throw new Error(JSON.stringify(verdict.faults));
  return verdict;
}

export const nothing = emptySummary(CODING_SCHEMA);

/** Items as `#no section state text`. */
export function shown({ items }: AnchoredSummary): readonly string[] {
  return items.map(
    ({ itemNo, section, state, text, archived }) =>
      `#${itemNo} ${section} ${state}${archived ? ' archived' : ''} ${text}`,
  );
}

export function itemOf(summary: AnchoredSummary, itemNo: number): SummaryItem {
  const item = summary.items.find((one) => one.itemNo === itemNo);
  if (item === undefined) throw new Error(`no item ${itemNo}`);
  return item;
}
