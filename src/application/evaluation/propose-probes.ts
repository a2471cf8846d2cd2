/** Probes of a model: each is held to what the span says before it is taken. */
import { gradeAnswer } from '../../domain/evaluation/grading/grade-answer.js';
import { knownPathsOf } from '../../domain/evaluation/probes/artifact-drafts.js';
import { draftFault, toProbe } from '../../domain/evaluation/probes/probe-draft.js';
import { SpanIndex } from '../../domain/evaluation/probes/probe-material.js';
import { referenceAnswer } from '../../domain/evaluation/probes/reference-answer.js';
import type { ProbeChoice, WrittenProbes } from '../../domain/evaluation/probes/write-probes.js';
import type { Probe, ProbeSet } from '../../domain/evaluation/probe.js';
import type { Digest } from '../../domain/kernel/measures.js';
import { renderUnit } from '../../domain/session/render-unit.js';
import { identifiersOf, KnownTexts } from '../../domain/session/summary/identifiers.js';
import type { Evaluator, ProposedProbe, WriteProbes } from './ports.js';
import type { ReadPoint } from './read-point.js';

/** UTF-16 units of the span that a writer is shown. */
const LONGEST_SPAN = 200_000;

export async function proposeProbes(
  writer: Evaluator<WriteProbes>,
  { material }: ReadPoint,
  { types, perType }: ProbeChoice,
  digest: Digest,
): Promise<WrittenProbes & Pick<ProbeSet, 'refused'>> {
  const span = material.span
    .map((entry) => `[entry:${entry.seq}]\n${renderUnit([entry])}`)
    .join('\n\n')
    .slice(0, LONGEST_SPAN);
  const written = await writer.work({ span, types, perType }, new AbortController().signal);
  if (written.outcome === 'failed') {
    return { probes: [], missing: types, refused: [{ question: '', reason: written.reason }] };
  }
  const probes: Probe[] = [];
  const refused: { question: string; reason: string }[] = [];
  const check = new ProposalCheck(material, digest);
  for (const proposed of written.probes) {
    const taken = types.includes(proposed.type)
      ? check.take(proposed)
      : 'it is of an unwanted type';
    if (typeof taken === 'string') refused.push({ question: proposed.question, reason: taken });
    else probes.push(taken);
  }
  return {
    probes,
    refused,
    missing: types.filter((type) => !probes.some((probe) => probe.type === type)),
  };
}

class ProposalCheck {
  readonly #index: SpanIndex;
  readonly #texts: ReadonlyMap<number, string>;

  constructor(
    private readonly material: ReadPoint['material'],
    private readonly digest: Digest,
  ) {
    this.#index = new SpanIndex(material.span);
    this.#texts = new Map(material.span.map((entry) => [entry.seq, renderUnit([entry])]));
  }

  /** The probe, or why it is refused. */
  take(proposed: ProposedProbe): Probe | string {
    for (const { sources, evidence, value } of proposed.facts) {
      const cited = sources.flatMap((seq) => this.#texts.get(seq) ?? []);
      if (cited.length < sources.length) return 'it cites an entry that is not in the span';
      if (evidence.trim() === '' || !cited.some((text) => text.includes(evidence))) {
        return 'its evidence does not stand word for word in the cited entries';
      }
      const known = new KnownTexts(cited);
      const unknown = identifiersOf([value].flat().join('\n')).find((one) => !known.holds(one));
      if (unknown !== undefined) return `${unknown.text} does not occur in the cited entries`;
    }
    const draft = {
      ...proposed,
      facts: proposed.facts.map(({ sources, evidence: _evidence, ...fact }) => ({
        ...fact,
        sourceEntryIds: this.#index.entryIds(sources),
      })),
    };
    const fault = draftFault(draft);
    if (fault !== null) return fault;
    const probe = toProbe(draft, this.material, 'model', this.digest);
    const { marks } = gradeAnswer(probe, referenceAnswer(probe), {
      known: new KnownTexts([...this.#texts.values()]),
      knownPaths: knownPathsOf(this.material),
    });
    const isFull = marks.every(({ score }) => score === null || score === 5);
    return isFull ? probe : 'its own reference answer does not get full marks';
  }
}
