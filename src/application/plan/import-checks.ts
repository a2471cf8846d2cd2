/** The rules of what comes from outside that need no look at the store. */
import type { StoredFragment } from '../../domain/context/accumulated-context.js';
import { requireFragment } from '../../domain/context/context-fragment.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { DecisionId } from '../../domain/kernel/ids.js';
import { jsonFault, textFault } from '../../domain/kernel/text.js';
import type { Decision } from '../../domain/plan/decision.js';
import type { IncomingDecision, IncomingFragment, IncomingItem } from './incoming-material.js';

const ITEMS: readonly IncomingItem['item'][] = ['fragment', 'decision', 'superseded'];

/** @throws OssatureError INVALID_INPUT unless it is an item of an import. */
export function requireItem(incoming: IncomingItem): void {
  const { item } = (incoming as IncomingItem | null) ?? {};
  const isKnown = ITEMS.some((known) => known === item);
  const part = item === 'superseded' ? incoming : incoming?.[item as 'fragment' & 'decision'];
  if (isKnown && typeof part === 'object' && part !== null) return;
  throw new OssatureError(
    'INVALID_INPUT',
    `An item of an import is { item: 'fragment', fragment }, { item: 'decision', decision } or { item: 'superseded', decisionId, by }, not ${JSON.stringify(item) ?? typeof incoming}.`,
    { details: { field: 'item' } },
  );
}

function isNoTime(value: Date | null): boolean {
  return value !== null && !(value instanceof Date && Number.isFinite(value.getTime()));
}

export function foreignDecision({ fragmentId }: StoredFragment, { decisionId, planId }: Decision) {
  return new OssatureError(
    'INVALID_FRAGMENT',
    `fragment ${JSON.stringify(fragmentId)} names decision ${decisionId} of plan ${planId}. A fragment may name a decision of its own plan or of an ancestor.`,
    { details: { fragmentId, field: 'decisionId', decisionId, planId } },
  );
}

/** The decision that a fragment names and nobody knows yet. */
export function decisionFor(
  decisionId: DecisionId,
  { fragmentId, decision }: IncomingFragment,
): IncomingDecision {
  return {
    decisionId,
    type: 'implementation_choice',
    question: null,
    choice: decision ?? `Imported with fragment ${fragmentId}.`,
    rationale: null,
    parentDecisionId: null,
    createdAt: null,
  };
}

/** UTF-16 units. An id stands in an index of the store, whose entries have at most 2,700 bytes. */
export const LONGEST_FRAGMENT_ID = 500;

function requireStorable(
  { fragmentId, content, metadata, createdAt }: StoredFragment,
  decision: unknown,
): void {
  const faults = {
    fragmentId:
      fragmentId.length > LONGEST_FRAGMENT_ID
        ? `has more than ${LONGEST_FRAGMENT_ID} characters`
        : textFault(fragmentId),
    content: textFault(content),
    metadata: jsonFault(metadata),
    createdAt: isNoTime(createdAt) ? 'must be a valid Date or null' : null,
    decision: decision === undefined ? null : decisionFault(decision),
  };
  for (const [field, fault] of Object.entries(faults)) {
    if (fault === null) continue;
    const shown = fragmentId.slice(0, 60);
    throw new OssatureError(
      'INVALID_FRAGMENT',
      `fragment ${JSON.stringify(shown)}: ${field} ${fault}.`,
      { details: { fragmentId: shown, field } },
    );
  }
}

function decisionFault(decision: unknown): string | null {
  return typeof decision === 'string' ? textFault(decision) : 'must be a text, or absent';
}

/** The first rule that the fragment breaks, or null. */
export function faultOf(
  fragment: StoredFragment,
  decision: unknown,
  index: number,
): OssatureError | null {
  try {
    requireFragment(fragment, index);
    requireStorable(fragment, decision);
    return null;
  } catch (error) {
    if (OssatureError.is(error)) return error;
    throw error;
  }
}
