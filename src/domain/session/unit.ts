/**
 * Units: entries that no cut may part. A unit is one message of the assistant (thinking, text,
 * calls) with all results of its calls and their attachments; any other message with its
 * attachments is one by itself.
 */
import type { PlacedEntry, UnitProblem } from './place-entries.js';
import { isHumanPrompt } from './transcript.js';

export interface Unit {
  /** That of its entries. Of further units under one id, as after a key that was used twice, their first key. */
  readonly unitId: string;
  /** 1 from the first human prompt on; 0 before it. */
  readonly turn: number;
  /** Number of its first entry in the session, from 1. */
  readonly seq: number;
  readonly entries: readonly PlacedEntry[];
  /** Calls that have no result in the source. */
  readonly unanswered: readonly string[];
}

interface OpenUnit {
  readonly first: PlacedEntry;
  readonly entries: PlacedEntry[];
  readonly unanswered: Set<string>;
  readonly callIds: string[];
}

/** Units of one turn that may wait for a late result; bounds what is held in memory. */
const MAX_WAITING = 1_000;

/**
 * Collects entries into units as they come. Holds the unit being written and those of the current
 * turn whose calls wait for a result; everything else has been given out.
 */
export class UnitCollector {
  readonly #given = new Set<string>();
  #open: OpenUnit | null = null;
  readonly #waiting = new Set<OpenUnit>();
  readonly #byCall = new Map<string, OpenUnit>();
  readonly #problems: UnitProblem[] = [];

  /** Problems since the last call of this method. */
  takeProblems(): readonly UnitProblem[] {
    return this.#problems.splice(0);
  }

  /** @returns the units that this entry completes, oldest first. */
  add(entry: PlacedEntry): readonly Unit[] {
    if (entry.kind === 'tool_result') return this.#addResult(entry);
    if (entry.kind === 'attachment' && entry.callId !== null) {
      const unit = this.#byCall.get(entry.callId);
      if (unit === undefined) return this.#alone(entry);
      unit.entries.push(entry);
      return [];
    }
    if (
      this.#open !== null &&
      entry.messageKey !== null &&
      this.#open.first.messageKey === entry.messageKey
    ) {
      this.#append(this.#open, entry);
      return [];
    }
    // A reminder between the results of parallel calls does not end the message it interrupts.
    if (entry.author === 'harness' && entry.kind !== 'system') return this.#alone(entry);

    const done = isHumanPrompt(entry) ? this.#closeTurn() : this.#closeOpen();
    this.#open = this.#start(entry);
    return done;
  }

  /**
   * Ends the source. A last unit whose calls have no result yet is not complete: the file may grow.
   */
  finish(): { readonly complete: readonly Unit[]; readonly incomplete: readonly Unit[] } {
    const last = this.#open;
    const isCutOff = last !== null && last.unanswered.size > 0;
    if (isCutOff) this.#open = null;
    return { complete: this.#closeTurn(), incomplete: isCutOff ? [this.#settle(last)] : [] };
  }

  #addResult(entry: Extract<PlacedEntry, { kind: 'tool_result' }>): readonly Unit[] {
    const unit = this.#byCall.get(entry.callId);
    if (unit === undefined) {
      this.#problems.push({ reason: 'result-without-call', callId: entry.callId });
      return this.#alone(entry);
    }
    unit.entries.push(entry);
    unit.unanswered.delete(entry.callId);
    return [];
  }

  #start(entry: PlacedEntry): OpenUnit {
    const unit: OpenUnit = {
      first: entry,
      entries: [],
      unanswered: new Set(),
      callIds: [],
    };
    this.#append(unit, entry);
    return unit;
  }

  #append(unit: OpenUnit, entry: PlacedEntry): void {
    unit.entries.push(entry);
    if (entry.kind !== 'tool_call') return;
    if (this.#byCall.has(entry.callId)) {
      this.#problems.push({ reason: 'call-id-reused', callId: entry.callId });
    }
    this.#byCall.set(entry.callId, unit);
    unit.unanswered.add(entry.callId);
    unit.callIds.push(entry.callId);
  }

  #alone(entry: PlacedEntry): readonly Unit[] {
    return [this.#settle({ first: entry, entries: [entry], unanswered: new Set() })];
  }

  #closeOpen(): readonly Unit[] {
    const unit = this.#open;
    this.#open = null;
    if (unit === null) return [];
    if (unit.unanswered.size === 0) return [this.#give(unit)];
    this.#waiting.add(unit);
    const [oldest] = this.#waiting;
    if (this.#waiting.size <= MAX_WAITING || oldest === undefined) return [];
    this.#waiting.delete(oldest);
    return [this.#give(oldest)];
  }

  /** A person spoke: results of earlier calls no longer come. */
  #closeTurn(): readonly Unit[] {
    const closed = this.#closeOpen();
    const waited = [...this.#waiting].map((unit) => this.#give(unit));
    this.#waiting.clear();
    return [...waited, ...closed].sort((a, b) => a.seq - b.seq);
  }

  #give(unit: OpenUnit): Unit {
    for (const callId of unit.callIds) {
      if (this.#byCall.get(callId) === unit) this.#byCall.delete(callId);
    }
    return this.#settle(unit);
  }

  #settle({
    first,
    entries,
    unanswered,
  }: Pick<OpenUnit, 'first' | 'entries' | 'unanswered'>): Unit {
    const { seq, turn } = first;
    // A result that comes too late has the unit of its call, which was given out.
    const unitId = this.#given.has(first.unitId) ? first.sourceKey : first.unitId;
    this.#given.add(unitId);
    return { unitId, turn, seq, entries, unanswered: [...unanswered] };
  }
}
