/** The trail is a fold over entries, so extending a trail and building it anew give the same. */
import type { ArtifactEvent } from './artifact-event.js';
import { CLAUDE_CODE_MAPPINGS } from './claude-code-mapping.js';
import { CODEX_MAPPINGS } from './codex-mapping.js';
import { GENERIC_MAPPINGS } from './generic-mapping.js';
import type { ToolMapping } from './tool-mapping.js';
import type { Trail, TrailEntry, TrailSettings } from './trail.js';
import { TrailFold } from './trail-fold.js';

export const TOOL_MAPPINGS: readonly ToolMapping[] = [
  ...CLAUDE_CODE_MAPPINGS,
  ...CODEX_MAPPINGS,
  ...GENERIC_MAPPINGS,
];

/**
 * The trail after further entries, in the order of the session. Entries of every kind may be given;
 * only calls and results count. Parts that did not change are the same objects as before.
 *
 * @returns the events that these entries add, in order; earlier events never change.
 */
export function extendTrail(
  trail: Trail,
  entries: Iterable<TrailEntry>,
  settings: TrailSettings,
): { readonly trail: Trail; readonly events: readonly ArtifactEvent[] } {
  const fold = new TrailFold(trail, settings);
  fold.addAll(entries);
  return fold.result();
}
