/** What the fields of a lesson must be. */
import { OssatureError } from '../kernel/errors.js';
import { isUlid } from '../kernel/ids.js';
import { LESSON_ORIGINS, type LessonOrigin } from './lesson.js';
import { shownValue } from './shown-value.js';

const FAMILY = /^[a-z0-9][a-z0-9-]{0,63}$/;
const LONGEST_TITLE = 120;
const LONGEST_BODY = 100_000;
const MOST_GIST_WORDS = 25;
/** Characters; 25 words without a blank between them are no gist. */
const LONGEST_GIST = 500;
const MOST_TAGS = 50;
const LONGEST_TAG = 64;

export interface LessonFields {
  readonly family: string;
  readonly title: string;
  readonly gist: string;
  readonly body: string;
  readonly origin: LessonOrigin;
  readonly tags: readonly string[];
}

export function isTitle(text: string): boolean {
  return text.trim() !== '' && text.length <= LONGEST_TITLE && !/[\r\n]/.test(text);
}

export function isGist(text: string): boolean {
  const words = text.trim().split(/\s+/u);
  return (
    text.trim() !== '' &&
    text.length <= LONGEST_GIST &&
    !/[\r\n]/.test(text) &&
    words.length <= MOST_GIST_WORDS
  );
}

/** @throws OssatureError INVALID_LESSON naming the field. */
export function requireLessonFields(given: LessonFields): LessonFields {
  const { family, title, gist, body, origin, tags } = given;
  if (typeof family !== 'string' || !FAMILY.test(family)) {
    throw invalid(
      'family',
      'must be a slug such as flaky-services (a-z, 0-9, -; at most 64)',
      family,
    );
  }
  if (typeof title !== 'string' || !isTitle(title)) {
    throw invalid('title', `must be one line of 1 to ${LONGEST_TITLE} characters`, title);
  }
  if (typeof gist !== 'string' || !isGist(gist)) {
    throw invalid(
      'gist',
      `must be one line of 1 to ${MOST_GIST_WORDS} words that say when it applies`,
      gist,
    );
  }
  if (typeof body !== 'string' || body.trim() === '' || body.length > LONGEST_BODY) {
    throw invalid('body', `must have 1 to ${LONGEST_BODY} characters`, body);
  }
  if (!LESSON_ORIGINS.includes(origin) || origin === 'compression' || origin === 'merge') {
    throw invalid('origin', 'of a lesson that is added must be manual or reflection', origin);
  }
  const isTag = (tag: unknown): boolean =>
    typeof tag === 'string' && tag.trim() !== '' && tag.length <= LONGEST_TAG;
  if (!Array.isArray(tags) || tags.length > MOST_TAGS || !tags.every(isTag)) {
    throw invalid(
      'tags',
      `must be at most ${MOST_TAGS} texts of 1 to ${LONGEST_TAG} characters`,
      tags,
    );
  }
  return { family, title: title.trim(), gist: gist.trim(), body, origin, tags: [...new Set(tags)] };
}

/** @throws OssatureError INVALID_ID. @param field such as `lesson_id`. */
export function requireUlid(value: unknown, field: string): string {
  if (isUlid(value)) return value;
  throw new OssatureError(
    'INVALID_ID',
    `${field} must be a ULID (26 characters, such as 01ARZ3NDEKTSV4RRFFQ69G5FAV), got ${shownValue(value)}.`,
    { details: { field } },
  );
}

/** @param value cleaned already where it is a text: a message tells its beginning. */
function invalid(field: string, rule: string, value: unknown): OssatureError {
  const length =
    typeof value === 'string' && value.length > 60 ? ` (${value.length} characters)` : '';
  return new OssatureError(
    'INVALID_LESSON',
    `${field} ${rule}, got ${shownValue(value)}${length}.`,
    { details: { field } },
  );
}
