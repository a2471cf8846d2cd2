/** A store in front of ours that stops the world at a chosen access, as a crash or a cancelling would. */
import type { Repositories } from '../../src/application/ports/unit-of-work.js';

export class Interruption {
  /** Accesses so far. */
  accesses = 0;
  /** The access before which it happens, from 1; 0: never. */
  at = 0;
  /** What happens: `crash` throws there and at every later access. */
  happen: 'crash' | (() => void) = 'crash';

  /** Counts anew, from nothing. */
  arm(at: number, happen: Interruption['happen']): void {
    this.accesses = 0;
    this.at = at;
    this.happen = happen;
  }

  disarm(): void {
    this.at = 0;
  }

  touch(): void {
    this.accesses += 1;
    if (this.at === 0 || this.accesses < this.at) return;
    if (this.happen === 'crash') throw new Error('the process is gone');
    if (this.accesses === this.at) this.happen();
  }

  readonly wrap = (ours: Repositories): Repositories =>
    Object.fromEntries(
      Object.entries(ours).map(([name, repository]) => [name, this.#watched(repository as object)]),
    ) as unknown as Repositories;

  #watched(repository: object): object {
    return new Proxy(repository, {
      get: (target, name, receiver) => {
        const member: unknown = Reflect.get(target, name, receiver);
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]): Promise<unknown> => {
          this.touch();
          const result: unknown = await Reflect.apply(member, target, given);
          return result;
        };
      },
    });
  }
}
