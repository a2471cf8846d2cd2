/** One artifact of a trail by keyed reads: a trail of thousands is not read for the history of one. */
import type { SessionKey, TrailRepository } from '../../domain/session/repositories.js';
import type { Artifact } from '../../domain/session/trail/artifact.js';
import type { ArtifactEvent } from '../../domain/session/trail/artifact-event.js';
import { findArtifact, laterNames, pathsOf } from '../../domain/session/trail/trail-answers.js';
import { needsOf } from '../../domain/session/trail/trail-needs.js';

export interface NamedArtifact {
  /** Null: nothing stands under the path, or stood under it. */
  readonly artifact: Artifact | null;
  /** Every path that it had, the present one last; the path itself where there is none. */
  readonly paths: readonly string[];
}

export async function readArtifact(
  trails: Pick<TrailRepository, 'read' | 'readPart'>,
  key: SessionKey,
  path: string,
): Promise<NamedArtifact> {
  const { renames } = await trails.read(key, ['renames']);
  const rows = await trails.readPart(key, needsOf({ artifacts: laterNames({ renames }, path) }));
  const artifacts = new Map(rows.artifacts.map((artifact) => [artifact.path, artifact]));
  return {
    artifact: findArtifact({ artifacts, renames }, path),
    paths: pathsOf({ artifacts, renames }, path),
  };
}

/** Events of a long answer, with where the next page begins. */
export interface EventsPage {
  readonly events: readonly ArtifactEvent[];
  /** `after` of the next page; null: this was the last. */
  readonly next: number | null;
}

/** @param paths null: of every artifact. @param limit about so many: what one result settled is not parted. */
export async function readEventsPage(
  trails: Pick<TrailRepository, 'listEvents'>,
  key: SessionKey,
  paths: readonly string[] | null,
  after: number,
  limit: number,
): Promise<EventsPage> {
  const found = await trails.listEvents(key, paths, { after, limit: limit + 1 });
  const beyond = found[limit]?.resultSeq;
  if (beyond === undefined) return { events: found, next: null };
  const events = found.filter(({ resultSeq }) => resultSeq < beyond);
  // One result that settled more than a page holds is a page by itself.
  return events.length === 0
    ? { events: found, next: beyond }
    : { events, next: events.at(-1)?.resultSeq ?? null };
}
