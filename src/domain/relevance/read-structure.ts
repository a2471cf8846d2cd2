/**
 * The structure of an agent's session, as far as relevance needs it: which fragments are tool calls
 * and which artifact each names. Taken from the fragment's own fields where a host gives them, read
 * from the text otherwise: a call is a tool's name before its arguments, in any of the usual
 * renderings.
 */
import type { ScorableFragment } from './score-relevance.js';

export interface FragmentStructure {
  readonly isToolCall: boolean;
  /** Path or address of the artifact that the call works on, as written. */
  readonly artifact: string | undefined;
}

/** Characters in which a call's head and its artifact are looked for. */
const HEAD_LENGTH = 4000;

/** `Read {"file_path": …`, `read_file({path: …`, `tool_call: Read {…`, `[tool_use Edit {…`. */
const CALL_HEAD =
  /^\s*[[<(]?\s*(?:(?:assistant|tool|function)?[ _-]?(?:call|use|invoke|action)\b\s*[:=>\])]?\s*)?[A-Za-z][\w.:-]{0,63}\s*[({]\s*(?:["']?[\w-]+["']?\s*[:=]|\{)/i;

/** Argument names that hold what the call works on, the surest first. */
const ARTIFACT_ARGUMENT =
  /["']?\b(?:file_?path|notebook_?path|absolute_?path|target_?file|file_?name|filename|path|file|uri|url)["']?\s*[:=]\s*["']([^"'\n]{1,400})["']/i;

/** A patch names its files in its head lines. */
const PATCHED_FILE = /\*\*\* (?:Update|Add|Delete) File: ([^\n\\]{1,400})/;

const NO_STRUCTURE: FragmentStructure = { isToolCall: false, artifact: undefined };

export function readStructure(fragment: ScorableFragment): FragmentStructure {
  const head = fragment.content.slice(0, HEAD_LENGTH);
  const isToolCall =
    fragment.kind === undefined ? CALL_HEAD.test(head) : fragment.kind === 'tool_call';
  if (!isToolCall) return NO_STRUCTURE;
  const artifact =
    fragment.artifact ?? ARTIFACT_ARGUMENT.exec(head)?.[1] ?? PATCHED_FILE.exec(head)?.[1];
  return { isToolCall, artifact };
}
