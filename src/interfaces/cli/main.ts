#!/usr/bin/env node
/** The entry of the binary: gives the process's streams to `run` and ends with its exit code. */
import { writeSync } from 'node:fs';
import { EXIT_FAILED, EXIT_INTERRUPTED } from './failure.js';
import { run } from './run.js';

/** Milliseconds that a command gets to close its store after Ctrl-C. */
const GRACE_MS = 5_000;

const interrupt = new AbortController();
process.on('SIGINT', () => {
  if (interrupt.signal.aborted) process.exit(EXIT_INTERRUPTED);
  interrupt.abort();
  setTimeout(() => process.exit(EXIT_INTERRUPTED), GRACE_MS).unref();
});

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` that has seen enough is no error.
  if (error.code === 'EPIPE') process.exit(0);
  sayUnwritten(error);
  process.exit(EXIT_FAILED);
});
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : EXIT_FAILED);
});

/** At once, as the process ends right after it. */
function sayUnwritten({ message }: Error): void {
  try {
    writeSync(
      process.stderr.fd,
      `error OUTPUT_FAILED: The result could not be written to standard output (${message}). The command itself may have done its work; run it again only where repeating is harmless.\n`,
    );
  } catch {
    // There is no other place to say it.
  }
}

const { env, stdin, stdout, stderr } = process;
void run(process.argv.slice(2), { env, stdin, stdout, stderr, signal: interrupt.signal }).then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
);
