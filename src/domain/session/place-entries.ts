/**
 * Which unit an entry belongs to, told when it comes: a stored entry never changes its unit. The unit
 * is named after its first entry. Results join the unit of their call however late they come, for no
 * cut may part them.
 */
import { TextNumbers, TextSet } from '../kernel/text-set.js';
import type { EntryPlace } from './stored-entry.js';
import { isHumanPrompt, type TranscriptEntry } from './transcript.js';

export type UnitProblem =
  | { readonly reason: 'result-without-call'; readonly callId: string }
  | { readonly reason: 'call-id-reused'; readonly callId: string };

/** An entry with its place in the session, stored or not yet. */
export type PlacedEntry = TranscriptEntry & Pick<EntryPlace, 'seq' | 'unitId' | 'turn'>;

interface OpenMessage {
  readonly messageKey: string;
  readonly unitId: string;
}

export class UnitPlacer {
  #open: OpenMessage | null = null;
  /** Unit by call id; of an id that is used twice, the later one. */
  readonly #units = new UnitsOfCalls();

  /**
   * @param entry under the key that it has in its source.
   * @returns the unit, and what is wrong with the entry's call id.
   */
  place(entry: TranscriptEntry): {
    readonly unitId: string;
    readonly problem: UnitProblem | null;
  } {
    if (entry.kind === 'tool_result') return this.#placeResult(entry.callId, entry.sourceKey);
    if (entry.kind === 'attachment' && entry.callId !== null) {
      return { unitId: this.#units.get(entry.callId) ?? entry.sourceKey, problem: null };
    }
    const { messageKey, sourceKey } = entry;
    let unitId = sourceKey;
    if (this.#open !== null && messageKey !== null && this.#open.messageKey === messageKey) {
      unitId = this.#open.unitId;
    } else if (entry.author !== 'harness' || entry.kind === 'system') {
      // A reminder between the parts of a message stands alone and does not end it.
      this.#open = messageKey === null ? null : { messageKey, unitId };
    }
    if (entry.kind !== 'tool_call') return { unitId, problem: null };
    const { callId } = entry;
    const isReused = this.#units.has(callId);
    this.#units.set(callId, unitId);
    return { unitId, problem: isReused ? { reason: 'call-id-reused', callId } : null };
  }

  /** An entry that is stored already: what comes next may belong to its message or answer its call. */
  resume(entry: TranscriptEntry, unitId: string): void {
    this.place(entry);
    if (this.#open?.messageKey === entry.messageKey && entry.messageKey !== null) {
      this.#open = { messageKey: entry.messageKey, unitId };
    }
    if (entry.kind === 'tool_call') this.#units.set(entry.callId, unitId);
  }

  /** Units of calls that are stored already. */
  know(units: ReadonlyMap<string, string>): void {
    for (const [callId, unitId] of units) this.#units.set(callId, unitId);
  }

  #placeResult(callId: string, sourceKey: string): ReturnType<UnitPlacer['place']> {
    const unitId = this.#units.get(callId);
    if (unitId !== undefined) return { unitId, problem: null };
    return { unitId: sourceKey, problem: { reason: 'result-without-call', callId } };
  }
}

/** As many as the calls of a session. */
class UnitsOfCalls {
  readonly #unitIds = new TextSet();
  readonly #numbers = new TextNumbers();

  has(callId: string): boolean {
    return this.#numbers.has(callId);
  }

  get(callId: string): string | undefined {
    const number = this.#numbers.get(callId);
    return number === undefined ? undefined : this.#unitIds.textAt(number);
  }

  set(callId: string, unitId: string): void {
    this.#numbers.set(callId, this.#unitIds.add(unitId));
  }
}

/** Places the entries of a source as a session that begins with them would. */
export class SourcePlacer {
  readonly #units = new UnitPlacer();
  #seq = 0;
  #turn = 0;

  place(entry: TranscriptEntry): PlacedEntry {
    this.#seq += 1;
    if (isHumanPrompt(entry)) this.#turn += 1;
    const { unitId } = this.#units.place(entry);
    return { ...entry, unitId, seq: this.#seq, turn: this.#turn };
  }
}
