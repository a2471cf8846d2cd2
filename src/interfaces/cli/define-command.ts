/** How a command is declared: its words, what it does, an example, and the work behind it. */
import { type Command, InvalidArgumentError } from 'commander';
import { GUARD_FLAG, isReplay } from '../../application/lessons/replay-guard.js';
import {
  parseCompressionRatio,
  parseReserveRatio,
} from '../../domain/context/compression-ratio.js';
import { tell } from './output.js';
import type { Terminal } from './terminal.js';
import type { CommandResult } from './view.js';

/** Where a command leaves its result; the outer shell shows it. */
export interface Session {
  readonly terminal: Terminal;
  /** The words of the command that runs. */
  command: string;
  result: CommandResult | null;
}

export interface Definition {
  /** Words and arguments, as in `spawn <plan>`. */
  readonly usage: string;
  readonly does: string;
  readonly example: string;
  /** Said in the help behind the example. */
  readonly more?: string;
  /** It records or compresses: inside of a replay it does nothing. */
  readonly isGuarded?: boolean;
}

/** Declares a command whose work is imported only when it runs. */
export function defineCommand<Options extends object>(
  parent: Command,
  session: Session,
  { usage, does, example, more, isGuarded = false }: Definition,
  work: (terminal: Terminal, words: readonly string[], options: Options) => Promise<CommandResult>,
): Command {
  const command = parent.command(usage).description(does);
  command.addHelpText(
    'after',
    `\nExample:\n  $ ${example}${more === undefined ? '' : `\n\n${more}`}`,
  );
  // Set before the options are parsed, so that a fault in them names the command.
  command.action(async () => {
    session.command = wordsOf(command);
    if (isGuarded && isReplay(session.terminal.env)) {
      session.result = await guarded(session);
      return;
    }
    session.result = await work(session.terminal, command.args, command.opts<Options>());
  });
  return command;
}

/** Said on stderr in every format, so that whoever looks into a replay finds it. */
async function guarded({ command, terminal }: Session): Promise<CommandResult> {
  const text = `\`agents ${command}\` did nothing, because ${GUARD_FLAG} is set: a replay is not recorded.`;
  await tell({ level: 'info', text }, terminal);
  return { data: { outcome: 'skipped', reason: 'replay' }, view: [] };
}

/** `plan spawn` for the command of these words. */
export function wordsOf(command: Command): string {
  const { parent } = command;
  return parent === null ? '' : `${wordsOf(parent)} ${command.name()}`.trim();
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A share to remove, 0 to 1. What is no number is wrong use; one out of range is INVALID_RATIO. */
export function parseRatioOption(text: string): number {
  return parseCompressionRatio(parseDecimal(text));
}

/** A share to reserve, 0 to 1. What is no number is wrong use; one out of range is INVALID_RATIO. */
export function parseReserveOption(text: string): number {
  return parseReserveRatio(parseDecimal(text));
}

function parseDecimal(text: string): number {
  if (DECIMAL.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 1, such as 0.5.');
}

export function parsePositiveOption(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}

export function parseCountOption(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError('It must be a whole number from 0 on.');
}
