/** Reads what a pass decides from: sizes and marks behind the cut, and contents of the few that need it. */
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { MarkedEntry } from '../../domain/session/marked-entry.js';
import { previewTokens } from '../../domain/session/pass/oversized.js';
import type { HostFrame, RequestInput } from '../../domain/session/pass/request-state.js';
import type { PassSettings } from '../../domain/session/pass/settings.js';
import { readSchema } from '../../domain/session/pass/stored-settings.js';
import { commitSeqs, taskEndSeq } from '../../domain/session/pass/task-end.js';
import { unitFacts } from '../../domain/session/pass/unit-facts.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import {
  liveCycles,
  type SessionAttempt,
  type SessionCycle,
} from '../../domain/session/summary/session-cycle.js';
import type { AnchoredSummary } from '../../domain/session/summary/summary-item.js';
import { EMPTY_TRAIL } from '../../domain/session/trail/trail.js';
import type { Repositories } from '../ports/unit-of-work.js';

export type SummaryPorts = Pick<Repositories, 'sessions' | 'trails' | 'summaries'>;

export interface PassMaterial {
  readonly session: Session;
  readonly request: RequestInput<MarkedEntry>;
  readonly cycles: readonly SessionCycle[];
  /** Newest first. */
  readonly attempts: readonly SessionAttempt[];
}

/** Attempts that are looked at: enough for failures in a row and for known fingerprints. */
const ATTEMPTS = 50;

/** Entries read at once while looking for the first that is no system text. */
const HEAD_ENTRIES = 50;

export async function readSummary(
  { summaries }: Pick<SummaryPorts, 'summaries'>,
  session: Session,
): Promise<AnchoredSummary> {
  const items = await summaries.listItems(session);
  const schema = readSchema(session.settings);
  return { schema, items, nextItemNo: (await summaries.lastItemNo(session)) + 1 };
}

/** What a pass is told from outside, and which of the trail it has to know. */
export interface PassAsked {
  readonly frame: HostFrame;
  /** The host says that a task has ended. */
  readonly isTaskEnded: boolean;
  readonly triggers: PassSettings['triggers'];
  /** Of the session's counts. */
  readonly counter: TokenCounter;
}

export async function readPassMaterial(
  ports: SummaryPorts,
  session: Session,
  { frame, isTaskEnded, triggers, counter }: PassAsked,
): Promise<PassMaterial> {
  const cycles = await ports.summaries.listCycles(session);
  const last = liveCycles(cycles).at(-1);
  const cutSeq = last?.cutSeq ?? 0;
  const promptAgainSeq = last?.promptAgainSeq ?? null;
  const tail = await ports.sessions.listMarks(session, { from: cutSeq + 1, to: session.lastSeq });
  const head = await readHead(ports, session, cutSeq);
  const isMissing = promptAgainSeq !== null && !head.some(({ seq }) => seq === promptAgainSeq);
  const prompt = isMissing
    ? await ports.sessions.listMarks(session, { from: promptAgainSeq, to: promptAgainSeq })
    : [];
  const stubs = last?.stubs ?? [];
  const leftUnits = new Set(stubs.map(({ unitId }) => unitId));
  const names = triggers.flat();
  const wantsFacts = names.includes('importance');
  const wantsTaskEnd = names.includes('task_boundary');
  const trail = wantsFacts || wantsTaskEnd ? await ports.trails.read(session) : EMPTY_TRAIL;
  const events = wantsFacts ? await ports.trails.listEvents(session) : [];
  const previews = await readPreviews(ports, session, last);
  // Most passes ask nothing of single entries, and the tail may be a hundred thousand.
  const asksOfEntries = wantsFacts || wantsTaskEnd || previews.size > 0;
  const kept = asksOfEntries
    ? tail.filter(({ active, unitId }) => active && !leftUnits.has(unitId))
    : [];
  const commits =
    wantsTaskEnd && !isTaskEnded
      ? await readSeqs(ports, session, commitSeqs(kept, trail), ({ content }) => content)
      : new Map<number, string>();
  const shown = new Map<number, number>();
  for (const { seq } of previews.size === 0 ? [] : kept) {
    const characters = previews.get(seq);
    if (characters !== undefined) shown.set(seq, characters);
  }
  return {
    session,
    request: {
      entries: head.length + prompt.length === 0 ? tail : [...head, ...prompt, ...tail],
      cut: { cutSeq, leftUnits, promptAgainSeq },
      previews,
      previewTokens: await readPreviewTokens(ports, session, shown, counter),
      stubs,
      summary: await readSummary(ports, session),
      blob: last?.blob ?? null,
      frame,
      factor: await readFactor(ports, session),
      taskEndSeq: wantsTaskEnd ? taskEndSeq(kept, trail, commits, isTaskEnded) : null,
      facts: wantsFacts ? unitFacts(kept, events, trail.errors.values()) : new Map(),
    },
    cycles,
    attempts: await ports.summaries.listAttempts(session, ATTEMPTS),
  };
}

/** Lengths of the previews that were decided behind the cut, by `seq`. */
export async function readPreviews(
  { summaries }: Pick<SummaryPorts, 'summaries'>,
  session: Session,
  cycle: SessionCycle | undefined,
): Promise<ReadonlyMap<number, number>> {
  const decided = [...(cycle?.previews ?? []), ...(await summaries.listPreviews(session))];
  return new Map(
    decided
      .filter(({ seq }) => seq > (cycle?.cutSeq ?? 0))
      .map(({ seq, characters }) => [seq, characters]),
  );
}

/** Tokens of these previews. One text is in memory at a time: such texts are large. */
export async function readPreviewTokens(
  ports: Pick<SummaryPorts, 'sessions'>,
  session: Session,
  previews: ReadonlyMap<number, number>,
  counter: TokenCounter,
): Promise<ReadonlyMap<number, number>> {
  return readSeqs(ports, session, [...previews.keys()], (entry) =>
    previewTokens(entry, previews.get(entry.seq) ?? 0, counter),
  );
}

async function readSeqs<Value>(
  { sessions }: Pick<SummaryPorts, 'sessions'>,
  session: Session,
  seqs: readonly number[],
  read: (entry: SessionEntry) => Value,
): Promise<ReadonlyMap<number, Value>> {
  const values = new Map<number, Value>();
  for (const seq of seqs) {
    for (const entry of await sessions.listEntries(session, { from: seq, to: seq })) {
      values.set(seq, read(entry));
    }
  }
  return values;
}

/** 1 without reports, and where no model is named that they could be of. */
export async function readFactor(
  { summaries }: Pick<SummaryPorts, 'summaries'>,
  { tenantId, model, counterName, counterVersion }: Session,
): Promise<number> {
  if (model === null) return 1;
  const key = { tenantId, model, counterName, counterVersion };
  return (await summaries.findCalibration(key))?.factor ?? 1;
}

/** From the first entry to the first that a person or an agent wrote, as far as they left. */
async function readHead(
  { sessions }: SummaryPorts,
  session: Session,
  cutSeq: number,
): Promise<readonly MarkedEntry[]> {
  const head: MarkedEntry[] = [];
  for (let from = 1; from <= cutSeq; from += HEAD_ENTRIES) {
    const to = Math.min(from + HEAD_ENTRIES - 1, cutSeq);
    for (const entry of await sessions.listMarks(session, { from, to })) {
      head.push(entry);
      if (entry.active && entry.kind !== 'system' && entry.kind !== 'summary') return head;
    }
  }
  return head;
}
