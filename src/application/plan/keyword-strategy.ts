/**
 * `keyword`: the fragments of the plan that match the query best. The relevance that the request's
 * context carries is that of `scoreRelevance`, BM25 with its neighbours, measured once for all. By
 * plain BM25 an assembly keeps 10 to 20 points less of the evidence (docs/decisions/0019).
 */
import type { AssemblyFragment } from '../../domain/assembly/assembly-fragment.js';
import { orderByRelevance } from '../../domain/skeleton/order-by-relevance.js';
import type {
  ContextStrategy,
  StrategyRequest,
  StrategyRoom,
} from '../assembly/context-strategy.js';
import { offerWithinRoom } from './offer-within-room.js';

export class KeywordStrategy implements ContextStrategy {
  readonly name = 'keyword';
  readonly quality = 0.3;

  /** It alone looks for what was asked: it leads where there is a query, and leaves it to others where not. */
  canHandle({ query, context }: StrategyRequest): number {
    return query.trim() !== '' && context.length > 0 ? 0.9 : 0;
  }

  async assemble(
    { context }: StrategyRequest,
    room: StrategyRoom,
  ): Promise<readonly AssemblyFragment[]> {
    const order = orderByRelevance(
      context,
      Float64Array.from(context, ({ relevance }) => relevance),
    );
    return offerWithinRoom(inOrder(context, order), room);
  }
}

function* inOrder(
  fragments: readonly AssemblyFragment[],
  order: Uint32Array,
): Generator<AssemblyFragment> {
  for (const row of order) {
    const fragment = fragments[row];
    if (fragment !== undefined) yield fragment;
  }
}
