/** Reads what a pass decides from: contents behind the cut, and of earlier entries only what is cited. */
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import { passFingerprint } from '../../domain/session/pass/fingerprint.js';
import { measurePass } from '../../domain/session/pass/measure.js';
import type { PassGuard } from '../../domain/session/pass/pass-state.js';
import { type PassVerdict, planPass } from '../../domain/session/pass/plan-pass.js';
import {
  type HostFrame,
  type RequestInput,
  requestState,
  type RequestState,
} from '../../domain/session/pass/request-state.js';
import type { PassSettings } from '../../domain/session/pass/settings.js';
import type { SessionKey } from '../../domain/session/repositories.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import { renderSummary } from '../../domain/session/summary/render-summary.js';
import { CODING_SCHEMA } from '../../domain/session/summary/section-schema.js';
import {
  liveCycles,
  type SessionAttempt,
  type SessionCycle,
} from '../../domain/session/summary/session-cycle.js';
import type { AnchoredSummary } from '../../domain/session/summary/summary-item.js';
import type { Repositories } from '../ports/unit-of-work.js';

export type SummaryPorts = Pick<Repositories, 'sessions' | 'trails' | 'summaries'>;

export interface PassMaterial {
  readonly session: Session;
  readonly request: RequestInput<SessionEntry>;
  readonly cycles: readonly SessionCycle[];
  /** Newest first. */
  readonly attempts: readonly SessionAttempt[];
}

export interface PassMeasures {
  readonly settings: PassSettings;
  readonly counter: TokenCounter;
  readonly digest: Digest;
}

/** Attempts that are looked at: enough for failures in a row and for known fingerprints. */
const ATTEMPTS = 50;

/** Entries read at once while looking for the first that is no system text. */
const HEAD_ENTRIES = 50;

export async function readSummary(
  { summaries }: Pick<SummaryPorts, 'summaries'>,
  key: SessionKey,
): Promise<AnchoredSummary> {
  const items = await summaries.listItems(key);
  return { schema: CODING_SCHEMA, items, nextItemNo: (await summaries.lastItemNo(key)) + 1 };
}

export async function readPassMaterial(
  ports: SummaryPorts,
  key: SessionKey,
  frame: HostFrame,
): Promise<PassMaterial> {
  const session = await ports.sessions.get(key);
  const cycles = await ports.summaries.listCycles(session);
  const last = liveCycles(cycles).at(-1);
  const cutSeq = last?.cutSeq ?? 0;
  const promptAgainSeq = last?.promptAgainSeq ?? null;
  const tail = await ports.sessions.listEntries(session, { from: cutSeq + 1, to: session.lastSeq });
  const head = await readHead(ports, session, cutSeq);
  const isMissing = promptAgainSeq !== null && !head.some(({ seq }) => seq === promptAgainSeq);
  const prompt = isMissing
    ? await ports.sessions.listEntries(session, { from: promptAgainSeq, to: promptAgainSeq })
    : [];
  return {
    session,
    request: {
      entries: [...head, ...prompt, ...tail],
      cut: { cutSeq, leftUnits: new Set(), promptAgainSeq },
      previews: new Map(last?.previews.map(({ seq, characters }) => [seq, characters])),
      summary: await readSummary(ports, session),
      frame,
    },
    cycles,
    attempts: await ports.summaries.listAttempts(session, ATTEMPTS),
  };
}

/** From the first entry to the first that a person or an agent wrote, as far as they left. */
async function readHead(
  { sessions }: SummaryPorts,
  session: Session,
  cutSeq: number,
): Promise<readonly SessionEntry[]> {
  const head: SessionEntry[] = [];
  for (let from = 1; from <= cutSeq; from += HEAD_ENTRIES) {
    const to = Math.min(from + HEAD_ENTRIES - 1, cutSeq);
    for (const entry of await sessions.listEntries(session, { from, to })) {
      head.push(entry);
      if (entry.active && entry.kind !== 'system' && entry.kind !== 'summary') return head;
    }
  }
  return head;
}

export interface PlannedPass {
  readonly verdict: PassVerdict;
  readonly measured: RequestState<SessionEntry>;
  /** With the previews that the pass decided. */
  readonly request: RequestInput<SessionEntry>;
  readonly fingerprint: string;
  readonly failures: number;
}

/** What a pass would do now. Oversized entries count as their previews. */
export function planStored(
  material: PassMaterial,
  start: PassGuard['start'],
  { settings, counter, digest }: PassMeasures,
): PlannedPass {
  const guard: PassGuard = { start, sinceLastPass: null, failures: 0, isKnownFingerprint: false };
  const first = requestState(material.request, counter);
  const { oversized } = planPass({ ...first.state, guard }, settings);
  const previews = new Map(material.request.previews);
  for (const seq of oversized) previews.set(seq, settings.previewCharacters);
  const request = { ...material.request, previews };
  const measured = requestState(request, counter);
  const { usedTokens } = measurePass({ ...measured.state, guard }, settings);
  const fingerprint = fingerprintOf(material, request, { settings, counter, digest });
  const settled = material.attempts.filter(({ outcome }) => outcome !== 'started');
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

/** Failures in a row up to now. */
function failuresOf(settled: readonly SessionAttempt[]): number {
  const end = settled.findIndex(({ outcome }) => outcome !== 'rejected' && outcome !== 'failed');
  return end === -1 ? settled.length : end;
}

function fingerprintOf(
  { session }: PassMaterial,
  { cut, previews, summary, frame }: RequestInput<SessionEntry>,
  { settings, counter, digest }: PassMeasures,
): string {
  return passFingerprint(
    {
      cutSeq: cut.cutSeq,
      lastSeq: session.lastSeq,
      leftUnitIds: [],
      previewedSeqs: [...previews.keys()].sort((a, b) => a - b),
      summaryHash: summary.items.length === 0 ? null : digest(renderSummary(summary)),
      frameTokens: frame.systemTokens + frame.toolTokens,
      settings,
      strategy: 'offline',
      counterName: counter.name,
      counterVersion: counter.version,
    },
    digest,
  );
}
