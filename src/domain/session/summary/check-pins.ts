/** Every pin in force is still there, in force, shown, and word for word. */
import type { Findings, GateInput } from './gate-input.js';
import { brokenPins } from './pins.js';
import { activePins, isActivePin } from './summary-item.js';

export function checkPins({ before, after, digest }: GateInput): Findings {
  const now = new Map(after.items.map((item) => [item.itemNo, item]));
  const lost = activePins(before).flatMap((pin) => {
    const kept = now.get(pin.itemNo);
    const fault = (reason: string): Findings => [{ itemNo: pin.itemNo, reason }];
    if (kept === undefined) return fault('the pin is gone');
    if (!isActivePin(kept)) return fault('the pin is no longer in force');
    if (kept.archived) return fault('the pin is archived');
    return kept.text === pin.text && kept.textHash === pin.textHash
      ? []
      : fault('the pin is not word for word what it was');
  });
  const broken = brokenPins(after, digest)
    .filter((itemNo) => lost.every((finding) => finding.itemNo !== itemNo))
    .map((itemNo) => ({ itemNo, reason: 'the text of the pin does not match its hash' }));
  return [...lost, ...broken];
}
