/**
 * What a phase leaves: one artifact of typed items. A layout says how the artifact of a phase is built,
 * and serves the schema, the Markdown and the request to a model, so that the three cannot differ.
 */
import type { EntrySource, Source } from './source.js';
import type { WorkflowPhase } from './workflow-phase.js';

interface Item<Section extends string> {
  /** Such as `R-3`; unique in its artifact. */
  readonly itemId: string;
  readonly section: Section;
  readonly text: string;
}

export type ResearchSection =
  'components' | 'dependencies' | 'interfaces' | 'effects' | 'open_questions';
export interface ResearchItem extends Item<ResearchSection> {
  readonly sources: readonly Source[];
}

export type SpecSection = 'signatures' | 'types' | 'data_flow' | 'steps' | 'checks';
export interface SpecItem extends Item<SpecSection> {
  /** Items of the research that it follows from. */
  readonly research: readonly string[];
  /** Paths relative to the project. */
  readonly files: readonly string[];
}

export type RecordSection = 'done_steps' | 'deviations';
export interface RecordItem extends Item<RecordSection> {
  /** Items of the spec that it carries out, or departs from. */
  readonly spec: readonly string[];
  readonly entries: readonly EntrySource[];
  readonly files: readonly string[];
  /** Each a line: what was run, and how it ended. */
  readonly checks: readonly string[];
}

export type Artifact =
  | { readonly kind: 'research_document'; readonly items: readonly ResearchItem[] }
  | { readonly kind: 'implementation_spec'; readonly items: readonly SpecItem[] }
  | { readonly kind: 'implementation_record'; readonly items: readonly RecordItem[] };
export type ArtifactKind = Artifact['kind'];
export type ArtifactItem = Artifact['items'][number];

/** What a list of an item holds: sources, entries of sessions, ids of another artifact's items, paths, lines. */
export type ListHolds = 'sources' | 'entries' | 'item-ids' | 'paths' | 'lines';

export interface ListLayout {
  readonly field: 'sources' | 'research' | 'files' | 'spec' | 'entries' | 'checks';
  readonly label: string;
  readonly holds: ListHolds;
  /** Of ids: the prefix of the artifact that they name. */
  readonly prefix?: string;
}

export interface ArtifactLayout {
  readonly kind: ArtifactKind;
  readonly phase: WorkflowPhase;
  readonly title: string;
  readonly prefix: string;
  readonly sections: readonly { readonly key: string; readonly heading: string }[];
  readonly lists: readonly ListLayout[];
}

export const LAYOUTS: Readonly<Record<WorkflowPhase, ArtifactLayout>> = {
  research: {
    kind: 'research_document',
    phase: 'research',
    title: 'Research document',
    prefix: 'R',
    sections: [
      { key: 'components', heading: 'Components' },
      { key: 'dependencies', heading: 'Dependencies' },
      { key: 'interfaces', heading: 'Interfaces' },
      { key: 'effects', heading: 'Effects of the change' },
      { key: 'open_questions', heading: 'Open questions' },
    ],
    lists: [{ field: 'sources', label: 'Sources', holds: 'sources' }],
  },
  planning: {
    kind: 'implementation_spec',
    phase: 'planning',
    title: 'Implementation spec',
    prefix: 'S',
    sections: [
      { key: 'signatures', heading: 'Signatures' },
      { key: 'types', heading: 'Types' },
      { key: 'data_flow', heading: 'Data flow' },
      { key: 'steps', heading: 'Steps' },
      { key: 'checks', heading: 'Checks' },
    ],
    lists: [
      { field: 'research', label: 'Research', holds: 'item-ids', prefix: 'R' },
      { field: 'files', label: 'Files', holds: 'paths' },
    ],
  },
  implementation: {
    kind: 'implementation_record',
    phase: 'implementation',
    title: 'Implementation record',
    prefix: 'I',
    sections: [
      { key: 'done_steps', heading: 'Done steps' },
      { key: 'deviations', heading: 'Deviations' },
    ],
    lists: [
      { field: 'spec', label: 'Spec', holds: 'item-ids', prefix: 'S' },
      { field: 'entries', label: 'Entries', holds: 'entries' },
      { field: 'files', label: 'Files', holds: 'paths' },
      { field: 'checks', label: 'Checks', holds: 'lines' },
    ],
  },
};

/** Every source and entry that the artifact cites, in order, repeated ones too. */
export function citedSources(artifact: Artifact): readonly Source[] {
  switch (artifact.kind) {
    case 'research_document':
      return artifact.items.flatMap(({ sources }) => sources);
    case 'implementation_record':
      return artifact.items.flatMap(({ entries }) => entries);
    case 'implementation_spec':
      return [];
  }
}

/** The artifact with every source that it cites put through `change`. */
export function withSources(artifact: Artifact, change: (source: Source) => Source): Artifact {
  switch (artifact.kind) {
    case 'research_document': {
      const items = artifact.items.map((item) => ({ ...item, sources: item.sources.map(change) }));
      return { ...artifact, items };
    }
    case 'implementation_record': {
      const items = artifact.items.map((item) => ({
        ...item,
        entries: item.entries.map((entry) => change(entry) as EntrySource),
      }));
      return { ...artifact, items };
    }
    case 'implementation_spec':
      return artifact;
  }
}
