/**
 * What a batch of entries adds to a session: known keys are passed over, a key that is held by other
 * content is given up for one of its own, and the rest goes on in the order given.
 */
import { keyOfOther } from './entry-print.js';
import type { KnownEntry, Session, SessionEntry } from './session.js';
import { isHumanPrompt, type TranscriptEntry } from './transcript.js';

/** A cleaned entry with everything that is known of it before its place in the session. */
export interface MeasuredEntry {
  readonly entry: TranscriptEntry;
  /** ULID, used where the entry turns out to be new. */
  readonly entryId: string;
  readonly unitId: string;
  readonly entryPrint: string;
  readonly contentHash: string;
  readonly tokenCount: number;
}

/** An entry of which the store said that the session holds it, with the same content. */
export interface SameEntry {
  readonly known: Pick<KnownEntry, 'seq' | 'active'>;
  /** As the source has it now. */
  readonly active: boolean;
}

export type BatchEntry = MeasuredEntry | SameEntry;

export interface Appended {
  readonly added: readonly SessionEntry[];
  /** Entries that the session holds already. */
  readonly ignored: number;
  /** Keys that came again with other content. */
  readonly reusedKeys: readonly string[];
  /** Where each entry of the batch stands, known or new. */
  readonly seqs: readonly number[];
  /** Numbers of known entries whose branch turns out to be rewound, or taken up again. */
  readonly deactivated: readonly number[];
  readonly reactivated: readonly number[];
}

/** Every key under which an entry may be known. */
export function keysToLookUp(batch: readonly BatchEntry[]): readonly string[] {
  return batch.flatMap((one) =>
    'known' in one ? [] : [one.entry.sourceKey, keyOfOther(one.entry.sourceKey, one.entryPrint)],
  );
}

/** @param known what the session holds under `keysToLookUp` of this batch. */
export function appendEntries(
  { lastSeq, lastTurn }: Pick<Session, 'lastSeq' | 'lastTurn'>,
  batch: readonly BatchEntry[],
  known: readonly KnownEntry[],
): Appended {
  const held = new Map(known.map((entry) => [entry.sourceKey, entry]));
  const added: SessionEntry[] = [];
  const reusedKeys: string[] = [];
  const changed = { deactivated: new Set<number>(), reactivated: new Set<number>() };
  const newSeqs = new Set<number>();
  const seqs: number[] = [];
  let [turn, ignored] = [lastTurn, 0];
  const ignore = (same: SameEntry['known'], active: boolean): void => {
    seqs.push(same.seq);
    ignored += 1;
    if (same.active !== active && !newSeqs.has(same.seq)) {
      changed[active ? 'reactivated' : 'deactivated'].add(same.seq);
    }
  };

  for (const one of batch) {
    if ('known' in one) {
      ignore(one.known, one.active);
      continue;
    }
    const { entry, ...measured } = one;
    const { sourceKey, active } = entry;
    const other = keyOfOther(sourceKey, measured.entryPrint);
    const first = held.get(sourceKey);
    const same = first?.entryPrint === measured.entryPrint ? first : held.get(other);
    if (same !== undefined) {
      ignore(same, active);
      continue;
    }
    if (first !== undefined) reusedKeys.push(sourceKey);
    if (isHumanPrompt(entry)) turn += 1;
    const seq = lastSeq + added.length + 1;
    const kept: SessionEntry = {
      ...entry,
      ...measured,
      sourceKey: first === undefined ? sourceKey : other,
      seq,
      turn,
    };
    newSeqs.add(seq);
    seqs.push(seq);
    held.set(kept.sourceKey, kept);
    added.push(kept);
  }
  return {
    added,
    ignored,
    reusedKeys,
    seqs,
    deactivated: [...changed.deactivated],
    reactivated: [...changed.reactivated],
  };
}
