/** A trail of which only parts are at hand, so that extending it costs as much as what is new. */
import type { Artifact } from './artifact.js';
import type { ArtifactEvent } from './artifact-event.js';
import { isBelow } from './artifact-path.js';
import type { KnownContent } from './known-contents.js';
import type { SessionCommand } from './session-commands.js';
import { errorId, type SessionError } from './session-errors.js';
import type { SessionTodo } from './session-todos.js';
import {
  EMPTY_TRAIL,
  type RunningCommand,
  type Trail,
  type TrailCall,
  type TrailEntry,
  type TrailSettings,
} from './trail.js';
import { TrailFold } from './trail-fold.js';
import { joinedNeeds, needsOf, type TrailNeeds, TrailReach } from './trail-needs.js';

/** What of a trail is open, which every extension begins with. */
export interface OpenTrail {
  /** Number of the entry up to which this holds; calls and results behind it are not in it. */
  readonly seq: number;
  readonly running: ReadonlyMap<string, RunningCommand>;
  readonly unmappedTools: ReadonlyMap<string, number>;
  /** Which contents are known, in order of their touch; not what they are. */
  readonly contents: ReadonlyMap<string, KnownContent>;
}

/** The rows that were asked for and are there. */
export interface TrailRows {
  readonly artifacts: readonly Artifact[];
  readonly commands: readonly SessionCommand[];
  readonly errors: readonly SessionError[];
  /** Null: not asked for. */
  readonly todos: readonly SessionTodo[] | null;
  readonly contents: ReadonlyMap<string, string>;
}

export interface TrailPart {
  readonly trail: Trail;
  /** What was looked for, found or not. */
  readonly read: TrailNeeds;
}

export function openPart({ running, unmappedTools, contents }: OpenTrail): TrailPart {
  return { trail: { ...EMPTY_TRAIL, running, unmappedTools, contents }, read: needsOf() };
}

/**
 * The part after further entries. Where something is missing, the rest of the answer is of no use:
 * add what is missing and extend again.
 */
export function extendPart(
  { trail, read }: TrailPart,
  entries: Iterable<TrailEntry>,
  settings: TrailSettings,
): {
  readonly trail: Trail;
  readonly events: readonly ArtifactEvent[];
  readonly missing: TrailNeeds | null;
} {
  const reach = new TrailReach(read);
  const fold = new TrailFold(trail, settings, reach);
  fold.addAll(entries);
  return { ...fold.result(), missing: reach.missing };
}

/** @param waiting those of the calls that wait, by call id. */
export function withRows(
  { trail, read }: TrailPart,
  needs: TrailNeeds,
  rows: TrailRows,
  waiting: ReadonlyMap<string, TrailCall>,
): TrailPart {
  const contents = new Map(trail.contents);
  for (const [path, content] of rows.contents) {
    const known = contents.get(path);
    if (known !== undefined) contents.set(path, { ...known, content });
  }
  const isEmpty = (directory: string): boolean =>
    !rows.artifacts.some(({ path, state }) => state !== 'deleted' && isBelow(path, directory));
  const allBelow = [...needs.anyBelow].filter(isEmpty);
  return {
    trail: {
      ...trail,
      artifacts: joined(trail.artifacts, rows.artifacts, ({ path }) => path),
      commands: joined(trail.commands, rows.commands, ({ seq }) => seq),
      errors: joined(trail.errors, rows.errors, errorId),
      todos: rows.todos ?? trail.todos,
      waiting: new Map([...trail.waiting, ...waiting]),
      contents,
    },
    read: joinedNeeds(joinedNeeds(read, needs), needsOf({ allBelow })),
  };
}

function joined<Key, Value>(
  held: ReadonlyMap<Key, Value>,
  rows: readonly Value[],
  keyOf: (row: Value) => Key,
): ReadonlyMap<Key, Value> {
  if (rows.length === 0) return held;
  const all = new Map(held);
  for (const row of rows) all.set(keyOf(row), row);
  return all;
}
