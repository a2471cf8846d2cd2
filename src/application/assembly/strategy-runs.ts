/** The strategies that were given a share, ready to be run, and what each gave and left out. */
import type { AssemblyFragment, LeftOutFragment } from '../../domain/assembly/assembly-fragment.js';
import type { BudgetShare, StrategyRun } from '../../domain/assembly/assembly-stages.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { ContextStrategy, StrategyRequest, StrategyRoom } from './context-strategy.js';
import { answerOf, counted, measured, requireLeftOut, requireOffers } from './measure-fragments.js';

export interface StrategyRunsInput {
  readonly request: StrategyRequest;
  /** The plan's context, each fragment at the place that its `position` says. */
  readonly rated: readonly AssemblyFragment[];
  /** Strategies that are ready to be asked. */
  readonly ready: readonly ContextStrategy[];
  readonly shares: readonly BudgetShare[];
  readonly room: { readonly roomTokens: number };
}

export class StrategyRuns {
  /** In the order of the shares. */
  readonly all: readonly StrategyRun[];
  /** By name, what the last run of each strategy gave; none where it gave nothing. */
  readonly given = new Map<string, readonly AssemblyFragment[]>();
  /** By name, what it names as left out. */
  readonly leftOut = new Map<string, readonly LeftOutFragment[]>();

  readonly #request: StrategyRequest;
  readonly #rated: readonly AssemblyFragment[];

  constructor(
    { request, rated, ready, shares, room: { roomTokens } }: StrategyRunsInput,
    private readonly counter: TokenCounter,
  ) {
    this.#request = request;
    this.#rated = rated;
    const byName = new Map(ready.map((strategy) => [strategy.name, strategy]));
    this.all = shares
      .filter(({ budgetTokens }) => budgetTokens > 0)
      .flatMap(({ name, budgetTokens }) => {
        const strategy = byName.get(name);
        if (strategy === undefined) return [];
        const run: StrategyRun['run'] = (signal) =>
          this.#run(strategy, { budgetTokens, roomTokens, signal });
        return [{ name, run }];
      });
  }

  async #run(strategy: ContextStrategy, room: StrategyRoom): Promise<readonly AssemblyFragment[]> {
    const { lineage } = this.#request;
    const { fragments, leftOut } = answerOf(await strategy.assemble(this.#request, room));
    const offers = requireOffers(fragments, lineage, this.#isStored).map((offer) =>
      // What did not come from the store is counted, whatever it says of itself.
      Object.freeze((this.#isStored(offer) ? measured : counted)(offer, this.counter)),
    );
    this.leftOut.set(strategy.name, requireLeftOut(leftOut, lineage));
    this.given.set(strategy.name, Object.freeze(offers));
    return offers;
  }

  readonly #isStored = (offer: unknown): boolean => {
    const position = (offer as Partial<AssemblyFragment> | null | undefined)?.position;
    return typeof position === 'number' && this.#rated[position] === offer;
  };
}
