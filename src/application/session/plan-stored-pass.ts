/** What a pass would do, decided from what was read: oversized texts are looked at, the rest is marks. */
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { MarkedEntry } from '../../domain/session/marked-entry.js';
import { passFingerprint } from '../../domain/session/pass/fingerprint.js';
import { measurePass } from '../../domain/session/pass/measure.js';
import type { PassGuard } from '../../domain/session/pass/pass-state.js';
import { oversizedSeqs, type PassVerdict, planPass } from '../../domain/session/pass/plan-pass.js';
import {
  type RequestInput,
  requestState,
  type RequestState,
} from '../../domain/session/pass/request-state.js';
import type { PassSettings } from '../../domain/session/pass/settings.js';
import type { SummaryStrategy } from '../../domain/session/summary/gate-input.js';
import { renderSummary } from '../../domain/session/summary/render-summary.js';
import type { AttemptOutcome, SessionAttempt } from '../../domain/session/summary/session-cycle.js';
import { type PassMaterial, readPreviewTokens, type SummaryPorts } from './read-pass-material.js';

export interface PassMeasures {
  readonly settings: PassSettings;
  /** As resolved. */
  readonly strategy: SummaryStrategy;
  readonly counter: TokenCounter;
  readonly digest: Digest;
}

const UNDECIDED: readonly AttemptOutcome[] = ['started', 'cancelled', 'abandoned', 'stale'];

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
