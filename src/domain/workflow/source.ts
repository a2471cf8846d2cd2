/**
 * What an item of research stands on, written as one line of text:
 *
 *     file:src/login.ts:10-20      url:https://example.org/rfc      entry:01J8…#412
 *     document:interview.md        seed:rename.diff#step-2
 *
 * A trailing `@` and 64 hexadecimal digits are the hash of what was read; without, it is not known.
 */
import { OssatureError } from '../kernel/errors.js';
import { isUlid } from '../kernel/ids.js';
import { requireText } from '../kernel/text.js';
import { isAbsolute, normalizeArtifactPath } from '../session/trail/artifact-path.js';

export const SOURCE_KINDS = ['file', 'url', 'entry', 'document', 'seed'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Both ends included, from 1 on. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

interface Hashed {
  /** SHA-256 of the text that was read; null: it was not read. */
  readonly hash: string | null;
}

/** `path` is relative to the project; `lines` null: the whole file. */
export type FileSource = Hashed & {
  readonly kind: 'file';
  readonly path: string;
  readonly lines: LineRange | null;
};
export type UrlSource = Hashed & { readonly kind: 'url'; readonly url: string };
export type EntrySource = Hashed & {
  readonly kind: 'entry';
  readonly sessionId: string;
  readonly seq: number;
};
/** A text that is kept with the workflow. */
export type DocumentSource = Hashed & { readonly kind: 'document'; readonly name: string };
/** `part` such as `step-2`; null: the whole example. */
export type SeedSource = Hashed & {
  readonly kind: 'seed';
  readonly name: string;
  readonly part: string | null;
};
export type Source = FileSource | UrlSource | EntrySource | DocumentSource | SeedSource;

/** UTF-16 units of a source with its hash: references are keys in the store. */
const LONGEST_SOURCE = 1_000;
/** Of a path, a name or an address; room for what stands around it is left. */
const LONGEST_NAME = 800;

const FORM = /^(file|url|entry|document|seed):(.*?)(?:@([0-9a-f]{64}))?$/;
const FILE = /^(.+?)(?::(\d{1,9})(?:-(\d{1,9}))?)?$/;
const ENTRY = /^(.+)#(\d{1,9})$/;
const SEED = /^(.+?)(?:#((?:file|signature|step)-\d{1,6}))?$/;
const WEB = /^https?:\/\/\S+$/;
const CONTROL_CHARACTER = /\p{Cc}/u;
const LINES_AT_END = /:\d{1,9}(?:-\d{1,9})?$/;
const HASH_AT_END = /@[0-9a-f]{64}$/;

/** @throws OssatureError INVALID_INPUT showing the forms. */
export function parseSource(value: unknown): Source {
  const text = requireText(value, 'A source', { maxLength: LONGEST_SOURCE }).trim();
  const [, kind, rest = '', hash = null] = FORM.exec(text) ?? [];
  const name = rest.trim();
  if (kind === undefined || name === '' || unfit(name)) throw unreadable(text);
  switch (kind as SourceKind) {
    case 'file':
      return { kind: 'file', ...parseFile(name, text), hash };
    case 'url':
      if (!WEB.test(name)) throw unreadable(text);
      return { kind: 'url', url: name, hash };
    case 'entry':
      return { kind: 'entry', ...parseEntry(name, text), hash };
    case 'document':
      return { kind: 'document', name, hash };
    case 'seed': {
      const [, seed = name, part = null] = SEED.exec(name) ?? [];
      return { kind: 'seed', name: seed, part, hash };
    }
  }
}

/** The source without its hash: equal references are the same place. */
export function referenceOf(source: Source): string {
  switch (source.kind) {
    case 'file':
      return `file:${source.path}${source.lines === null ? '' : `:${linesText(source.lines)}`}`;
    case 'url':
      return `url:${source.url}`;
    case 'entry':
      return `entry:${source.sessionId}#${source.seq}`;
    case 'document':
      return `document:${source.name}`;
    case 'seed':
      return `seed:${source.name}${source.part === null ? '' : `#${source.part}`}`;
  }
}

/** The source with its hash, where it has one: what `parseSource` reads back. */
export function renderSource(source: Source): string {
  return source.hash === null ? referenceOf(source) : `${referenceOf(source)}@${source.hash}`;
}

/**
 * A path relative to the project, normalised.
 *
 * @throws OssatureError INVALID_INPUT for one that leads out of it.
 */
export function parseProjectPath(value: unknown, field: string): string {
  const text = requireText(value, field, { maxLength: LONGEST_NAME });
  const path = normalizeArtifactPath(text, { projectRoot: null, directory: null });
  const leadsOut = isAbsolute(path) || path === '..' || path.startsWith('../');
  const isPlain = path.trim() === path && path !== '.' && !path.includes('://');
  if (!leadsOut && isPlain && !unfit(path)) return path;
  throw new OssatureError(
    'INVALID_INPUT',
    `${field} must be a path inside the project, relative to its root, got ${JSON.stringify(text.slice(0, 100))}.`,
    { details: { field } },
  );
}

function parseFile(name: string, text: string): Pick<FileSource, 'path' | 'lines'> {
  const [, given = name, from, to = from] = FILE.exec(name) ?? [];
  const path = parseProjectPath(given, 'The path of a source');
  if (from === undefined || to === undefined) {
    if (LINES_AT_END.test(path)) throw unreadable(text);
    return { path, lines: null };
  }
  const lines = { from: Number(from), to: Number(to) };
  if (lines.from < 1 || lines.to < lines.from) throw unreadable(text);
  return { path, lines };
}

function parseEntry(name: string, text: string): Pick<EntrySource, 'sessionId' | 'seq'> {
  const [, sessionId, digits] = ENTRY.exec(name) ?? [];
  const seq = Number(digits);
  if (!isUlid(sessionId) || !(seq >= 1)) throw unreadable(text);
  return { sessionId, seq };
}

function linesText({ from, to }: LineRange): string {
  return from === to ? String(from) : `${from}-${to}`;
}

function unfit(name: string): boolean {
  return name.length > LONGEST_NAME || CONTROL_CHARACTER.test(name) || HASH_AT_END.test(name);
}

function unreadable(text: string): OssatureError {
  return new OssatureError(
    'INVALID_INPUT',
    `A source is written as file:PATH, file:PATH:10-20, url:https://…, entry:SESSION_ID#12, document:NAME, or seed:NAME#step-2, got ${JSON.stringify(text.slice(0, 100))}.`,
    { details: { field: 'source' } },
  );
}
