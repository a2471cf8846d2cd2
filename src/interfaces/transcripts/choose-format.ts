/** The format of a source, or a refusal that says in words what the source seems to be. */
import { type DetectableFormat, detectFormat } from '../../application/session/detect-format.js';
import type { TranscriptHead } from '../../application/session/transcript-reader.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { foreignFormat } from './foreign-formats.js';

/**
 * @param forced name of the format to take without a look at the source, or null.
 * @throws INVALID_TRANSCRIPT as {@link detectFormat} does; a known agent without a reader is named.
 */
export function chooseFormat<Format extends DetectableFormat>(
  formats: readonly Format[],
  head: TranscriptHead,
  sourceName: string,
  forced: string | null = null,
): Format {
  const isForeign = forced === null && !formats.some((format) => format.detect(head));
  const agent = isForeign ? foreignFormat(head) : null;
  if (agent === null) return detectFormat(formats, head, sourceName, forced);
  const tried = formats.map(({ name }) => name);
  throw new OssatureError(
    'INVALID_TRANSCRIPT',
    `${sourceName} looks like a transcript of ${agent}, for which there is no reader yet. Tried: ${tried.join(', ')}. Convert it to messages of openai, or force a format with --from.`,
    { details: { source: sourceName, tried, fits: [], agent } },
  );
}
