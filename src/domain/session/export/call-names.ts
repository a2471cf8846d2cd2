/**
 * Ids of calls and names of tools as a provider accepts them. An id stays as it is unless it was used
 * before or breaks the provider's form; then it gets a running number, the same in every export of
 * the same beginning.
 */
export interface NameLimits {
  /** Longest id of a call, in characters. */
  readonly callId: number;
  /** Longest name of a tool, in characters. */
  readonly toolName: number;
}

const FOREIGN = /[^A-Za-z0-9_-]/g;

export class CallNames {
  readonly #used = new Set<string>();

  constructor(private readonly limits: NameLimits) {}

  /** An id that no earlier call of this export has. */
  takeCallId(wanted: string): string {
    const { callId: limit } = this.limits;
    const base = (wanted.replace(FOREIGN, '_') || 'call').slice(0, limit);
    let callId = base;
    for (let number = 2; this.#used.has(callId); number += 1) {
      const suffix = `_${number}`;
      callId = base.slice(0, limit - suffix.length) + suffix;
    }
    this.#used.add(callId);
    return callId;
  }

  toolName(wanted: string): string {
    return (wanted.replace(FOREIGN, '_') || 'tool').slice(0, this.limits.toolName);
  }
}
