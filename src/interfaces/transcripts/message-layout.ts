/**
 * How a source lays out its messages: one JSON array, JSONL, or objects with the array under a name;
 * and what its head shows of them.
 */
import type { TranscriptHead } from '../../application/session/transcript-reader.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { completeJson } from './complete-json.js';
import { parseJson } from './json-fields.js';
import { splitElements } from './json-values.js';

/** `objects`: one or more, each with its messages under one of the names, too large to parse whole. */
export type MessageLayout = 'array' | 'lines' | 'objects';

/** Names under which an object holds its messages; the first that is there counts. */
export const MESSAGE_ARRAYS: readonly string[] = ['messages', 'input', 'history', 'traj'];

/** What SWE-agent writes before the messages: the same steps, action by action. */
export const STEP_ARRAY = 'trajectory';

const NAMED_ARRAY = new RegExp(`"(?:${MESSAGE_ARRAYS.join('|')})"\\s*:\\s*\\[`);

/** Members that name the session, and those that say something of the conversation. */
export const SESSION_NAMES: readonly string[] = ['session_id', 'conversation_id', 'thread_id'];
export const TELLING_MEMBERS: readonly string[] = [...SESSION_NAMES, 'system', 'instructions'];

/** An object that holds messages, parted. */
export interface Wrapper {
  readonly records: readonly JsonValue[];
  /** Name of the array. */
  readonly name: string;
  /** Everything beside the array. */
  readonly members: JsonObject;
}

/** What the head shows of one session. */
export interface HeadSession {
  readonly members: JsonObject;
  /** The last may be incomplete. */
  readonly records: readonly JsonValue[];
}

export interface HeadView {
  readonly layout: MessageLayout;
  readonly sessions: readonly HeadSession[];
}

export function partWrapper(value: JsonValue): Wrapper | null {
  if (!isJsonObject(value) || 'role' in value) return null;
  const name = MESSAGE_ARRAYS.find((candidate) => Array.isArray(value[candidate]));
  const records = name === undefined ? undefined : value[name];
  if (name === undefined || !Array.isArray(records)) return null;
  const { [name]: _, ...members } = value;
  return { records: records as readonly JsonValue[], name, members };
}

/** Null: no JSON, or none that can hold messages. */
export function viewHead({ text, isWhole }: TranscriptHead): HeadView | null {
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (start.startsWith('[')) return { layout: 'array', sessions: sessionsOf(elementsIn(start)) };
  if (!start.startsWith('{')) return null;
  const lineEnd = start.indexOf('\n');
  const firstLine = lineEnd === -1 ? start : start.slice(0, lineEnd);
  const isLineWhole = lineEnd !== -1 || isWhole;
  if (isLineWhole && parseJson(firstLine) !== undefined) {
    return { layout: 'lines', sessions: sessionsOf(lineValues(start, isWhole)) };
  }
  const value = parseJson(start) ?? parseJson(completeJson(start));
  const wrapper = value === undefined ? null : partWrapper(value);
  if (wrapper !== null) return { layout: 'objects', sessions: [wrapper] };
  if (isJsonObject(value) && STEP_ARRAY in value) {
    return { layout: 'objects', sessions: [{ members: value, records: [] }] };
  }
  const values = lineValues(start, isWhole);
  if (values.length > 0) return { layout: 'lines', sessions: sessionsOf(values) };
  return NAMED_ARRAY.test(start) ? { layout: 'objects', sessions: [] } : null;
}

/** Elements that can be read; one that is cut off is closed, one that is damaged is left out. */
function elementsIn(text: string): readonly JsonValue[] {
  return splitElements(text).flatMap((element, index, all) => {
    const value = parseJson(element);
    if (value !== undefined) return [value];
    const isLast = index === all.length - 1;
    const closed = isLast ? parseJson(completeJson(element)) : undefined;
    return closed === undefined ? [] : [closed];
  });
}

function lineValues(text: string, isWhole: boolean): readonly JsonValue[] {
  const lines = text.split('\n');
  const last = lines.length - 1;
  return lines.flatMap((line, index) => {
    const isCut = index === last && !isWhole;
    const value = parseJson(isCut ? completeJson(line) : line);
    return value === undefined ? [] : [value];
  });
}

/** Messages that stand by themselves form one session, each object that holds some is one. */
function sessionsOf(values: readonly JsonValue[]): readonly HeadSession[] {
  const wrappers = values.map(partWrapper);
  const alone = values.filter((_, index) => wrappers[index] === null);
  const wrapped = wrappers.filter((wrapper) => wrapper !== null);
  return alone.length === 0 ? wrapped : [{ members: {}, records: alone }, ...wrapped];
}
