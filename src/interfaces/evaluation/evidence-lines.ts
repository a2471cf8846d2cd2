/**
 * Marked evidence from JSONL, one case a line. A loader for another layout is one function from a
 * line's value to a case; `EVIDENCE_LAYOUTS` lists those that ship.
 */
import { z } from 'zod';
import type { EvidenceLine } from '../../application/evaluation/evidence-recall-service.js';
import type { TranscriptSource } from '../../application/session/transcript-reader.js';
import type { EvidenceCase } from '../../domain/evaluation/evidence/evidence-case.js';
import { byteLines } from '../transcripts/byte-lines.js';
import { parseJson } from '../transcripts/json-fields.js';
import { qmsumCase } from './qmsum-case.js';

/** Null: the value is of another layout. A text: it is of this one, and this is wrong with it. */
export type EvidenceLayout = (value: unknown, line: number) => EvidenceCase | string | null;

const name = z.union([z.string().min(1), z.number()]).transform(String);
const ourCase = z.object({
  case_id: name,
  turns: z.array(z.object({ turn_id: name, speaker: z.string().default(''), text: z.string() })),
  questions: z.array(
    z.object({
      question_id: name,
      text: z.string(),
      evidence: z.array(z.union([name, z.array(name)])).default([]),
      category: name.nullish(),
    }),
  ),
});

const ourLayout: EvidenceLayout = (value) => {
  if (typeof value !== 'object' || value === null || !('case_id' in value)) return null;
  const parsed = ourCase.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.') ?? 'the case'} is not as it must be (${issue?.message ?? 'unknown'})`;
  }
  const { case_id: caseId, turns, questions } = parsed.data;
  if (new Set(turns.map(({ turn_id: turnId }) => turnId)).size < turns.length) {
    return 'turns: two of them have the same turn_id';
  }
  return {
    caseId,
    turns: turns.map(({ turn_id: turnId, speaker, text }) => ({ turnId, speaker, text })),
    questions: questions.map(({ question_id: questionId, text, evidence, category }) => ({
      questionId,
      text,
      evidence: evidence.map((group) => (typeof group === 'string' ? [group] : group)),
      category: category ?? null,
    })),
  };
};

export const EVIDENCE_LAYOUTS: readonly EvidenceLayout[] = [ourLayout, qmsumCase];

/** Lazily, so that memory is bounded by one case. */
export async function* evidenceLines(source: TranscriptSource): AsyncGenerator<EvidenceLine> {
  for await (const { number: line, text, fault } of byteLines(source.open())) {
    if (text === null) {
      yield { line, fault: fault ?? 'not-utf8' };
      continue;
    }
    if (text.trim() === '') continue;
    const value = parseJson(text);
    if (value === undefined) {
      yield { line, fault: 'is not JSON' };
      continue;
    }
    yield { line, ...read(value, line) };
  }
}

function read(
  value: unknown,
  line: number,
): { readonly evidence: EvidenceCase } | { readonly fault: string } {
  for (const layout of EVIDENCE_LAYOUTS) {
    const found = layout(value, line);
    if (typeof found === 'string') return { fault: found };
    if (found !== null) return { evidence: found };
  }
  return { fault: 'has no case_id, turns and questions' };
}
