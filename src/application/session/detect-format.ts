/** Which of several formats a source has. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { TranscriptHead } from './transcript-reader.js';

export interface DetectableFormat {
  readonly name: string;
  detect(head: TranscriptHead): boolean;
}

/**
 * The one format that fits.
 *
 * @param forced name of the format to take without a look at the source, or null.
 * @throws INVALID_TRANSCRIPT none or several fit (naming what was tried), or `forced` is unknown.
 */
export function detectFormat<Format extends DetectableFormat>(
  formats: readonly Format[],
  head: TranscriptHead,
  sourceName: string,
  forced: string | null = null,
): Format {
  const names = formats.map(({ name }) => name);
  const fitting =
    forced === null
      ? formats.filter((format) => format.detect(head))
      : formats.filter(({ name }) => name === forced);
  const [format, second] = fitting;
  if (format !== undefined && second === undefined) return format;

  const tried = names.join(', ');
  const fits = fitting.map(({ name }) => name);
  const message =
    forced !== null
      ? `There is no format named ${JSON.stringify(forced)}; known are: ${tried}.`
      : format === undefined
        ? `${sourceName} has none of the known formats. Tried: ${tried}.`
        : `${sourceName} could be more than one format: ${fits.join(', ')}. Say which with --from.`;
  throw new OssatureError('INVALID_TRANSCRIPT', message, {
    details: { source: sourceName, tried: names, fits },
  });
}

/** Nothing but blanks: read as zero of everything, whatever the format. */
export function isBlank({ text, isWhole }: TranscriptHead): boolean {
  return isWhole && text.trim() === '';
}
