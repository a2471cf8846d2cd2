#!/usr/bin/env node
/** The entry of the binary: gives the process's streams to `run` and ends with its exit code. */
import { EXIT_INTERRUPTED } from './failure.js';
import { run } from './run.js';

/** Milliseconds that a command gets to close its store after Ctrl-C. */
const GRACE_MS = 5_000;

const interrupt = new AbortController();
process.on('SIGINT', () => {
  if (interrupt.signal.aborted) process.exit(EXIT_INTERRUPTED);
  interrupt.abort();
  setTimeout(() => process.exit(EXIT_INTERRUPTED), GRACE_MS).unref();
});

for (const stream of [process.stdout, process.stderr]) {
  // A reader such as `head` that has seen enough is no error.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
}

const { env, stdin, stdout, stderr } = process;
void run(process.argv.slice(2), { env, stdin, stdout, stderr, signal: interrupt.signal }).then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
);
