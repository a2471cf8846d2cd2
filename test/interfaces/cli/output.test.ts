import { describe, expect, it } from '@jest/globals';
import { plainView } from '../../../src/interfaces/cli/plain-view.js';
import { richView } from '../../../src/interfaces/cli/rich-view.js';
import { textWidth } from '../../../src/interfaces/cli/text-width.js';
import type { Block } from '../../../src/interfaces/cli/view.js';
import { toWire, Verbatim } from '../../../src/interfaces/cli/wire-names.js';
import { agents } from './cli-support.js';

const TABLE: Block = {
  block: 'table',
  title: 'Plans',
  columns: [
    { title: 'plan_id' },
    { title: 'tokens', align: 'right' },
    { title: 'goal', isElastic: true },
  ],
  rows: [
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '400', 'Bau das Haus 🏠 und den Garten dazu '.repeat(4)],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAW', '12,000', '漢字かな交じり文を書く\nund mehr'],
  ],
  none: 'There are none.',
};

const PANEL: Block = {
  block: 'fields',
  title: 'skeleton',
  fields: [
    ['ratio', '0.5'],
    ['source_decision_ids', '01ARZ3NDEKTSV4RRFFQ69G5FAV '.repeat(5).trim()],
  ],
};

describe('richView', () => {
  it.each([40, 60, 80, 120])(
    'every line of a box is as wide as the others at %i columns',
    (columns) => {
      for (const block of [TABLE, PANEL]) {
        const lines = richView([block], { columns, hasColour: false }).trimEnd().split('\n');
        const widths = new Set(lines.map(textWidth));
        expect(widths.size).toBe(1);
        expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
      }
    },
  );

  it('keeps ids whole and cuts elastic cells', () => {
    const text = richView([TABLE], { columns: 80, hasColour: false });
    expect(text).toContain('01ARZ3NDEKTSV4RRFFQ69G5FAV');
    expect(text).toContain('…');
  });

  it('keeps the part of a long id that tells it from the others', () => {
    const ids: Block = {
      block: 'table',
      title: 'Context',
      columns: [{ title: 'fragment_id', isElastic: true, isId: true }],
      rows: [['4W2K41F8K24XBMQTXVQZMK7H2M:f5e848b6-0eb0-4bc4-8d5f-3f6c0e7a9a11']],
      none: '',
    };
    const text = richView([ids], { columns: 30, hasColour: false });
    expect(text).toContain('…:f5e848b6-0eb0-4bc4');
  });

  it('has colour only where it is wanted', () => {
    expect(richView([PANEL], { columns: 80, hasColour: false })).not.toContain('\u001B');
    expect(richView([PANEL], { columns: 80, hasColour: true })).toContain('\u001B[1mskeleton');
  });

  it('says in words that a table is empty', () => {
    const empty: Block = { ...TABLE, rows: [] };
    expect(richView([empty], { columns: 80, hasColour: true })).toBe('There are none.\n');
  });
});

describe('plainView', () => {
  it('cuts nothing and has neither box nor colour', () => {
    const text = plainView([TABLE, PANEL]);
    expect(text).toContain('漢字かな交じり文を書く und mehr');
    expect(text).toContain('ratio: 0.5\n');
    for (const foreign of ['│', '─', '…', '\u001B']) expect(text).not.toContain(foreign);
  });
});

describe('toWire', () => {
  it('writes names in snake_case and times in ISO 8601, and leaves out what is undefined', () => {
    expect(
      toWire({
        planId: 'p',
        createdAt: new Date(0),
        skeleton: { sourceDecisionIds: ['d'], left: undefined },
      }),
    ).toEqual({
      plan_id: 'p',
      created_at: '1970-01-01T00:00:00.000Z',
      skeleton: { source_decision_ids: ['d'] },
    });
  });

  it("leaves somebody else's names as they are", () => {
    expect(toWire({ metadata: new Verbatim({ toolName: 'Bash' }) })).toEqual({
      metadata: { toolName: 'Bash' },
    });
  });
});

describe('help', () => {
  const COMMANDS = [
    'project create',
    'project list',
    'project context set',
    'project context show',
    'plan create',
    'plan list',
    'plan tree',
    'plan status',
    'plan import',
    'plan context',
    'plan spawn',
    'plan dropped',
    'plan recall',
    'plan decisions',
    'plan supersede',
    'database migrate',
    'database check',
    'database revert',
    'database start',
    'database stop',
    'database export',
    'database import',
  ];

  it.each(COMMANDS)('agents %s --help shows an example and the formats', async (command) => {
    const { exitCode, stdout, stderr } = await agents([...command.split(' '), '--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`Example:\\n  \\$ .*agents ${command} ?`));
    expect(stdout).toContain('--format <format>');
  });

  it('a group without a command shows its help on stderr as wrong use', async () => {
    const { exitCode, stdout, stderr } = await agents(['plan']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('Usage: agents plan');
  });

  it('the version is that of the package', async () => {
    expect(await agents(['--version'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });
});
