/** Characters of a value that a message shows. */
const SHOWN_CHARACTERS = 60;

/** A given value as an error names it: as JSON, its beginning only. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
