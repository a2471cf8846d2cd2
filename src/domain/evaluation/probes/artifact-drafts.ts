/** Files: which were created, modified, only read, deleted, renamed, and what changed in them. */
import type { Artifact } from '../../session/trail/artifact.js';
import { type ArtifactList, listArtifacts } from '../../session/trail/trail-answers.js';
import type { FactTopic } from '../fact.js';
import { FILE_STATES } from '../grading/state-words.js';
import { fact, type ProbeDraft } from './probe-draft.js';
import type { ProbeMaterial, SpanIndex } from './probe-material.js';

const LISTS: readonly {
  readonly list: ArtifactList;
  readonly topic: FactTopic;
  readonly asks: string;
}[] = [
  {
    list: 'modified',
    topic: 'files-modified',
    asks: 'Which files that were there before have been modified, and not made or removed?',
  },
  {
    list: 'created',
    topic: 'files-created',
    asks: 'Which files have been created and are still there?',
  },
  { list: 'read', topic: 'files-read', asks: 'Which files were only read and never changed?' },
  { list: 'deleted', topic: 'files-deleted', asks: 'Which files have been deleted?' },
  {
    list: 'renamed',
    topic: 'files-renamed',
    asks: 'Under which paths do the renamed files stand now?',
  },
];

/** Members of a set that a probe asks for at most; longer lists are no question that anybody answers. */
const LARGEST_SET = 60;

/** Symbols that a probe asks for at most. */
const MOST_SYMBOLS = 6;

export function artifactDrafts(material: ProbeMaterial, index: SpanIndex): readonly ProbeDraft[] {
  const sources = sourcesByPath(material, index);
  return [
    ...LISTS.flatMap((one) => setDraft(one, material, sources)),
    ...filesOf(material).flatMap((artifact) => [
      ...stateDraft(artifact, sources),
      ...changeDraft(artifact, sources),
    ]),
  ];
}

type Sources = ReadonlyMap<string, readonly string[]>;

/** Entries of the span that touched each artifact with success, under the path that it has now. */
function sourcesByPath({ events, trail }: ProbeMaterial, index: SpanIndex): Sources {
  const seqs = new Map<string, number[]>();
  for (const { ok, path, seq, resultSeq } of events) {
    if (!ok || !index.has(seq)) continue;
    const present = presentPath(path, trail.renames);
    seqs.set(present, [...(seqs.get(present) ?? []), seq, resultSeq]);
  }
  return new Map([...seqs].map(([path, own]) => [path, index.entryIds(own)]));
}

function presentPath(path: string, renames: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let present = path;
  while (!seen.has(present)) {
    seen.add(present);
    present = renames.get(present) ?? present;
  }
  return present;
}

function filesOf({ trail }: ProbeMaterial): readonly Artifact[] {
  return [...trail.artifacts.values()].filter(({ kind }) => kind === 'file' || kind === 'notebook');
}

function setDraft(
  { list, topic, asks }: (typeof LISTS)[number],
  material: ProbeMaterial,
  sources: Sources,
): readonly ProbeDraft[] {
  // What was changed and is as it was is told as unchanged.
  const members = listArtifacts(material.trail, list).filter(
    ({ kind, netChange, state }) =>
      (kind === 'file' || kind === 'notebook') && !(state === 'modified' && netChange === 'none'),
  );
  const cited = [...new Set(members.flatMap(({ path }) => sources.get(path) ?? []))];
  if (members.length === 0 || members.length > LARGEST_SET || cited.length === 0) return [];
  return [
    {
      type: 'artifact',
      question: `${asks} Give the full paths, one a line.`,
      format: 'one-per-line',
      facts: [
        fact({
          kind: 'set',
          topic,
          value: members.map(({ path }) => path),
          sourceEntryIds: cited,
        }),
      ],
    },
  ];
}

function stateDraft(artifact: Artifact, sources: Sources): readonly ProbeDraft[] {
  const cited = sources.get(artifact.path) ?? [];
  const state = stateOf(artifact);
  if (cited.length === 0 || state === null) return [];
  return [
    {
      type: 'artifact',
      question: `What is the state of \`${artifact.path}\` now: ${FILE_STATES.join(', ')}?`,
      format: null,
      facts: [
        fact({
          kind: 'state',
          topic: 'file-state',
          subject: artifact.path,
          value: state,
          options: FILE_STATES,
          sourceEntryIds: cited,
        }),
      ],
    },
  ];
}

function stateOf({ state, netChange, renamedFrom }: Artifact): (typeof FILE_STATES)[number] | null {
  if (renamedFrom !== null && state !== 'deleted') return null;
  switch (state) {
    case 'created':
    case 'deleted':
      return state;
    case 'modified':
      return netChange === 'none' ? null : 'modified';
    case 'read':
      return 'read only';
    case 'renamed':
    case 'listed':
      return null;
  }
}

/** Symbols of the changes, where the rules of the language tell any. */
function changeDraft(artifact: Artifact, sources: Sources): readonly ProbeDraft[] {
  const { path, symbols, counts, state, netChange } = artifact;
  const cited = sources.get(path) ?? [];
  const isChanged = (state === 'created' || state === 'modified') && netChange !== 'none';
  const changes = counts.created + counts.modified;
  if (!isChanged || changes === 0 || cited.length === 0) return [];
  if (symbols.length === 0 || symbols.length > MOST_SYMBOLS) return [];
  return [
    {
      type: 'artifact',
      question: `In or around which functions, types or constants was \`${path}\` changed? Name them one a line.`,
      format: 'one-per-line',
      facts: [fact({ kind: 'set', topic: 'key-details', value: symbols, sourceEntryIds: cited })],
    },
  ];
}

/** Paths of the session, by which a bare file name is understood. */
export function knownPathsOf({ trail }: Pick<ProbeMaterial, 'trail'>): readonly string[] {
  return [...trail.artifacts.keys()];
}
