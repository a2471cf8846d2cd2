/** Artifacts of a trail as values and as a table. */
import type { Artifact } from '../../../domain/session/trail/artifact.js';
import { type Block, formatCount } from '../view.js';

/** With the session it is of; null: the one that was asked for. */
export type Told<Value> = Value & { readonly origin: string | null };

export function artifactFacts({ counts, ...artifact }: Told<Artifact>) {
  return { ...artifact, counts, changes: counts.created + counts.modified };
}

export function artifactTable(artifacts: readonly Told<Artifact>[]): Block {
  return {
    block: 'table',
    title: 'Artifacts',
    columns: [
      { title: 'path', isElastic: true },
      { title: 'state' },
      { title: 'changes', align: 'right' },
      { title: 'lines', align: 'right' },
      { title: 'last', align: 'right' },
      { title: 'origin' },
    ],
    rows: artifacts.map((artifact) => [
      artifact.renamedFrom === null
        ? artifact.path
        : `${artifact.path} (was ${artifact.renamedFrom})`,
      artifact.state,
      formatCount(artifact.counts.created + artifact.counts.modified),
      `+${artifact.linesAdded} −${artifact.linesRemoved}`,
      `entry:${artifact.lastChangeSeq ?? artifact.lastSeq}`,
      artifact.origin ?? '',
    ]),
    none: 'No artifacts.',
  };
}
