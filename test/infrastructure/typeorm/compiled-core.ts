/**
 * The whole core as plain JavaScript in a folder of its own, for tests that need other processes. Not
 * `npm run build`: these tests must not depend on, or wait for, a build of the checkout.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A process that answers one line of JSON with another, in order. */
export interface Worker {
  ask<Answer>(question: unknown): Promise<Answer>;
  /** As `kill -9`: nothing of it runs on. */
  kill(): Promise<void>;
  /** Closes its standard input and waits until it has ended by itself. */
  end(): Promise<void>;
}

export interface CompiledCore {
  /** Starts a program, the body of a module that may import `./src/index.js`, reading its standard input. */
  start(program: string): Worker;
  /** Ends what is running and removes the folder. */
  remove(): void;
}

export function compileCore(): CompiledCore {
  const cache = join(ROOT, 'node_modules', '.cache', 'ossature');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'core-'));
  for (const source of ['src', 'migrations']) {
    for (const name of readdirSync(join(ROOT, source), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const output = join(folder, source, name.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(output), { recursive: true });
      writeFileSync(output, compiled(join(ROOT, source, name)));
    }
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const running: ChildProcess[] = [];

  return {
    start(program) {
      const file = join(folder, `program-${running.length}.js`);
      writeFileSync(file, program);
      const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
      running.push(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return {
        async ask<Answer>(question: unknown): Promise<Answer> {
          child.stdin.write(`${JSON.stringify(question)}\n`);
          const line = await lines.next();
          if (line.done === true) throw new Error('The process ended before it answered.');
          return JSON.parse(line.value) as Answer;
        },
        async kill() {
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        },
        async end() {
          const ended = once(child, 'exit');
          child.stdin.end();
          await ended;
        },
      };
    },
    remove() {
      for (const child of running) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function compiled(file: string): string {
  return transformSync(readFileSync(file, 'utf8'), {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  }).code;
}
