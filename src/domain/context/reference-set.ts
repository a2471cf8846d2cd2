import type { FragmentReference } from './accumulated-context.js';

/** Fragments by reference, without a key of its own for each: a context may have a hundred thousand. */
export class ReferenceSet {
  private readonly idsOfPlan = new Map<string, Set<string>>();

  constructor(references: Iterable<FragmentReference>) {
    for (const { planId, fragmentId } of references) {
      const ids = this.idsOfPlan.get(planId);
      if (ids === undefined) this.idsOfPlan.set(planId, new Set([fragmentId]));
      else ids.add(fragmentId);
    }
  }

  has({ planId, fragmentId }: FragmentReference): boolean {
    return this.idsOfPlan.get(planId)?.has(fragmentId) === true;
  }
}
