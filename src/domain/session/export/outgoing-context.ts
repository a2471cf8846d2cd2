/** What an export is made of: what goes out and in which order, before any provider's form. */
import type { JsonObject, JsonValue } from '../../redaction/json-value.js';
import type { MarkedEntry } from '../marked-entry.js';
import { previewEntry } from '../pass/oversized.js';
import type { StoredEntry } from '../stored-entry.js';
import type { ExportNote } from './export-note.js';

/** An entry; what its reader kept for an export to the same vendor stands in `vendor`. */
export type ExportEntry = StoredEntry;

/** The line that a unit leaves in its place when it leaves out of the middle. */
export interface Stub {
  /** `seq` of the first entry it stands for. */
  readonly seq: number;
  readonly text: string;
}

export interface OutgoingContext<Entry extends MarkedEntry = ExportEntry> {
  /** System text of the host, or null. */
  readonly frame: string | null;
  /**
   * The entries that the frame is joined of, for providers that take a system text by a message of
   * its own; absent: the frame is the host's.
   */
  readonly frameEntries?: readonly ExportEntry[];
  /** Constraints and summary as rendered, or null before the first cycle. */
  readonly summary: string | null;
  /** The latest human prompt where the cut fell inside its turn (`CutState`); shown once before the tail. */
  readonly promptAgain: Entry | null;
  /** Entries carried verbatim, ascending in `seq`. */
  readonly tail: readonly Entry[];
  /** Entries shown as previews: `seq` → preview length in UTF-16 units, as stored with the decision. */
  readonly previews: ReadonlyMap<number, number>;
  readonly stubs: readonly Stub[];
}

/** Where a pass has cut, as an export needs to know it. */
export interface CutState {
  /** Last `seq` that left; 0: none. */
  readonly cutSeq: number;
  /** Units that left from behind the cut, each with its stub. */
  readonly leftUnits: ReadonlySet<string>;
  /**
   * The human prompt that the pass placed again before the tail, or null. It stays there until the
   * next pass, even when a later prompt follows: what was sent must not change.
   */
  readonly promptAgainSeq: number | null;
}

/**
 * Parts the entries of a session into what an export needs. System texts before everything else are
 * the frame of the transcript: no pass removes them. A vendor's summary goes out only where nothing
 * of what it stands for is in the session.
 *
 * @param entries all entries of the session, ascending in `seq`; no contents are read.
 */
export function selectOutgoing<Entry extends MarkedEntry>(
  entries: readonly Entry[],
  cut: CutState,
): {
  readonly frameEntries: readonly Entry[];
  readonly promptAgain: Entry | null;
  readonly tail: readonly Entry[];
  readonly notes: readonly ExportNote[];
} {
  const notes: ExportNote[] = [];
  const frameEntries: Entry[] = [];
  const tail: Entry[] = [];
  let promptAgain: Entry | null = null;
  let hasSpoken = false;
  for (const entry of entries) {
    const { seq } = entry;
    const isBehind = seq > cut.cutSeq && !cut.leftUnits.has(entry.unitId);
    if (!entry.active) {
      if (isBehind) notes.push({ reason: 'inactive-left-out', seq });
      continue;
    }
    const isCompaction =
      (entry.kind === 'system' && entry.boundary) || (entry.kind === 'summary' && hasSpoken);
    if (isCompaction) {
      if (isBehind) notes.push({ reason: 'vendor-compaction-left-out', seq });
      continue;
    }
    if (entry.kind === 'system' && !hasSpoken) {
      frameEntries.push(entry);
      continue;
    }
    hasSpoken = true;
    if (seq === cut.promptAgainSeq) promptAgain = entry;
    if (isBehind) tail.push(entry);
  }
  return { frameEntries, promptAgain, tail, notes };
}

/** The tail as requests show it. A prompt that is placed again stays word for word. */
export function shownTail({ tail, previews }: OutgoingContext): readonly ExportEntry[] {
  return tail.map((entry) => {
    const characters = previews.get(entry.seq);
    return characters === undefined ? entry : previewEntry(entry, characters);
  });
}

/** Arguments as the JSON object that some providers want. */
export function argumentsObject(value: JsonValue): {
  readonly object: JsonObject;
  readonly isWrapped: boolean;
} {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { object: value as JsonObject, isWrapped: false };
  }
  return { object: { input: value }, isWrapped: true };
}
