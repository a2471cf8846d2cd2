/** What a transcript yields for a plan, as an import of the plan takes it. */
import type { IncomingItem } from './incoming-material.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { PlanMaterialItem } from '../../domain/session/plan-material.js';

export async function* sessionItems(
  items: AsyncIterable<PlanMaterialItem>,
  { name, version }: TokenCounter,
): AsyncGenerator<IncomingItem> {
  const tokenCounter = `${name}@${version}`;
  for await (const one of items) {
    if (one.item === 'fragment') {
      const { createdAt, ...fragment } = one.fragment;
      yield {
        item: 'fragment',
        fragment: { ...fragment, tokenCounter, createdAt: timeOf(createdAt) },
      };
      continue;
    }
    const { supersedes, sourceKey, createdAt, ...decision } = one.decision;
    yield {
      item: 'decision',
      decision: { ...decision, createdAt: timeOf(createdAt) },
      source: sourceKey,
    };
    if (supersedes !== null) {
      yield { item: 'superseded', decisionId: supersedes, by: decision.decisionId };
    }
  }
}

/** A time that the vendor wrote and that is none is left out, not guessed. */
function timeOf(text: string | null): Date | null {
  const time = new Date(text ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time;
}
