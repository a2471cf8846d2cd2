/** What stands under a path, for a first look: who opens it says in words what the file system refuses. */
import { type Stats, statSync } from 'node:fs';

/** Null: nothing, or nothing that may be looked at (a path through a file, links in a ring, a locked folder). */
export function fileStatus(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
