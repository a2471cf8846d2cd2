/** What a store has to write after a trail was extended: the rows that differ, and those that went. */
import type { Artifact } from './artifact.js';
import type { SessionCommand } from './session-commands.js';
import type { SessionError } from './session-errors.js';
import type { SessionTodo } from './session-todos.js';
import type { Trail } from './trail.js';

export interface TrailChanges {
  readonly artifacts: readonly Artifact[];
  /** Paths that no artifact stands under any more: it was renamed. */
  readonly vacatedPaths: readonly string[];
  readonly commands: readonly SessionCommand[];
  readonly errors: readonly SessionError[];
  readonly todos: readonly SessionTodo[];
}

/** @param after a trail that `extendTrail` made of `before`: equal rows are the same objects. */
export function trailChanges(before: Trail, after: Trail): TrailChanges {
  const todos = new Set(before.todos);
  return {
    artifacts: changedValues(before.artifacts, after.artifacts),
    vacatedPaths:
      before.artifacts === after.artifacts
        ? []
        : [...before.artifacts.keys()].filter((path) => !after.artifacts.has(path)),
    commands: changedValues(before.commands, after.commands),
    errors: changedValues(before.errors, after.errors),
    todos: after.todos.filter((todo) => !todos.has(todo)),
  };
}

function changedValues<Key, Value>(
  before: ReadonlyMap<Key, Value>,
  after: ReadonlyMap<Key, Value>,
): readonly Value[] {
  if (before === after) return [];
  return [...after].flatMap(([key, value]) => (before.get(key) === value ? [] : [value]));
}
