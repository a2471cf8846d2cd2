/**
 * A trail that goes on in the store: of what is there only what the new entries touch is read, so that
 * appending costs the same however long the session is.
 */
import type {
  OpenTrailUpdate,
  SessionRepository,
  TrailRepository,
  TrailUpdate,
} from '../../domain/session/repositories.js';
import type { Session, SessionEntry } from '../../domain/session/session.js';
import type { ArtifactEvent } from '../../domain/session/trail/artifact-event.js';
import type { KnownContent } from '../../domain/session/trail/known-contents.js';
import type { Trail, TrailCall, TrailSettings } from '../../domain/session/trail/trail.js';
import { trailChanges } from '../../domain/session/trail/trail-changes.js';
import {
  extendPart,
  openPart,
  type OpenTrail,
  type TrailPart,
  withRows,
} from '../../domain/session/trail/trail-part.js';
import type { TrailNeeds } from '../../domain/session/trail/trail-needs.js';

interface TrailPorts {
  readonly sessions: SessionRepository;
  readonly trails: TrailRepository;
}

const TOUCHES_TRAIL: readonly SessionEntry['kind'][] = ['tool_call', 'tool_result'];

/** Entries that are looked through at once. */
const PAGE_ENTRIES = 5_000;

export function touchesTrail({ kind }: Pick<SessionEntry, 'kind'>): boolean {
  return TOUCHES_TRAIL.includes(kind);
}

/** Whether what is kept open goes up to the last call or result of the session. */
export async function isUpToDate(
  { seq }: Pick<OpenTrail, 'seq'>,
  session: Session,
  sessions: SessionRepository,
): Promise<boolean> {
  for (let from = seq + 1; from <= session.lastSeq; from += PAGE_ENTRIES) {
    const page = { from, to: Math.min(from + PAGE_ENTRIES - 1, session.lastSeq) };
    if ((await sessions.listEntries(session, page, TOUCHES_TRAIL)).length > 0) return false;
  }
  return true;
}

/**
 * In the transaction that appends the entries, and holds the session.
 *
 * @param session as it was before they were appended.
 * @param open what is kept of its trail, up to date.
 */
export async function extendStoredTrail(
  session: Session,
  open: OpenTrail,
  added: readonly SessionEntry[],
  settings: TrailSettings,
  ports: TrailPorts,
): Promise<void> {
  let part = openPart(open);
  for (;;) {
    const { trail, events, missing } = extendPart(part, added, settings);
    if (missing === null) {
      const seq = added.at(-1)?.seq ?? session.lastSeq;
      await ports.trails.write(session, {
        ...trailUpdate(part.trail, trail, events),
        open: openChanges(part.trail, trail, seq),
      });
      return;
    }
    part = await readMissing(session, part, missing, ports);
  }
}

async function readMissing(
  session: Session,
  part: TrailPart,
  needs: TrailNeeds,
  { sessions, trails }: TrailPorts,
): Promise<TrailPart> {
  const calls = await sessions.findWaitingCalls(session, [...needs.calls], session.lastSeq);
  const waiting = calls.flatMap((call): [string, TrailCall][] =>
    call.kind === 'tool_call' ? [[call.callId, call]] : [],
  );
  return withRows(part, needs, await trails.readPart(session, needs), new Map(waiting));
}

/** Without what is open, which only an extension of what the store holds may write so. */
export function trailUpdate(
  before: Trail,
  after: Trail,
  events: readonly ArtifactEvent[],
): TrailUpdate {
  return {
    ...trailChanges(before, after),
    todos: before.todos === after.todos ? null : after.todos,
    unmappedTools: before.unmappedTools === after.unmappedTools ? null : after.unmappedTools,
    events,
    open: null,
  };
}

/** What is open of a whole trail, in place of whatever the store holds. */
export function wholeOpen({ running, contents }: Trail, seq: number): OpenTrailUpdate {
  return { seq, running, contents, forgotten: 'others' };
}

function openChanges(before: Trail, after: Trail, seq: number): OpenTrailUpdate {
  const isNew = ([path, known]: [string, KnownContent]): boolean =>
    before.contents.get(path) !== known;
  return {
    seq,
    running: before.running === after.running ? null : after.running,
    contents: new Map([...after.contents].filter(isNew)),
    forgotten: [...before.contents.keys()].filter((path) => !after.contents.has(path)),
  };
}
