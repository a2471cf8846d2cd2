/** The command line run inside the test: its streams are texts, its environment is given. */
import { Readable, Writable } from 'node:stream';
import { run } from '../../../src/interfaces/cli/run.js';

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunSettings {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Columns of a terminal; left out, there is none. */
  readonly columns?: number;
  /** Ctrl-C. */
  readonly signal?: AbortSignal;
}

class Collected extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(columns?: number) {
    super();
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

export async function agents(
  argv: readonly string[],
  { env = {}, stdin = '', columns, signal = new AbortController().signal }: RunSettings = {},
): Promise<Ran> {
  const stdout = new Collected(columns);
  const stderr = new Collected(columns);
  const exitCode = await run(argv, {
    env,
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr,
    signal,
  });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** The envelope of a run with `--format json`. */
export interface Envelope {
  readonly command: string;
  readonly status: string;
  readonly exit_code: number;
  // What a command answers with differs from command to command.
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly timing: { readonly started_at: string; readonly elapsed_ms: number };
  readonly messages: readonly {
    readonly level: string;
    readonly text: string;
    readonly code?: string;
    readonly details?: Readonly<Record<string, unknown>>;
  }[];
}

export async function answer(
  argv: readonly string[],
  settings: RunSettings = {},
): Promise<Envelope> {
  const { stdout } = await agents([...argv, '--format', 'json'], settings);
  return JSON.parse(stdout) as Envelope;
}

/** Ids and times differ from run to run: each becomes its place in the order of appearance. */
export function normalised(text: string): string {
  const seen: string[] = [];
  return text
    .replace(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, (id) => {
      if (!seen.includes(id)) seen.push(id);
      return `ID-${String(seen.indexOf(id) + 1).padStart(23, '0')}`;
    })
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replace(/("?elapsed_ms"?: )\d+/g, '$10');
}

/** Fragments written as `id:relevance:tokens`, as a fragment file. */
export function fragmentLines(...fragments: readonly string[]): string {
  return fragments
    .map((text) => {
      const [id = '', relevance, tokens, decisionId] = text.split(':');
      return `${JSON.stringify({
        fragment_id: id,
        content: `content of ${id}`,
        relevance: Number(relevance),
        token_count: Number(tokens),
        ...(decisionId === undefined ? {} : { decision_id: decisionId }),
      })}\n`;
    })
    .join('');
}
