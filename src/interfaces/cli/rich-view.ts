/** A view for a person at a terminal: panels and tables in boxes, as wide as the terminal allows. */
import { padEnd, padStart, printable, textWidth, truncate, wrap } from './text-width.js';
import type { Block, Column } from './view.js';

export interface RichStyle {
  /** Of the terminal. */
  readonly columns: number;
  readonly hasColour: boolean;
}

type Tone = 'bold' | 'dim' | 'red' | 'yellow';

const SGR: Readonly<Record<Tone, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
};

export function paint(text: string, tone: Tone, { hasColour }: Pick<RichStyle, 'hasColour'>) {
  const [on, off] = SGR[tone];
  return hasColour ? `\u001B[${on}m${text}\u001B[${off}m` : text;
}

export function richView(blocks: readonly Block[], style: RichStyle): string {
  return blocks.map((block) => `${richBlock(block, style).join('\n')}\n`).join('');
}

function richBlock(block: Block, style: RichStyle): readonly string[] {
  switch (block.block) {
    case 'fields':
      return panel(block, style);
    case 'table':
      return table(block, style);
    case 'text':
      return [printable(block.text, 'lines')];
  }
}

/** Below this no box can be read; the terminal wraps then. */
const NARROWEST = 24;

/** Columns of a box beside its content: a line and a blank on either side. */
const FRAME = 4;

/** Columns between two cells. */
const GAP = 2;

function panel(
  { title, fields }: Extract<Block, { block: 'fields' }>,
  style: RichStyle,
): readonly string[] {
  const room = Math.max(NARROWEST, style.columns) - FRAME;
  const labels = Math.max(0, ...fields.map(([label]) => textWidth(label)));
  const lines = fields.flatMap(([label, value]) =>
    wrap(printable(value), Math.max(8, room - labels - GAP)).map((line, index) => ({
      label: padEnd(index === 0 ? label : '', labels),
      line,
    })),
  );
  const inner = Math.max(
    textWidth(title) + 1,
    ...lines.map(({ line }) => labels + GAP + textWidth(line)),
  );
  return boxed(
    title,
    lines.map(
      ({ label, line }) =>
        `${paint(label, 'dim', style)}${' '.repeat(GAP)}${padEnd(line, inner - labels - GAP)}`,
    ),
    inner,
    style,
  );
}

function table(
  { title, columns, rows, none }: Extract<Block, { block: 'table' }>,
  style: RichStyle,
): readonly string[] {
  if (rows.length === 0) return [none];
  const cells = rows.map((row) => row.map((cell) => printable(cell)));
  const natural = columns.map((column, index) =>
    cells.reduce(
      (widest, row) => Math.max(widest, textWidth((row[index] ?? '').slice(0, 1_000))),
      textWidth(column.title),
    ),
  );
  const gaps = GAP * (columns.length - 1);
  const widths = narrowed(natural, columns, Math.max(NARROWEST, style.columns) - FRAME - gaps);
  const total = widths.reduce((sum, width) => sum + width, gaps);
  const inner = Math.max(total, textWidth(title) + 1);
  const lineOf = (line: readonly string[]) =>
    columns
      .map(({ align, isId = false }, index) => {
        const width = widths[index] ?? 0;
        const cell = truncate(
          isId ? ownPart(line[index] ?? '', width) : (line[index] ?? ''),
          width,
        );
        return align === 'right' ? padStart(cell, width) : padEnd(cell, width);
      })
      .join(' '.repeat(GAP)) + ' '.repeat(inner - total);
  return boxed(
    title,
    [
      paint(lineOf(columns.map((column) => column.title)), 'bold', style),
      null,
      ...cells.map(lineOf),
    ],
    inner,
    style,
  );
}

/** Ids of one session begin alike; the part that tells them apart is kept longest. */
function ownPart(id: string, columns: number): string {
  return textWidth(id) <= columns || !id.includes(':') ? id : `…${id.slice(id.lastIndexOf(':'))}`;
}

/** Takes from the widest column until all fit: from the elastic ones first. */
function narrowed(
  natural: readonly number[],
  columns: readonly Column[],
  room: number,
): readonly number[] {
  const widths = [...natural];
  for (const [narrowest, mayNarrow] of [
    [12, (index: number) => columns[index]?.isElastic === true],
    [3, (index: number) => columns[index]?.isElastic === true],
    [3, () => true],
  ] as const) {
    for (let excess = sum(widths) - room; excess > 0; excess -= 1) {
      let widest = -1;
      widths.forEach((width, index) => {
        if (width > narrowest && mayNarrow(index) && width > (widths[widest] ?? 0)) widest = index;
      });
      if (widest === -1) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** @param lines each `inner` columns wide; null is a rule across. */
function boxed(
  title: string,
  lines: readonly (string | null)[],
  inner: number,
  style: RichStyle,
): readonly string[] {
  const dim = (text: string) => paint(text, 'dim', style);
  return [
    `${dim('╭─')} ${paint(title, 'bold', style)} ${dim(`${'─'.repeat(Math.max(0, inner - textWidth(title) - 1))}╮`)}`,
    ...lines.map((line) =>
      line === null ? dim(`├${'─'.repeat(inner + 2)}┤`) : `${dim('│')} ${line} ${dim('│')}`,
    ),
    dim(`╰${'─'.repeat(inner + 2)}╯`),
  ];
}
