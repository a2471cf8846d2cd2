/** A branch that turns out to be rewound, or is taken up again: what it did stays, marked. */
import type { Trail } from './trail.js';

/** @param seqs of calls and others; only calls have a place in a trail. */
export function markTrail(trail: Trail, seqs: readonly number[], active: boolean): Trail {
  const marked = new Set(seqs);
  const mark = <Key, Value extends { readonly seq: number; readonly active: boolean }>(
    values: ReadonlyMap<Key, Value>,
  ): ReadonlyMap<Key, Value> =>
    new Map(
      [...values].map(([key, value]) => [
        key,
        marked.has(value.seq) ? { ...value, active } : value,
      ]),
    );
  if (marked.size === 0) return trail;
  return { ...trail, commands: mark(trail.commands), waiting: mark(trail.waiting) };
}
