/** A stored session as the messages of a provider, checked against the provider's rules. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { CachePrefix, Exported } from '../../domain/session/export/exported.js';
import type { ExportNote } from '../../domain/session/export/export-note.js';
import {
  type OutgoingContext,
  selectOutgoing,
} from '../../domain/session/export/outgoing-context.js';
import {
  EXPORT_PROVIDERS,
  type ExportProvider,
  PROVIDER_FORMS,
  type ProviderMessages,
} from '../../domain/session/export/providers.js';
import type { RuleBreach } from '../../domain/session/export/rule-breach.js';
import { windowOfModel } from '../../domain/session/pass/model-windows.js';
import { isTextBlob, outgoingSummary } from '../../domain/session/pass/request-state.js';
import { readSettings } from '../../domain/session/pass/stored-settings.js';
import {
  parseSessionId,
  requireTenant,
  type Session,
  type SessionEntry,
} from '../../domain/session/session.js';
import { renderSummary } from '../../domain/session/summary/render-summary.js';
import type { AttachmentEntry } from '../../domain/session/transcript.js';
import { liveCycles, type SessionCycle } from '../../domain/session/summary/session-cycle.js';
import type { AnchoredSummary } from '../../domain/session/summary/summary-item.js';
import type { Logger } from '../ports/logger.js';
import type { Clock } from '../ports/system.js';
import { readPreviews, readSummary, type SummaryPorts } from './read-pass-material.js';
import { retryStale } from './retry-stale.js';

export interface ExportRequest<Provider extends ExportProvider = ExportProvider> {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly provider: Provider;
}

export interface SessionExport<Message> {
  /** System text that the provider takes apart from the messages, or null. */
  readonly system: string | null;
  readonly messages: readonly Message[];
  /** Tokens of the part that the next export repeats byte for byte. */
  readonly prefixTokens: number;
  /** Where that part ends. */
  readonly prefix: Omit<CachePrefix, 'tokens'>;
  /** What was changed or left out, each with its entry. */
  readonly notes: readonly ExportNote[];
}

/** Entries that are read at once. */
const PAGE_ENTRIES = 5_000;

/** Breaches that an error names. */
const TOLD_BREACHES = 20;

export class SessionExportService {
  constructor(
    private readonly ports: SummaryPorts,
    private readonly counter: TokenCounter,
    private readonly log: Logger,
    private readonly clock: Clock,
  ) {}

  /**
   * Frame, summary and tail as the provider's messages; the whole transcript before the first pass.
   * Nothing leaves that the provider's validator refuses.
   *
   * @throws OssatureError INVALID_ID, INVALID_INPUT for an unknown provider, NOT_FOUND; NOT_PORTABLE
   *   where the messages break a rule of the provider, with `details.breaches`; STALE where passes keep
   *   changing the session.
   */
  export<Provider extends ExportProvider>(
    request: ExportRequest<Provider>,
  ): Promise<SessionExport<ProviderMessages[Provider]>> {
    return retryStale(() => this.#export(request));
  }

  async #export<Provider extends ExportProvider>(
    request: ExportRequest<Provider>,
  ): Promise<SessionExport<ProviderMessages[Provider]>> {
    const provider = requireProvider(request.provider);
    const tenantId = requireTenant(request.tenantId);
    const sessionId = parseSessionId(request.sessionId);
    const session = await this.ports.sessions.get({ tenantId, sessionId });
    const live = liveCycles(await this.ports.summaries.listCycles(session));
    const cycle = cycleFor(live, provider, this.clock());
    const entries = await this.#entries(session);
    if (cycle !== (live.at(-1) ?? null)) requireRoom(session, entries, cycle, provider);
    const { context, notes } = outgoing(
      entries,
      cycle,
      await readSummary(this.ports, session),
      await readPreviews(this.ports, session, cycle ?? undefined),
    );
    if ((await this.ports.sessions.get(session)).revision !== session.revision) {
      throw new OssatureError(
        'STALE',
        `A pass changed session ${sessionId} meanwhile. Repeat it.`,
        {
          details: { sessionId },
        },
      );
    }
    const { write, check } = PROVIDER_FORMS[provider];
    const media = await this.ports.sessions.findMedia(session, mediaOf(context));
    // Media above the limit have no bytes in the store: each is described in a line, which a note says.
    const mediaBytes = ({ mediaHash }: AttachmentEntry): string | null =>
      mediaHash === undefined ? null : (media.get(mediaHash) ?? null);
    const written = write(context, { counter: this.counter, mediaBytes });
    const breaches = check(written.messages);
    if (breaches.length > 0) throw notPortable(sessionId, provider, breaches);
    const exported = exportOf(written, notes);
    this.log.info('session.exported', {
      sessionId,
      provider,
      messages: exported.messages.length,
      prefixTokens: exported.prefixTokens,
      notes: exported.notes.length,
    });
    return exported;
  }

  async #entries(session: Session): Promise<readonly SessionEntry[]> {
    const entries: SessionEntry[] = [];
    for (let from = 1; from <= session.lastSeq; from += PAGE_ENTRIES) {
      const to = Math.min(from + PAGE_ENTRIES - 1, session.lastSeq);
      for (const entry of await this.ports.sessions.listEntries(session, { from, to })) {
        entries.push(entry);
      }
    }
    return entries;
  }
}

/**
 * The cycle whose state goes out: the last one, unless it holds a blob that the provider cannot read or
 * that has expired; then the last one that can be looked into, or none.
 */
function cycleFor(
  live: readonly SessionCycle[],
  provider: ExportProvider,
  now: Date,
): SessionCycle | null {
  const isReadable = ({ blob }: SessionCycle): boolean =>
    blob === null ||
    (isTextBlob(blob) &&
      (blob.provider === 'any' || provider.startsWith(blob.provider)) &&
      (blob.expiresAt === null || new Date(blob.expiresAt) > now));
  return (
    live.findLast((cycle) => cycle.blob === null || (cycle === live.at(-1) && isReadable(cycle))) ??
    null
  );
}

/** The state before a blob carries all that the blob stood for. */
function requireRoom(
  { sessionId, settings, model }: Session,
  entries: readonly SessionEntry[],
  cycle: SessionCycle | null,
  provider: ExportProvider,
): void {
  const windowTokens = readSettings(settings).windowTokens ?? windowOfModel(model ?? '');
  const tail = entries.filter(({ seq, active }) => active && seq > (cycle?.cutSeq ?? 0));
  const tokens = tail.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  if (windowTokens === null || tokens <= windowTokens) return;
  throw new OssatureError(
    'NOT_PORTABLE',
    `What session ${sessionId} holds now can be read by one provider alone, and not by ${provider}; without it ${tokens} tokens are above the window of ${windowTokens}. Compact it with the strategy offline or anchored first.`,
    { details: { sessionId, provider, tokens, windowTokens } },
  );
}

function outgoing(
  entries: readonly SessionEntry[],
  cycle: SessionCycle | null,
  summary: AnchoredSummary,
  previews: ReadonlyMap<number, number>,
): {
  readonly context: OutgoingContext;
  readonly notes: readonly ExportNote[];
} {
  const { frameEntries, promptAgain, tail, notes } = selectOutgoing(entries, {
    cutSeq: cycle?.cutSeq ?? 0,
    leftUnits: new Set(cycle?.stubs.map(({ unitId }) => unitId)),
    promptAgainSeq: cycle?.promptAgainSeq ?? null,
  });
  const frame = frameEntries
    .map(({ content }) => content)
    .filter((content) => content.trim() !== '')
    .join('\n\n');
  return {
    context: {
      frame: frame === '' ? null : frame,
      frameEntries,
      summary: outgoingSummary(
        summary.items.length > 0 ? renderSummary(summary) : null,
        cycle?.blob ?? null,
      ),
      promptAgain,
      tail,
      previews,
      stubs: cycle?.stubs ?? [],
    },
    notes,
  };
}

function mediaOf({ tail }: OutgoingContext): readonly string[] {
  const hashes = tail.flatMap((entry) =>
    entry.kind === 'attachment' ? (entry.mediaHash ?? []) : [],
  );
  return [...new Set(hashes)];
}

function exportOf<Message>(
  { system, messages, prefix, notes }: Exported<Message>,
  leftOut: readonly ExportNote[],
): SessionExport<Message> {
  const { tokens, ...place } = prefix;
  const all = [...leftOut, ...notes].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
  return { system, messages, prefixTokens: tokens, prefix: place, notes: all };
}

function requireProvider<Provider extends ExportProvider>(provider: Provider): Provider {
  if (EXPORT_PROVIDERS.includes(provider)) return provider;
  throw new OssatureError(
    'INVALID_INPUT',
    `A session is exported for one of ${EXPORT_PROVIDERS.join(', ')}.`,
    { details: { field: 'provider', known: EXPORT_PROVIDERS } },
  );
}

function notPortable(
  sessionId: string,
  provider: ExportProvider,
  breaches: readonly RuleBreach[],
): OssatureError {
  const [first] = breaches;
  const place = first?.message === null ? 'the request' : `message ${first?.message}`;
  return new OssatureError(
    'NOT_PORTABLE',
    `Session ${sessionId} cannot be exported for ${provider}: ${place} breaks the rule ${first?.rule}. Export it for another provider, and report this.`,
    {
      details: {
        sessionId,
        provider,
        breaches: breaches.slice(0, TOLD_BREACHES),
        total: breaches.length,
      },
    },
  );
}
