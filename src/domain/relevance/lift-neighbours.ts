/**
 * Relevance spreads over neighbours: an answer stands next to its question, and a passage about the
 * goal is relevant as a whole, also where a turn of it only says "yes".
 */

/** Share of the better direct neighbour's relevance that a fragment is given. */
const NEXT_SHARE = 0.5;
/**
 * How much the passage counts beside the fragment itself. Larger finds more of long passages
 * (meetings) and less of single sentences (chats).
 */
const PASSAGE_SHARE = 3;
/** Fragments over which a passage's relevance falls to 1/e, to each side. */
const PASSAGE_REACH = 10;

/** Relevance with the neighbours' part added; same order, values ≥ 0, no longer bounded by 1. */
export function liftNeighbours(relevance: Float64Array): Float64Array {
  const passage = meanAround(relevance, PASSAGE_REACH);
  return relevance.map((own, at) => {
    const next = Math.max(relevance[at - 1] ?? 0, relevance[at + 1] ?? 0);
    return own + NEXT_SHARE * next + PASSAGE_SHARE * (passage[at] ?? 0);
  });
}

/** Mean with weights e^(-distance / reach), by one pass in each direction. */
export function meanAround(values: Float64Array, reach: number): Float64Array {
  const decay = Math.exp(-1 / reach);
  const scale = (1 - decay) / (1 + decay);
  const means = new Float64Array(values.length);
  let before = 0;
  for (let at = 0; at < values.length; at += 1) {
    before = before * decay + (values[at] ?? 0);
    means[at] = before;
  }
  let behind = 0;
  for (let at = values.length - 1; at >= 0; at -= 1) {
    const own = values[at] ?? 0;
    means[at] = ((means[at] ?? 0) + behind) * scale;
    behind = (behind + own) * decay;
  }
  return means;
}
