/**
 * Contents of entries as parameters of their own. In one JSON parameter they would be written, joined,
 * measured and read again, which takes ten times as long as all else that is done with them.
 */
import type { SessionEntry } from '../../../domain/session/session.js';

type Text = Pick<SessionEntry, 'contentHash' | 'content'>;

export interface TextParameters {
  /** Texts that fit. */
  readonly most: number;
  /** Rows of `content_hash` and `content`; of parameters that are not used, rows of nulls. */
  readonly rows: string;
  /** @param texts at most so many. */
  readonly values: (texts: readonly Text[]) => readonly unknown[];
}

/** A statement is prepared for each, so that one text is not sent with a thousand places. */
const SIZES = [1, 32, 1_024];

/** @param first number of the first parameter. In ascending order of what fits. */
export function textParameters(first: number): readonly TextParameters[] {
  return SIZES.map((most) => parameters(most, first));
}

function parameters(most: number, first: number): TextParameters {
  const rows = Array.from({ length: most }, (_, index) => {
    const at = first + 2 * index;
    return `($${at}::text, $${at + 1}::text)`;
  });
  return {
    most,
    rows: `(values ${rows.join(', ')}) as r (content_hash, content)`,
    values: (texts) => [
      ...texts.flatMap(({ contentHash, content }) => [contentHash, content]),
      ...Array<null>(2 * (most - texts.length)).fill(null),
    ],
  };
}

/** For more texts than a statement has parameters. */
export function textsAsJson(first: number): TextParameters {
  return {
    most: Infinity,
    rows: `json_to_recordset($${first}::json) as r (content_hash text, content text)`,
    values: (texts) => [
      JSON.stringify(
        texts.map(({ contentHash, content }) => ({ content_hash: contentHash, content })),
      ),
    ],
  };
}

/** Each once, in the order of their hashes. */
export function distinctTexts(texts: readonly Text[]): readonly Text[] {
  const byHash = new Map(texts.map((text) => [text.contentHash, text]));
  return [...byHash.values()].sort((a, b) => (a.contentHash < b.contentHash ? -1 : 1));
}
