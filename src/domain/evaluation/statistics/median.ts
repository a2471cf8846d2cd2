/** The middle of a list: of an even number the mean of both. Null of none. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.ceil((sorted.length - 1) / 2)];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
