/**
 * Ids that follow from what they stand for, so that a second import of the same source finds them
 * again. They have the form of a ULID, but no time in them.
 */
import type { Digest } from '../kernel/measures.js';
import type { DecisionId } from '../kernel/ids.js';
import { parseDecisionId } from '../kernel/ids.js';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Bits of a ULID. */
const ULID_BITS = 128;

const ULID_LENGTH = 26;

/** @param vendorSessionId the session's name in its own format; unique there. */
export function deriveSessionId(format: string, vendorSessionId: string, digest: Digest): string {
  return ulidFrom(digest(JSON.stringify(['session', format, vendorSessionId])));
}

/** @param owner the plan that the decisions become, or null: one session may serve several plans. */
export function decisionScope(sessionId: string, owner: string | null): string {
  return owner === null ? sessionId : `${owner}:${sessionId}`;
}

/**
 * @param scope the session, and the plan that it serves.
 * @param part distinguishes decisions that one entry makes, such as two answers.
 */
export function deriveDecisionId(
  scope: string,
  sourceKey: string,
  part: string,
  digest: Digest,
): DecisionId {
  return parseDecisionId(ulidFrom(digest(JSON.stringify(['decision', scope, sourceKey, part]))));
}

function ulidFrom(hexDigest: string): string {
  let bits = BigInt(`0x${hexDigest.slice(0, ULID_BITS / 4)}`);
  let text = '';
  for (let position = 0; position < ULID_LENGTH; position += 1) {
    text = CROCKFORD.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return text;
}
