/** Answers that somebody brings, from JSONL: one a line, with `probe_id` and `text`. */
import { z } from 'zod';
import type { GivenAnswer } from '../../application/evaluation/probe-evaluation-service.js';
import type { TranscriptSource } from '../../application/session/transcript-reader.js';
import { byteLines } from '../transcripts/byte-lines.js';
import { parseJson } from '../transcripts/json-fields.js';

const answer = z.object({ probe_id: z.string().min(1), text: z.string() });

export async function* answerLines(
  source: TranscriptSource,
): AsyncGenerator<GivenAnswer | { readonly line: number; readonly fault: string }> {
  for await (const { number: line, text } of byteLines(source.open())) {
    if (text?.trim() === '') continue;
    const parsed = answer.safeParse(text === null ? undefined : parseJson(text));
    if (parsed.success) yield { probeId: parsed.data.probe_id, text: parsed.data.text };
    else yield { line, fault: 'is no answer with probe_id and text' };
  }
}
