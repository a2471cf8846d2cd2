/** What a condensed detail states about one changed file. */
import type { JsonObject } from '../../redaction/json-value.js';
import { integerField, textField, textsField } from './call-arguments.js';
import type { ArtifactFact } from './tool-mapping.js';

type Stated = Partial<
  Pick<
    ArtifactFact,
    'action' | 'linesAdded' | 'linesRemoved' | 'hunks' | 'hashBefore' | 'hashAfter' | 'symbols'
  >
>;

export function statedChange(detail: JsonObject): Stated {
  const outcome = detail['outcome'];
  const linesAdded = integerField(detail, 'linesAdded');
  const linesRemoved = integerField(detail, 'linesRemoved');
  const hunks = integerField(detail, 'hunks');
  const hashBefore = textField(detail, 'hashBefore');
  const hashAfter = textField(detail, 'hashAfter');
  return {
    ...((outcome === 'created' || outcome === 'modified') && { action: outcome }),
    ...(linesAdded !== null && { linesAdded }),
    ...(linesRemoved !== null && { linesRemoved }),
    ...(hunks !== null && { hunks }),
    ...(hashBefore !== null && { hashBefore }),
    ...(hashAfter !== null && { hashAfter }),
    ...(Array.isArray(detail['symbols']) && { symbols: textsField(detail, 'symbols') }),
  };
}
