/** What the trail knows of the units of a tail, for their scores. */
import type { StoredEntry } from '../stored-entry.js';
import type { ArtifactEvent } from '../trail/artifact-event.js';
import type { SessionError } from '../trail/session-errors.js';
import type { UnitFacts } from './unit-mark.js';

type Facts = {
  readonly references: Set<string>;
  readonly contents: UnitFacts['contents'][number][];
  hasOpenError: boolean;
};

/** @param events of the entries; those of others are passed over. */
export function unitFacts(
  tail: readonly Pick<StoredEntry, 'seq' | 'unitId'>[],
  events: readonly ArtifactEvent[],
  errors: Iterable<SessionError>,
): ReadonlyMap<string, UnitFacts> {
  const unitOf = new Map(tail.map(({ seq, unitId }) => [seq, unitId]));
  const facts = new Map<string, Facts>();
  const factsAt = (seq: number): Facts | null => {
    const unitId = unitOf.get(seq);
    if (unitId === undefined) return null;
    const known = facts.get(unitId) ?? { references: new Set(), contents: [], hasOpenError: false };
    facts.set(unitId, known);
    return known;
  };
  for (const { seq, path, oldPath, symbols, hashBefore, hashAfter, ok } of events) {
    const own = factsAt(seq);
    if (own === null) continue;
    for (const name of [path, ...(oldPath === null ? [] : [oldPath]), ...symbols]) {
      own.references.add(name);
    }
    const hash = hashAfter ?? hashBefore;
    if (ok && hash !== null) own.contents.push({ path, hash });
  }
  for (const { state, seenAt } of errors) {
    if (state !== 'open') continue;
    for (const seq of seenAt) {
      const own = factsAt(seq);
      if (own !== null) own.hasOpenError = true;
    }
  }
  return new Map(
    [...facts].map(([unitId, { references, ...rest }]) => [
      unitId,
      { ...rest, references: [...references] },
    ]),
  );
}
