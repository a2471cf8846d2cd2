/** The payload: what is shown, and an account of everything that was asked, offered and left out. */
import { subtractTokens } from '../context/context-budget.js';
import type { TokenCounter } from '../kernel/measures.js';
import { freeForOthers, nameTheRest, reportStrategies } from './account-for-offers.js';
import type {
  AssemblyFragment,
  ExcludedFragment,
  OfferedFragment,
  PackedFragment,
  ShownFragment,
} from './assembly-fragment.js';
import type { AssemblyPayload } from './assembly-payload.js';
import type { CheckedRequest } from './assembly-request.js';
import type { BudgetShare, Provenance, RankedStrategy, StrategyResult } from './assembly-stages.js';
import { type Room, skeletonBudgetOf } from './divide-budget.js';
import { frozen } from './frozen.js';
import { jointTokensOf, sumTokens, textTokens } from './text-tokens.js';

/** What is settled before anything is packed. */
export interface Gathered {
  /** With the plan's fragments that strategies could offer. */
  readonly request: CheckedRequest & {
    readonly query: string;
    readonly context: readonly AssemblyFragment[];
  };
  readonly room: Room;
  /** With what was taken back before the assembly. */
  readonly plan: { readonly superseded: readonly ExcludedFragment[] };
  readonly ranked: readonly RankedStrategy[];
  readonly shares: readonly BudgetShare[];
  readonly results: readonly StrategyResult[];
  readonly offered: readonly OfferedFragment[];
  /** What strategies have and did not offer. */
  readonly held: readonly ExcludedFragment[];
}

/** What is shown, in its order, and what stages excluded on the way there. */
export interface Settlement {
  readonly skeleton: readonly ShownFragment[];
  readonly ordered: readonly PackedFragment[];
  readonly excluded: readonly ExcludedFragment[];
}

export type Account = Pick<
  AssemblyPayload,
  'fragments' | 'skeletonFragments' | 'strategies' | 'excluded'
>;

export function accountFor(gathered: Gathered, settlement: Settlement): Account {
  const { request, room, plan, ranked, shares, results, offered, held } = gathered;
  const { roomTokens, joints } = room;
  const fragments = settlement.ordered.map(({ shown, strategy, score }) => ({
    ...shown,
    strategy,
    score,
  }));
  // One more fragment would need its own blank line too.
  const lines = jointTokensOf(joints.textsBefore + fragments.length + 1, joints.tokens);
  const left = subtractTokens(roomTokens, sumTokens(fragments), lines);
  const named = nameTheRest(
    settlement.excluded,
    fragments,
    { offered, held, context: request.context },
    freeForOthers(ranked, results, left),
  );
  return frozen({
    fragments,
    skeletonFragments: settlement.skeleton,
    strategies: reportStrategies(ranked, shares, results, fragments, roomTokens),
    excluded: [...named, ...plan.superseded],
  });
}

/** What the preamble may speak of. */
export function provenanceOf(query: string, account: Account): Provenance {
  const { strategies, excluded, fragments: shown, skeletonFragments: skeleton } = account;
  return frozen({ query, strategies, shown, skeleton, excluded });
}

export function composePayload(
  { request, room }: Gathered,
  account: Account,
  preamble: string,
  count: TokenCounter['count'],
): AssemblyPayload {
  const { planId, query, budget } = request;
  const { fragments, skeletonFragments } = account;
  const preambleTokens = count(preamble);
  const opening = preamble === '' ? [] : [{ content: preamble, tokenCount: preambleTokens }];
  const parts = [...opening, ...skeletonFragments, ...fragments];
  const totalTokens = textTokens(parts, room.joints.tokens, count);
  return {
    planId,
    query,
    fragments,
    skeletonFragments,
    preamble,
    totalTokens,
    budgetUsed: totalTokens / budget.availableTokens,
    budget: {
      ...budget,
      skeletonBudget: skeletonBudgetOf(request),
      skeletonTokens: sumTokens(skeletonFragments),
      preambleTokens,
      roomTokens: room.roomTokens,
      fragmentTokens: sumTokens(fragments),
      jointTokens: jointTokensOf(parts.length, room.joints.tokens),
    },
    strategies: account.strategies,
    excluded: account.excluded,
  };
}
