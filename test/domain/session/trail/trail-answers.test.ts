import { describe, expect, it } from '@jest/globals';
import type { TokenCounter } from '../../../../src/domain/kernel/measures.js';
import { expandPathLists } from '../../../../src/domain/session/trail/path-list.js';
import { renderTrail } from '../../../../src/domain/session/trail/render-trail.js';
import {
  artifactsUnder,
  doneSince,
  findArtifact,
  historyOf,
  lastCommands,
  listArtifacts,
  openErrors,
} from '../../../../src/domain/session/trail/trail-answers.js';
import { bash, eventLines, step, timeOf, trailOf } from './trail-support.js';

const QUARTERS: TokenCounter = {
  name: 'quarters',
  version: '1',
  count: (text) => Math.ceil(text.length / 4),
};

const STEPS = [
  step('Read', { file_path: 'src/seen.ts' }),
  step('Write', { file_path: 'src/new.ts', content: 'export class Fresh {\n}\n' }),
  step('Edit', { file_path: 'src/old.ts', old_string: 'x', new_string: 'y\nz' }),
  bash('git mv src/old.ts src/moved.ts'),
  bash('rm src/gone.ts'),
  step('Edit', { file_path: 'src/bad.ts', old_string: 'x', new_string: 'y' }),
  bash('npx tsc', { isError: true, content: 'Exit code 2\nsrc/bad.ts(1,2): error TS1005: no.' }),
  step('Read', { file_path: 'docs/later.md' }),
];

const { trail, events } = trailOf(STEPS);

describe('answers of a trail', () => {
  it.each([
    ['created', ['src/new.ts']],
    ['modified', ['src/bad.ts', 'src/moved.ts']],
    ['read', ['docs/later.md', 'src/seen.ts']],
    ['deleted', ['src/gone.ts']],
    ['renamed', ['src/moved.ts']],
    ['listed', []],
  ] as const)('%s, the latest first', (list, expected) => {
    expect(listArtifacts(trail, list).map(({ path }) => path)).toEqual(expected);
  });

  it('an old path leads to the artifact under its new one', () => {
    expect(findArtifact(trail, 'src/old.ts')).toBe(findArtifact(trail, 'src/moved.ts'));
    expect(findArtifact(trail, 'src/moved.ts')?.renamedFrom).toBe('src/old.ts');
    expect(findArtifact(trail, 'nowhere')).toBeNull();
  });

  it('a path made anew under an old name is its own artifact', () => {
    const again = trailOf([
      ...STEPS,
      step('Write', { file_path: 'src/old.ts', content: 'x' }),
    ]).trail;
    expect(findArtifact(again, 'src/old.ts')).toMatchObject({
      path: 'src/old.ts',
      state: 'created',
    });
  });

  it('how a path was changed is told under all its names', () => {
    expect(eventLines(historyOf(trail, events, 'src/moved.ts'))).toEqual([
      'modified src/old.ts',
      'renamed src/old.ts → src/moved.ts',
    ]);
  });

  it('the latest commands come first', () => {
    expect(lastCommands(trail, 2).map(({ command, state }) => `${command}: ${state}`)).toEqual([
      'npx tsc: failed',
      'rm src/gone.ts: ok',
    ]);
  });

  it('open errors are told', () => {
    expect(openErrors(trail).map(({ file }) => file)).toEqual(['src/bad.ts']);
  });

  it('what was done since an entry, and since a time', () => {
    const byEntry = doneSince(trail, events, { afterSeq: 12 });
    expect(eventLines(byEntry.events)).toEqual(['read docs/later.md']);
    expect(byEntry.commands.map(({ command }) => command)).toEqual(['npx tsc']);
    expect(doneSince(trail, events, { from: timeOf(13) })).toEqual(byEntry);
  });

  it('artifacts below a directory', () => {
    expect(artifactsUnder(trail, 'docs').map(({ path }) => path)).toEqual(['docs/later.md']);
  });
});

describe('the trail as text', () => {
  const own = [{ trail, origin: null }];

  it('names files of open errors, then changed, then deleted and renamed, then read ones', () => {
    expect(renderTrail(own, 1_000, QUARTERS).text).toBe(
      [
        'Files with open errors:',
        '- src/bad.ts (modified, +1 −1; entry:11) — src/bad.ts(1,2): error TS1005: no.',
        'Changed:',
        '- src/moved.ts (modified, was src/old.ts, +2 −1; entry:7)',
        '- src/new.ts (created, +2 −0, `Fresh`; entry:3)',
        'Deleted and renamed:',
        '- src/gone.ts (deleted; entry:9)',
        'Read only:',
        '- docs/later.md (read; entry:15)',
        '- src/seen.ts (read; entry:1)',
      ].join('\n'),
    );
  });

  it('keeps whole lines under any budget and counts the rest with a handle', () => {
    const whole = renderTrail(own, 1_000, QUARTERS);
    const lines = new Set(whole.text.split('\n'));
    for (let budget = 0; budget <= whole.tokenCount; budget += 1) {
      const { text, tokenCount, shown, leftOut } = renderTrail(own, budget, QUARTERS);
      expect(tokenCount).toBeLessThanOrEqual(budget);
      expect(tokenCount).toBe(QUARTERS.count(text));
      const left = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
      expect(shown + left).toBe(6);
      // Beside whole lines: counts with their handle, and paths alone under a line that says so.
      const paths = new Set(trail.artifacts.keys());
      const odd = text.split('\n').filter((line) => {
        const isCount = /^- \d+(?: more)?: trail:[a-z-]+$/.test(line);
        return line !== '' && !isCount && !lines.has(line) && !line.startsWith('- paths only');
      });
      const named = odd.flatMap((line) => expandPathLists(line).split(', '));
      expect(named.filter((path) => !paths.has(path))).toEqual([]);
    }
    expect(renderTrail(own, 65, QUARTERS)).toMatchObject({
      shown: 4,
      leftOut: { 'open-errors': 0, changed: 0, 'deleted-and-renamed': 0, read: 2 },
    });
  });

  it('names the child that a line comes from', () => {
    const child = trailOf([step('Read', { file_path: 'c' })]).trail;
    const { text } = renderTrail([{ trail: child, origin: 'reviewer' }], 100, QUARTERS);
    expect(text).toBe('Read only:\n- c (read; entry:1) [reviewer]');
  });

  it('an empty trail is an empty text', () => {
    expect(renderTrail([], 100, QUARTERS)).toMatchObject({ text: '', tokenCount: 0, shown: 0 });
  });
});
