/** Reads what a pass decides from: sizes and marks behind the cut, and contents of the few that need it. */
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { MarkedEntry } from '../../domain/session/marked-entry.js';
import { passFingerprint } from '../../domain/session/pass/fingerprint.js';
import { measurePass } from '../../domain/session/pass/measure.js';
import { previewTokens } from '../../domain/session/pass/oversized.js';
import type { PassGuard } from '../../domain/session/pass/pass-state.js';
import { oversizedSeqs, type PassVerdict, planPass } from '../../domain/session/pass/plan-pass.js';
import {
  type HostFrame,
  type RequestInput,
  requestState,
  type RequestState,
} from '../../domain/session/pass/request-state.js';
import type { PassSettings } from '../../domain/session/pass/settings.js';
import { readSchema } from '../../domain/session/pass/stored-settings.js';
import { commitSeqs, taskEndSeq } from '../../domain/session/pass/task-end.js';
import { unitFacts } from '../../domain/session/pass/unit-facts.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import { renderSummary } from '../../domain/session/summary/render-summary.js';
import {
  type AttemptOutcome,
  liveCycles,
  type SessionAttempt,
  type SessionCycle,
} from '../../domain/session/summary/session-cycle.js';
import type { SummaryStrategy } from '../../domain/session/summary/gate-input.js';
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

export interface PassMeasures {
  readonly settings: PassSettings;
  /** As resolved. */
  readonly strategy: SummaryStrategy;
  readonly counter: TokenCounter;
  readonly digest: Digest;
}

/** Attempts that are looked at: enough for failures in a row and for known fingerprints. */
const ATTEMPTS = 50;

const UNDECIDED: readonly AttemptOutcome[] = ['started', 'cancelled', 'abandoned', 'stale'];

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
  const kept =
    leftUnits.size === 0
      ? tail.filter(({ active }) => active)
      : tail.filter(({ active, unitId }) => active && !leftUnits.has(unitId));
  const commits =
    wantsTaskEnd && !isTaskEnded
      ? await readSeqs(ports, session, commitSeqs(kept, trail), ({ content }) => content)
      : new Map<number, string>();
  const previews = await readPreviews(ports, session, last);
  const shown = new Map<number, number>();
  for (const { seq } of previews.size === 0 ? [] : kept) {
    const characters = previews.get(seq);
    if (characters !== undefined) shown.set(seq, characters);
  }
  return {
    session,
    request: {
      entries: [...head, ...prompt, ...tail],
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
async function readPreviewTokens(
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

export interface PlannedPass {
  readonly verdict: PassVerdict;
  readonly measured: RequestState<MarkedEntry>;
  /** With the previews that the pass decided. */
  readonly request: RequestInput<MarkedEntry>;
  readonly fingerprint: string;
  readonly failures: number;
}

/** What a pass would do now. Oversized entries count as their previews. */
export async function planStored(
  ports: Pick<SummaryPorts, 'sessions'>,
  material: PassMaterial,
  start: PassGuard['start'],
  measures: PassMeasures,
): Promise<PlannedPass> {
  const { settings, counter } = measures;
  const first = requestState(material.request, counter);
  const oversized = oversizedSeqs(first.state, settings);
  const added = new Map(oversized.map((seq) => [seq, settings.previewCharacters]));
  const tokens = await readPreviewTokens(ports, material.session, added, counter);
  const request = {
    ...material.request,
    previews: new Map([...material.request.previews, ...added]),
    previewTokens: new Map([...material.request.previewTokens, ...tokens]),
  };
  const measured = oversized.length === 0 ? first : requestState(request, counter);
  const sizes = measurePass(measured.state, settings);
  const { usedTokens } = sizes;
  const fingerprint = fingerprintOf(material, request, measures);
  // What came to no end of its own says nothing of the session: it may be tried again at once.
  const settled = material.attempts.filter(({ outcome }) => !UNDECIDED.includes(outcome));
  const [last] = settled;
  const failures = failuresOf(settled);
  const verdict = planPass(
    {
      ...measured.state,
      guard: {
        start,
        failures,
        sinceLastPass:
          last === undefined
            ? null
            : {
                entries: material.session.lastSeq - last.lastSeq,
                growthTokens: usedTokens - tokensSince(material, last),
              },
        isKnownFingerprint: settled.some(
          (attempt) =>
            attempt.fingerprint === fingerprint &&
            (attempt.outcome === 'rejected' || attempt.outcome === 'stopped'),
        ),
      },
    },
    settings,
    sizes,
  );
  return { verdict, measured, request, fingerprint, failures };
}

/** What the session had after the last pass; where that was rolled back, before the first that was. */
function tokensSince({ session, cycles }: PassMaterial, last: SessionAttempt): number {
  const undone = cycles.filter(
    ({ cycle, state }) => state === 'rolled-back' && cycle > session.cycle,
  );
  const isUndone = undone.some(({ attemptId }) => attemptId === last.attemptId);
  return isUndone
    ? (undone[0]?.tokensBefore ?? last.tokensBefore)
    : (last.tokensAfter ?? last.tokensBefore);
}

/** Failures in a row up to now: passes, however many strategies each tried. Who cancels does not fail. */
function failuresOf(settled: readonly SessionAttempt[]): number {
  let failures = 0;
  for (const { outcome, fallbackOf } of settled) {
    if (outcome !== 'rejected' && outcome !== 'failed') break;
    if (fallbackOf === null) failures += 1;
  }
  return failures;
}

function fingerprintOf(
  { session }: PassMaterial,
  { cut, previews, stubs, summary, frame }: RequestInput<MarkedEntry>,
  { settings, strategy, counter, digest }: PassMeasures,
): string {
  return passFingerprint(
    {
      cutSeq: cut.cutSeq,
      lastSeq: session.lastSeq,
      leftUnitIds: stubs.map(({ unitId }) => unitId),
      previewedSeqs: [...previews.keys()].sort((a, b) => a - b),
      summaryHash: summary.items.length === 0 ? null : digest(renderSummary(summary)),
      frameTokens: frame.systemTokens + frame.toolTokens,
      settings,
      strategy,
      counterName: counter.name,
      counterVersion: counter.version,
    },
    digest,
  );
}
