/** Contexts that several arms make of one prefix, each in a core of its own: the stored session stays as it is. */
import type { ComparedArm } from '../../domain/evaluation/compared-arm.js';
import type { SurvivingContext } from '../../domain/evaluation/survival.js';
import type { Digest } from '../../domain/kernel/measures.js';
import { renderUnit } from '../../domain/session/render-unit.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import { readPoint, type ReadPoint } from './read-point.js';
import type { OpenScratch, Scratch } from './scratch.js';

export interface ArmContext {
  readonly arm: ComparedArm;
  /** Null where it cannot be looked into. */
  readonly context: SurvivingContext | null;
  readonly tokensAfter: number;
  /** Null: it compressed, or had nothing to. */
  readonly failure: string | null;
}

export interface ComparedPoint {
  readonly point: ReadPoint;
  readonly arms: readonly ArmContext[];
}

export interface ComparisonParts {
  readonly openScratch: OpenScratch;
  readonly mappings: readonly ToolMapping[];
  readonly digest: Digest;
}

/** The drain line and the reserve of a pass, by which a target becomes a window (specification of sessions, §7.1). */
const WINDOW_PER_TARGET = 1 / (0.4 * 0.8);

/**
 * The points that the strategy `offline` makes of the session, and what every arm leaves there. A cycle
 * that drops nothing makes no point.
 */
export async function comparePrefix(
  session: Session,
  entries: readonly SessionEntry[],
  request: {
    readonly arms: readonly ComparedArm[];
    readonly targetTokens: number;
    readonly cycles: number;
  },
  { openScratch, mappings, digest }: ComparisonParts,
): Promise<{ readonly points: readonly ComparedPoint[]; readonly failure: string | null }> {
  const windowTokens = Math.max(1_000, Math.ceil(request.targetTokens * WINDOW_PER_TARGET));
  const reference = await copyOf(session, openScratch);
  const copies = new Map<ComparedArm, Scratch>();
  for (const arm of NEED_A_COPY) {
    if (request.arms.includes(arm)) copies.set(arm, await copyOf(session, openScratch));
  }
  /** Why the last pass in a core was not adopted; null: it was. */
  const outcomes = new Map<Scratch, string | null>();
  const points: ComparedPoint[] = [];
  let failure: string | null = null;
  for (const part of partsOf(entries, request.cycles)) {
    await extend(reference, session, part);
    const outcome = await compact(reference, session, 'offline', windowTokens);
    for (const arm of NEED_A_COPY) {
      const scratch = copies.get(arm);
      if (scratch === undefined) continue;
      await extend(scratch, session, part);
      outcomes.set(scratch, await compact(scratch, session, arm, windowTokens));
    }
    if (outcome !== null) {
      failure = outcome;
      continue;
    }
    const point = await readPoint(
      { ports: reference.repositories, mappings, digest },
      session,
      null,
    );
    const arms: ArmContext[] = [];
    for (const arm of request.arms) {
      arms.push(await contextOf(arm, point, copies.get(arm), request.targetTokens));
    }
    points.push({ point, arms });
  }
  return { points, failure };

  async function contextOf(
    arm: ComparedArm,
    point: ReadPoint,
    scratch: Scratch | undefined,
    targetTokens: number,
  ): Promise<ArmContext> {
    const { tokensBefore, tokensAfter } = point.cycle;
    if (arm === 'offline') return { arm, context: point.context, tokensAfter, failure: null };
    if (scratch === undefined) {
      const kept = within(point.entries, arm, targetTokens);
      const tokens = kept.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
      const context = plain(kept);
      return { arm, context, tokensAfter: arm === 'full' ? tokensBefore : tokens, failure: null };
    }
    const failed = outcomes.get(scratch) ?? null;
    if (failed !== null) {
      return { arm, context: plain(point.entries), tokensAfter: tokensBefore, failure: failed };
    }
    const own = await readPoint({ ports: scratch.repositories, mappings, digest }, session, null);
    const context = arm === 'opaque' ? null : own.context;
    return { arm, context, tokensAfter: own.cycle.tokensAfter, failure: null };
  }
}

/** Strategies beside the reference, which every comparison runs. */
const NEED_A_COPY = ['anchored', 'regenerative', 'opaque'] as const;

async function copyOf(session: Session, openScratch: OpenScratch): Promise<Scratch> {
  const scratch = openScratch();
  await scratch.repositories.sessions.insert({
    ...session,
    projectId: null,
    planId: null,
    parentSessionId: null,
    parentEntryId: null,
    settings: {},
    cycle: 0,
    revision: 1,
    lastSeq: 0,
    lastTurn: 0,
  });
  return scratch;
}

async function extend(
  { repositories, trails }: Scratch,
  session: Session,
  entries: readonly SessionEntry[],
): Promise<void> {
  const texts = entries.map((entry): SessionEntry => {
    if (entry.kind !== 'attachment') return entry;
    // Bytes of media stay in the store of the session.
    const { mediaHash: _hash, ...rest } = entry;
    return rest;
  });
  await repositories.sessions.append(session, texts, session.updatedAt);
  await trails.rebuild(session);
}

async function compact(
  { summaries }: Scratch,
  { tenantId, sessionId }: Session,
  strategy: Exclude<ComparedArm, 'full' | 'tail' | 'head'>,
  windowTokens: number,
): Promise<string | null> {
  const fallback = strategy === 'opaque' ? 'offline' : strategy;
  const { outcome, reasons } = await summaries.compact({
    tenantId,
    sessionId,
    settings: { windowTokens, strategy, fallback },
    now: true,
  });
  return outcome === 'adopted'
    ? null
    : [outcome, ...reasons.map(({ reason }) => reason)].join(': ');
}

/** Cut where a turn begins, so that no unit is parted. */
function partsOf(
  entries: readonly SessionEntry[],
  cycles: number,
): readonly (readonly SessionEntry[])[] {
  const parts: SessionEntry[][] = [[]];
  for (const [at, entry] of entries.entries()) {
    const isDue = at >= (entries.length * parts.length) / cycles;
    const isTurn = entry.turn !== entries[at - 1]?.turn;
    if (isDue && isTurn && parts.length < cycles) parts.push([]);
    parts.at(-1)?.push(entry);
  }
  return parts;
}

function within(
  entries: readonly SessionEntry[],
  arm: ComparedArm,
  targetTokens: number,
): readonly SessionEntry[] {
  const active = entries.filter((entry) => entry.active);
  if (arm === 'full') return active;
  const kept: SessionEntry[] = [];
  let free = targetTokens;
  for (const entry of arm === 'tail' ? [...active].reverse() : active) {
    if (entry.tokenCount > free) break;
    free -= entry.tokenCount;
    kept.push(entry);
  }
  return arm === 'tail' ? kept.reverse() : kept;
}

function plain(entries: readonly SessionEntry[]): SurvivingContext {
  return {
    summary: '',
    tail: entries.map((entry) => renderUnit([entry])).join('\n'),
    carried: new Set(entries.map(({ entryId }) => entryId)),
    reachable: new Set(),
  };
}
