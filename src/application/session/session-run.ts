/**
 * One session being filled: entries wait until there are enough for a batch; a batch is one
 * transaction with what it adds to the trail. Two runs on one session take turns batch by batch, and
 * each takes over what the other wrote, so both end at the same.
 */
import {
  type Appended,
  appendEntries,
  type BatchEntry,
  keysToLookUp,
  type MeasuredEntry,
} from '../../domain/session/append-entries.js';
import { TextSet } from '../../domain/kernel/text-set.js';
import { entryPrint } from '../../domain/session/entry-print.js';
import {
  type EntryMeasures,
  measureEntry,
  storableKey,
  withStorableKeys,
} from '../../domain/session/measure-entry.js';
import type { UnitPlacer } from '../../domain/session/place-entries.js';
import {
  grownUsage,
  type Session,
  type SessionEntry,
  type SessionUsage,
} from '../../domain/session/session.js';
import { partMedia } from '../../domain/session/session-media.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import type { Trail } from '../../domain/session/trail/trail.js';
import type { TranscriptEntry } from '../../domain/session/transcript.js';
import type { UnitProblem } from '../../domain/session/place-entries.js';
import type { Clock, NewId } from '../ports/system.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import { trailSettings } from './fold-stored-trail.js';
import { isCountedBy, recount } from './recount-session.js';
import { retryStale } from './retry-stale.js';
import { extendRunTrail, type RunTrail } from './run-trail.js';
import type { SessionPorts } from './session-ports.js';

/** Entries of one transaction (specification of sessions, §4). */
export const BATCH_ENTRIES = 1_000;

/** UTF-16 units of the texts of one transaction: large contents make smaller batches, of which three are held at once. */
const BATCH_LENGTH = 3_000_000;

export interface RunSettings {
  readonly repositories: SessionPorts;
  readonly unitOfWork: UnitOfWork<'sessions' | 'trails'>;
  readonly measures: EntryMeasures;
  readonly mappings: readonly ToolMapping[];
  readonly clock: Clock;
  readonly newId: NewId;
  readonly placer: UnitPlacer;
  /** Reads and decides, but writes nothing. */
  readonly dryRun: boolean;
}

interface RunProblem {
  readonly reason: UnitProblem['reason'] | 'key-reused';
  /** Of the call, or the key of the entry. */
  readonly id: string;
}

/** As it came, but for keys that a store can hold. */
interface WaitingEntry {
  readonly entry: TranscriptEntry;
  readonly unitId: string;
  /** Null: the store is asked first whether it holds the entry. */
  readonly measured: MeasuredEntry | null;
}

/** A report, and how many of the entries that wait stand before it. */
interface UsageBehind {
  readonly usage: SessionUsage;
  readonly behind: number;
}

/** Measured, and not written yet. */
interface Batch {
  readonly entries: readonly BatchEntry[];
  readonly usage: readonly UsageBehind[];
  /** Keys of these entries that the session did not hold up to that entry. */
  readonly absent: { readonly upTo: number; readonly keys: ReadonlySet<string> };
  readonly isLast: boolean;
}

export class SessionRun {
  added = 0;
  ignored = 0;
  remarked = 0;
  readonly problems: RunProblem[] = [];
  #waiting: WaitingEntry[] = [];
  #waitingLength = 0;
  #usage: UsageBehind[] = [];
  /** The batch that is being written, and the one that waits for it. */
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> = Promise.resolve();
  /** Keys of a session that this run alone has written; null: another one wrote too. */
  #own: TextSet | null;
  /** Usage that the session held when it was first asked for. */
  #told: ReadonlyMap<string, SessionUsage> | null = null;
  /** Number of the last entry that was read, known or new. */
  #lastSeq = 0;
  /** The trail of a session that begins with this run; null: the store has it, and parts of it are read. */
  #trail: RunTrail | null = null;
  /** As of the last batch. */
  #session: Session;

  /** @param session as it is in the store, or as it will be inserted with the first batch. */
  constructor(
    session: Session,
    private readonly settings: RunSettings,
  ) {
    this.#session = session;
    this.#own = session.lastSeq === 0 ? new TextSet() : null;
  }

  get session(): Session {
    return this.#session;
  }

  /** The trail where this run has the whole of it, else null. */
  get trail(): Trail | null {
    return this.#trail?.trail ?? null;
  }

  async add(given: TranscriptEntry): Promise<void> {
    const { measures, placer } = this.settings;
    const entry = withStorableKeys(given, measures.digest);
    const { unitId, problem } = placer.place(entry);
    if (problem !== null) this.problems.push({ reason: problem.reason, id: problem.callId });
    this.#waiting.push({ entry, unitId, measured: this.#measureNew(entry, unitId) });
    this.#waitingLength += lengthOf(entry);
    if (this.#waiting.length >= BATCH_ENTRIES || this.#waitingLength >= BATCH_LENGTH) {
      await this.#handOver(false);
    }
  }

  /** What a provider reports of the request behind the entries so far. */
  addUsage(usage: SessionUsage): void {
    this.#usage.push({ usage, behind: this.#waiting.length });
  }

  /** Writes what waits. */
  async flush(): Promise<void> {
    await this.#handOver(true);
    await this.#next;
  }

  /**
   * What only this run can have written is measured at once, a little between any two reads, so that
   * the answers of a store to the batch before are taken up meanwhile.
   */
  #measureNew(entry: TranscriptEntry, unitId: string): MeasuredEntry | null {
    if (this.#own === null || this.#own.has(entry.sourceKey)) return null;
    const { newId, measures } = this.settings;
    return measureEntry(entry, { unitId, entryId: newId() }, measures);
  }

  /**
   * Measures the rest of what waits while batches before are written. One may wait behind the one that is
   * being written, so that reading goes on while the store is slow: no more, as batches are large.
   */
  async #handOver(isLast: boolean): Promise<void> {
    const waiting = this.#waiting;
    const usage = this.#usage;
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#usage = [];
    if (waiting.length === 0 && usage.length === 0) {
      if (!isLast) return;
      await this.#next;
      if (this.#trail?.isOpenKept !== false) return;
    }
    const batch = { ...(await this.#measure(waiting)), usage, isLast };
    await this.#writing;
    this.#writing = this.#next;
    this.#next = this.#writing.then(() => this.#write(batch));
    // A failure is told to whoever waits for the write next.
    this.#next.catch(() => {});
  }

  async #write(batch: Batch): Promise<void> {
    const { dryRun, unitOfWork, repositories } = this.settings;
    const keepsOpen = batch.isLast && this.#trail?.isOpenKept === false;
    if (!keepsOpen && (await this.#isWritten(batch))) {
      const last = batch.entries.at(-1);
      if (last !== undefined && 'known' in last) this.#lastSeq = last.known.seq;
      this.ignored += batch.entries.length;
      return;
    }
    const done = dryRun
      ? await this.#take(batch, repositories)
      : await retryStale(() => unitOfWork((bound) => this.#take(batch, bound)));
    const { appended, session, trail } = done;
    this.#lastSeq = appended.seqs.at(-1) ?? this.#lastSeq;
    this.#session = session;
    this.#trail = trail;
    for (const { sourceKey } of appended.added) this.#own?.add(sourceKey);
    this.added += appended.added.length;
    this.ignored += appended.ignored;
    this.remarked += appended.deactivated.length + appended.reactivated.length;
    this.problems.push(...appended.reusedKeys.map((id) => ({ reason: 'key-reused' as const, id })));
  }

  /**
   * Entries that the store holds as they are need neither be cleaned nor counted: cleaning would have
   * left them as they are, or their print would be another.
   */
  async #measure(waiting: readonly WaitingEntry[]): Promise<Pick<Batch, 'entries' | 'absent'>> {
    const { measures, newId, repositories } = this.settings;
    const keys = waiting.flatMap(({ entry, measured }) => (measured ? [] : entry.sourceKey));
    const { lastSeq: upTo } = this.#session;
    const held =
      upTo === 0 || keys.length === 0
        ? []
        : await repositories.sessions.findKnown(this.#session, keys);
    const known = new Map(held.map((one) => [one.sourceKey, one]));
    const entries = waiting.map(({ entry, unitId, measured }): BatchEntry => {
      if (measured !== null) return measured;
      const same = known.get(entry.sourceKey);
      if (same !== undefined && same.entryPrint === entryPrint(entry, measures.digest)) {
        return { known: same, active: entry.active };
      }
      return measureEntry(entry, { unitId, entryId: newId() }, measures);
    });
    return { entries, absent: { upTo, keys: new Set(keys.filter((key) => !known.has(key))) } };
  }

  /** Everything is in the store as it is: there is nothing to lock or to write. */
  async #isWritten({ entries, usage }: Batch): Promise<boolean> {
    const { measures, repositories } = this.settings;
    const isKnown = entries.every((one) => 'known' in one && one.known.active === one.active);
    if (!isKnown || !isCountedBy(this.#session, measures.counter)) return false;
    if (this.#session.lastSeq === 0) return false;
    if (usage.length === 0) return true;
    this.#told ??= new Map(
      (await repositories.sessions.listUsage(this.#session)).map((one) => [one.usageKey, one]),
    );
    for (const { usage: given } of usage) {
      const held = this.#told.get(storableKey(given.usageKey, measures.digest));
      if (held === undefined || hasGrown(held, given)) return false;
    }
    return true;
  }

  /** Changes nothing of this run: the transaction may have to be repeated. */
  async #take(
    { entries: batch, usage, absent, isLast }: Batch,
    ports: SessionPorts,
  ): Promise<{
    readonly appended: Appended;
    readonly session: Session;
    readonly trail: RunTrail | null;
  }> {
    const session = await this.#current(ports);
    const keys = this.#unsure(
      keysToLookUp(batch.filter((one) => !isAbsent(one, absent, session))),
      session,
    );
    const known = keys.length === 0 ? [] : await ports.sessions.findKnown(session, keys);
    const appended = appendEntries(session, batch, known);
    const { added, deactivated, reactivated } = appended;
    if (!this.settings.dryRun) {
      if (deactivated.length > 0) await ports.sessions.setActive(session, deactivated, false);
      if (reactivated.length > 0) await ports.sessions.setActive(session, reactivated, true);
    }
    const last = added.at(-1);
    const now = this.settings.clock();
    if (!this.settings.dryRun) {
      const { entries, media } = partMedia(added);
      if (media.length > 0) await ports.sessions.addMedia(session, media);
      await ports.sessions.append(session, entries, now);
      const reported = this.#placed(usage, appended.seqs);
      if (reported.length > 0) await ports.sessions.addUsage(session, reported);
    }
    const trail = await extendRunTrail(session, this.#trail, appended, {
      settings: trailSettings(session, this.settings.mappings, this.settings.measures.digest),
      isAlone: this.#own !== null,
      isLast,
      dryRun: this.settings.dryRun,
      ports,
    });
    if (last === undefined) return { appended, session, trail };
    return {
      appended,
      trail,
      session: { ...session, lastSeq: last.seq, lastTurn: last.turn, updatedAt: now },
    };
  }

  /** Of a session that this run alone writes, a key that it did not write is not there. */
  #unsure(keys: readonly string[], { lastSeq }: Session): readonly string[] {
    if (lastSeq === 0) return [];
    if (this.#own !== null && lastSeq !== this.#session.lastSeq) this.#own = null;
    const own = this.#own;
    return own === null ? keys : keys.filter((key) => own.has(key));
  }

  /** Each request once, behind the entry after which it was last reported. */
  #placed(usage: readonly UsageBehind[], seqs: readonly number[]): readonly SessionUsage[] {
    const requests = new Map<string, SessionUsage>();
    for (const { usage: given, behind } of usage) {
      const usageKey = storableKey(given.usageKey, this.settings.measures.digest);
      const placed = { ...given, usageKey, seq: seqs[behind - 1] ?? this.#lastSeq };
      const held = requests.get(usageKey);
      requests.set(usageKey, held === undefined ? placed : { ...grownUsage(held, placed) });
    }
    return [...requests.values()];
  }

  async #current({ sessions }: SessionPorts): Promise<Session> {
    if (!this.settings.dryRun) {
      if (this.#session.lastSeq === 0) await sessions.insert(this.#session);
      const session = await sessions.lock(this.#session);
      return recount(session, sessions, this.settings.measures.counter);
    }
    const stored = await sessions.find(this.#session);
    return stored !== null && stored.lastSeq > this.#session.lastSeq ? stored : this.#session;
  }
}

/** Looked up before, and nothing has come since: what is appended under a key is never taken away. */
function isAbsent(one: BatchEntry, { upTo, keys }: Batch['absent'], { lastSeq }: Session): boolean {
  return 'entry' in one && lastSeq === upTo && keys.has(one.entry.sourceKey);
}

function hasGrown(held: SessionUsage, later: SessionUsage): boolean {
  return (
    later.uncachedInputTokens > held.uncachedInputTokens ||
    later.cachedInputTokens > held.cachedInputTokens ||
    later.outputTokens > held.outputTokens
  );
}

function lengthOf(entry: TranscriptEntry | SessionEntry): number {
  if (entry.kind === 'attachment') return entry.content.length + (entry.data?.length ?? 0);
  if (entry.kind !== 'tool_call') return entry.content.length;
  const { arguments: given } = entry;
  return typeof given === 'string' ? given.length : JSON.stringify(given).length;
}
