/**
 * The embedded persistence as plain JavaScript in a folder of its own, for tests that need another
 * process to hold, kill or outlive.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SOURCES = 'src/infrastructure/persistence/embedded';

/** The folder of a new package, with the template of this checkout or without one. */
export function compileSources(assets: 'with-template' | 'without-template'): string {
  const cache = join(ROOT, 'node_modules', '.cache', 'ossature');
  mkdirSync(cache, { recursive: true });
  const target = mkdtempSync(join(cache, 'compiled-'));
  const files = readdirSync(join(ROOT, SOURCES)).map((name) => join(SOURCES, name));
  for (const file of [...files, 'src/domain/kernel/errors.ts']) {
    const { code } = transformSync(readFileSync(join(ROOT, file), 'utf8'), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    const output = join(target, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, code);
  }
  writeFileSync(join(target, 'package.json'), '{ "type": "module" }');
  if (assets === 'with-template') symlinkSync(join(ROOT, 'assets'), join(target, 'assets'));
  return target;
}

/** Another process; `program` is the body of a module that imports from `./<file>.js` of the sources. */
export class OtherProcess {
  readonly lines: string[] = [];
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  #waiting: (() => void)[] = [];

  constructor(compiled: string, program: string, ...parameters: string[]) {
    const folder = join(compiled, SOURCES);
    const file = join(mkdtempSync(join(folder, 'program-')), 'program.js');
    writeFileSync(file, program.replaceAll("from './", "from '../"));
    this.#child = spawn(process.execPath, [file, ...parameters], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let rest = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      this.lines.push(...lines);
      this.#wake();
    });
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (status) => {
        resolve(status);
        this.#wake();
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits until the process has printed so many lines, or has ended. */
  async printed(count: number): Promise<readonly string[]> {
    while (
      this.lines.length < count &&
      this.#child.exitCode === null &&
      this.#child.signalCode === null
    )
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.lines;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    waiting.forEach((resolve) => resolve());
  }
}
