/** One run of a program in an empty place: what it is told goes in, what it says comes out. */
import { type ChildProcess, spawn } from 'node:child_process';
import { argumentsWith, type CommandTemplate } from './command-template.js';
import type { Logger } from '../../application/ports/logger.js';
import {
  type EmptyPlace,
  furnishPlace,
  makePlaceRoot,
  type PlaceRules,
  removePlaceRoot,
} from './empty-place.js';
import { endProcessTree } from './process-tree.js';
import { type Ward, watchOver } from './warden.js';

/** What is the same for every run of a program. */
export interface IsolationRules extends PlaceRules {
  /** Of what is said on stdout; the rest is not kept. */
  readonly maxAnswerBytes: number;
  /** Is told where nothing would end a run if this process were killed. */
  readonly log?: Logger;
}

export interface IsolatedRun extends IsolationRules {
  readonly template: CommandTemplate;
  readonly prompt: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface IsolatedAnswer {
  /** `failed`: an exit code other than 0, a signal, or a program that could not be started. */
  readonly outcome: 'answered' | 'failed' | 'timed-out' | 'aborted';
  /** What it said on stdout, white space at both ends removed; ill-formed bytes replaced. */
  readonly answer: string;
  readonly isCut: boolean;
  readonly exitCode: number | null;
  /** The last of what it said on stderr, at most 2,000 characters; or why it could not be started. */
  readonly complaint: string;
  /** Null where it could not be started. */
  readonly pid: number | null;
  readonly startedAt: Date;
  readonly durationMs: number;
}

const COMPLAINT_CHARACTERS = 2_000;

/**
 * The whole process tree has ended and the folder is gone when this returns or throws, and soon after this
 * process is killed.
 *
 * @throws OssatureError INVALID_CONFIG for home files that cannot be copied.
 */
export async function runIsolated(request: IsolatedRun): Promise<IsolatedAnswer> {
  const root = await makePlaceRoot();
  const ward = watchOver(root, request.log);
  try {
    const place = await furnishPlace(root, request);
    const startedAt = new Date();
    const began = performance.now();
    const said = await start(request, place, { root, ward });
    return { ...said, startedAt, durationMs: Math.round(performance.now() - began) };
  } finally {
    await removePlaceRoot(root).finally(() => ward.ended());
  }
}

interface Watched {
  readonly root: string;
  readonly ward: Ward;
}

type Said = Omit<IsolatedAnswer, 'startedAt' | 'durationMs'>;

async function start(
  request: IsolatedRun,
  place: EmptyPlace,
  { root, ward }: Watched,
): Promise<Said> {
  const { template, prompt } = request;
  let child: ChildProcess;
  try {
    child = spawn(template.program, argumentsWith(template, prompt), {
      cwd: place.workFolder,
      env: place.env,
      stdio: 'pipe',
      // A group of its own, so that all of it can be ended.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  } catch (error) {
    // Such as a prompt longer than the system allows for arguments.
    const complaint = error instanceof Error ? error.message : String(error);
    return { outcome: 'failed', answer: '', isCut: false, exitCode: null, complaint, pid: null };
  }
  if (child.pid !== undefined) ward.started(child.pid);
  return follow(child, request, root);
}

async function follow(
  child: ChildProcess,
  { template, prompt, timeoutMs, maxAnswerBytes, signal }: IsolatedRun,
  mark: string,
): Promise<Said> {
  const answer = new Collected(maxAnswerBytes);
  let complaint = '';
  child.stdout?.on('data', (chunk: Buffer) => answer.add(chunk));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-COMPLAINT_CHARACTERS);
  });
  // A program that reads nothing closes its end; that is its right.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(template.promptBy === 'stdin' ? prompt : '');

  const ending = await new Promise<{
    why: 'closed' | 'timed-out' | 'aborted';
    code: number | null;
  }>((resolve) => {
    const timer = setTimeout(() => resolve({ why: 'timed-out', code: null }), timeoutMs);
    const abort = (): void => resolve({ why: 'aborted', code: null });
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    const settle = (code: number | null): void => resolve({ why: 'closed', code });
    child.once('error', (error) => {
      complaint = error.message;
      settle(null);
    });
    // Not `close`: a child of the program may hold its output open for ever.
    child.once('exit', (code) => settle(code));
    child.once('exit', () => signal?.removeEventListener('abort', abort));
    child.once('exit', () => clearTimeout(timer));
  });
  if (ending.why === 'closed' && child.pid !== undefined) await drained(child);
  if (child.pid !== undefined) await endProcessTree(child.pid, mark);
  child.stdout?.destroy();
  child.stderr?.destroy();
  const hasAnswered = ending.why === 'closed' && ending.code === 0;
  return {
    outcome: hasAnswered ? 'answered' : ending.why === 'closed' ? 'failed' : ending.why,
    answer: answer.text(),
    isCut: answer.isCut,
    exitCode: ending.code,
    complaint,
    pid: child.pid ?? null,
  };
}

/** What is still in the pipe arrives after the exit; what others hold open is not waited for. */
const DRAIN_MS = 250;

async function drained(child: ChildProcess): Promise<void> {
  const { stdout } = child;
  if (stdout === null || stdout.readableEnded) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, DRAIN_MS);
    stdout.once('end', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

class Collected {
  #bytes = 0;
  readonly #chunks: Buffer[] = [];
  isCut = false;

  constructor(private readonly limit: number) {}

  add(chunk: Buffer): void {
    const kept = chunk.subarray(0, this.limit - this.#bytes);
    if (kept.length < chunk.length) this.isCut = true;
    if (kept.length === 0) return;
    this.#bytes += kept.length;
    this.#chunks.push(kept);
  }

  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    // A character that the limit cut in two is left out, not shown as a broken one.
    return new TextDecoder().decode(this.isCut ? wholeCharacters(bytes) : bytes).trim();
  }
}

function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  const first = bytes[end - 1] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return bytes.length - end + 1 >= length ? bytes : bytes.subarray(0, end - 1);
}
