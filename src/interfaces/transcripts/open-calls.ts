/** Calls that wait for their results, to find the call of a result that does not name it. */

/** Calls that are remembered; more are open only where their results are missing. */
const MAX_OPEN = 1_000;

export class OpenCalls {
  readonly #names = new Map<string, string>();

  open(callId: string, toolName: string): void {
    this.#names.set(callId, toolName);
    const [oldest] = this.#names.keys();
    if (this.#names.size > MAX_OPEN && oldest !== undefined) this.#names.delete(oldest);
  }

  nameOf(callId: string): string | null {
    return this.#names.get(callId) ?? null;
  }

  /**
   * The call that a result belongs to, which is then answered.
   *
   * @param callId as the result gives it, or null: then the oldest open call of that tool, or of any.
   * @returns null where no call is open.
   */
  close(callId: string | null, toolName: string | null): string | null {
    const found = callId ?? this.#oldest(toolName);
    if (found !== null) this.#names.delete(found);
    return found;
  }

  #oldest(toolName: string | null): string | null {
    for (const [callId, name] of this.#names) {
      if (toolName === null || name === toolName) return callId;
    }
    return null;
  }
}
