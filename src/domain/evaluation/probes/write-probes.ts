/**
 * Probes from structure, without a model: pure and deterministic. The same seed gives the same set, the
 * next one another choice from the same material.
 */
import type { Digest } from '../../kernel/measures.js';
import type { Probe } from '../probe.js';
import { PROBE_TYPES, type ProbeType } from '../probe-type.js';
import { artifactDrafts } from './artifact-drafts.js';
import { continuationDrafts } from './continuation-drafts.js';
import { decisionDrafts } from './decision-drafts.js';
import { draftFault, type ProbeDraft, toProbe } from './probe-draft.js';
import { type ProbeMaterial, SpanIndex } from './probe-material.js';
import { recallDrafts } from './recall-drafts.js';

export interface ProbeChoice {
  readonly seed: number;
  readonly types: readonly ProbeType[];
  /** Probes of one type at most. */
  readonly perType: number;
}

export interface WrittenProbes {
  readonly probes: readonly Probe[];
  /** Wanted types for which the span has no material. */
  readonly missing: readonly ProbeType[];
}

/** Probes of one type, where nothing else is wanted. */
export const PROBES_PER_TYPE = 8;

export function writeProbes(
  material: ProbeMaterial,
  { seed, types, perType }: ProbeChoice,
  digest: Digest,
): WrittenProbes {
  const index = new SpanIndex(material.span);
  const drafts = [
    ...recallDrafts(material, index),
    ...artifactDrafts(material, index),
    ...continuationDrafts(material, index),
    ...decisionDrafts(material, index),
  ].filter((draft) => draftFault(draft) === null);
  const probes = PROBE_TYPES.filter((type) => types.includes(type)).flatMap((type) => {
    const own = oncePerQuestion(drafts.filter((draft) => draft.type === type));
    return ordered(own, seed, digest)
      .slice(0, perType)
      .map((draft) => toProbe(draft, material, 'structure', digest));
  });
  return {
    probes,
    missing: types.filter((type) => !probes.some((probe) => probe.type === type)),
  };
}

function oncePerQuestion(drafts: readonly ProbeDraft[]): readonly ProbeDraft[] {
  return [...new Map(drafts.map((draft) => [draft.question, draft])).values()];
}

/**
 * By the digest of seed and fact, so that no kind of material is preferred; one of each topic before a
 * second of any, so that a choice of few is about many things.
 */
function ordered(
  drafts: readonly ProbeDraft[],
  seed: number,
  digest: Digest,
): readonly ProbeDraft[] {
  const places = new Map(
    drafts.map((draft) => [
      draft,
      digest(JSON.stringify([seed, draft.question, draft.facts.map(({ value }) => value)])),
    ]),
  );
  const byPlace = [...drafts].sort((a, b) =>
    (places.get(a) ?? '') < (places.get(b) ?? '') ? -1 : 1,
  );
  const seen = new Map<string, number>();
  return byPlace
    .map((draft, place) => {
      const topic = draft.facts[0]?.topic ?? '';
      const round = seen.get(topic) ?? 0;
      seen.set(topic, round + 1);
      return { draft, round, place };
    })
    .sort((a, b) => a.round - b.round || a.place - b.place)
    .map(({ draft }) => draft);
}
