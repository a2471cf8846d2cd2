/** Smoothing along the order of time: what stands next to a fragment says something about it too. */

/**
 * Adds to each value its neighbours' values, weakened by `decay` (0..1) for each step away, in both
 * directions; by one pass each. The result may be given as `into`, which must not be `values`.
 *
 * @param backwardDecay for the steps to earlier places, where they differ
 */
export function addNeighbours(
  values: Float64Array,
  decay: number,
  into: Float64Array = new Float64Array(values.length),
  backwardDecay = decay,
): Float64Array {
  let before = 0;
  for (let at = 0; at < values.length; at += 1) {
    const own = values[at] ?? 0;
    into[at] = own + before;
    before = (before + own) * decay;
  }
  let behind = 0;
  for (let at = values.length - 1; at >= 0; at -= 1) {
    into[at] = (into[at] ?? 0) + behind;
    behind = (behind + (values[at] ?? 0)) * backwardDecay;
  }
  return into;
}

/** Divides by the largest value, so that it becomes 1; values ≥ 0. All zeros stay so. */
export function scaleToOne(values: Float64Array): Float64Array {
  let largest = 0;
  for (const value of values) if (value > largest) largest = value;
  if (largest > 0)
    for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) / largest;
  return values;
}
