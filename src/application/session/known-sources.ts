/**
 * A source that the store has read before, byte for byte, is answered without reading it entry by
 * entry. Whatever could make another answer of the same bytes is part of its print: the reader and its
 * version, the rules of redaction, the counter, the key that names the session. Where one of these
 * cannot be named, as with a reader or rules of a host without a version, the source is read again.
 */
import type { Digest, NewByteDigest, TokenCounter } from '../../domain/kernel/measures.js';
import type { JsonObject } from '../../domain/redaction/json-value.js';
import type { Redact } from '../../domain/redaction/redact.js';
import type { KnownSource } from '../../domain/session/known-source.js';
import type { Session } from '../../domain/session/session.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { CapsuleService } from './capsule-service.js';
import type { IngestionReceipt } from './ingestion-receipt.js';
import { isCountedBy } from './recount-session.js';
import type { SessionPorts } from './session-ports.js';
import { SourceWatch } from './source-watch.js';
import type { TranscriptReader, TranscriptSource } from './transcript-reader.js';

/** Of the form in which receipts are kept. */
const RECEIPT_VERSION = 1;

type KeptReceipt = Pick<
  IngestionReceipt,
  | 'vendorSessionId'
  | 'lines'
  | 'bytes'
  | 'entries'
  | 'ignored'
  | 'skipped'
  | 'problems'
  | 'redactions'
  | 'repaired'
  | 'children'
  | 'agentName'
  | 'parentSessionId'
  | 'notes'
>;

/** What is told once the import has ended is left to it. */
type UntimedReceipt = Omit<IngestionReceipt, 'elapsedMs' | 'due'>;

/** A session of a source at the end of an import, and whether the next import would find just this. */
export interface ReadSession {
  readonly session: Session;
  readonly receipt: IngestionReceipt;
  readonly isSettled: boolean;
}

/** Of an import. */
interface SourceRequest {
  readonly tenantId: string;
  readonly source: TranscriptSource;
  readonly reader: TranscriptReader;
  readonly redact: Redact | null;
  readonly sessionKey?: string | null;
  readonly dryRun?: boolean;
}

interface SourceParts {
  readonly repositories: SessionPorts;
  readonly unitOfWork: UnitOfWork<'sessions'>;
  readonly digest: Digest;
  readonly newByteDigest: NewByteDigest;
  readonly tokenCounter: TokenCounter;
  readonly capsules: Pick<CapsuleService, 'takeOver'>;
}

export class KnownSources {
  readonly #watch: SourceWatch;

  private constructor(
    private readonly request: SourceRequest,
    private readonly parts: SourceParts,
    private readonly conditions: readonly string[],
    private readonly headPrint: string,
  ) {
    this.#watch = new SourceWatch(request.source, parts.newByteDigest);
  }

  /** @param head the beginning of the source. */
  static of(request: SourceRequest, parts: SourceParts, head: string): KnownSources | null {
    const { reader, redact, sessionKey = null } = request;
    const rules = redact === null ? 'none' : redact.rules;
    if (reader.version === undefined || rules === undefined) return null;
    const { name, version } = parts.tokenCounter;
    const conditions = [
      String(RECEIPT_VERSION),
      reader.name,
      reader.version,
      rules,
      name,
      version,
      ...(sessionKey === null ? [] : [sessionKey]),
    ];
    const headPrint = parts.digest(JSON.stringify([...conditions, head]));
    return new KnownSources(request, parts, conditions, headPrint);
  }

  /** The source, watched: to be read in place of the request's. */
  get source(): TranscriptSource {
    return this.#watch.source;
  }

  /** The receipts of the source, or null where it has to be read. Reads its bytes where it may be known. */
  async find(): Promise<readonly UntimedReceipt[] | null> {
    const { tenantId } = this.request;
    const { sessions } = this.parts.repositories;
    const candidates = await sessions.findSources(tenantId, this.headPrint);
    if (candidates.length === 0) return null;
    const print = this.#printOf(await this.#watch.digestOf());
    const known = candidates
      .filter(({ sourcePrint }) => sourcePrint === print)
      .sort((a, b) => a.position - b.position);
    if (known.length === 0 || known.length !== known[0]?.sessions) return null;
    const receipts: UntimedReceipt[] = [];
    for (const one of known) {
      const receipt = await this.#receiptOf(one);
      if (receipt === null) return null;
      receipts.push(receipt);
    }
    return receipts;
  }

  /**
   * Keeps the source for the next time, where that could not find anything else.
   *
   * @param receipts of the source; some may be of no session.
   */
  async keep(read: readonly ReadSession[], receipts: number): Promise<void> {
    const digest = this.#watch.digest;
    if (digest === null || read.length === 0 || read.length < receipts) return;
    if (!read.every(({ isSettled }) => isSettled)) return;
    const sourcePrint = this.#printOf(digest);
    await this.parts.unitOfWork(async ({ sessions }) => {
      for (const [position, { session, receipt }] of read.entries()) {
        await sessions.keepSource(session, {
          sessionId: session.sessionId,
          headPrint: this.headPrint,
          sourcePrint,
          position,
          sessions: read.length,
          lastSeq: session.lastSeq,
          receipt: keptReceipt(receipt),
        });
      }
    });
  }

  #printOf(digest: string): string {
    return this.parts.digest(JSON.stringify([...this.conditions, digest]));
  }

  /** Null where the session is no longer as the source left it. */
  async #receiptOf(known: KnownSource): Promise<UntimedReceipt | null> {
    const { tenantId, reader, dryRun = false } = this.request;
    const { sessionId } = known;
    const { repositories, tokenCounter, capsules } = this.parts;
    const session = await repositories.sessions.find({ tenantId, sessionId });
    const kept = known.receipt as unknown as KeptReceipt;
    if (
      session === null ||
      session.lastSeq !== known.lastSeq ||
      session.parentSessionId !== kept.parentSessionId ||
      !isCountedBy(session, tokenCounter)
    ) {
      return null;
    }
    if (!dryRun) await capsules.takeOver(session);
    const trail = await repositories.trails.read(session);
    return {
      ...kept,
      sessionId,
      format: reader.name,
      isNew: false,
      added: 0,
      remarked: 0,
      parentCallId: null,
      artifacts: trail.artifacts.size,
      unmappedTools: Object.fromEntries(trail.unmappedTools),
      dryRun,
    };
  }
}

function keptReceipt(receipt: IngestionReceipt): JsonObject {
  const kept: KeptReceipt = {
    vendorSessionId: receipt.vendorSessionId,
    lines: receipt.lines,
    bytes: receipt.bytes,
    entries: receipt.entries,
    ignored: receipt.ignored + receipt.added,
    skipped: receipt.skipped,
    problems: receipt.problems,
    redactions: receipt.redactions,
    repaired: receipt.repaired,
    children: receipt.children,
    agentName: receipt.agentName,
    parentSessionId: receipt.parentSessionId,
    notes: receipt.notes,
  };
  return kept as unknown as JsonObject;
}
