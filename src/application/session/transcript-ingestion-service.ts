/**
 * Transcripts into the store. Never calls a model. Everything is checked against what the session
 * holds, so the same source twice adds nothing, and a source that has grown adds what is new.
 */
import { OssatureError } from '../../domain/kernel/errors.js';
import { NO_REDACTION, type Redact } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import { UnitPlacer } from '../../domain/session/place-entries.js';
import { parseSessionId, requireTenant } from '../../domain/session/session.js';
import { isBlank } from './detect-format.js';
import { type IngestionParts, REDACTION_OFF, runSettings } from './ingestion-parts.js';
import type { IngestionReceipt } from './ingestion-receipt.js';
import type {
  AppendReceipt,
  AppendRequest,
  IngestionRequest,
  RedactedRequest,
} from './ingestion-request.js';
import { KnownSources } from './known-sources.js';
import { SessionRun } from './session-run.js';
import { SourceSession } from './source-session.js';

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
    const isEmpty = receipts.every(({ entries, ignored }) => entries + ignored === 0);
    if (isEmpty && !isBlank(head) && !request.reader.detect(head)) {
      throw nothingOf(request, receipts);
    }
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

/** A format that was forced on a source of another: zeros would look like an import. */
function nothingOf(
  { reader, source }: Pick<IngestionRequest, 'reader' | 'source'>,
  receipts: readonly IngestionReceipt[],
): OssatureError {
  const skipped = receipts.reduce(
    (sum, receipt) => sum + Object.values(receipt.skipped).reduce((a, b) => a + b, 0),
    0,
  );
  return new OssatureError(
    'INVALID_TRANSCRIPT',
    `${source.name} holds nothing of the format ${reader.name}: ${skipped} records were passed over and none was read. Leave the format out (--from) to have it found, or name another.`,
    { details: { source: source.name, tried: [reader.name], skipped } },
  );
}
