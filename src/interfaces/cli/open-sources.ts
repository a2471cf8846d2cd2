/** The files of a command as sources that can be read twice; `-` is standard input. */
import type { TranscriptSource } from '../../application/session/transcript-reader.js';
import { UsageError } from './failure.js';
import { fileStatus } from './file-status.js';
import { watched } from './progress.js';
import type { Terminal } from './terminal.js';

export type OpenedSource = TranscriptSource & { readonly dispose: () => Promise<void> };

/** @throws UsageError where `-` is given more than once. */
export async function openSources(
  terminal: Terminal,
  files: readonly string[],
): Promise<readonly OpenedSource[]> {
  if (files.filter((file) => file === '-').length > 1) {
    throw new UsageError('Standard input can be read once: give - only once.');
  }
  const { fileSource, spooledSource } = await import('../transcripts/transcript-source.js');
  const { stdin, signal } = terminal;
  if (files.includes('-')) signal.addEventListener('abort', () => stdin.destroy());
  const sources: OpenedSource[] = [];
  for (const file of files) {
    const source =
      file === '-'
        ? await spooledSource(stdin, 'standard input')
        : { ...fileSource(file), dispose: async () => {} };
    const bytes = file === '-' ? 0 : (fileStatus(file)?.size ?? 0);
    sources.push({ ...watched(source, bytes, terminal), dispose: source.dispose });
  }
  return sources;
}
