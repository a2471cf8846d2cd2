/** Two texts as one: lines that went, lines that came, and lines that stayed. */

export interface DiffLine {
  readonly change: 'kept' | 'removed' | 'added';
  readonly line: string;
}

/** Pairs of lines that are compared; where there are more, the middle is told as replaced. */
const MOST_PAIRS = 4_000_000;

/** By lines, in the order of both texts; what is common to the most lines stays. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  const shortest = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shortest && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const middle = compare(
    old.slice(head, old.length - tail),
    fresh.slice(head, fresh.length - tail),
  );
  return [
    ...told('kept', old.slice(0, head)),
    ...middle,
    ...told('kept', old.slice(old.length - tail)),
  ];
}

/** As a unified diff shows it, without its heads. */
export function renderDiff(lines: readonly DiffLine[]): string {
  const signs = { kept: ' ', removed: '-', added: '+' } as const;
  return lines.map(({ change, line }) => `${signs[change]} ${line}`.trimEnd()).join('\n');
}

function compare(old: readonly string[], fresh: readonly string[]): readonly DiffLine[] {
  if (old.length * fresh.length > MOST_PAIRS) {
    return [...told('removed', old), ...told('added', fresh)];
  }
  const width = fresh.length + 1;
  // Lines in common from here on, from the end to the beginning.
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === fresh[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < fresh.length) {
    const [gone, came] = [old[row], fresh[column]];
    if (gone !== undefined && gone === came) {
      lines.push({ change: 'kept', line: gone });
      [row, column] = [row + 1, column + 1];
    } else if (
      gone !== undefined &&
      (came === undefined || at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push({ change: 'removed', line: gone });
      row += 1;
    } else {
      lines.push({ change: 'added', line: came ?? '' });
      column += 1;
    }
  }
  return lines;
}

function told(change: DiffLine['change'], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((line) => ({ change, line }));
}
