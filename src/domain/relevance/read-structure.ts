/**
 * The structure of an agent's session, as far as relevance needs it: which fragments are tool calls,
 * which artifact each works on, and which calls failed. Taken from the fragment's own fields where a
 * host gives them, read from the text otherwise: a call is a tool's name before its arguments, in
 * any of the usual renderings, and a result follows its call.
 */
import type { ScorableFragment } from './scorable-fragment.js';

export interface FragmentStructure {
  /** Path of the artifact that a tool call works on, as written; a result has its call's. */
  readonly artifact?: string;
  readonly isCall: boolean;
  /** The call's result says that nothing was read or changed; its result then has no artifact. */
  readonly isFailed: boolean;
}

const NO_STRUCTURE: FragmentStructure = { isCall: false, isFailed: false };

/** Characters in which the head of a call and the verdict of a result are looked for. */
const HEAD_LENGTH = 2000;

/** `Read {"file_path": …`, `read_file({path: …`, `tool_call: Read {…`, `[tool_use Edit {…`. */
const CALL_HEAD =
  /^\s*[[<(]?\s*(?:(?:assistant|tool|function)?[ _-]?(?:call|use|invoke|action)\b\s*[:=>\])]?\s*)?[A-Za-z][\w.:-]{0,63}\s*[({]\s*(?:["']?[\w-]+["']?\s*[:=]|\{)/i;

const RESULT_HEAD = /^\s*[[<(]?(?:tool|function)?[ _-]?(?:result|output|response|observation)\b/i;

/** What results say when a call did nothing; their first words. */
const FAILURE =
  /^[^:\n]{0,40}:?\s*(?:<tool_use_error>|error\b|fail(?:ed|ure)\b|file does not exist|no such file|permission denied|string (?:to replace )?not found|the user doesn['’]t want|\[?request interrupted)/i;

/** Argument names that hold what a call works on, the surest first. */
const ARTIFACT_ARGUMENTS: readonly string[] = [
  'file_path',
  'filePath',
  'notebook_path',
  'absolute_path',
  'target_file',
  'file_name',
  'filename',
  'path',
  'file',
];
const ARTIFACT_ARGUMENT = new RegExp(
  `["']?\\b(?:${ARTIFACT_ARGUMENTS.join('|')})["']?\\s*[:=]\\s*["']([^"'\\n]{1,400})["']`,
);
/** With one of these the path is where a search looks, not what the call works on. */
const SEARCH_ARGUMENTS: readonly string[] = ['pattern', 'query', 'regex', 'glob', 'search'];
const SEARCH_ARGUMENT = new RegExp(`["']?\\b(?:${SEARCH_ARGUMENTS.join('|')})["']?\\s*[:=]`);
/** A patch names its files in its head lines. */
const PATCHED_FILE = /\*\*\* (?:Update|Add|Delete) File: ([^\n\\]{1,400})/;

/** One for each fragment, in the given order. */
export function readStructure(
  fragments: readonly ScorableFragment[],
): readonly FragmentStructure[] {
  const structures = fragments.map(() => NO_STRUCTURE);
  /** Calls whose result is still to come: results follow in the order of their calls. */
  let pending: number[] = [];
  fragments.forEach((fragment, at) => {
    const head = fragment.content.slice(0, HEAD_LENGTH);
    const kind = fragment.kind ?? kindOf(head);
    if (kind === 'user') pending = [];
    if (kind === 'tool_call') {
      const artifact = fragment.artifact ?? artifactOf(fragment.content, head);
      structures[at] = {
        isCall: true,
        isFailed: false,
        ...(artifact === undefined ? {} : { artifact }),
      };
      pending.push(at);
    }
    if (kind !== 'tool_result') return;
    const call = pending.shift();
    const artifact = call === undefined ? undefined : structures[call]?.artifact;
    if (call === undefined || artifact === undefined) return;
    if (FAILURE.test(head)) structures[call] = { isCall: true, isFailed: true, artifact };
    else structures[at] = { isCall: false, isFailed: false, artifact };
  });
  return structures;
}

function kindOf(head: string): string | undefined {
  if (RESULT_HEAD.test(head)) return 'tool_result';
  if (/^\s*user\s*:/i.test(head)) return 'user';
  return CALL_HEAD.test(head) ? 'tool_call' : undefined;
}

function artifactOf(content: string, head: string): string | undefined {
  const callArguments = parseArguments(content);
  if (callArguments === undefined) {
    if (SEARCH_ARGUMENT.test(head)) return undefined;
    return ARTIFACT_ARGUMENT.exec(head)?.[1] ?? PATCHED_FILE.exec(head)?.[1];
  }
  if (SEARCH_ARGUMENTS.some((name) => name in callArguments)) return undefined;
  for (const name of ARTIFACT_ARGUMENTS) {
    const value = callArguments[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return PATCHED_FILE.exec(head)?.[1];
}

/** The arguments as an object, when they are written as JSON up to the end of the fragment. */
function parseArguments(content: string): Readonly<Record<string, unknown>> | undefined {
  const start = content.indexOf('{');
  const end = content.lastIndexOf('}');
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(content.slice(start, end + 1)) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
