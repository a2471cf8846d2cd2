/** Shares of a request to a summarizer: instructions, complaints, reference, and the rest for the window. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { TokenCounter } from '../../../domain/kernel/measures.js';
import { boundaryBefore } from '../../../domain/session/cut-text.js';
import type { PassSettings } from '../../../domain/session/pass/settings.js';
import type { SectionSchema } from '../../../domain/session/summary/section-schema.js';
import type { Summarizer } from '../summarise.js';

export interface RequestShares {
  /** Ceiling of the whole request. */
  readonly requestTokens: number;
  /** Tokens of overhead, schema and focus, the same in every request. */
  readonly fixedTokens: number;
  readonly complaintTokens: number;
  readonly windowTokens: number;
  /** Least that the reference may take; what a window leaves free is its own as well. */
  readonly referenceTokens: number;
  readonly answerTokens: number;
}

/** Of what fixed parts and complaints leave. */
const REFERENCE_SHARE = 0.25;

const COMPLAINT_SHARE = 0.05;

/** A window with less room cannot show anything worth summarizing. */
const MIN_ROOM_TOKENS = 200;

/** Ceiling of an answer: a patch says little of much, a whole summary is as large as it may be. */
const MIN_ANSWER_TOKENS = 1_000;
const MAX_ANSWER_TOKENS = 16_000;

/** @throws OssatureError INVALID_CONFIG where the ceiling leaves no room for a window. */
export function requestShares(
  { summarizerWindowTokens: requestTokens, summaryTokens }: PassSettings,
  { overheadTokens }: Summarizer,
  schema: SectionSchema,
  focus: string | null,
  counter: TokenCounter,
): RequestShares {
  const fixedTokens =
    overheadTokens + counter.count(JSON.stringify(schema)) + counter.count(focus ?? '');
  const complaintTokens = Math.floor(requestTokens * COMPLAINT_SHARE);
  const room = requestTokens - fixedTokens - complaintTokens;
  if (room < MIN_ROOM_TOKENS) {
    throw new OssatureError(
      'INVALID_CONFIG',
      `summarizer_window_tokens ${requestTokens} leaves ${Math.max(0, room)} tokens for a window beside instructions, schema and focus; at least ${MIN_ROOM_TOKENS} are needed.`,
      { details: { field: 'summarizer_window_tokens' } },
    );
  }
  const referenceTokens = Math.floor(room * REFERENCE_SHARE);
  return {
    requestTokens,
    fixedTokens,
    complaintTokens,
    windowTokens: room - referenceTokens,
    referenceTokens,
    answerTokens: Math.min(MAX_ANSWER_TOKENS, Math.max(MIN_ANSWER_TOKENS, 2 * summaryTokens)),
  };
}

/** Complaints under their ceiling: whole ones, the first first, each cut where it alone is too long. */
export function complaintsWithin(
  complaints: readonly string[],
  maxTokens: number,
  counter: TokenCounter,
): readonly string[] {
  const chosen: string[] = [];
  let tokens = 0;
  for (const complaint of complaints) {
    const line = complaint.slice(0, boundaryBefore(complaint, MAX_COMPLAINT));
    tokens += counter.count(`${line}\n`);
    if (tokens > maxTokens) break;
    chosen.push(line);
  }
  return chosen;
}

/** UTF-16 units. */
const MAX_COMPLAINT = 500;
