/**
 * Arrays as Postgres reads them. `pg` writes arrays too, element by element; a record names every
 * fragment of its parent, and for 100,000 of them that took longer than the insert itself.
 */

/** @param texts none of them null. */
export function textArray(texts: readonly string[]): string {
  if (texts.length === 0) return '{}';
  const escaped = texts.some(needsEscape) ? texts.map(escape) : texts;
  return `{"${escaped.join('","')}"}`;
}

/** @param values finite numbers, or words of letters, digits and hyphens such as ids. */
export function plainArray(values: readonly (number | string)[]): string {
  return `{${values.join(',')}}`;
}

function needsEscape(text: string): boolean {
  return text.includes('"') || text.includes('\\');
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}
