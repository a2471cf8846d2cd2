/** Meetings as the QMSum data set writes them: questions with ranges of turns that answer them. */
import { z } from 'zod';
import type { EvidenceCase } from '../../domain/evaluation/evidence/evidence-case.js';

const meeting = z.object({
  meeting_transcripts: z.array(z.object({ speaker: z.string(), content: z.string() })),
  specific_query_list: z.array(
    z.object({
      query: z.string(),
      relevant_text_span: z.array(z.tuple([z.coerce.number(), z.coerce.number()])),
    }),
  ),
});

/** Null for values of another layout. Lines have no names, so the number of the line is the case's. */
export function qmsumCase(value: unknown, line: number): EvidenceCase | string | null {
  if (typeof value !== 'object' || value === null || !('meeting_transcripts' in value)) return null;
  const parsed = meeting.safeParse(value);
  if (!parsed.success) return 'is no meeting with specific_query_list';
  const { meeting_transcripts: turns, specific_query_list: questions } = parsed.data;
  return {
    caseId: `meeting ${line}`,
    turns: turns.map(({ speaker, content }, at) => ({ turnId: `${at}`, speaker, text: content })),
    questions: questions.map(({ query, relevant_text_span: spans }, at) => ({
      questionId: `${line}.${at + 1}`,
      text: query,
      evidence: spans.flatMap(([from, to]) =>
        Array.from({ length: Math.max(0, to - from + 1) }, (_, step) => [`${from + step}`]),
      ),
      category: null,
    })),
  };
}
