/** Moving everything between stores, in one file of JSON lines. */
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { byteLines } from '../../transcripts/byte-lines.js';
import { draftOf, placeDraft, refuseTarget, unwritable } from '../export-target.js';
import { fileStatus } from '../file-status.js';
import { Interrupted } from '../failure.js';
import { withCore } from '../open-core.js';
import { type Terminal, write } from '../terminal.js';
import { type Block, type CommandResult, formatCount } from '../view.js';
import { Verbatim } from '../wire-names.js';

export interface ExportOptions {
  readonly force?: boolean;
}

type Summary = Awaited<ReturnType<Ossature['exportStore']>>;

/** Bytes of one line: a fragment of any size that the store could hold. */
const LONGEST_LINE_BYTES = 1024 * 1024 * 1024;

export function exportTo(
  terminal: Terminal,
  file: string,
  { force = false }: ExportOptions,
): Promise<CommandResult> {
  if (file === '-') return exportToStdout(terminal);
  refuseTarget(file, force);
  return withCore(terminal, async (core) => {
    const summary = await writeWhole(file, force, terminal, core);
    return resultOf('Exported', file, core.storeDescription, summary);
  });
}

/** The lines are the result, so everything else that would be said goes to stderr. */
function exportToStdout(terminal: Terminal): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { rows } = await core.exportStore((line) => write(terminal.stdout, `${line}\n`));
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    return {
      data: null,
      view: [],
      isWritten: true,
      messages: [{ level: 'info', text: `Exported ${formatCount(total)} rows.` }],
    };
  });
}

/** Beside its place and then renamed: what stands under the name is always a whole export. */
async function writeWhole(
  file: string,
  force: boolean,
  { signal }: Terminal,
  core: Ossature,
): Promise<Summary> {
  const draft = draftOf(file);
  const stream = createWriteStream(draft, { flags: 'wx', mode: 0o600 });
  const closed = finished(stream);
  closed.catch(() => {});
  try {
    await once(stream, 'open');
    const summary = await core.exportStore(async (line) => {
      if (signal.aborted) throw new Interrupted('Interrupted.');
      await write(stream, `${line}\n`);
    });
    stream.end();
    await closed;
    await placeDraft(draft, file, force);
    return summary;
  } catch (error) {
    throw OssatureError.is(error) || error instanceof Interrupted ? error : unwritable(file, error);
  } finally {
    stream.destroy();
    await rm(draft, { force: true });
  }
}

export function importFrom(terminal: Terminal, file: string): Promise<CommandResult> {
  if (file !== '-') requireFile(file);
  const name = file === '-' ? 'standard input' : file;
  return withCore(terminal, async (core) => {
    const stream = file === '-' ? terminal.stdin : createReadStream(file);
    const summary = await core.importStore(linesOf(stream, name, terminal.signal));
    return resultOf('Imported', name, core.storeDescription, summary);
  });
}

function requireFile(file: string): void {
  const status = fileStatus(file);
  if (status?.isFile() === true) return;
  const what = status === null ? 'does not exist, or cannot be looked at' : 'is no ordinary file';
  throw new OssatureError(
    'INVALID_INPUT',
    `${file} ${what}. Give a file that \`agents database export FILE\` wrote.`,
    { details: { file } },
  );
}

async function* linesOf(
  stream: Readable,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const { number, text, fault } of byteLines(stream, LONGEST_LINE_BYTES)) {
    if (signal.aborted) throw new Interrupted('Interrupted.');
    if (text !== null) {
      yield text;
      continue;
    }
    const what = fault === 'too-long' ? 'is longer than 1 GB' : 'is not UTF-8';
    throw new OssatureError(
      'INVALID_INPUT',
      `${name}, line ${number} ${what}. Nothing was imported; export again.`,
      { details: { file: name, line: number } },
    );
  }
}

function resultOf(title: string, file: string, store: string, summary: Summary): CommandResult {
  const { rows, sha256 } = summary;
  const view: Block = {
    block: 'fields',
    title,
    fields: [
      ['file', file],
      ['store', store],
      ...Object.entries(rows).map(([table, count]) => [table, formatCount(count)] as const),
      ['sha256', sha256],
    ],
  };
  return { data: { file, store, rows: new Verbatim(rows), sha256 }, view: [view] };
}
