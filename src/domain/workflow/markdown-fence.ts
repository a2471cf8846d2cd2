/** Code fences of Markdown: between them no line is a heading or a label. */

/** The marks that opened the fence a line stands in; empty: it stands in none. */
export type Fence = string;

export const FENCE_CLOSED: Fence = '';

const FENCE = /^(`{3,}|~{3,})(.*)$/;

/** The fence that is open behind the line. */
export function fenceBehind(open: Fence, line: string): Fence {
  const [, marks = '', rest = ''] = FENCE.exec(line) ?? [];
  if (marks === '') return open;
  if (open === FENCE_CLOSED) return marks;
  const closes = marks.startsWith(open) && rest.trim() === '';
  return closes ? FENCE_CLOSED : open;
}
