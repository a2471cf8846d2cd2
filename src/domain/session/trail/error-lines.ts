/** Which lines of a failed output tell what went wrong. */
import { FAILED_TEST } from './error-signature.js';

/** Errors taken from one result. */
const MAX_ERRORS = 10;

/** UTF-16 units at either end of an output that are looked at. */
const LOOKED_AT = 100_000;

// eslint-disable-next-line no-control-regex -- colours of terminals begin with U+001B.
const COLOURS = /\u001b\[[\d;]*[A-Za-z]/g;
/** What clients of agents put around the words of a tool. */
const WRAPPERS = /<\/?(?:tool_use_error|error|system-error)>/g;
const EXIT_LINE = /^(?:Error: )?Exit code \d{1,3}\s*$/;
const SOUNDS_LIKE_ERROR =
  /\berror\b|\bexception\b|\bpanic(?:ked)?\b|\bfatal\b|^\s*(?:--- )?FAIL(?:ED)?\b|[✕✗✘✖×] |\bcannot\b|\bnot found\b|\bno such file\b|\b\w+(?:Error|Exception)\b/i;
const SOUNDS_HARMLESS =
  /\b(?:0|no) (?:errors?|failed|failures?)\b|\berror(?:s)?: 0\b|\bwarnings?\b/i;
/** Says that something failed, not what. */
const HEADING =
  /^\W*(?:FAIL(?:ED|URES)?|Errors?|Exception|Traceback \(most recent call last\)|Build error occurred|npm (?:ERR!|error)(?: code \w+| (?:errno|syscall|path) .*)?|Failed Tests(?: \d+)?|failing tests)\W*$/i;
/** Begins with what it is: `TypeError: …`, `error[E0308]: …`, `fatal: …`. */
const NAMED =
  /^\W*(?:[\w.]+\.)?(?:\w*(?:Error|Exception)|error|fatal|panic)(?:\[\w+\])?(?: \w+)?: \S/i;
const SUMMARY_OF_TEST = /^(?:FAILED|ERROR) \S+(?:::|\.py\b)/;

const PLACE =
  /(?:^|[\s("'[])((?:[A-Za-z]:)?(?:[\w.@~+-]*[/\\])*[\w.@+-]+\.[A-Za-z]\w{0,9})(?::(\d+)(?::\d+)?|\((\d+),\d+\)|", line (\d+))/;

const STACK_FRAME = /^\s*at (?:async )?(?:\S.*\(.+\)|\S+:\d+(?::\d+)?)\s*$|^\s*[❯›] \S+:\d+:\d+/;
const FRAME_OF_PYTHON = /^\s*File ".+", line \d+/;
/** `  12 | code`, `> 12 | code`, `   | ^^^`. */
const CODE_FRAME = /^\s*>?\s*\d*\s*[|│](?:\s|$)/;
const MARK_BELOW = /^\s*[|│]?\s*[~^]+[\s~^]*$/;
/** pytest marks what was raised with `E`, and shows the code around it. */
const RAISED = /^E\s{2,}(?=\S)/;
const CODE_OF_PYTEST = /^(?:>\s{2,}|\s{4,})\S/;

export interface ErrorPlace {
  readonly file: string | null;
  readonly line: number | null;
}

export interface ErrorLine extends ErrorPlace {
  readonly text: string;
}

/**
 * Distinct lines in order, at most ten: tests that a summary names with their reason, else lines that
 * name a place and an error, else tests that failed, else the line that names its error, else the first
 * that sounds like one, else the first. Source code that an output quotes is none of them.
 */
export function errorLines(output: string): readonly ErrorLine[] {
  const all = linesOf(output);
  const own = withoutQuotedCode(all);
  const telling = own.filter(
    (line) => SOUNDS_LIKE_ERROR.test(line) && !SOUNDS_HARMLESS.test(line) && !HEADING.test(line),
  );
  const first =
    telling.find((line) => NAMED.test(line)) ??
    telling[0] ??
    own.find((line) => !HEADING.test(line)) ??
    all[0];
  const chosen = [
    telling.filter((line) => SUMMARY_OF_TEST.test(line)),
    telling.filter((line) => PLACE.test(line)),
    ofOneKind(own.filter((line) => FAILED_TEST.test(line))),
    first === undefined ? [] : [first],
  ].find((lines) => lines.length > 0);
  return [...new Set(chosen)]
    .slice(0, MAX_ERRORS)
    .map((line) => ({ text: line.trim(), ...placeOf(line, all) }));
}

function linesOf(output: string): readonly string[] {
  const looked =
    output.length <= 2 * LOOKED_AT
      ? output
      : `${output.slice(0, LOOKED_AT)}\n${output.slice(-LOOKED_AT)}`;
  return looked
    .replaceAll(COLOURS, '')
    .replaceAll(WRAPPERS, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '' && !EXIT_LINE.test(line));
}

function withoutQuotedCode(lines: readonly string[]): readonly string[] {
  const isOfPytest = lines.some((line) => RAISED.test(line));
  const own = lines.filter((line, at) => {
    if (STACK_FRAME.test(line) || FRAME_OF_PYTHON.test(line)) return false;
    if (CODE_FRAME.test(line) || MARK_BELOW.test(line)) return false;
    if (MARK_BELOW.test(lines[at + 1] ?? '')) return false;
    if (/^\s/.test(line) && FRAME_OF_PYTHON.test(lines[at - 1] ?? '')) return false;
    return !(isOfPytest && CODE_OF_PYTEST.test(line));
  });
  return own.map((line) => line.replace(RAISED, ''));
}

/** A runner tells of one test in several ways; the way of the first line counts. */
function ofOneKind(lines: readonly string[]): readonly string[] {
  const kind = lines[0]?.trim().slice(0, 1);
  return lines.filter((line) => line.trim().startsWith(kind ?? ''));
}

/** Lines around an error in which its place is looked for. */
const PLACE_WITHIN = 12;

/** On the line or behind it; Python tells it before. */
function placeOf(text: string, lines: readonly string[]): ErrorPlace {
  const at = lines.findIndex((line) => line.replace(RAISED, '') === text);
  const behind = at === -1 ? [text] : lines.slice(at, at + PLACE_WITHIN);
  const before = lines.slice(Math.max(0, at - PLACE_WITHIN), Math.max(0, at));
  const place =
    behind.find((line) => PLACE.test(line)) ??
    before.findLast((line) => FRAME_OF_PYTHON.test(line));
  const [, file, ...numbers] = PLACE.exec(place ?? '') ?? [];
  const number = numbers.find((digits) => digits !== undefined);
  return { file: file ?? null, line: number === undefined ? null : Number(number) };
}
