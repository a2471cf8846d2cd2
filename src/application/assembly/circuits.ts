/** One circuit breaker a strategy, shared by all assemblies; each changes between awaits, one step at a time. */
import {
  admit,
  type Circuit,
  CLOSED_CIRCUIT,
  failed,
  succeeded,
  type Ticket,
} from '../../domain/assembly/circuit-breaker.js';
import type { Clock } from '../ports/system.js';

export class Circuits {
  readonly #circuits = new Map<string, Circuit>();

  constructor(private readonly clock: Clock) {}

  /** Null: it failed repeatedly and is left alone for a while. */
  enter(name: string): Ticket | null {
    const { circuit, ticket } = admit(this.#of(name), this.clock().getTime());
    this.#circuits.set(name, circuit);
    return ticket;
  }

  leave(name: string, ticket: Ticket, isSuccess: boolean): void {
    const circuit = this.#of(name);
    const next = isSuccess
      ? succeeded(circuit, ticket)
      : failed(circuit, ticket, this.clock().getTime());
    this.#circuits.set(name, next);
  }

  #of(name: string): Circuit {
    return this.#circuits.get(name) ?? CLOSED_CIRCUIT;
  }
}

export const LEFT_ALONE = 'It failed repeatedly and is left alone for a while.';
