/** Reads what a capsule is made from: pins, decisions in force, the trail, open errors. Contents are read page by page. */
import type { Digest } from '../../domain/kernel/measures.js';
import type { CapsuleArtifact, CapsulePin, CapsuleSource } from '../../domain/session/capsule.js';
import { decisionScope } from '../../domain/session/derived-ids.js';
import { DecisionLog, type SessionDecision } from '../../domain/session/session-decision.js';
import type { Session } from '../../domain/session/session.js';
import type { StoredCapsule } from '../../domain/session/stored-capsule.js';
import { pinStandingRules } from '../../domain/session/summary/pins.js';
import { sectionFilledBy } from '../../domain/session/summary/section-schema.js';
import { liveCycles } from '../../domain/session/summary/session-cycle.js';
import {
  activePins,
  missionOf,
  type SummaryItem,
} from '../../domain/session/summary/summary-item.js';
import { trailLines } from '../../domain/session/summary/trail-lines.js';
import type { Repositories } from '../ports/unit-of-work.js';
import { readSummary } from './read-pass-material.js';

export type CapsulePorts = Pick<Repositories, 'sessions' | 'trails' | 'summaries' | 'capsules'>;

/** Entries read at once. */
const PAGE_ENTRIES = 2_000;

export async function readCapsuleSource(
  ports: CapsulePorts,
  session: Session,
  digest: Digest,
): Promise<CapsuleSource> {
  const { constraints, mission } = await readConstraints(ports, session, digest);
  const own = await capsuleOf(ports, session);
  const followed = await followDecisions(ports, session, digest);
  const trail = await ports.trails.read(session);
  return {
    sessionId: session.sessionId,
    intent: mission ?? followed.firstPrompt,
    pins: constraints.map((pin) => ({ ...pin, origin: originOf(pin, own) })),
    decisions: followed.inForce,
    artifacts: await readArtifacts(ports, session, trail, followed.decisionAt),
    openErrors: [...trail.errors]
      .filter(([, { state }]) => state === 'open')
      .map(([errorId, { firstLine }]) => ({ errorId, line: `Open when this began: ${firstLine}` })),
  };
}

/** The capsule that the session's own plan was given, where it is of the session's tenant. */
export async function capsuleOf(
  { capsules }: Pick<CapsulePorts, 'capsules'>,
  { planId, tenantId }: Session,
): Promise<StoredCapsule | null> {
  const own = planId === null ? null : await capsules.findByPlan(planId);
  return own?.tenantId === tenantId ? own : null;
}

/**
 * Pins in force and, of entries that no pass has looked at yet, the standing rules that the next one
 * would pin: a child must not lose a rule because its parent was never compacted.
 */
export async function readConstraints(
  { sessions, summaries }: Pick<CapsulePorts, 'sessions' | 'summaries'>,
  session: Session,
  digest: Digest,
): Promise<{ readonly constraints: readonly CapsulePin[]; readonly mission: string | null }> {
  const stored = await readSummary({ summaries }, session);
  const cutSeq = liveCycles(await summaries.listCycles(session)).at(-1)?.cutSeq ?? 0;
  const fresh = await sessions.listEntries(session, { from: cutSeq + 1, to: null }, [
    'user',
    'system',
  ]);
  const entryIds = new Map(fresh.map(({ seq, entryId }) => [seq, entryId]));
  const { summary } = pinStandingRules(
    stored,
    fresh,
    {
      cycle: session.cycle,
      producer: 'trail',
      spanHash: null,
      itemIdOf: String,
      entryIdOf: (seq) => entryIds.get(seq) ?? '',
    },
    digest,
  );
  const section = sectionFilledBy(summary.schema, 'pins')?.key;
  const isStored = ({ itemNo }: SummaryItem): boolean => itemNo < stored.nextItemNo;
  return {
    constraints: activePins(summary)
      .filter((pin) => pin.section === section)
      .map((pin) => ({
        pinId: isStored(pin) ? pin.itemId : `entry:${pin.lastSourceSeq}`,
        text: pin.text,
        section: 'constraints',
        origin: null,
      })),
    mission: missionOf(summary)?.text ?? null,
  };
}

/** An inherited constraint keeps the origin that it began with. */
function originOf({ text }: CapsulePin, own: StoredCapsule | null): CapsulePin['origin'] {
  const inherited = own?.items.find((item) => item.section === 'constraints' && item.text === text);
  return inherited?.origin ?? null;
}

interface FollowedDecisions {
  /** Oldest first. */
  readonly inForce: readonly SessionDecision[];
  readonly firstPrompt: string | null;
  /** The decision under which the entry of this number was made, or null. */
  readonly decisionAt: (seq: number) => string | null;
}

async function followDecisions(
  { sessions }: Pick<CapsulePorts, 'sessions'>,
  session: Session,
  digest: Digest,
): Promise<FollowedDecisions> {
  const { sessionId, planId } = session;
  const log = new DecisionLog(decisionScope(sessionId, planId), digest, planId !== null);
  const inForce = new Map<string, SessionDecision>();
  const turns: { readonly fromSeq: number; readonly decisionId: string }[] = [];
  let firstPrompt: string | null = null;
  for (let from = 1; from <= session.lastSeq; from += PAGE_ENTRIES) {
    const page = { from, to: Math.min(from + PAGE_ENTRIES - 1, session.lastSeq) };
    for (const entry of await sessions.listEntries(session, page, [
      'user',
      'assistant',
      'tool_call',
      'tool_result',
    ])) {
      if (!entry.active) continue;
      const { decisions, decisionId } = log.add([entry]);
      for (const decision of decisions) {
        if (decision.supersedes !== null) inForce.delete(decision.supersedes);
        inForce.set(decision.decisionId, decision);
        if (entry.kind === 'user') firstPrompt ??= decision.choice;
      }
      if (decisionId !== null && turns.at(-1)?.decisionId !== decisionId) {
        turns.push({ fromSeq: entry.seq, decisionId });
      }
    }
  }
  return {
    inForce: [...inForce.values()],
    firstPrompt,
    decisionAt: (seq) => turns.findLast(({ fromSeq }) => fromSeq <= seq)?.decisionId ?? null,
  };
}

/** Latest touched first. */
async function readArtifacts(
  { trails }: Pick<CapsulePorts, 'trails'>,
  session: Session,
  trail: Awaited<ReturnType<Repositories['trails']['read']>>,
  decisionAt: FollowedDecisions['decisionAt'],
): Promise<readonly CapsuleArtifact[]> {
  if (trail.artifacts.size === 0) return [];
  const events = await trails.listEvents(session);
  const touchedUnder = new Map<string, Set<string>>();
  for (const { path, seq, active } of events) {
    const decisionId = active ? decisionAt(seq) : null;
    if (decisionId === null) continue;
    const known = touchedUnder.get(path);
    if (known === undefined) touchedUnder.set(path, new Set([decisionId]));
    else known.add(decisionId);
  }
  return [...trailLines(trail, events, 0).trail]
    .sort((a, b) => b.lastSeq - a.lastSeq || (a.path < b.path ? -1 : 1))
    .map(({ path, state, note }) => ({
      path,
      line: `${path} – ${state} before this began${note === null ? '' : `: ${note}`}`,
      decisionIds: [...(touchedUnder.get(path) ?? [])],
    }));
}
