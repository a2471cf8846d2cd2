/** What passes need beside the store, and the settings that one of them works under. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import {
  type PassSettings,
  type ResolvedSettings,
  resolveSettings,
} from '../../../domain/session/pass/settings.js';
import { readSettings } from '../../../domain/session/pass/stored-settings.js';
import type { Session } from '../../../domain/session/session.js';
import type { SummaryStrategy } from '../../../domain/session/summary/gate-input.js';
import type { PassRequest } from '../pass-request.js';
import type { Reviewer } from '../review-summary.js';
import type { Summarizer } from '../summarise.js';
import type { PassNeeds } from '../summary-needs.js';

/** How long an attempt counts as alive without a sign of life, in ms; never longer than a pass may take. */
const LEASE_MS = 30_000;

export function leaseMs({ passTimeoutMs }: PassSettings): number {
  return Math.min(LEASE_MS, passTimeoutMs);
}

/**
 * The session's own settings under those of the request. The window is that of the session's own model:
 * a child never takes over its parent's.
 *
 * @throws OssatureError INVALID_CONFIG naming the field.
 */
export function settingsOf(
  { summarizer }: PassNeeds,
  session: Session,
  { settings = {} }: PassRequest,
): ResolvedSettings {
  const given = { ...readSettings(session.settings), ...settings };
  return resolveSettings(given, session.model, summarizer?.windowTokens ?? null);
}

/**
 * Whoever looks over what the strategy writes; null where nobody is to, or code writes it.
 *
 * @throws OssatureError INVALID_CONFIG where the session wants a review and there is nobody to make it.
 */
export function reviewerOf(
  { reviewer }: PassNeeds,
  { review }: PassSettings,
  strategy: SummaryStrategy,
): Reviewer | null {
  if (!review || strategy === 'offline' || strategy === 'opaque') return null;
  if (reviewer !== null) return reviewer;
  throw new OssatureError(
    'INVALID_CONFIG',
    'review is true and there is no reviewer: name a model, give createOssature one, or set review to false.',
    { details: { field: 'review' } },
  );
}

/** `auto` is `anchored` where there is somebody to write it. */
export function strategyOf(
  wanted: PassSettings['strategy'],
  summarizer: Summarizer | null,
): SummaryStrategy {
  if (wanted !== 'auto') return wanted;
  return summarizer === null ? 'offline' : 'anchored';
}

/** What follows the strategy where it came to nothing, or null. */
export function fallbackOf(
  { fallback }: PassSettings,
  strategy: SummaryStrategy,
  summarizer: Summarizer | null,
): SummaryStrategy | null {
  if (fallback === 'none') return null;
  const next = strategyOf(fallback, summarizer);
  return next === strategy || strategy === 'offline' ? null : next;
}

/** @throws OssatureError INVALID_CONFIG for a name that stands in items and rows and cannot be read there. */
export function requireSummarizer(summarizer: Summarizer): void {
  const { name, overheadTokens } = summarizer;
  const refuse = (field: string, reason: string): never => {
    throw new OssatureError('INVALID_CONFIG', `summarizer.${field} ${reason}.`, {
      details: { field: `summarizer.${field}` },
    });
  };
  if (name.trim() === '' || name.includes('\n'))
    refuse('name', 'must be one line that is not empty');
  if (!Number.isSafeInteger(overheadTokens) || overheadTokens < 0) {
    refuse('overheadTokens', 'must be a whole number from 0 on');
  }
}
