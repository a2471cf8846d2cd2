/** How many lines a change adds and removes. */

export interface LineChange {
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly everywhere: boolean;
}

/** Lines of a text; a final line end begins no further line. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Counts the lines between the common beginning and the common end of two texts. */
export function lineChange(before: string, after: string): LineChange {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  return {
    linesAdded: fresh.length - start - end,
    linesRemoved: old.length - start - end,
  };
}

/** Edits one after the other, or null where one does not apply exactly as its tool would have it. */
export function applyEdits(content: string, edits: readonly TextEdit[]): string | null {
  let text = content;
  for (const { oldText, newText, everywhere } of edits) {
    if (oldText === '') {
      if (text !== '') return null;
      text = newText;
      continue;
    }
    const at = text.indexOf(oldText);
    if (at === -1) return null;
    if (everywhere) text = text.split(oldText).join(newText);
    else if (text.includes(oldText, at + 1)) return null;
    else text = text.slice(0, at) + newText + text.slice(at + oldText.length);
  }
  return text;
}
