/** The hand-written conversations of `test/fixtures/conversations`, with what keeping their turns costs. */
import { readFileSync } from 'node:fs';
import type { ScorableFragment } from '../../src/domain/relevance/scorable-fragment.js';

export interface MarkedQuestion {
  readonly text: string;
  readonly category: string;
  /** Positions of the turns that answer it. */
  readonly evidence: readonly number[];
}

export interface MarkedConversation {
  readonly name: string;
  readonly turns: readonly ScorableFragment[];
  readonly questions: readonly MarkedQuestion[];
}

interface CaseLine {
  readonly case_id: string;
  readonly turns: readonly { turn_id: string; speaker: string; text: string }[];
  readonly questions: readonly { text: string; evidence: readonly string[]; category: string }[];
}

/** Words and punctuation marks, close to what a tokenizer gives for chat, and one for the joint. */
function countTokens(text: string): number {
  return (text.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []).length + 1;
}

export function readConversations(half: 'tuning' | 'held-out'): readonly MarkedConversation[] {
  const file = new URL(`../fixtures/conversations/${half}.jsonl`, import.meta.url);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const { case_id: name, turns, questions } = JSON.parse(line) as CaseLine;
    const positions = new Map(turns.map(({ turn_id: id }, at) => [id, at]));
    return {
      name,
      turns: turns.map(({ speaker, text }) => {
        const content = `${speaker}: ${text}`;
        return { content, tokenCount: countTokens(content) };
      }),
      questions: questions.map(({ text, category, evidence }) => ({
        text,
        category,
        evidence: evidence.map((id) => positions.get(id) ?? -1),
      })),
    };
  });
}
