/**
 * The gate: may this summary take the place of that span? Every check works without a model, and every
 * reason is reported, not only the first. The caller changes nothing unless the outcome is `passed`.
 */
import { checkIdentifiers } from './check-identifiers.js';
import { checkPins } from './check-pins.js';
import { checkSections } from './check-sections.js';
import { checkPairing, checkSize, checkTail } from './check-sizes.js';
import { checkSources } from './check-sources.js';
import { checkText } from './check-text.js';
import {
  type CheckOutcome,
  type Findings,
  GATE_CODES,
  type GateCode,
  type GateInput,
  type GateReason,
  type GateVerdict,
} from './gate-input.js';

const CHECKS: Readonly<Record<GateCode, (input: GateInput) => Findings>> = {
  pairing: checkPairing,
  size: checkSize,
  identifiers: checkIdentifiers,
  pins: checkPins,
  sections: checkSections,
  sources: checkSources,
  tail: checkTail,
  text: checkText,
};

/** What cannot be looked into cannot be checked, and is said not to have been. */
const NOT_OF_OPAQUE: readonly GateCode[] = ['identifiers', 'sections', 'sources'];

export function checkGate(input: GateInput): GateVerdict {
  const checks: Partial<Record<GateCode, CheckOutcome>> = {};
  const reasons: GateReason[] = [];
  for (const code of GATE_CODES) {
    if (input.strategy === 'opaque' && NOT_OF_OPAQUE.includes(code)) {
      checks[code] = 'not-applicable';
      continue;
    }
    const findings = CHECKS[code](input);
    checks[code] = findings.length === 0 ? 'passed' : 'failed';
    reasons.push(...findings.map((finding) => ({ code, ...finding })));
  }
  return {
    outcome: reasons.length === 0 ? 'passed' : 'rejected',
    checks: checks as Record<GateCode, CheckOutcome>,
    reasons,
  };
}
