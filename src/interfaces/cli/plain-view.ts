/** A view without colour or box, for pipes and logs: nothing is cut. */
import { padEnd, padStart, printable, textWidth } from './text-width.js';
import type { Block } from './view.js';

export function plainView(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      const text = plainBlock(block);
      return 'isPart' in block && block.isPart
        ? `${block.title}:\n${text.replace(/^(?=.)/gm, '  ')}`
        : text;
    })
    .join('\n');
}

function plainBlock(block: Block): string {
  switch (block.block) {
    case 'fields':
      return block.fields.map(([label, value]) => `${label}: ${printable(value)}\n`).join('');
    case 'table':
      return plainTable(block);
    case 'text':
      return `${printable(block.text, 'lines')}\n`;
  }
}

function plainTable({ columns, rows, none }: Extract<Block, { block: 'table' }>): string {
  if (rows.length === 0) return `${none}\n`;
  const lines = [
    columns.map(({ title }) => title.toUpperCase()),
    ...rows.map((row) => row.map((cell) => printable(cell))),
  ];
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, textWidth(line[index] ?? '')), 0),
  );
  return lines
    .map((line) => {
      const cells = line.map((cell, index) => {
        const width = widths[index] ?? 0;
        return columns[index]?.align === 'right' ? padStart(cell, width) : padEnd(cell, width);
      });
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}
