/** Transactions in memory: one at a time, on a copy, swapped in on success. For tests and for a first look. */
import type { Repositories, UnitOfWork } from '../../../application/ports/unit-of-work.js';
import { inMemoryRepositories } from './in-memory-repositories.js';
import { copyOf, emptyState } from './in-memory-state.js';

export function createInMemoryStore(): {
  readonly repositories: Repositories;
  readonly unitOfWork: UnitOfWork;
} {
  let committed = emptyState();
  let last: Promise<unknown> = Promise.resolve();

  const unitOfWork: UnitOfWork = (work) => {
    const run = last.then(async () => {
      const draft = copyOf(committed);
      const result = await work(inMemoryRepositories(() => draft));
      committed = draft;
      return result;
    });
    last = run.catch(() => {});
    return run;
  };
  return { repositories: inMemoryRepositories(() => committed), unitOfWork };
}
