/**
 * Units: entries that no cut may part. A unit is one message of the assistant (thinking, text,
 * calls) with all results of its calls and their attachments; any other message with its
 * attachments is one by itself.
 */
import { isHumanPrompt, type ToolResultEntry, type TranscriptEntry } from './transcript.js';

export interface Unit {
  /** Source key of its last entry: a unit that was cut off by the end of a file gets another id once it is whole. */
  readonly unitId: string;
  /** 1 from the first human prompt on; 0 before it. */
  readonly turn: number;
  /** Number of its first entry in the session, from 1. */
  readonly seq: number;
  readonly entries: readonly TranscriptEntry[];
  /** Calls that have no result in the source. */
  readonly unanswered: readonly string[];
}

export type UnitProblem =
  | { readonly reason: 'result-without-call'; readonly callId: string }
  | { readonly reason: 'call-id-reused'; readonly callId: string };

interface OpenUnit {
  readonly messageKey: string | null;
  readonly turn: number;
  readonly seq: number;
  readonly entries: TranscriptEntry[];
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
  #seq = 0;
  #turn = 0;
  #open: OpenUnit | null = null;
  readonly #waiting = new Set<OpenUnit>();
  readonly #byCall = new Map<string, OpenUnit>();
  readonly #problems: UnitProblem[] = [];

  /** Problems since the last call of this method. */
  takeProblems(): readonly UnitProblem[] {
    return this.#problems.splice(0);
  }

  /** Gives an entry its number in the session, though it joins no unit. */
  passOver(): void {
    this.#seq += 1;
  }

  /** @returns the units that this entry completes, oldest first. */
  add(entry: TranscriptEntry): readonly Unit[] {
    this.#seq += 1;
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
      this.#open.messageKey === entry.messageKey
    ) {
      this.#append(this.#open, entry);
      return [];
    }
    // A reminder between the results of parallel calls does not end the message it interrupts.
    if (entry.author === 'harness' && entry.kind !== 'system') return this.#alone(entry);

    const done = isHumanPrompt(entry) ? this.#closeTurn() : this.#closeOpen();
    if (isHumanPrompt(entry)) this.#turn += 1;
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
    return { complete: this.#closeTurn(), incomplete: isCutOff ? [settle(last)] : [] };
  }

  #addResult(entry: ToolResultEntry): readonly Unit[] {
    const unit = this.#byCall.get(entry.callId);
    if (unit === undefined) {
      this.#problems.push({ reason: 'result-without-call', callId: entry.callId });
      return this.#alone(entry);
    }
    unit.entries.push(entry);
    unit.unanswered.delete(entry.callId);
    return [];
  }

  #start(entry: TranscriptEntry): OpenUnit {
    const unit: OpenUnit = {
      messageKey: entry.messageKey,
      turn: this.#turn,
      seq: this.#seq,
      entries: [],
      unanswered: new Set(),
      callIds: [],
    };
    this.#append(unit, entry);
    return unit;
  }

  #append(unit: OpenUnit, entry: TranscriptEntry): void {
    unit.entries.push(entry);
    if (entry.kind !== 'tool_call') return;
    if (this.#byCall.has(entry.callId)) {
      this.#problems.push({ reason: 'call-id-reused', callId: entry.callId });
    }
    this.#byCall.set(entry.callId, unit);
    unit.unanswered.add(entry.callId);
    unit.callIds.push(entry.callId);
  }

  #alone(entry: TranscriptEntry): readonly Unit[] {
    const { turn, seq } = { turn: this.#turn, seq: this.#seq };
    return [{ unitId: entry.sourceKey, turn, seq, entries: [entry], unanswered: [] }];
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
    return settle(unit);
  }
}

function settle({ entries, turn, seq, unanswered }: OpenUnit): Unit {
  const unitId = entries.at(-1)?.sourceKey ?? '';
  return { unitId, turn, seq, entries, unanswered: [...unanswered] };
}
