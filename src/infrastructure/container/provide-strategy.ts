/** Strategies are the one thing of which many are bound: each feature and each host adds its own. */
import type { ContainerModuleLoadOptions } from 'inversify';
import type { ContextStrategy } from '../../application/assembly/context-strategy.js';
import { provide, token, type Token } from './token.js';
import { TOKENS } from './tokens.js';

type Binder = Pick<ContainerModuleLoadOptions, 'bind'>;

/** Stands for many, so it is no member of TOKENS, each of which stands for one. */
const CONTEXT_STRATEGY = token<ContextStrategy>('context-strategy');

/** Adds a strategy beside those that are there. */
export function provideStrategy<const Needs extends readonly Token<unknown>[]>(
  options: Binder,
  needs: Needs,
  make: Parameters<typeof provide<ContextStrategy, Needs>>[3],
): void {
  provide(options, CONTEXT_STRATEGY, needs, make);
}

/** Binds the list of all strategies that are provided by the time it is first asked for. */
export function provideStrategyList({ bind }: Binder): void {
  bind<readonly ContextStrategy[]>(TOKENS.contextStrategies)
    .toResolvedValue(
      (strategies: ContextStrategy[]) => strategies,
      [{ isMultiple: true, serviceIdentifier: CONTEXT_STRATEGY }],
    )
    .inSingletonScope();
}
