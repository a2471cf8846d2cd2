/** A compression point as probes and survival need it: what left, what is true, what remains. */
import type { ProbeMaterial } from '../../domain/evaluation/probes/probe-material.js';
import { handlesIn, type SurvivingContext } from '../../domain/evaluation/survival.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest } from '../../domain/kernel/measures.js';
import {
  type OutgoingContext,
  selectOutgoing,
  shownTail,
} from '../../domain/session/export/outgoing-context.js';
import { renderUnit } from '../../domain/session/render-unit.js';
import type { SessionKey } from '../../domain/session/repositories.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import { DecisionLog } from '../../domain/session/session-decision.js';
import { renderSummary } from '../../domain/session/summary/render-summary.js';
import { liveCycles, type SessionCycle } from '../../domain/session/summary/session-cycle.js';
import type { AnchoredSummary, SummaryItem } from '../../domain/session/summary/summary-item.js';
import { extendTrail } from '../../domain/session/trail/extend-trail.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import { EMPTY_TRAIL } from '../../domain/session/trail/trail.js';
import { isHumanPrompt } from '../../domain/session/transcript.js';
import { readSummary, type SummaryPorts } from '../session/read-pass-material.js';
import { trailSettings } from '../session/fold-stored-trail.js';

export interface PointReading {
  readonly ports: SummaryPorts;
  readonly mappings: readonly ToolMapping[];
  readonly digest: Digest;
}

export interface ReadPoint {
  readonly session: Session;
  readonly cycle: SessionCycle;
  readonly material: ProbeMaterial;
  readonly context: SurvivingContext;
  /** Entries of the prefix, active and not. */
  readonly entries: readonly SessionEntry[];
}

/** Entries that are read at once. */
const PAGE_ENTRIES = 5_000;

/**
 * @param cycle a pass in force; null: the last one.
 * @throws OssatureError NOT_FOUND where there is no such pass, or nothing left in it.
 */
export async function readPoint(
  { ports, mappings, digest }: PointReading,
  key: SessionKey,
  cycle: number | null,
): Promise<ReadPoint> {
  const session = await ports.sessions.get(key);
  const cycles = liveCycles(await ports.summaries.listCycles(session));
  const chosen = cycle === null ? cycles.at(-1) : cycles.find((one) => one.cycle === cycle);
  if (chosen === undefined) throw nothingToAsk(session, cycle);
  const entries = await entriesUpTo(ports, session, chosen.lastSeq);
  const span = entries.filter(
    ({ seq, active }) => active && chosen.span.some(({ from, to }) => seq >= from && seq <= to),
  );
  if (span.length === 0) throw nothingToAsk(session, cycle);
  const summary = await summaryAt(ports, session, chosen, cycles.at(-1) === chosen);
  return {
    session,
    cycle: chosen,
    entries,
    context: survivingContext(entries, chosen, summary),
    material: probeMaterial({ session, cycle: chosen, entries, span, mappings, digest }),
  };
}

export async function entriesUpTo(
  { sessions }: Pick<SummaryPorts, 'sessions'>,
  session: Session,
  lastSeq: number,
): Promise<readonly SessionEntry[]> {
  const entries: SessionEntry[] = [];
  for (let from = 1; from <= lastSeq; from += PAGE_ENTRIES) {
    const to = Math.min(from + PAGE_ENTRIES - 1, lastSeq);
    for (const entry of await sessions.listEntries(session, { from, to })) entries.push(entry);
  }
  return entries;
}

/** Items as they were after the cycle. */
async function summaryAt(
  { summaries }: Pick<SummaryPorts, 'summaries'>,
  session: Session,
  { cycle }: SessionCycle,
  isLast: boolean,
): Promise<AnchoredSummary> {
  const summary = await readSummary({ summaries }, session);
  if (isLast) return summary;
  const items: SummaryItem[] = [];
  for (const item of summary.items) {
    if (item.cycleCreated > cycle) continue;
    const versions =
      item.cycleChanged > cycle ? await summaries.listVersions(session, item.itemNo) : [item];
    const then = versions.findLast(({ cycleChanged }) => cycleChanged <= cycle);
    if (then !== undefined) items.push(then);
  }
  return { ...summary, items };
}

/** Texts of the request, and the entries that its handles lead back to. */
export function survivingContext(
  entries: readonly SessionEntry[],
  cycle: SessionCycle,
  summary: AnchoredSummary,
): SurvivingContext {
  const { promptAgain, tail } = selectOutgoing(entries, {
    cutSeq: cycle.cutSeq,
    leftUnits: new Set(cycle.stubs.map(({ unitId }) => unitId)),
    promptAgainSeq: cycle.promptAgainSeq,
  });
  const context: OutgoingContext = {
    frame: null,
    summary: summary.items.length === 0 ? null : renderSummary(summary),
    promptAgain,
    tail,
    previews: new Map(cycle.previews.map(({ seq, characters }) => [seq, characters])),
    stubs: cycle.stubs,
  };
  const stubs = cycle.stubs.map(({ text }) => text).join('\n');
  const rendered = context.summary ?? '';
  return {
    summary: rendered,
    tail: [
      stubs,
      promptAgain?.content ?? '',
      ...shownTail(context).map((entry) => renderUnit([entry])),
    ].join('\n'),
    carried: new Set(
      [...tail, ...(promptAgain === null ? [] : [promptAgain])].flatMap(({ seq, entryId }) =>
        context.previews.has(seq) ? [] : [entryId],
      ),
    ),
    reachable: reachableFrom(`${rendered}\n${stubs}`, cycle, summary, entries),
  };
}

/** What `expand` would give for each handle of the text. */
function reachableFrom(
  text: string,
  { previews }: SessionCycle,
  { items }: AnchoredSummary,
  entries: readonly SessionEntry[],
): ReadonlySet<string> {
  const { itemNos, sections, seqs } = handlesIn(text);
  const [numbers, keys] = [new Set(itemNos), new Set(sections)];
  const reached = new Set(
    items
      .filter(({ itemNo, section }) => numbers.has(itemNo) || keys.has(section))
      .flatMap(({ sourceEntryIds }) => sourceEntryIds),
  );
  const places = new Set([...seqs, ...previews.map(({ seq }) => seq)]);
  const calls = new Set<string>();
  for (const entry of entries) {
    if (places.has(entry.seq)) reached.add(entry.entryId);
    if (entry.kind === 'tool_call' && reached.has(entry.entryId)) calls.add(entry.callId);
  }
  for (const entry of entries) {
    if (entry.kind === 'tool_result' && calls.has(entry.callId)) reached.add(entry.entryId);
  }
  return reached;
}

export function probeMaterial({
  session,
  cycle,
  entries,
  span,
  mappings,
  digest,
}: {
  readonly session: Session;
  readonly cycle: Pick<SessionCycle, 'cycle' | 'lastSeq' | 'spanHash'>;
  readonly entries: readonly SessionEntry[];
  readonly span: readonly SessionEntry[];
  readonly mappings: readonly ToolMapping[];
  readonly digest: Digest;
}): ProbeMaterial {
  const settings = trailSettings(session, mappings, digest);
  const { trail, events } = extendTrail(EMPTY_TRAIL, entries, settings);
  const log = new DecisionLog(session.sessionId, digest, false);
  const active = entries.filter((entry) => entry.active);
  const decisions = active.flatMap((entry) =>
    log
      .add([entry])
      .decisions.filter(() => !isHumanPrompt(entry))
      .map((decision) => ({ decision, seq: entry.seq })),
  );
  const left = new Set(span.map(({ seq }) => seq));
  const firstLeft = span[0]?.seq ?? 0;
  return {
    sessionId: session.sessionId,
    point: { cycle: cycle.cycle, lastSeq: cycle.lastSeq },
    span,
    spanHash: cycle.spanHash,
    trail,
    events,
    decisions,
    latestPrompt: active.findLast(isHumanPrompt) ?? null,
    tailText: active
      .filter(({ seq }) => seq > firstLeft && !left.has(seq))
      .map((entry) => renderUnit([entry]))
      .join('\n'),
  };
}

function nothingToAsk({ sessionId, cycle: last }: Session, cycle: number | null): OssatureError {
  const why =
    cycle !== null && last > 0
      ? `cycle ${cycle} is not in force or dropped nothing`
      : 'no pass has dropped anything yet; run `agents session compact` first';
  return new OssatureError(
    'NOT_FOUND',
    `There is nothing to ask about in session ${sessionId}: ${why}.`,
    { details: { sessionId, cycle } },
  );
}
