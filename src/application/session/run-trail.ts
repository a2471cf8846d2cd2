/**
 * What a batch adds to the trail of its session: the whole trail stays in memory where the run began the
 * session and it is not too long; else what the store keeps open of it goes on.
 */
import type { Appended } from '../../domain/session/append-entries.js';
import type { Session } from '../../domain/session/session.js';
import { extendTrail } from '../../domain/session/trail/extend-trail.js';
import { markTrail } from '../../domain/session/trail/mark-trail.js';
import { EMPTY_TRAIL, type Trail, type TrailSettings } from '../../domain/session/trail/trail.js';
import type { OpenTrail } from '../../domain/session/trail/trail-part.js';
import {
  extendStoredTrail,
  isUpToDate,
  touchesTrail,
  trailUpdate,
  wholeOpen,
} from './extend-stored-trail.js';
import { foldStored } from './fold-stored-trail.js';
import type { SessionPorts } from './session-ports.js';

/** Artifacts and commands of a trail that a run keeps in memory, together. */
const MOST_HELD = 10_000;

/** A whole trail that a run keeps in memory. */
export interface RunTrail {
  readonly trail: Trail;
  /** Number of the last entry that is in it. */
  readonly seq: number;
  /** Whether the store has what is open of it. */
  readonly isOpenKept: boolean;
}

interface RunTrailSettings {
  readonly settings: TrailSettings;
  /** Nobody else writes the session. */
  readonly isAlone: boolean;
  /** No batch follows. */
  readonly isLast: boolean;
  /** Reads, but writes nothing. */
  readonly dryRun: boolean;
  readonly ports: SessionPorts;
}

/**
 * Without a call or a result the trail stays, and one that was not read yet need not be.
 *
 * @param session as it was before the entries were appended.
 * @param kept of the batches before; null: the store has it.
 */
export async function extendRunTrail(
  session: Session,
  kept: RunTrail | null,
  { added, deactivated, reactivated }: Appended,
  { settings, isAlone, isLast, dryRun, ports }: RunTrailSettings,
): Promise<RunTrail | null> {
  const held = kept && {
    ...kept,
    trail: markTrail(markTrail(kept.trail, deactivated, false), reactivated, true),
  };
  if (!added.some(touchesTrail) && (held === null || held.isOpenKept || !isLast)) {
    const isBegun = held === null && session.lastSeq === 0;
    return isBegun ? { trail: EMPTY_TRAIL, seq: added.length, isOpenKept: true } : held;
  }
  const before = await trailBefore(session, held, settings, dryRun, ports);
  if ('open' in before) {
    await extendStoredTrail(session, before.open, added, settings, ports);
    return null;
  }
  const { trail, events } = extendTrail(before.whole, added, settings);
  const seq = session.lastSeq + added.length;
  if (dryRun) return { trail, seq, isOpenKept: true };
  // Of a session that nobody else writes, what is open is written once, behind its last entry: unless its
  // trail is so long that the store has to hold it.
  const isHeld = isAlone && trail.commands.size + trail.artifacts.size <= MOST_HELD;
  const isOpenKept = isLast || !isHeld;
  await ports.trails.write(session, {
    ...trailUpdate(before.whole, trail, events),
    open: isOpenKept ? wholeOpen(trail, seq) : null,
  });
  return isHeld ? { trail, seq, isOpenKept } : null;
}

/**
 * What the batch goes on from: the whole trail where the run has it or must make it, as it begins the
 * session, writes nothing, or finds one of which the store does not keep what is open.
 */
async function trailBefore(
  session: Session,
  held: RunTrail | null,
  settings: TrailSettings,
  dryRun: boolean,
  { sessions, trails }: SessionPorts,
): Promise<{ readonly whole: Trail } | { readonly open: OpenTrail }> {
  if (held === null && session.lastSeq > 0 && !dryRun) {
    const open = await trails.readOpen(session);
    if (await isUpToDate(open, session, sessions)) return { open };
  }
  const { trail, seq } = held ?? { trail: EMPTY_TRAIL, seq: 0 };
  if (seq >= session.lastSeq) return { whole: trail };
  return { whole: await foldStored(trail, session, seq, sessions, settings) };
}
