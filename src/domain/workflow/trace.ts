/**
 * From what was done back to what it stands on: step → spec → research → sources. What stands on
 * nothing, what nobody took up, and what has changed since it was read are gaps.
 */
import type { Artifact, RecordItem, ResearchItem, SpecItem } from './artifact.js';
import { referenceOf, renderSource, type Source } from './source.js';
import { WORKFLOW_PHASES, type WorkflowPhase } from './workflow-phase.js';

export const GAP_KINDS = [
  'orphan',
  'unknown-item',
  'uncovered',
  'changed-source',
  'missing-source',
] as const;

export interface Gap {
  readonly gap: (typeof GAP_KINDS)[number];
  /** The phase whose approval it concerns. */
  readonly phase: WorkflowPhase;
  readonly itemId: string;
  /** The item or source that is meant beside it, or null. */
  readonly reference: string | null;
}

/** The artifacts in hand; a phase without one is absent. */
export type Artifacts = Readonly<Partial<Record<WorkflowPhase, Artifact>>>;

/**
 * Hashes of sources as they are now, by reference; null: it is gone. A source that is absent could not
 * be looked at.
 */
export type CurrentHashes = ReadonlyMap<string, string | null>;

export interface TracedItem {
  readonly phase: WorkflowPhase;
  readonly itemId: string;
  /** Items of the phase before that it names. */
  readonly standsOn: readonly string[];
  /** What it cites itself, and in the end: of an item of the spec the sources of its research. */
  readonly sources: readonly string[];
}

export interface Trace {
  /** Of every phase, in order. */
  readonly items: readonly TracedItem[];
  readonly gaps: readonly Gap[];
  /** References that could not be looked at, such as addresses on the web. */
  readonly unchecked: readonly string[];
}

export function traceArtifacts(artifacts: Artifacts, current: CurrentHashes): Trace {
  const research = artifacts.research?.kind === 'research_document' ? artifacts.research.items : [];
  const spec = artifacts.planning?.kind === 'implementation_spec' ? artifacts.planning.items : [];
  const record =
    artifacts.implementation?.kind === 'implementation_record'
      ? artifacts.implementation.items
      : [];
  const cited = [
    ...research.flatMap(({ itemId, sources }) => place('research', itemId, sources)),
    ...record.flatMap(({ itemId, entries }) => place('implementation', itemId, entries)),
  ];
  const isUnchecked = (source: Source): boolean =>
    source.hash === null || !current.has(referenceOf(source));

  return {
    items: tracedItems(research, spec, record),
    gaps: [
      ...research.flatMap(({ itemId, sources }) =>
        sources.length === 0 ? [gap('orphan', 'research', itemId)] : [],
      ),
      ...cited.flatMap(({ phase, itemId, source }) => sourceGap(phase, itemId, source, current)),
      ...linkGaps('planning', spec, ({ research: named }) => named, research),
      ...(artifacts.planning === undefined
        ? []
        : uncovered(
            'planning',
            research,
            spec.flatMap(({ research: named }) => named),
          )),
      ...linkGaps('implementation', record, ({ spec: named }) => named, spec),
      ...(artifacts.implementation === undefined
        ? []
        : uncovered(
            'implementation',
            spec,
            record.flatMap(({ spec: named }) => named),
          )),
    ],
    unchecked: [
      ...new Set(cited.flatMap(({ source }) => (isUnchecked(source) ? [referenceOf(source)] : []))),
    ],
  };
}

/** Gaps that stand against an approval of the phase: its own and those of the phases before. */
export function gapsUpTo({ gaps }: Pick<Trace, 'gaps'>, phase: WorkflowPhase): readonly Gap[] {
  const place = WORKFLOW_PHASES.indexOf(phase);
  return gaps.filter((one) => WORKFLOW_PHASES.indexOf(one.phase) <= place);
}

/** A gap in one sentence. */
export function gapText({ gap: kind, itemId, reference }: Gap): string {
  switch (kind) {
    case 'orphan':
      return `${itemId} names nothing that it stands on.`;
    case 'unknown-item':
      return `${itemId} names ${reference}, which is not there.`;
    case 'uncovered':
      return `${itemId} is taken up by nothing.`;
    case 'changed-source':
      return `${itemId} cites ${reference}, which has changed since it was read.`;
    case 'missing-source':
      return `${itemId} cites ${reference}, which is gone.`;
  }
}

function tracedItems(
  research: readonly ResearchItem[],
  spec: readonly SpecItem[],
  record: readonly RecordItem[],
): readonly TracedItem[] {
  const ofResearch = new Map(
    research.map(({ itemId, sources }) => [itemId, sources.map(renderSource)] as const),
  );
  const reach = (known: ReadonlyMap<string, readonly string[]>, ids: readonly string[]) => [
    ...new Set(ids.flatMap((id) => known.get(id) ?? [])),
  ];
  const ofSpec = new Map(
    spec.map((item) => [item.itemId, reach(ofResearch, item.research)] as const),
  );
  return [
    ...research.map(({ itemId, sources }) => ({
      phase: 'research' as const,
      itemId,
      standsOn: [],
      sources: sources.map(renderSource),
    })),
    ...spec.map((item) => ({
      phase: 'planning' as const,
      itemId: item.itemId,
      standsOn: item.research,
      sources: ofSpec.get(item.itemId) ?? [],
    })),
    ...record.map((item) => ({
      phase: 'implementation' as const,
      itemId: item.itemId,
      standsOn: item.spec,
      sources: [...new Set([...item.entries.map(renderSource), ...reach(ofSpec, item.spec)])],
    })),
  ];
}

function place(phase: WorkflowPhase, itemId: string, sources: readonly Source[]) {
  return sources.map((source) => ({ phase, itemId, source }));
}

function sourceGap(
  phase: WorkflowPhase,
  itemId: string,
  source: Source,
  current: CurrentHashes,
): readonly Gap[] {
  const reference = referenceOf(source);
  const now = current.get(reference);
  if (now === undefined || source.hash === null || now === source.hash) return [];
  return [gap(now === null ? 'missing-source' : 'changed-source', phase, itemId, reference)];
}

function linkGaps<Named extends { readonly itemId: string }>(
  phase: WorkflowPhase,
  items: readonly Named[],
  namedBy: (item: Named) => readonly string[],
  behind: readonly { readonly itemId: string }[],
): readonly Gap[] {
  const known = new Set(behind.map(({ itemId }) => itemId));
  return items.flatMap((item) => {
    const named = namedBy(item);
    if (named.length === 0) return [gap('orphan', phase, item.itemId)];
    return named.flatMap((id) =>
      known.has(id) ? [] : [gap('unknown-item', phase, item.itemId, id)],
    );
  });
}

function uncovered(
  phase: WorkflowPhase,
  items: readonly { readonly itemId: string }[],
  taken: readonly string[],
): readonly Gap[] {
  const covered = new Set(taken);
  return items.flatMap(({ itemId }) =>
    covered.has(itemId) ? [] : [gap('uncovered', phase, itemId)],
  );
}

function gap(
  kind: Gap['gap'],
  phase: WorkflowPhase,
  itemId: string,
  reference: string | null = null,
): Gap {
  return { gap: kind, phase, itemId, reference };
}
