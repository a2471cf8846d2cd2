/** `recency`: the newest fragments of the plan, newest first. */
import type { AssemblyFragment } from '../../domain/assembly/assembly-fragment.js';
import type {
  ContextStrategy,
  StrategyRequest,
  StrategyRoom,
} from '../assembly/context-strategy.js';
import { offerWithinRoom } from './offer-within-room.js';

export class RecencyStrategy implements ContextStrategy {
  readonly name = 'recency';
  readonly quality = 0.5;

  /** What happened last is worth knowing whatever the question, and seldom the answer to it. */
  canHandle({ context, query }: StrategyRequest): number {
    if (context.length === 0) return 0;
    return query.trim() === '' ? 0.5 : 0.1;
  }

  async assemble(
    { context }: StrategyRequest,
    room: StrategyRoom,
  ): Promise<readonly AssemblyFragment[]> {
    return offerWithinRoom(newestFirst(context), room);
  }
}

function* newestFirst(fragments: readonly AssemblyFragment[]): Generator<AssemblyFragment> {
  for (let at = fragments.length - 1; at >= 0; at -= 1) {
    const fragment = fragments[at];
    if (fragment !== undefined) yield fragment;
  }
}
