/**
 * Relevance and kind of a fragment from its unit alone, so that a longer transcript never changes a
 * stored fragment. The table is that of the specification of sessions, §5.
 */
import type { EntryTraits } from './marked-entry.js';

export type UnitKind =
  | 'approved-plan'
  | 'answer'
  | 'human-prompt'
  | 'failed-call'
  | 'change'
  | 'assistant-text'
  | 'call'
  | 'read'
  | 'other';

export const UNIT_RELEVANCE: Readonly<Record<UnitKind, number>> = {
  'approved-plan': 1,
  answer: 0.95,
  'human-prompt': 0.9,
  'failed-call': 0.75,
  change: 0.7,
  'assistant-text': 0.5,
  call: 0.5,
  read: 0.4,
  other: 0.4,
};

const RANKED = Object.keys(UNIT_RELEVANCE) as readonly UnitKind[];
const RANKS = new Map(RANKED.map((kind, rank) => [kind, rank]));

/** The most relevant kind that the unit holds; of equal ones the first of the table. */
export function unitKind(entries: readonly EntryTraits[]): UnitKind {
  let best = RANKED.length;
  for (const entry of entries) best = Math.min(best, RANKS.get(entryKind(entry)) ?? best);
  return RANKED[best] ?? 'other';
}

function entryKind(entry: EntryTraits): UnitKind {
  switch (entry.kind) {
    case 'user':
      return entry.author === 'human' ? 'human-prompt' : 'other';
    case 'assistant':
      return 'assistant-text';
    case 'tool_call':
      return entry.effect === 'changes' ? 'change' : entry.effect === 'reads' ? 'read' : 'call';
    case 'tool_result':
      if (entry.ruling?.ruling === 'plan-approved') return 'approved-plan';
      if (entry.ruling?.ruling === 'answered') return 'answer';
      return entry.isError ? 'failed-call' : 'other';
    case 'thinking':
    case 'system':
    case 'summary':
    case 'attachment':
      return 'other';
  }
}
