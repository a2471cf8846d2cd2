/** An entry as passes see it before they read a text: its place, its size, and what it is a sign of. */
import type { StoredEntry } from './stored-entry.js';
import type { EntryAuthor, Ruling, ToolEffect } from './transcript.js';

/** What the kind of an entry says beside its name. */
export type EntryTraits = { readonly author: EntryAuthor } & (
  | { readonly kind: 'user' | 'assistant' | 'thinking' | 'summary' | 'attachment' }
  | { readonly kind: 'system'; readonly boundary: boolean }
  | {
      readonly kind: 'tool_call';
      readonly effect: ToolEffect;
      /** Null: it starts no sub-agent. */
      readonly spawn: object | null;
    }
  | {
      readonly kind: 'tool_result';
      readonly isError: boolean;
      readonly ruling: Pick<Ruling, 'ruling'> | null;
    }
);

/** Every stored entry is one too: what is decided from marks is decided alike from whole entries. */
export type MarkedEntry = EntryTraits &
  Pick<StoredEntry, 'seq' | 'unitId' | 'turn' | 'tokenCount' | 'active'>;

export function markedEntry(entry: StoredEntry): MarkedEntry {
  const { seq, unitId, turn, tokenCount, active, author } = entry;
  const common = { seq, unitId, turn, tokenCount, active, author };
  switch (entry.kind) {
    case 'system':
      return { ...common, kind: entry.kind, boundary: entry.boundary };
    case 'tool_call':
      return {
        ...common,
        kind: entry.kind,
        effect: entry.effect,
        spawn: entry.spawn === null ? null : {},
      };
    case 'tool_result': {
      const ruling = entry.ruling === null ? null : { ruling: entry.ruling.ruling };
      return { ...common, kind: entry.kind, isError: entry.isError, ruling };
    }
    case 'user':
    case 'assistant':
    case 'thinking':
    case 'summary':
    case 'attachment':
      return { ...common, kind: entry.kind };
  }
}

/**
 * What code reads of a span: what a person or a system text says, what was decided, and what a
 * sub-agent was told. Of everything else, marks and the trail say enough.
 */
export function isTelling(entry: MarkedEntry): boolean {
  switch (entry.kind) {
    case 'user':
      return entry.author === 'human';
    case 'system':
      return true;
    case 'tool_call':
      return entry.spawn !== null;
    case 'tool_result':
      return entry.ruling !== null;
    case 'assistant':
    case 'thinking':
    case 'summary':
    case 'attachment':
      return false;
  }
}
