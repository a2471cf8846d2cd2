/** Stage 6: one score of four parts, each kept so that a reader can see why. */
import {
  keyOf,
  type OfferedFragment,
  type ScoreBreakdown,
  type ScoredFragment,
} from './assembly-fragment.js';
import type { FragmentScorer } from './assembly-stages.js';

/**
 * Best first. Relevance is measured against the query where its source did not do so; without a
 * query, the relevance that the source gives holds. Equal scores go by relevance, then by id.
 */
export const rankFragments: FragmentScorer = (offered, { query, weights, scoreRelevance }) => {
  const unmeasured =
    query.trim() === '' ? [] : offered.filter(({ fragment }) => fragment.relevanceTo !== 'query');
  const measured = scoreRelevance(
    query,
    unmeasured.map(({ fragment }) => fragment),
  );
  const relevanceOf = new Map<OfferedFragment, number>(
    unmeasured.map((offer, at) => [offer, measured[at] ?? 0]),
  );
  return offered
    .map((offer): ScoredFragment => {
      const parts = {
        relevance: relevanceOf.get(offer) ?? offer.fragment.relevance,
        hierarchy: offer.fragment.hierarchy ?? 1,
        quality: offer.quality,
        recency: offer.fragment.recency ?? 0,
      };
      const total =
        weights.relevance * parts.relevance +
        weights.hierarchy * parts.hierarchy +
        weights.quality * parts.quality +
        weights.recency * parts.recency;
      return { ...offer, score: { ...parts, total: Math.min(1, total) } satisfies ScoreBreakdown };
    })
    .sort(
      (a, b) =>
        b.score.total - a.score.total ||
        b.score.relevance - a.score.relevance ||
        (keyOf(a.fragment) < keyOf(b.fragment) ? -1 : 1),
    );
};
