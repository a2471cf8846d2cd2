/**
 * Arrays as Postgres reads them. `pg` writes arrays too, element by element; a record names every
 * fragment of its parent, and for 100,000 of them that took longer than the insert itself.
 */

/** @param textOf none of them null. */
export function textArray<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  let array = '';
  for (const item of items) {
    const text = textOf(item);
    array += `${array === '' ? '{"' : ',"'}${needsEscape(text) ? escape(text) : text}"`;
  }
  return array === '' ? '{}' : `${array}}`;
}

/** @param valueOf finite numbers, or words of letters, digits and hyphens such as ids. */
export function plainArray<Item>(
  items: readonly Item[],
  valueOf: (item: Item) => number | string,
): string {
  let array = '';
  for (const item of items) array += `${array === '' ? '{' : ','}${valueOf(item)}`;
  return array === '' ? '{}' : `${array}}`;
}

function needsEscape(text: string): boolean {
  return text.includes('"') || text.includes('\\');
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}
