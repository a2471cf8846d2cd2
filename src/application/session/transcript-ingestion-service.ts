/**
 * Transcripts into the store. Never calls a model. Everything is checked against what the session
 * holds, so the same source twice adds nothing, and a source that has grown adds what is new.
 */
import type { Digest, NewByteDigest, TokenCounter } from '../../domain/kernel/measures.js';
import { NO_REDACTION, type Redact } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import type { MediaPrices } from '../../domain/session/media-prices.js';
import { storableKey } from '../../domain/session/measure-entry.js';
import { UnitPlacer } from '../../domain/session/place-entries.js';
import { parseSessionId, requireTenant, type SessionUsage } from '../../domain/session/session.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import type { TranscriptEntry } from '../../domain/session/transcript.js';
import type { Logger } from '../ports/logger.js';
import type { Clock, NewId } from '../ports/system.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { CapsuleService } from './capsule-service.js';
import { isBlank } from './detect-format.js';
import type { IngestionReceipt } from './ingestion-receipt.js';
import { identifySession, type SessionName } from './identify-session.js';
import { KnownSources, type ReadSession } from './known-sources.js';
import { linkToParent, type StartedBy } from './link-to-parent.js';
import { type RunSettings, type SessionPorts, SessionRun } from './session-run.js';
import type { SessionSummaryService } from './session-summary-service.js';
import type { TranscriptEvent, TranscriptReader, TranscriptSource } from './transcript-reader.js';
import { ReceiptTally } from './transcript-receipt.js';

export interface IngestionRequest {
  readonly tenantId: string;
  readonly source: TranscriptSource;
  readonly reader: TranscriptReader;
  /** In place of the container's. Null: nothing is redacted, which the receipt says. */
  readonly redact?: Redact | null;
  readonly projectId?: string | null;
  readonly planId?: string | null;
  /** Names the session of a format that gives no id. */
  readonly sessionKey?: string | null;
  /** Absolute path from which paths of artifacts are told; left out: as the source says. */
  readonly projectRoot?: string | null;
  /** Reads and compares, but writes nothing. */
  readonly dryRun?: boolean;
}

/** With the redaction that it works under. */
type RedactedRequest = IngestionRequest & { readonly redact: Redact | null };

export interface AppendRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly entries: readonly TranscriptEntry[];
  /** What the provider reported of the request behind the entries; left out: nothing. */
  readonly usage?: Omit<SessionUsage, 'seq' | 'purpose'>;
  /** As of an import. */
  readonly redact?: Redact | null;
}

export interface AppendReceipt {
  readonly sessionId: string;
  readonly added: number;
  readonly ignored: number;
  readonly lastSeq: number;
  readonly redactions: Readonly<Record<string, number>>;
  readonly repaired: number;
  readonly notes: readonly string[];
  readonly problems: readonly { readonly reason: string; readonly ids: readonly string[] }[];
}

/** What the service is made of. */
export interface IngestionParts {
  readonly repositories: SessionPorts;
  readonly unitOfWork: UnitOfWork<'sessions' | 'trails'>;
  readonly tokenCounter: TokenCounter;
  readonly mediaPrices: MediaPrices;
  readonly mappings: readonly ToolMapping[];
  readonly digest: Digest;
  readonly newByteDigest: NewByteDigest;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly capsules: Pick<CapsuleService, 'takeOver'>;
  readonly summaries: Pick<SessionSummaryService, 'dueTrigger'>;
  readonly log: Logger;
  /** Of requests that bring none; null: nothing is redacted. */
  readonly redact: Redact | null;
  /** Bytes of a medium above which its description alone is kept. */
  readonly maxAttachmentBytes: number;
}

/** Sub-agents of a source whose entries may wait for a batch at once. */
const OPEN_CHILDREN = 8;

const REDACTION_OFF = 'Redaction was switched off for this import.';

/** Entries behind the last one that may share its message. */
const LOOK_BACK = 100;

export class TranscriptIngestionService {
  constructor(private readonly parts: IngestionParts) {}

  /**
   * Imports a source, batch by batch: one that dies leaves a valid beginning, which the next import
   * completes. One receipt for each session in the source; a blank source has one without a session.
   *
   * @throws OssatureError INVALID_INPUT, INVALID_TRANSCRIPT, what the store throws.
   */
  async import(given: IngestionRequest): Promise<readonly IngestionReceipt[]> {
    requireTenant(given.tenantId);
    const request = { ...given, redact: this.#redactOf(given) };
    const startedAt = this.parts.clock();
    const head = await request.source.head();
    const sources = KnownSources.of(request, this.parts, head.text);
    const known = await sources?.find();
    const elapsedMs = (): number => this.parts.clock().getTime() - startedAt.getTime();
    if (known) {
      const receipts = known.map((receipt) => ({ ...receipt, due: null, elapsedMs: elapsedMs() }));
      return this.#told(request, receipts);
    }
    const source = sources?.source ?? request.source;
    const read = await this.#read({ ...request, source });
    const notes = isBlank(head) ? [`${source.name} is empty: nothing was read.`] : [];
    const sizes = { ...read.size, elapsedMs: elapsedMs(), notes };
    const receipts = read.runs.flatMap((run) => run.receipts(sizes));
    if (request.dryRun !== true) {
      await sources?.keep(
        read.runs.flatMap((run) => run.read(sizes)),
        receipts.length,
      );
    }
    return this.#told(request, receipts);
  }

  /** The sessions of a source, written as far as they go. */
  async #read(request: RedactedRequest): Promise<{
    readonly runs: readonly SourceSession[];
    readonly size: { readonly lines: number; readonly bytes: number };
  }> {
    const { source, reader } = request;
    const runs: SourceSession[] = [];
    let size = { lines: 0, bytes: 0 };
    for await (const event of reader.read(source)) {
      if (event.event === 'session') {
        await runs.at(-1)?.finish();
        runs.push(new SourceSession(request, this.parts, runs.length));
      }
      if (event.event === 'end') size = { lines: event.lines, bytes: event.bytes };
      await runs.at(-1)?.take(event);
    }
    await runs.at(-1)?.finish();
    return { runs, size };
  }

  #redactOf({ redact = this.parts.redact }: Pick<IngestionRequest, 'redact'>): Redact | null {
    return redact;
  }

  async #told(
    { tenantId, dryRun = false }: IngestionRequest,
    receipts: readonly IngestionReceipt[],
  ): Promise<readonly IngestionReceipt[]> {
    const told: IngestionReceipt[] = [];
    for (const receipt of receipts) {
      const { sessionId, added, ignored, problems } = receipt;
      const isStored = sessionId !== null && !dryRun;
      const due = isStored ? await this.parts.summaries.dueTrigger({ tenantId, sessionId }) : null;
      told.push({ ...receipt, due });
      this.parts.log.info('session.imported', {
        sessionId,
        added,
        ignored,
        problems: problems.total,
      });
    }
    return told;
  }

  /**
   * Appends entries that a host has at hand, in their order.
   *
   * @throws OssatureError INVALID_ID, NOT_FOUND, what the store throws.
   */
  async append(request: AppendRequest): Promise<AppendReceipt> {
    const { sessions } = this.parts.repositories;
    const key = {
      tenantId: requireTenant(request.tenantId),
      sessionId: parseSessionId(request.sessionId),
    };
    const session = await sessions.get(key);
    const redact = this.#redactOf(request);
    const cleaner = new TextCleaner(redact ?? NO_REDACTION);
    const placer = new UnitPlacer();
    // What is no part of a message of several entries begins a unit of its own, or joins that of its call.
    if (request.entries.some(({ messageKey }) => messageKey !== null)) {
      const from = Math.max(1, session.lastSeq - LOOK_BACK + 1);
      for (const entry of await sessions.listEntries(key, { from, to: null })) {
        placer.resume(entry, entry.unitId);
      }
    }
    const answered = request.entries.flatMap((entry) =>
      entry.kind === 'tool_result' || entry.kind === 'attachment' ? (entry.callId ?? []) : [],
    );
    placer.know(await sessions.findCallUnits(key, answered));
    const run = new SessionRun(session, runSettings(this.parts, cleaner, placer, false));
    for (const entry of request.entries) await run.add(entry);
    if (request.usage !== undefined)
      run.addUsage({ ...request.usage, purpose: 'agent', seq: null });
    await run.flush();
    // Before any act on the summary only: later on, this was done, and appending stays cheap.
    if (run.session.revision === 1) await this.parts.capsules.takeOver(run.session);
    const { added, ignored } = run;
    this.parts.log.debug('session.appended', { sessionId: session.sessionId, added, ignored });
    return {
      sessionId: session.sessionId,
      added,
      ignored,
      lastSeq: run.session.lastSeq,
      redactions: cleaner.redactions,
      repaired: cleaner.repaired,
      notes: redact === null ? [REDACTION_OFF] : [],
      problems: run.problems.map(({ reason, id }) => ({ reason, ids: [id] })),
    };
  }
}

function runSettings(
  parts: IngestionParts,
  cleaner: TextCleaner,
  placer: UnitPlacer,
  dryRun: boolean,
): RunSettings {
  const { repositories, unitOfWork, mappings, clock, newId } = parts;
  const { tokenCounter: counter, digest, mediaPrices: prices } = parts;
  const { maxAttachmentBytes } = parts;
  const measures = { cleaner, counter, digest, prices, maxAttachmentBytes };
  return { repositories, unitOfWork, mappings, clock, newId, measures, placer, dryRun };
}

/** One session of a source, from its first event to its receipt. */
class SourceSession {
  readonly #tally = new ReceiptTally();
  readonly #cleaner: TextCleaner;
  #name: SessionName = { vendorSessionId: null, directory: null, parent: null };
  #run: SessionRun | null = null;
  #isNew = false;
  #storedBefore = 0;
  #artifacts = 0;
  #unmapped: Readonly<Record<string, number>> = {};
  #parentSessionId: string | null = null;
  #parentCallId: string | null = null;
  /** The next import finds the new keys of their entries, and has nothing to report. */
  #hasReusedKeys = false;
  /** Sub-agents inside the source by their names, the one that spoke last behind the others. */
  readonly #children = new Map<string, SourceSession>();
  /** Told before the session had an entry. */
  readonly #earlyUsage: SessionUsage[] = [];

  constructor(
    private readonly request: IngestionRequest & { readonly agentId?: string },
    private readonly parts: IngestionParts,
    /** Sessions before it in the source. */
    private readonly position: number,
  ) {
    this.#cleaner = new TextCleaner(request.redact ?? NO_REDACTION);
  }

  async take(event: TranscriptEvent): Promise<void> {
    if (event.event === 'of-child') return this.#takeOfChild(event.agentId, event.of);
    this.#tally.note(event);
    if (event.event === 'session') this.#name = nameOf(event, this.parts.digest);
    if (event.event === 'usage') {
      if (this.#run === null) this.#earlyUsage.push(event.usage);
      else this.#run.addUsage(event.usage);
    }
    if (event.event !== 'entry') return;
    this.#run ??= await this.#begin(event.entry);
    for (const usage of this.#earlyUsage.splice(0)) this.#run.addUsage(usage);
    await this.#run.add(event.entry);
    for (const { reason, id } of this.#run.problems.splice(0)) this.#report(reason, id);
  }

  /** Of many sub-agents only those that spoke last keep entries waiting. */
  async #takeOfChild(agentId: string, event: TranscriptEvent): Promise<void> {
    const request = { ...this.request, planId: null, sessionKey: null };
    const child =
      this.#children.get(agentId) ??
      new SourceSession({ ...request, agentId }, this.parts, this.position);
    this.#children.delete(agentId);
    this.#children.set(agentId, child);
    await child.take(event);
    const quiet = [...this.#children.values()].at(-1 - OPEN_CHILDREN);
    await quiet?.flush();
  }

  async flush(): Promise<void> {
    await this.#run?.flush();
  }

  /** @param startedBy of a sub-agent inside the source: the session around it, and the call if it is known. */
  async finish(startedBy: StartedBy | null = null): Promise<void> {
    const run = this.#run;
    if (run === null) {
      await this.#keepUsage();
      return;
    }
    await run.flush();
    if (this.request.dryRun !== true) await this.parts.capsules.takeOver(run.session);
    for (const { reason, id } of run.problems.splice(0)) this.#report(reason, id);
    if (run.added === 0 && run.ignored < this.#storedBefore) {
      this.#report('shrunk', run.session.sessionId);
    }
    const { repositories } = this.parts;
    const trail = run.trail ?? (await repositories.trails.read(run.session));
    this.#artifacts = trail.artifacts.size;
    this.#unmapped = Object.fromEntries(trail.unmappedTools);
    const link = await linkToParent(run.session, {
      name: this.#name,
      startedBy,
      sessions: repositories.sessions,
      dryRun: this.request.dryRun === true,
    });
    this.#parentSessionId = link?.parentSessionId ?? null;
    this.#parentCallId = link?.callId ?? null;
    if (link?.parentSessionId === null && startedBy === null) {
      this.#report('sub-agent-unlinked', this.#name.parent?.agentName ?? run.session.sessionId);
    }
    for (const [agentId, child] of this.#children) {
      const callId = this.#tally.children.find((one) => one.agentId === agentId)?.callId ?? null;
      await child.finish({ session: run.session, callId });
    }
  }

  /** What a run of the vendor spent that is no session: kept with the session that it shortened. */
  async #keepUsage(): Promise<void> {
    const { vendorSessionId } = this.#name;
    const { tenantId, reader, dryRun = false } = this.request;
    if (vendorSessionId === null || dryRun || this.#earlyUsage.length === 0) return;
    const { sessions } = this.parts.repositories;
    const session = await sessions.findByVendorId(tenantId, reader.name, vendorSessionId);
    if (session === null) return;
    const run = new SessionRun(
      session,
      runSettings(this.parts, this.#cleaner, new UnitPlacer(), dryRun),
    );
    for (const usage of this.#earlyUsage.splice(0)) run.addUsage(usage);
    await run.flush();
  }

  /** Of the session and of its sub-agents, one each. */
  receipts(size: Parameters<SourceSession['receipt']>[0]): readonly IngestionReceipt[] {
    const children = [...this.#children.values()].flatMap((child) => child.receipts(size));
    return [this.receipt(size), ...children];
  }

  receipt({
    lines,
    bytes,
    elapsedMs,
    notes,
  }: Pick<IngestionReceipt, 'lines' | 'bytes' | 'elapsedMs' | 'notes'>): IngestionReceipt {
    const { request } = this;
    const [run, tally] = [this.#run, this.#tally];
    return {
      sessionId: run?.session.sessionId ?? null,
      vendorSessionId: this.#name.vendorSessionId,
      format: request.reader.name,
      isNew: this.#isNew,
      lines,
      bytes,
      entries: tally.entries,
      added: run?.added ?? 0,
      ignored: tally.ignored + (run?.ignored ?? 0),
      remarked: run?.remarked ?? 0,
      skipped: tally.skipped,
      problems: tally.problems,
      redactions: this.#cleaner.redactions,
      repaired: this.#cleaner.repaired,
      children: tally.children.map((child) => ({
        ...child,
        sessionId: this.#children.get(child.agentId)?.sessionId ?? null,
      })),
      agentName: this.#name.parent?.agentName ?? request.agentId ?? null,
      parentSessionId: this.#parentSessionId,
      parentCallId: this.#parentCallId,
      artifacts: this.#artifacts,
      unmappedTools: this.#unmapped,
      due: null,
      dryRun: request.dryRun === true,
      elapsedMs,
      notes: [...notes, ...(request.redact === null ? [REDACTION_OFF] : [])],
    };
  }

  /**
   * What the sessions hold at the end, sub-agents included, in the order of their receipts. Not settled: one that
   * holds what is not in the source, or that would be told otherwise the next time.
   */
  read(size: Parameters<SourceSession['receipt']>[0]): readonly ReadSession[] {
    const run = this.#run;
    const own =
      run === null
        ? []
        : [
            {
              session: run.session,
              receipt: this.receipt(size),
              isSettled:
                !this.#hasReusedKeys &&
                run.added + run.ignored >= run.session.lastSeq &&
                (this.#name.parent === null || this.#parentSessionId !== null),
            },
          ];
    return [...own, ...[...this.#children.values()].flatMap((child) => child.read(size))];
  }

  get sessionId(): string | null {
    return this.#run?.session.sessionId ?? null;
  }

  #report(reason: Parameters<ReceiptTally['report']>[0]['reason'], id: string): void {
    if (reason === 'key-reused') this.#hasReusedKeys = true;
    this.#tally.report({ reason, line: null, byteOffset: null, length: null, ids: [id] });
  }

  async #begin(first: TranscriptEntry): Promise<SessionRun> {
    const { request, parts } = this;
    const { session, isNew } = await identifySession({
      request,
      name: this.#name,
      first,
      position: this.position,
      agentId: request.agentId ?? null,
      digest: parts.digest,
      sessions: parts.repositories.sessions,
      tokenCounter: parts.tokenCounter,
      now: parts.clock(),
    });
    this.#isNew = isNew;
    this.#storedBefore = session.lastSeq;
    const dryRun = request.dryRun === true;
    return new SessionRun(session, runSettings(parts, this.#cleaner, new UnitPlacer(), dryRun));
  }
}

function nameOf(
  event: Extract<TranscriptEvent, { event: 'session' }>,
  digest: Digest,
): SessionName {
  const { vendorSessionId, directory = null, parent = null } = event;
  const storable = vendorSessionId === null ? null : storableKey(vendorSessionId, digest);
  return { vendorSessionId: storable, directory, parent };
}
