/** Trails over maps. */
import type {
  SessionKey,
  TrailRepository,
  TrailUpdate,
} from '../../../domain/session/repositories.js';
import type { ArtifactEvent } from '../../../domain/session/trail/artifact-event.js';
import { errorId } from '../../../domain/session/trail/session-errors.js';
import { renamesOf } from '../../../domain/session/trail/stored-trail.js';
import { EMPTY_TRAIL, type Trail } from '../../../domain/session/trail/trail.js';
import { refusal } from './in-memory-rules.js';
import { sessionPlace, type State, type StoredTrail } from './in-memory-state.js';

const NOTHING: StoredTrail = { trail: EMPTY_TRAIL, events: [] };

export function inMemoryTrails(current: () => State): TrailRepository {
  const put = (key: SessionKey, held: StoredTrail, update: TrailUpdate): void => {
    const place = sessionPlace(key);
    if (!current().sessions.has(place)) {
      throw refusal('STORE_FAILED', `There is no session ${key.sessionId}.`);
    }
    const events = [...held.events, ...update.events].sort(byTime);
    current().trails.set(place, { trail: extended(held.trail, update, events), events });
  };
  const heldBy = (key: SessionKey): StoredTrail =>
    current().trails.get(sessionPlace(key)) ?? NOTHING;

  return {
    read: async (key) => heldBy(key).trail,
    async listEvents(key, paths) {
      const wanted = paths === undefined ? null : new Set(paths);
      return heldBy(key).events.filter(({ path }) => wanted?.has(path) ?? true);
    },
    write: async (key, update) => put(key, heldBy(key), update),
    replace: async (key, update) => put(key, NOTHING, update),
  };
}

function extended(before: Trail, update: TrailUpdate, events: readonly ArtifactEvent[]): Trail {
  const vacated = new Set(update.vacatedPaths);
  const artifacts = new Map([...before.artifacts].filter(([path]) => !vacated.has(path)));
  for (const artifact of update.artifacts) artifacts.set(artifact.path, artifact);
  const commands = new Map(before.commands);
  for (const command of update.commands) commands.set(command.seq, command);
  const errors = new Map(before.errors);
  for (const error of update.errors) errors.set(errorId(error), error);
  return {
    ...EMPTY_TRAIL,
    artifacts,
    commands,
    errors,
    todos: update.todos ?? before.todos,
    renames: renamesOf(events),
    unmappedTools: update.unmappedTools ?? before.unmappedTools,
  };
}

function byTime(a: ArtifactEvent, b: ArtifactEvent): number {
  return a.resultSeq - b.resultSeq || a.seq - b.seq || a.ordinal - b.ordinal;
}
