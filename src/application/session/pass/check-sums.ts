/** The check between two steps from sums alone: most of the time nothing is due, whatever the tail holds. */
import { calibrated } from '../../../domain/session/pass/calibration.js';
import { firingTrigger } from '../../../domain/session/pass/triggers.js';
import { MESSAGE_OVERHEAD_TOKENS } from '../../../domain/session/pass/unit-mark.js';
import type { Session } from '../../../domain/session/session.js';
import { liveCycles } from '../../../domain/session/summary/session-cycle.js';
import type { PassCheck, PassRequest } from '../pass-request.js';
import { readFactor } from '../read-pass-material.js';
import { isCountedBy } from '../recount-session.js';
import type { PassNeeds } from '../summary-needs.js';
import { frameOf } from './host-frame.js';
import { settingsOf } from './pass-needs.js';

/**
 * Everything is taken at its most, so that what is not due here is not due at all.
 *
 * @returns null where sums do not tell: a closer look is needed.
 */
export async function checkSums(
  needs: PassNeeds,
  session: Session,
  request: PassRequest,
): Promise<PassCheck | null> {
  const { sessions, summaries } = needs.repositories;
  // Counts of two counters are never compared: it is counted anew before anything is decided.
  if (!isCountedBy(session, needs.tokenCounter)) return null;
  const { settings } = settingsOf(needs, session, request);
  const last = liveCycles(await summaries.listCycles(session)).at(-1);
  // Pins and the like have changed what stands before the tail.
  if (session.revision !== (last?.revision ?? 1)) return null;
  const sums = await sessions.sumEntries(session, last?.cutSeq ?? 0);
  // Texts that have to become previews are looked at one by one.
  if (sums.largestTokens > settings.oversizeTokens) return null;
  const { systemTokens, toolTokens } = frameOf(request.frame, settings, needs.tokenCounter);
  const counted = systemTokens + toolTokens + sums.tokens + MESSAGE_OVERHEAD_TOKENS * sums.entries;
  const factor = await readFactor(needs.repositories, session);
  // What stands before the tail is at most what the last pass left in all.
  const before = (last?.tokensAfter ?? 0) * Math.max(1, factor);
  const usedTokens = calibrated(counted, factor) + Math.ceil(before);
  const sizes = {
    usedTokens,
    tailTurns: sums.turns,
    slidingTokens: usedTokens,
    minFreedTokens: 0,
    hasEndedTask: true,
  };
  const { fired, answers } = firingTrigger(settings.triggers, sizes, settings);
  if (fired !== null) return null;
  return {
    isDue: false,
    outcome: 'not_due',
    reason: 'no-trigger',
    usedTokens,
    triggers: answers,
    previewed: [],
  };
}
