/** What of a trail a store keeps in no table of its own. */
import type { ArtifactEvent } from './artifact-event.js';

/**
 * Old path → the path it was renamed to.
 *
 * @param events in the order in which they happened; those that are no renames are passed over.
 */
export function renamesOf(events: Iterable<ArtifactEvent>): ReadonlyMap<string, string> {
  const renames = new Map<string, string>();
  for (const { action, ok, path, oldPath } of events) {
    if (action !== 'renamed' || !ok || oldPath === null) continue;
    renames.delete(path);
    renames.set(oldPath, path);
  }
  return renames;
}
