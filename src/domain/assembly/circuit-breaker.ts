/**
 * A circuit breaker as a value: after {@link FAILURES_TO_OPEN} failures in a row a strategy is left
 * alone, and after a pause one call, a probe, is let through to see whether it works again.
 *
 *   closed ──3 failures──▶ open ──pause──▶ probing ──success──▶ closed
 *                           ▲                 │
 *                           └─────failure─────┘
 *
 * Calls that were let in before the circuit changed hold a ticket of the old generation: how they
 * end no longer counts, so that a hundred slow failures open it once and do not keep it open.
 */
export type Circuit =
  | { readonly state: 'closed'; readonly generation: number; readonly failures: number }
  | { readonly state: 'open'; readonly generation: number; readonly sinceMs: number }
  | { readonly state: 'probing'; readonly generation: number };

/** Admits one call; goes back with how the call ended. */
export interface Ticket {
  readonly generation: number;
}

/** Failures in a row. Specification of assembly, §3 row 3. */
export const FAILURES_TO_OPEN = 3;

/** Milliseconds between opening and the probe. */
export const OPEN_MS = 30_000;

export const CLOSED_CIRCUIT: Circuit = { state: 'closed', generation: 0, failures: 0 };

/** Whether a call may go ahead now; null: it may not. */
export function admit(
  circuit: Circuit,
  nowMs: number,
): { readonly circuit: Circuit; readonly ticket: Ticket | null } {
  const { state, generation } = circuit;
  if (state === 'closed') return { circuit, ticket: { generation } };
  if (state === 'probing' || nowMs - circuit.sinceMs < OPEN_MS) return { circuit, ticket: null };
  const probe = generation + 1;
  return { circuit: { state: 'probing', generation: probe }, ticket: { generation: probe } };
}

export function succeeded(circuit: Circuit, ticket: Ticket): Circuit {
  if (ticket.generation !== circuit.generation || circuit.state === 'open') return circuit;
  const { generation } = circuit;
  if (circuit.state === 'closed') return { state: 'closed', generation, failures: 0 };
  return { state: 'closed', generation: generation + 1, failures: 0 };
}

export function failed(circuit: Circuit, ticket: Ticket, nowMs: number): Circuit {
  if (ticket.generation !== circuit.generation || circuit.state === 'open') return circuit;
  const { generation } = circuit;
  const failures = circuit.state === 'closed' ? circuit.failures + 1 : FAILURES_TO_OPEN;
  if (failures < FAILURES_TO_OPEN) return { state: 'closed', generation, failures };
  return { state: 'open', generation: generation + 1, sinceMs: nowMs };
}
