/** How a workflow reads the project it is about: files by path, and what hides the secrets in them. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { JsonValue } from '../../domain/redaction/json-value.js';
import { NO_REDACTION, type Redact } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import type { LineRange } from '../../domain/workflow/source.js';

/**
 * The text of a file; null: there is none.
 *
 * @param path relative to the project.
 * @throws OssatureError INVALID_INPUT for a directory, a binary, or a file that is too large.
 */
export type ReadProjectFile = (path: string) => Promise<string | null>;

/**
 * The text behind an address now; null: it cannot be had. Ours asks no network: a person gives the text, or
 * a host reads it with what it has for that. Called once an address for one piece of work.
 */
export type FetchSource = (url: string) => Promise<string | null>;

export interface ProjectReading {
  readonly readFile: ReadProjectFile;
  /** Left out: addresses are registered, and what was read of them last is what they hold. */
  readonly fetchSource?: FetchSource;
  /** Left out: that of the core. Null: texts are kept as they are. */
  readonly redact?: Redact | null;
}

/** Reads each file once for one piece of work; what it gives is clean. */
export class ProjectReader {
  private readonly texts = new Map<string, Promise<string | null>>();
  private readonly cleaner: TextCleaner;

  /** @param bound what texts are redacted by where the reading does not say; null: by nothing. */
  constructor(
    private readonly reading: ProjectReading,
    bound: Redact | null,
  ) {
    const { redact = bound } = reading;
    this.cleaner = new TextCleaner(redact ?? NO_REDACTION);
  }

  clean(text: string): string {
    return this.cleaner.clean(text);
  }

  cleanJson(value: JsonValue): JsonValue {
    return this.cleaner.cleanJson(value);
  }

  file(path: string): Promise<string | null> {
    const known = this.texts.get(path);
    if (known !== undefined) return known;
    const text = this.reading
      .readFile(path)
      .then((found) => (found === null ? null : this.clean(found)));
    this.texts.set(path, text);
    return text;
  }

  /** Null where nobody can read it. */
  async address(url: string): Promise<string | null> {
    const known = this.texts.get(url);
    if (known !== undefined) return known;
    const text = (this.reading.fetchSource?.(url) ?? Promise.resolve(null)).then((found) =>
      found === null ? null : this.clean(found),
    );
    this.texts.set(url, text);
    return text;
  }

  /** The stretch of a file. Null where the file is gone, or shorter than that. */
  async stretch(path: string, lines: LineRange | null): Promise<string | null> {
    const text = await this.file(path);
    if (text === null || lines === null) return text;
    const all = text.split('\n');
    // A last line end makes no further line.
    const count = all.at(-1) === '' ? all.length - 1 : all.length;
    return lines.to > count ? null : all.slice(lines.from - 1, lines.to).join('\n');
  }
}

export function notReadable(path: string, lines: LineRange | null): OssatureError {
  const what = lines === null ? path : `lines ${lines.from}-${lines.to} of ${path}`;
  return new OssatureError(
    'NOT_FOUND',
    `There is no ${what} in the project. Check the path, which is relative to its root, and the lines.`,
    { details: { path, lines } },
  );
}
