/** One session of a source, from its first event to its receipt, with the sub-agents inside it. */
import type { Digest } from '../../domain/kernel/measures.js';
import { NO_REDACTION } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import { storableKey } from '../../domain/session/measure-entry.js';
import { UnitPlacer } from '../../domain/session/place-entries.js';
import type { SessionUsage } from '../../domain/session/session.js';
import type { TranscriptEntry } from '../../domain/session/transcript.js';
import { identifySession, type SessionName } from './identify-session.js';
import { type IngestionParts, REDACTION_OFF, runSettings } from './ingestion-parts.js';
import type { IngestionReceipt } from './ingestion-receipt.js';
import type { RedactedRequest } from './ingestion-request.js';
import type { ReadSession } from './known-sources.js';
import { linkToParent, linkWaiting, type StartedBy } from './link-to-parent.js';
import { SessionRun } from './session-run.js';
import type { TranscriptEvent } from './transcript-reader.js';
import { ReceiptTally } from './transcript-receipt.js';

/** Sub-agents of a source whose entries may wait for a batch at once. */
const OPEN_CHILDREN = 8;

export class SourceSession {
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
    private readonly request: RedactedRequest & { readonly agentId?: string },
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
    if (run.added > 0 && this.request.dryRun !== true) {
      await linkWaiting(run.session, repositories.sessions);
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
