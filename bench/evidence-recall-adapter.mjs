/**
 * Adapter for the evidence-recall yardstick: which fragments survive at a token budget. Run it
 * after `npm run build`. With `OSSATURE_PACKING=greedy` the scores alone are packed, best first,
 * as the skeleton packs them; otherwise the token-aware selection decides.
 */
import { scoreRelevance } from '../dist/src/domain/relevance/score-relevance.js';
import { selectWithinBudget } from '../dist/src/domain/relevance/select-within-budget.js';

/** The yardstick adds one token to each fragment for the joint between two. */
const JOINT_TOKENS = 1;

/** The same question comes once for each budget; its scores are worked out once. */
let latest = { query: undefined, first: undefined, length: 0, scorable: [], scores: [] };

export default function keepEvidence({ fragments, query, budget, countTokens }) {
  const first = fragments[0]?.text;
  if (latest.query !== query || latest.first !== first || latest.length !== fragments.length) {
    const scorable = fragments.map(({ text }) => ({
      content: text,
      tokenCount: countTokens(text) + JOINT_TOKENS,
    }));
    const scores = scoreRelevance(query, scorable);
    latest = { query, first, length: fragments.length, scorable, scores };
  }
  const { scorable, scores } = latest;
  const kept =
    process.env.OSSATURE_PACKING === 'greedy'
      ? packGreedily(scorable, scores, budget)
      : selectWithinBudget(query, scorable, budget, () => scores).kept;
  return { kept: kept.map((position) => fragments[position].id) };
}

function packGreedily(scorable, scores, budget) {
  let used = 0;
  return [...scorable.keys()]
    .sort((a, b) => scores[b] - scores[a] || b - a)
    .filter((position) => {
      const fits = used + scorable[position].tokenCount <= budget;
      if (fits) used += scorable[position].tokenCount;
      return fits;
    });
}
