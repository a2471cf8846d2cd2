/** One envelope, four formats. The result goes to stdout; what a person should know beside it, to stderr. */
import { plainView } from './plain-view.js';
import { paint, richView } from './rich-view.js';
import { columnsOf, hasColour, type Terminal, write } from './terminal.js';
import { printable } from './text-width.js';
import type { Block, Message } from './view.js';
import { toWire } from './wire-names.js';

export const FORMATS = ['rich', 'plain', 'json', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

export interface Outcome {
  /** The words of the command, such as `plan spawn`; empty where none was recognised. */
  readonly command: string;
  readonly exitCode: number;
  readonly data: unknown;
  readonly view: readonly Block[];
  readonly messages: readonly Message[];
  readonly startedAt: Date;
  readonly elapsedMs: number;
}

/**
 * The format that the arguments ask for, told before they are parsed, so that an error in them is
 * shown in it too. An unknown one is refused by the parser.
 */
export function wantedFormat(argv: readonly string[], { stdout }: Terminal): Format {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  const at = options.findLastIndex((word) => word === '--format' || word.startsWith('--format='));
  const word = options[at];
  const value = word === '--format' ? options[at + 1] : word?.slice('--format='.length);
  return FORMATS.find((format) => format === value) ?? (stdout.isTTY === true ? 'rich' : 'plain');
}

export async function writeOutcome(
  outcome: Outcome,
  format: Format,
  terminal: Terminal,
): Promise<void> {
  if (format === 'json' || format === 'yaml') {
    return write(terminal.stdout, await encode(envelope(outcome), format));
  }
  const text = shown(outcome.view, format, terminal);
  if (text !== '') await write(terminal.stdout, text);
  for (const message of outcome.messages) await tell(message, terminal);
}

function shown(view: readonly Block[], format: 'rich' | 'plain', terminal: Terminal): string {
  const { stdout, env } = terminal;
  return format === 'plain'
    ? plainView(view)
    : richView(view, { columns: columnsOf(stdout), hasColour: hasColour(stdout, env) });
}

/** One message on stderr. */
export function tell({ level, code, text }: Message, { stderr, env }: Terminal): Promise<void> {
  const label = code === undefined ? level : `${level} ${code}`;
  const tone = level === 'error' ? 'red' : level === 'warning' ? 'yellow' : 'dim';
  const style = { hasColour: hasColour(stderr, env) };
  return write(stderr, `${paint(`${label}:`, tone, style)} ${printable(text, 'lines')}\n`);
}

function envelope({ command, exitCode, data, messages, startedAt, elapsedMs }: Outcome) {
  return {
    command,
    status: exitCode === 0 ? 'ok' : 'error',
    exit_code: exitCode,
    data: toWire(data),
    timing: { started_at: startedAt.toISOString(), elapsed_ms: elapsedMs },
    messages: toWire(messages),
  };
}

async function encode(value: unknown, format: 'json' | 'yaml'): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
