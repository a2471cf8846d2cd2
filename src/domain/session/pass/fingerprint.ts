/** What a pass depends on, as one value: an automatic pass on the same value is not tried again. */
import type { Digest } from '../../kernel/measures.js';
import type { PassSettings, PassStrategy } from './settings.js';

export interface PassInputs {
  /** `seq` of the cut in force, and of the last entry. */
  readonly cutSeq: number;
  readonly lastSeq: number;
  /** Units that left from behind the cut, in the order of the session. */
  readonly leftUnitIds: readonly string[];
  readonly previewedSeqs: readonly number[];
  /** Digest of the rendered summary with pins; null before the first cycle. */
  readonly summaryHash: string | null;
  readonly frameTokens: number;
  readonly settings: PassSettings;
  /** As resolved: never `auto`. */
  readonly strategy: Exclude<PassStrategy, 'auto'>;
  readonly counterName: string;
  readonly counterVersion: string;
}

/** Lower-case hexadecimal; equal for equal inputs, whatever the order of the fields of settings. */
export function passFingerprint(inputs: PassInputs, digest: Digest): string {
  const settings = Object.entries(inputs.settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return digest(
    JSON.stringify([
      inputs.cutSeq,
      inputs.lastSeq,
      inputs.leftUnitIds,
      inputs.previewedSeqs,
      inputs.summaryHash,
      inputs.frameTokens,
      settings,
      inputs.strategy,
      inputs.counterName,
      inputs.counterVersion,
    ]),
  );
}
