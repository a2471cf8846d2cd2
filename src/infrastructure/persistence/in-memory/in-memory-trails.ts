/** Trails over maps. */
import {
  type EventPage,
  type SessionKey,
  TRAIL_PARTS,
  type TrailRepository,
  type TrailUpdate,
} from '../../../domain/session/repositories.js';
import { type ArtifactEvent, isChange } from '../../../domain/session/trail/artifact-event.js';
import { isBelow } from '../../../domain/session/trail/artifact-path.js';
import type { KnownContent } from '../../../domain/session/trail/known-contents.js';
import { errorId } from '../../../domain/session/trail/session-errors.js';
import { renamesOf } from '../../../domain/session/trail/stored-trail.js';
import { EMPTY_TRAIL, type Trail } from '../../../domain/session/trail/trail.js';
import type { TrailNeeds } from '../../../domain/session/trail/trail-needs.js';
import type { TrailRows } from '../../../domain/session/trail/trail-part.js';
import { refusal } from './in-memory-rules.js';
import { sessionPlace, type State, type StoredTrail } from './in-memory-state.js';

const WHOLE: EventPage = { after: 0, limit: Number.POSITIVE_INFINITY };

const NOTHING: StoredTrail = {
  trail: EMPTY_TRAIL,
  events: [],
  open: { seq: 0, running: new Map(), contents: new Map() },
};

export function inMemoryTrails(current: () => State): TrailRepository {
  const put = (key: SessionKey, held: StoredTrail, update: TrailUpdate): void => {
    const place = sessionPlace(key);
    if (!current().sessions.has(place)) {
      throw refusal('STORE_FAILED', `There is no session ${key.sessionId}.`);
    }
    const events = [...held.events, ...update.events].sort(byTime);
    const open = opened(held.open, update.open);
    current().trails.set(place, { trail: extended(held.trail, update, events), events, open });
  };
  const heldBy = (key: SessionKey): StoredTrail =>
    current().trails.get(sessionPlace(key)) ?? NOTHING;

  const eventsOf = (
    key: SessionKey,
    paths: readonly string[] | null = null,
  ): readonly ArtifactEvent[] => {
    const wanted = paths === null ? null : new Set(paths);
    return heldBy(key).events.filter(({ path }) => wanted?.has(path) ?? true);
  };

  return {
    async read(key, parts = TRAIL_PARTS) {
      const { trail } = heldBy(key);
      return { ...EMPTY_TRAIL, ...Object.fromEntries(parts.map((part) => [part, trail[part]])) };
    },
    async readOpen(key) {
      const { trail, open } = heldBy(key);
      const contents = [...open.contents].map(
        ([path, { touched }]) => [path, { content: null, touched }] as const,
      );
      return { ...open, unmappedTools: trail.unmappedTools, contents: new Map(contents) };
    },
    async readPart(key, needs) {
      const { trail, open } = heldBy(key);
      return partOf(trail, open.contents, needs);
    },
    async listEvents(key, paths, page = WHOLE) {
      const behind = eventsOf(key, paths).filter(({ resultSeq }) => resultSeq > page.after);
      const last = behind[page.limit - 1]?.resultSeq ?? Number.POSITIVE_INFINITY;
      return behind.filter(({ resultSeq }) => resultSeq <= last);
    },
    listChanges: async (key, paths) =>
      eventsOf(key, paths).filter(({ ok, active, action }) => ok && active && isChange(action)),
    write: async (key, update) => put(key, heldBy(key), update),
    replace: async (key, update) => put(key, NOTHING, update),
  };
}

function opened(before: StoredTrail['open'], update: TrailUpdate['open']): StoredTrail['open'] {
  if (update === null) return before;
  const { forgotten } = update;
  const kept = [...before.contents].filter(
    ([path]) => forgotten !== 'others' && !forgotten.includes(path),
  );
  const contents = [...new Map([...kept, ...update.contents])];
  return {
    seq: update.seq,
    running: update.running ?? before.running,
    contents: new Map(contents.sort(([, a], [, b]) => a.touched - b.touched)),
  };
}

function partOf(
  trail: Trail,
  contents: ReadonlyMap<string, KnownContent>,
  needs: TrailNeeds,
): TrailRows {
  const isBelowAny = (path: string, directories: ReadonlySet<string>): boolean =>
    [...directories].some((directory) => isBelow(path, directory));
  return {
    artifacts: [...trail.artifacts.values()].filter(
      ({ path, state }) =>
        needs.artifacts.has(path) ||
        (state !== 'deleted' &&
          (isBelowAny(path, needs.allBelow) || isBelowAny(path, needs.anyBelow))),
    ),
    commands: [...trail.commands.values()].filter(({ seq }) => needs.commands.has(`${seq}`)),
    errors: [...trail.errors.values()].filter(
      (error) =>
        needs.errors.has(errorId(error)) ||
        (error.state === 'open' &&
          (needs.openErrors.has(error.key) ||
            [...needs.openErrorsFrom].some((beginning) => error.key.startsWith(beginning)))),
    ),
    todos: needs.lists.has('todos') ? trail.todos : null,
    contents: new Map(
      [...needs.contents].flatMap((path) => {
        const content = contents.get(path)?.content ?? null;
        return content === null ? [] : [[path, content] as const];
      }),
    ),
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
