/** How many calls an agent makes before it changes something again: at its start, and after each pass. */
import type { ToolEffect } from '../transcript.js';

export interface CallsBeforeChange {
  /** 0: from the start of the session; else the adopted pass, or the vendor's own as `vendor:N`. */
  readonly cycle: number | string;
  /** Calls before the first that changes an artifact. */
  readonly calls: number;
  /** False: the session, or the next pass, came before any change. */
  readonly hasChanged: boolean;
}

/**
 * @param calls ascending in `seq`.
 * @param passes adopted passes, each with the last `seq` that was there when it was adopted, ascending.
 */
export function callsBeforeChange(
  calls: readonly { readonly seq: number; readonly effect: ToolEffect }[],
  passes: readonly Pick<CallsBeforeChange & { readonly atSeq: number }, 'cycle' | 'atSeq'>[],
): readonly CallsBeforeChange[] {
  const starts: typeof passes = [{ cycle: 0, atSeq: 0 }, ...passes];
  return starts.map(({ cycle, atSeq }, index) => {
    const endSeq = starts[index + 1]?.atSeq ?? Number.POSITIVE_INFINITY;
    const between = calls.filter(({ seq }) => seq > atSeq && seq <= endSeq);
    const first = between.findIndex(({ effect }) => effect === 'changes');
    const hasChanged = first !== -1;
    return { cycle, calls: hasChanged ? first : between.length, hasChanged };
  });
}
