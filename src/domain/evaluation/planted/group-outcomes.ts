/** Outcomes by what they have in common, in the order of it. */
export function groupOutcomes<Outcome, Key extends string | number>(
  outcomes: readonly Outcome[],
  keyOf: (outcome: Outcome) => Key,
): readonly (readonly [Key, readonly Outcome[]])[] {
  const groups = new Map<Key, Outcome[]>();
  for (const outcome of outcomes) {
    const key = keyOf(outcome);
    const own = groups.get(key) ?? [];
    groups.set(key, own);
    own.push(outcome);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}
