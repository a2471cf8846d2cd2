import { describe, expect, it } from '@jest/globals';
import { array, assert as assertProperty, constantFrom, oneof, property, string } from 'fast-check';
import { expandPathLists, listPaths } from '../../../../src/domain/session/trail/path-list.js';

const rows = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => expandPathLists(line).split(', '));

describe('paths by folder', () => {
  it.each([
    { rule: 'one path stands alone', paths: ['src/a/b.ts'], lines: ['src/a/b.ts'] },
    {
      rule: 'a folder is written once',
      paths: ['src/alpha/b.ts', 'src/alpha/c.ts', 'README.md'],
      lines: ['src/alpha/: b.ts, c.ts', 'README.md'],
    },
    {
      rule: 'folders of one file each share the line of the folder above',
      paths: ['lib/core/one/a.ts', 'lib/core/two/b.ts', 'lib/core/ten/c.ts'],
      lines: ['lib/core/: one/a.ts, two/b.ts, ten/c.ts'],
    },
    {
      rule: 'a path from the root of the disk keeps its beginning',
      paths: ['/etc/ships/a.conf', '/etc/ships/b.conf'],
      lines: ['/etc/ships/: a.conf, b.conf'],
    },
    {
      rule: 'what the form cannot tell stands alone',
      paths: ['src/alpha/a b.ts', 'src/alpha/c.ts', 'src/alpha/d,', 'src/alpha/e/'],
      lines: ['src/alpha/a b.ts', 'src/alpha/c.ts', 'src/alpha/d,', 'src/alpha/e/'],
    },
    {
      rule: 'a path without end is no tree',
      paths: ['x/'.repeat(20_000) + 'a', 'x/'.repeat(20_000) + 'b'],
      lines: ['x/'.repeat(20_000) + 'a', 'x/'.repeat(20_000) + 'b'],
    },
    { rule: 'a path twice is told once', paths: ['a.ts', 'a.ts'], lines: ['a.ts'] },
  ])('$rule', ({ paths, lines }) => {
    expect(listPaths(paths)).toEqual(lines);
  });

  it('every path can be read back, each once, and no other', () => {
    const part = oneof(
      constantFrom('src', 'a', 'b', 'deep', '..', 'x:', 'a.ts'),
      string({ maxLength: 3 }),
    );
    const path = array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
    assertProperty(
      property(array(path, { maxLength: 40 }), (paths) => {
        // A comma behind which a space stands would be split by the test itself.
        const told = paths.filter((one) => !one.includes(', ') && !/[\r\n]/.test(one));
        expect([...rows(listPaths(told))].sort()).toEqual([...new Set(told)].sort());
      }),
      { seed: 82, numRuns: 500 },
    );
  });

  it.each(['see src/a/: b and c', 'a/b: c, d', 'src/a/:b.ts', 'https://host/: '])(
    'other text stays as it is: %s',
    (text) => {
      expect(expandPathLists(text)).toBe(text);
    },
  );
});
