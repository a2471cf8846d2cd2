/**
 * What a pass keeps of a conversation when no question is known: the newest turns word for word, and
 * of the others a line for each human prompt, which cites the turn that it came from. It is the pass of
 * the strategy `offline` on a transcript without tools.
 */
import type { TokenCounter } from '../../kernel/measures.js';
import { lineWithin } from '../../session/summary/head-within.js';
import { END_LINE, OPENING_LINE } from '../../session/summary/render-summary.js';
import type { EvidenceTurn } from './evidence-case.js';
import type { KeptTurns } from './keep-turns.js';

/** Ceiling of a line that stands for a prompt (specification of sessions, §7.8). */
const ASK_TOKENS = 100;

/** Ceiling of the summary: `summary_tokens`, at most a quarter of what is usable (specification of sessions, §7.1). */
const SUMMARY_TOKENS = 6_000;
const SUMMARY_SHARE = 0.25;

/** Speakers whose turns are no prompts. */
const AGENTS = /^(?:assistant|agent|ai|bot|model|system|tool)\b/i;

export function blindPass(
  turns: readonly EvidenceTurn[],
  costs: readonly number[],
  budgetTokens: number,
  counter: TokenCounter,
): KeptTurns {
  const frame = counter.count(`${OPENING_LINE}\n\n${END_LINE}`);
  const ceiling = Math.min(SUMMARY_TOKENS, Math.floor(budgetTokens * SUMMARY_SHARE));
  const summaryTokens = ceiling > frame ? ceiling : 0;
  const kept = new Set<number>();
  let usedTokens = 0;
  let cut = turns.length;
  for (let position = turns.length - 1; position >= 0; position -= 1) {
    const cost = costs[position] ?? 0;
    if (usedTokens + cost > budgetTokens - summaryTokens) break;
    kept.add(position);
    usedTokens += cost;
    cut = position;
  }
  const reachable = new Set(kept);
  if (summaryTokens === 0) return { kept, reachable, usedTokens };
  let used = frame;
  for (let position = cut - 1; position >= 0; position -= 1) {
    const { speaker = '', text = '' } = turns[position] ?? {};
    if (AGENTS.test(speaker)) continue;
    const line = `#${position + 1} ${lineWithin(text, ASK_TOKENS, counter)}\n`;
    const tokens = counter.count(line);
    if (used + tokens > summaryTokens) break;
    used += tokens;
    reachable.add(position);
  }
  return { kept, reachable, usedTokens: usedTokens + used };
}
