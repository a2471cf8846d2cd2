/** A probe before it is chosen, and the checks that every probe stands, whoever wrote it. */
import type { Digest } from '../../kernel/measures.js';
import { dimensionsOf } from '../criteria.js';
import { type Fact, valuesOf } from '../fact.js';
import { foldLines, holdsToken } from '../grading/find-token.js';
import type { Probe, ProbeFormat, ProbeOrigin } from '../probe.js';
import type { ProbeType } from '../probe-type.js';
import type { ProbeMaterial } from './probe-material.js';

export type FactDraft = Omit<Fact, 'factId'>;

export interface ProbeDraft {
  readonly type: ProbeType;
  readonly question: string;
  readonly format: ProbeFormat | null;
  readonly facts: readonly FactDraft[];
  readonly forbidden?: readonly string[];
}

/** What a fact leaves out is as good as this. */
export function fact(
  given: Pick<FactDraft, 'kind' | 'topic' | 'value' | 'sourceEntryIds'> & Partial<FactDraft>,
): FactDraft {
  return { subject: null, aliases: [], options: [], required: true, ...given };
}

/** A value that was hidden is nobody's to know. */
const PLACEHOLDER = '[redacted:';

/** Why the draft is no probe; null: it is one. */
export function draftFault({ facts, question }: ProbeDraft): string | null {
  if (facts.length === 0) return 'it has no fact';
  if (question.trim() === '') return 'it asks nothing';
  for (const one of facts) {
    const values = valuesOf(one);
    if (values.length === 0 || values.some((value) => value.trim() === ''))
      return 'a fact is empty';
    if (one.sourceEntryIds.length === 0) return 'a fact cites no entry of the span';
    const texts = [...values, ...one.aliases, ...one.options, one.subject ?? '', question];
    if (texts.some((text) => text.includes(PLACEHOLDER))) return 'a fact is hidden by redaction';
  }
  return null;
}

export function toProbe(
  draft: ProbeDraft,
  { sessionId, point, spanHash, tailText }: ProbeMaterial,
  origin: ProbeOrigin,
  digest: Digest,
): Probe {
  const { type, question, format, facts, forbidden = [] } = draft;
  const tail = foldLines(tailText);
  return {
    probeId: digest(JSON.stringify(['probe', spanHash, type, question])).slice(0, 16),
    sessionId,
    point,
    type,
    question,
    format,
    facts: facts.map((one, at) => ({ factId: `f${at + 1}`, ...one })),
    forbidden,
    sourceEntryIds: [...new Set(facts.flatMap(({ sourceEntryIds }) => sourceEntryIds))],
    dimensions: dimensionsOf(type),
    origin,
    spanHash,
    asOf: point.lastSeq,
    alsoInTail: facts.every((one) =>
      valuesOf(one).every((value) => holdsToken(tail, foldLines(value))),
    ),
  };
}
