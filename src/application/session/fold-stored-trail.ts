/** A trail made from the entries of a session. */
import type { Session } from '../../domain/session/session.js';
import type { ArtifactEvent } from '../../domain/session/trail/artifact-event.js';
import { extendTrail } from '../../domain/session/trail/extend-trail.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import type { Trail, TrailSettings } from '../../domain/session/trail/trail.js';
import type { SessionPorts } from './session-ports.js';

/** Entries of a session that are read at once. */
const PAGE_ENTRIES = 5_000;

/** The trail after the stored entries behind `seq`, which are read page by page. */
export async function foldStored(
  before: Trail,
  session: Session,
  seq: number,
  sessions: SessionPorts['sessions'],
  settings: TrailSettings,
  note: (events: readonly ArtifactEvent[]) => void = () => {},
): Promise<Trail> {
  let trail = before;
  for (let from = seq + 1; from <= session.lastSeq; from += PAGE_ENTRIES) {
    const page = { from, to: Math.min(from + PAGE_ENTRIES - 1, session.lastSeq) };
    const entries = await sessions.listEntries(session, page, ['tool_call', 'tool_result']);
    const extended = extendTrail(trail, entries, settings);
    trail = extended.trail;
    note(extended.events);
  }
  return trail;
}

export function trailSettings(
  { vendor, projectRoot }: Session,
  mappings: readonly ToolMapping[],
  digest: TrailSettings['digest'],
): TrailSettings {
  return { vendor, projectRoot, digest, mappings };
}
