/** What went wrong, as a message and an exit code: 1 failed, 2 wrong use. */
import { CommanderError } from 'commander';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Message } from './view.js';

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
/** 128 + SIGINT, as shells report it. */
export const EXIT_INTERRUPTED = 130;

/** The command was asked for in a way that it does not understand. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export interface Failure {
  readonly exitCode: number;
  readonly message: Message;
}

/** @param command the words before the options, for the hint at its help. */
export function describeFailure(error: unknown, command: string): Failure {
  if (error instanceof Interrupted) {
    const text = 'Interrupted: what was under way was not written.';
    return { exitCode: EXIT_INTERRUPTED, message: { level: 'error', code: 'INTERRUPTED', text } };
  }
  if (OssatureError.is(error)) {
    const { code, message, details } = error;
    return { exitCode: EXIT_FAILED, message: { level: 'error', code, text: message, details } };
  }
  if (error instanceof CommanderError || error instanceof UsageError) {
    const text = `${usageText(error)} See \`${['agents', command].join(' ').trim()} --help\`.`;
    return { exitCode: EXIT_USAGE, message: { level: 'error', code: 'USAGE', text } };
  }
  const reason = error instanceof Error ? error.message : String(error);
  const text = `${asSentence(reason)} This is a defect of the program: please report it with the command that you ran.`;
  return { exitCode: EXIT_FAILED, message: { level: 'error', code: 'UNEXPECTED', text } };
}

function usageText(error: Error): string {
  if (error instanceof CommanderError && error.code === 'commander.help') {
    return 'A subcommand is missing.';
  }
  return asSentence(error.message.replace(/^error: /, '').replace(/\n\(/, ' ('));
}

function asSentence(text: string): string {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!)]$/.test(start) ? start : `${start}.`;
}
