/** The binary as other processes run it: compiled into a folder of its own, beside the dependencies. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface CompiledCli {
  /** The entry, to be given to Node. */
  readonly main: string;
  remove(): void;
}

export function compileCli(): CompiledCli {
  const cache = join(ROOT, 'node_modules', '.cache', 'ossature');
  mkdirSync(cache, { recursive: true });
  const target = mkdtempSync(join(cache, 'cli-'));
  for (const folder of ['src', 'migrations']) {
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const source = join(entry.parentPath, entry.name);
      const output = join(target, source.slice(ROOT.length)).replace(/\.ts$/, '.js');
      const { code } = transformSync(readFileSync(source, 'utf8'), {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      });
      mkdirSync(dirname(output), { recursive: true });
      writeFileSync(output, code);
    }
  }
  copyFileSync(join(ROOT, 'package.json'), join(target, 'package.json'));
  symlinkSync(join(ROOT, 'assets'), join(target, 'assets'));
  return {
    main: join(target, 'src', 'interfaces', 'cli', 'main.js'),
    remove: () => rmSync(target, { recursive: true, force: true }),
  };
}

export class RunningCli {
  stdout = '';
  stderr = '';
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  readonly child: ChildProcess;

  constructor(main: string, words: readonly string[], env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [main, ...words], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => resolve(code ?? signal));
    });
  }
}
