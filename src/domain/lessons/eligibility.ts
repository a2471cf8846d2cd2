/** May this lesson be compressed now, and if not, by which rules. All that fail are told. */
import type { CompressionState, Lesson } from './lesson.js';
import type { LessonSettings } from './lesson-settings.js';

export type IneligibleReason =
  | 'disabled'
  | 'not-active'
  | 'not-apex'
  | 'max-level'
  | 'too-few-successes'
  | 'cooling-down'
  | 'no-episodes'
  | 'too-small'
  | 'saturated';

export interface Eligibility {
  readonly eligible: boolean;
  /** In the order of the rules. */
  readonly failing: readonly IneligibleReason[];
  /** End of the cooldown; null: it is past, or never began. */
  readonly eligibleAt: Date | null;
}

type Candidate = Pick<Lesson, 'status' | 'isApex' | 'level' | 'stats' | 'tokens' | 'compression'>;

/** @param replayable episodes of the regression set that are not quarantined. */
export function eligibility(
  lesson: Candidate,
  replayable: number,
  settings: LessonSettings,
  now: Date,
): Eligibility {
  const eligibleAt = cooldownEnd(lesson.compression, settings);
  const isCooling = eligibleAt !== null && now.getTime() < eligibleAt.getTime();
  const rules: readonly (readonly [IneligibleReason, boolean])[] = [
    ['disabled', !settings['compression.enabled']],
    ['not-active', lesson.status !== 'active'],
    ['not-apex', !lesson.isApex],
    ['max-level', lesson.level >= settings['compression.max_level']],
    ['too-few-successes', lesson.stats.successes < settings['compression.min_successes']],
    ['cooling-down', isCooling],
    ['no-episodes', replayable === 0],
    ['too-small', lesson.tokens < settings['compression.min_tokens']],
    ['saturated', lesson.compression.saturated],
  ];
  const failing = rules.flatMap(([reason, fails]) => (fails ? [reason] : []));
  return { eligible: failing.length === 0, failing, eligibleAt: isCooling ? eligibleAt : null };
}

/** When the cooldown ends; exactly then counts as past. Null before the first attempt. */
export function cooldownEnd(
  { lastAttemptAt, rejections }: Pick<CompressionState, 'lastAttemptAt' | 'rejections'>,
  settings: LessonSettings,
): Date | null {
  if (lastAttemptAt === null) return null;
  return new Date(lastAttemptAt.getTime() + cooldownSeconds(rejections, settings) * 1_000);
}

/** Doubles with each rejection in a row after the first, up to the maximum. */
export function cooldownSeconds(rejections: number, settings: LessonSettings): number {
  const base = settings['compression.cooldown_s'];
  const doublings = Math.min(Math.max(0, rejections - 1), MOST_DOUBLINGS);
  const longest = Math.max(base, settings['compression.cooldown_max_s']);
  return Math.min(longest, base * 2 ** doublings);
}

/** More would be no number any more. */
const MOST_DOUBLINGS = 40;

/** After something was learned that the last attempt did not know: the streak starts anew. */
export function withNewEvidence(state: CompressionState): CompressionState {
  return { ...state, rejections: 0, saturated: false, evidence: state.evidence + 1 };
}
