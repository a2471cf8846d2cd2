/** Reads a judge's words as a verdict, and many verdicts as one outcome. What cannot be read never passes. */
import { isJsonObject } from '../redaction/json-value.js';
import type { JudgeVote, ReplayOutcome } from './attempt.js';
import { cutAt } from './normal-text.js';

/** Characters of a judge's answer that are kept as evidence. */
const KEPT_CHARACTERS = 2_000;

/** Characters of a reason. */
const REASON_CHARACTERS = 1_000;

const FENCED = /^```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n?```$/;

/** Exactly one JSON object, bare or in one fence: `pass`, `reason`, and perhaps `missing`. */
export function readVote(text: string): JudgeVote {
  const raw = cutAt(text, KEPT_CHARACTERS);
  const trimmed = text.trim();
  const json = FENCED.exec(trimmed)?.[1] ?? trimmed;
  const answer = parsed(json);
  if (!isJsonObject(answer) || saysAFieldTwice(json)) return unreadable(raw);
  const { pass, reason, missing = [], ...others } = answer;
  const isWellFormed =
    Object.keys(others).length === 0 &&
    typeof pass === 'boolean' &&
    typeof reason === 'string' &&
    reason.trim() !== '' &&
    Array.isArray(missing) &&
    missing.every((item) => typeof item === 'string');
  if (!isWellFormed) return unreadable(raw);
  return {
    outcome: pass ? 'passed' : 'failed',
    reason: cutAt(reason.trim(), REASON_CHARACTERS),
    missing,
    raw,
  };
}

/** A judge that did not answer. */
export function unreadable(raw: string | null): JudgeVote {
  return { outcome: 'unreadable', reason: null, missing: [], raw };
}

/** Votes of one side that settle it. */
export function majorityOf(votes: number): number {
  return Math.floor(votes / 2) + 1;
}

/**
 * The outcome once it is settled, else null: ask again. A majority of passes passes; otherwise it
 * failed if any vote failed readably, and is unreadable if none did.
 *
 * @param votes how many are asked at most.
 */
export function tally(cast: readonly JudgeVote[], votes: number): ReplayOutcome | null {
  const needed = majorityOf(votes);
  const passes = cast.filter(({ outcome }) => outcome === 'passed').length;
  if (passes >= needed) return 'passed';
  if (cast.length - passes < needed && cast.length < votes) return null;
  return cast.some(({ outcome }) => outcome === 'failed') ? 'failed' : 'unreadable';
}

/** A field that stands twice contradicts itself, and `JSON.parse` would take the last. @param json that parses. */
function saysAFieldTwice(json: string): boolean {
  const fields = new Set<string>();
  let depth = 0;
  for (const [token, name] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (name !== undefined && depth === 1) {
      const field = JSON.parse(name) as string;
      if (fields.has(field)) return true;
      fields.add(field);
    }
  }
  return false;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
