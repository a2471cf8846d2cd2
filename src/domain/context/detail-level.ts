/**
 * Detail depth: how much of a text is shown. Depth 0 is its title line, the deepest level the whole
 * text, and every level in between shows at least the lines of the one below it:
 *
 *   0      title line
 *   1 2 3  the title and the first 3, 8, 16 lines of the outline
 *   4      the whole outline: signatures of code, headings of documents, keys of data
 *   5 …    the outline, and of what stands under each of its lines the first 1, 2, … lines
 *   most   the whole text
 *
 * Reading is linear in the text, and no line is shown beyond {@link LONGEST_LINE}.
 */
export const CONTENT_DOMAINS = ['code', 'documents', 'data', 'infrastructure'] as const;
export type ContentDomain = (typeof CONTENT_DOMAINS)[number];

/** The depth at which a text is whole. */
export const MAX_DEPTHS: Readonly<Record<ContentDomain, number>> = {
  code: 9,
  documents: 10,
  data: 11,
  infrastructure: 8,
};

/** The rungs that a text which does not fit is tried at, deepest first. */
export const LADDER = [9, 4, 2, 0] as const;

/** A text at less than its full detail. */
export interface Rendering {
  readonly depth: number;
  readonly content: string;
}

/** Characters of one line of a rendering. */
const LONGEST_LINE = 160;
/** Outline lines at depths 1, 2 and 3. */
const OUTLINE_LINES = [0, 3, 8, 16];
const WHOLE_OUTLINE = 4;
const OMISSION = '…';

const EXTENSIONS: Readonly<Record<ContentDomain, RegExp>> = {
  code: /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|scala|sh|sql|lua)$/i,
  documents: /\.(?:md|mdx|rst|txt|adoc|html?)$/i,
  data: /\.(?:jsonl?|csv|tsv|xml|parquet|ndjson)$/i,
  infrastructure: /(?:\.(?:ya?ml|tf|toml|ini|conf|env)|(?:^|\/)(?:Dockerfile|Makefile))$/i,
};

const SIGNATURE =
  /^(?:\s*(?:export |default |public |private |protected |static |abstract |async |pub |unsafe )*(?:function|class|interface|enum|def|fn|func|struct|trait|impl|namespace|module|type)\b|(?:export )?(?:const|let|var) )/;
const METHOD = /^\s{2,}(?!if\b|for\b|while\b|switch\b|catch\b|return\b|else\b)[\w$ ]{1,60}\(/;
const HEADING = /^(?:#{1,6} |[=-]{2,}\s|\d+[.)] )/;
const TOP_KEY = /^\s{0,2}["'\w[{<-]/;

/** What kind of text it is, by the name of its file where there is one, else by how it looks. */
export function contentDomainOf(content: string, path?: string): ContentDomain {
  const named = CONTENT_DOMAINS.find(
    (domain) => path !== undefined && EXTENSIONS[domain].test(path),
  );
  if (named !== undefined) return named;
  const opening = content.slice(0, 4_000);
  if (/^\s*[[{]/.test(opening) && /[:,]/.test(opening)) return 'data';
  const signatures = opening
    .split('\n')
    .filter((line) => SIGNATURE.test(line.slice(0, LONGEST_LINE)));
  return signatures.length >= 2 ? 'code' : 'documents';
}

/** The text at a depth, or null where the depth is that of the whole text or shows no less than it. */
export function renderAtDepth(
  content: string,
  domain: ContentDomain,
  depth: number,
): Rendering | null {
  if (depth >= MAX_DEPTHS[domain]) return null;
  const lines = content.split('\n');
  const shown = linesAt(lines, domain, Math.max(0, depth));
  const text = shown.map((row) => shorten(lines[row] ?? '')).join('\n');
  if (text.length + OMISSION.length + 1 >= content.length) return null;
  return { depth, content: `${text} ${OMISSION}` };
}

/** Rows of the lines that a depth shows, ascending. */
function linesAt(
  lines: readonly string[],
  domain: ContentDomain,
  depth: number,
): readonly number[] {
  const title = lines.findIndex((line) => line.trim() !== '');
  if (title < 0) return [];
  const outline = outlineOf(lines, domain).filter((row) => row !== title);
  const part = depth >= WHOLE_OUTLINE ? outline : outline.slice(0, OUTLINE_LINES[depth] ?? 0);
  const heads = [title, ...part];
  const below = Math.max(0, depth - WHOLE_OUTLINE);
  if (below === 0) return heads;
  return heads.flatMap((head, index) => {
    const end = Math.min(heads[index + 1] ?? lines.length, head + 1 + below);
    return Array.from({ length: Math.max(1, end - head) }, (_, offset) => head + offset);
  });
}

function outlineOf(lines: readonly string[], domain: ContentDomain): readonly number[] {
  const rows = (matches: (line: string) => boolean): number[] =>
    lines.flatMap((line, row) => (matches(line.slice(0, LONGEST_LINE)) ? [row] : []));
  if (domain === 'code') return rows((line) => SIGNATURE.test(line) || METHOD.test(line));
  if (domain !== 'documents') return rows((line) => TOP_KEY.test(line));
  const headings = rows((line) => HEADING.test(line));
  return headings.length >= 2 ? headings : openingLines(lines);
}

/** Where paragraphs begin. */
function openingLines(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line, row) =>
    line.trim() !== '' && (lines[row - 1] ?? '').trim() === '' ? [row] : [],
  );
}

function shorten(line: string): string {
  if (line.length <= LONGEST_LINE) return line.trimEnd();
  const isInsidePair = /[\uD800-\uDBFF]/.test(line.charAt(LONGEST_LINE - 1));
  return line.slice(0, isInsidePair ? LONGEST_LINE - 1 : LONGEST_LINE);
}
