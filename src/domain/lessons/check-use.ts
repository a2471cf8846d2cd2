/** What a recorded use must be. */
import { OssatureError } from '../kernel/errors.js';
import {
  EPISODE_OUTCOMES,
  type EpisodeCheck,
  type EpisodeOutcome,
  type UseKind,
} from './episode.js';
import { requireUlid } from './lesson-fields.js';
import { shownValue } from './shown-value.js';

/** Characters of a prompt and of a summary that are kept. */
export const LONGEST_EPISODE_TEXT = 4_000;

const LONGEST_SPAN = 2_000;
const MOST_LESSONS = 200;
const MOST_SPANS = 200;
const MOST_CHECK_VALUES = 100;
/** Characters: a value stands in the reason of a verdict, and in hints. */
const LONGEST_CHECK_VALUE = 1_000;

export interface UseRequest {
  /** Unique in the store: the same use under it again is recorded once. */
  readonly useKey?: string;
  readonly kind?: UseKind;
  readonly projectId?: string | null;
  readonly axis?: string;
  readonly prompt: string;
  readonly outcome: EpisodeOutcome;
  /** 0..1; left out: 0.8. */
  readonly confidence?: number;
  readonly acceptedSummary?: string;
  readonly check?: EpisodeCheck;
  /** Left out: the same as `used`. */
  readonly served?: readonly string[];
  /** Left out: no verdict. Empty: nothing helped. */
  readonly used?: readonly string[];
  readonly corrected?: readonly string[];
  readonly spans?: readonly { readonly lessonId: string; readonly text: string }[];
  readonly sessionId?: string;
  /** A person's words about what was wrong; acted on at any confidence. */
  readonly correction?: string;
}

export interface CheckedUse extends Required<Pick<UseRequest, 'kind' | 'confidence' | 'served'>> {
  readonly used: readonly string[] | null;
  readonly corrected: readonly string[];
  readonly spans: NonNullable<UseRequest['spans']>;
}

/**
 * @param clean takes secrets out of what a message shows.
 * @throws OssatureError INVALID_EPISODE, INVALID_USE, INVALID_ID.
 */
export function checkUse(
  request: UseRequest,
  defaultConfidence: number,
  clean: (text: string) => string,
): CheckedUse {
  const { prompt, outcome, confidence = defaultConfidence, check, kind = 'per-use' } = request;
  const got = (value: unknown): string =>
    `, got ${shownValue(typeof value === 'string' ? clean(value) : value)}`;
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw episodeFault('prompt', 'must not be empty');
  }
  if (!EPISODE_OUTCOMES.includes(outcome)) {
    throw episodeFault('outcome', `must be one of ${EPISODE_OUTCOMES.join(', ')}${got(outcome)}`);
  }
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) {
    throw episodeFault('confidence', `must be a number from 0 to 1${got(confidence)}`);
  }
  for (const field of ['acceptedSummary', 'axis', 'sessionId', 'useKey', 'correction'] as const) {
    const value: unknown = request[field];
    if (value !== undefined && typeof value !== 'string') {
      throw episodeFault(field, `must be a text${got(value)}`);
    }
  }
  if (check !== undefined) requireCheck(check);
  if (kind !== 'per-use' && kind !== 'session-end') {
    throw useFault('kind', `must be per-use or session-end${got(kind)}`);
  }
  const used = request.used === undefined ? null : list(request.used, 'used');
  const served = list(request.served ?? used ?? [], 'served');
  const corrected = list(request.corrected ?? [], 'corrected');
  within(used ?? [], served, 'used');
  within(corrected, served, 'corrected');
  const spans = request.spans ?? [];
  if (!Array.isArray(spans) || spans.length > MOST_SPANS) {
    throw useFault('spans', `must be a list of at most ${MOST_SPANS}`);
  }
  for (const { lessonId, text } of spans) {
    if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST_SPAN) {
      throw useFault('spans', `must hold texts of 1 to ${LONGEST_SPAN} characters`);
    }
    within([requireUlid(lessonId, 'lesson_id')], served, 'spans');
  }
  return { kind, confidence, served, used, corrected, spans };
}

function requireCheck(check: EpisodeCheck): void {
  const { type, values } = check as Partial<EpisodeCheck>;
  const isSound =
    type === 'contains' &&
    Array.isArray(values) &&
    values.length > 0 &&
    values.length <= MOST_CHECK_VALUES &&
    values.every(
      (value) =>
        typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_CHECK_VALUE,
    );
  if (!isSound) {
    throw episodeFault(
      'check',
      `must be { type: "contains", values: [1 to ${MOST_CHECK_VALUES} texts of at most ${LONGEST_CHECK_VALUE} characters] }`,
    );
  }
}

function list(ids: readonly string[], field: string): readonly string[] {
  const isList: boolean = Array.isArray(ids);
  if (!isList || ids.length > MOST_LESSONS) {
    throw useFault(field, `must be a list of at most ${MOST_LESSONS} lessons`);
  }
  for (const id of ids) requireUlid(id, 'lesson_id');
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw useFault(field, `names lesson ${twice} twice`, twice);
  return ids;
}

function within(ids: readonly string[], served: readonly string[], field: string): void {
  const outside = ids.find((id) => !served.includes(id));
  if (outside === undefined) return;
  throw useFault(field, `names lesson ${outside}, which was not served`, outside);
}

function episodeFault(field: string, rule: string): OssatureError {
  return new OssatureError('INVALID_EPISODE', `${field} ${rule}.`, { details: { field } });
}

function useFault(field: string, rule: string, lessonId?: string): OssatureError {
  return new OssatureError('INVALID_USE', `${field} ${rule}.`, {
    details: { field, ...(lessonId === undefined ? {} : { lessonId }) },
  });
}
