/** A lesson as JSON tells it, and the words that several views of it share. */
import {
  isCostly,
  type Lesson,
  type LessonSummary,
  netTokens,
  posterior,
  precision,
} from '../../../domain/lessons/lesson.js';
import { type Block, formatCount } from '../view.js';

/** In the names of the specification; how far the last attempt is back is told by eligibility. */
export function lessonFacts(lesson: LessonSummary | Lesson) {
  const { compression: _compression, bodyFingerprint: _fingerprint, stats, ...rest } = lesson;
  const { savedTokens: _saved, addedTokens: _added, ...counts } = stats;
  return {
    ...rest,
    savedShare: savedShare(lesson),
    provisional: lesson.provisionalBecause.length > 0,
    stats: counts,
    posterior: posterior(stats),
    precision: precision(stats),
    netTokens: netTokens(stats),
    costly: isCostly(stats),
  };
}

/** Of the tokens of its originals, 0..1. */
export function savedShare({
  tokens,
  level0Tokens,
}: Pick<Lesson, 'tokens' | 'level0Tokens'>): number {
  return level0Tokens === 0 ? 0 : 1 - tokens / level0Tokens;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function statusOf({ status, demotedBecause }: LessonSummary): string {
  return demotedBecause === null ? status : `${status} (${demotedBecause})`;
}

export function boundOf(bound: number | null): string {
  return bound === null ? '' : `≥ ${bound.toFixed(3)}`;
}

/** Text under a heading of its own, in rich and in plain. */
export function textUnder(title: string, text: string): Block {
  return { block: 'text', text: `${title}:\n${text.replace(/^(?=.)/gm, '  ')}` };
}

/** `60 → 44 (-26.7 %)` */
export function sizeChange(before: number, after: number): string {
  const share = before === 0 ? 0 : (after - before) / before;
  const sign = share > 0 ? '+' : '';
  return `${formatCount(before)} → ${formatCount(after)} (${sign}${percent(share)})`;
}

/** Enough of a fingerprint to name its claim. */
export function shortPrint(fingerprint: string): string {
  return fingerprint.slice(0, 8);
}
