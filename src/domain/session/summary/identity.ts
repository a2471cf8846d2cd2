/** By what an item is found again: the same subject, error, path or wording in other letters. */
import type { SectionIdentity } from './section-schema.js';
import type { ItemRef } from './summary-item.js';

/** A longer beginning is no subject but a sentence that happens to hold a colon; UTF-16 units. */
const MAX_SUBJECT = 120;

/** Longest first line that is read for a signature, in UTF-16 units, as the trail keeps it. */
const MAX_SIGNATURE = 500;

export function identityKey(
  identity: SectionIdentity,
  text: string,
  refs: readonly ItemRef[],
): string {
  switch (identity) {
    case 'path': {
      const path = refs.find(({ kind }) => kind === 'path')?.text ?? text.split(/\s/, 1)[0] ?? '';
      return pathKey(path);
    }
    case 'subject':
      return `subject:${splitSubject(text).subject}`;
    case 'signature':
      return signatureKey(text);
    case 'text':
    case 'ask':
      return textKey(text);
  }
}

export function textKey(text: string): string {
  return `text:${normaliseWords(text)}`;
}

export function signatureKey(text: string): string {
  const line = text.trimStart().slice(0, MAX_SIGNATURE).split('\n', 1)[0] ?? '';
  const stable = line.replaceAll(/0x[0-9a-f]+|\b[0-9a-f]{7,64}\b/gi, '#').replaceAll(/\d+/g, '#');
  return `signature:${normaliseWords(stable)}`;
}

export function pathKey(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '.' || (part === '' && parts.length > 0)) continue;
    const last = parts.at(-1);
    if (part === '..' && last !== undefined && last !== '..' && last !== '') parts.pop();
    else parts.push(part);
  }
  return `path:${parts.join('/')}`;
}

/**
 * What a statement is about and what it says of that: "database: Postgres 15", or a beginning in
 * backticks. Without such a beginning the whole text is the subject.
 */
export function splitSubject(text: string): { readonly subject: string; readonly choice: string } {
  const quoted = /^`([^`\n]+)`/.exec(text);
  if (quoted !== null) {
    return {
      subject: normaliseWords(quoted[1] ?? ''),
      choice: normaliseWords(text.slice(quoted[0].length)),
    };
  }
  const mark = /:\s| [–—=→] /.exec(text.slice(0, MAX_SUBJECT));
  if (mark === null || mark.index === 0) return { subject: normaliseWords(text), choice: '' };
  return {
    subject: normaliseWords(text.slice(0, mark.index)),
    choice: normaliseWords(text.slice(mark.index + mark[0].length)),
  };
}

function normaliseWords(text: string): string {
  const words = text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ');
  return words.replace(/^[\s"'`:;,.–—-]+/, '').replace(/[\s"'`:;,.!–—-]+$/, '') || words.trim();
}
