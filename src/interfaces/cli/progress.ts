/** How far the reading of a large file is, on stderr and only for a person. */
import type { TranscriptSource } from '../../application/session/transcript-reader.js';
import { Interrupted } from './failure.js';
import type { Terminal } from './terminal.js';

/** Bytes from which a file takes long enough to be worth a bar. */
const WORTH_A_BAR = 4 * 1024 * 1024;

/** Milliseconds between two drawings. */
const REDRAW_MS = 100;

const BAR_COLUMNS = 24;

/**
 * The same source, watched: it ends at Ctrl-C, and draws a bar where its size is known and large.
 *
 * @param totalBytes 0 where it is not known.
 */
export function watched(
  source: TranscriptSource,
  totalBytes: number,
  { stderr, signal }: Pick<Terminal, 'stderr' | 'signal'>,
): TranscriptSource {
  const draws = stderr.isTTY === true && totalBytes >= WORTH_A_BAR;
  return {
    name: source.name,
    head: () => source.head(),
    async *open() {
      let bytes = 0;
      let drawnAt = 0;
      try {
        for await (const chunk of source.open()) {
          if (signal.aborted) throw new Interrupted('Interrupted.');
          bytes += chunk.length;
          if (draws && performance.now() - drawnAt > REDRAW_MS) {
            drawnAt = performance.now();
            stderr.write(`\r${bar(bytes / totalBytes)}`);
          }
          yield chunk;
        }
      } finally {
        if (draws) stderr.write('\r\u001B[K');
      }
    },
  };
}

function bar(share: number): string {
  const done = Math.min(BAR_COLUMNS, Math.floor(share * BAR_COLUMNS));
  const percent = String(Math.min(100, Math.floor(share * 100))).padStart(3);
  return `reading ${'█'.repeat(done)}${'░'.repeat(BAR_COLUMNS - done)} ${percent} %`;
}
