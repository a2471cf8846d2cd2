import { describe, expect, it } from '@jest/globals';
import {
  artifactKind,
  isBelow,
  normalizeArtifactPath,
} from '../../../../src/domain/session/trail/artifact-path.js';

describe('the name of an artifact', () => {
  it.each([
    ['the root is stripped', '/project/src/a.ts', null, 'src/a.ts'],
    ['a relative path starts at the root', 'src/a.ts', null, 'src/a.ts'],
    ['a relative path starts at its directory', 'a.ts', 'src', 'src/a.ts'],
    ['an absolute directory is stripped too', 'a.ts', '/project/src', 'src/a.ts'],
    ['a directory does not touch an absolute path', '/project/a.ts', 'src', 'a.ts'],
    ['dots are resolved', './src/../lib/./a.ts', null, 'lib/a.ts'],
    ['what leaves the root stays absolute', '../other/a.ts', null, '/other/a.ts'],
    [
      'a sibling that begins like the root stays absolute',
      '/project2/a.ts',
      null,
      '/project2/a.ts',
    ],
    ['the root itself is a dot', '/project/', null, '.'],
    ['backslashes separate', 'src\\a.ts', null, 'src/a.ts'],
    ['case is kept', 'Src/A.ts', null, 'Src/A.ts'],
    ['doubled and trailing separators go', 'src//a/', null, 'src/a'],
    ['a url stays as it is', 'https://example.com/a/../b?c', null, 'https://example.com/a/../b?c'],
    ['a file url is a path', 'file:///project/a.ts', null, 'a.ts'],
    ['nothing above the file system is reached', '/../../a', null, '/a'],
  ])('%s', (_rule, path, directory, expected) => {
    expect(normalizeArtifactPath(path, { projectRoot: '/project', directory })).toBe(expected);
  });

  it.each([
    ['C:\\Work\\src\\a.ts', 'src/a.ts'],
    ['c:/Work/src/a.ts', 'src/a.ts'],
    ['D:/Work/a.ts', 'D:/Work/a.ts'],
  ])('drives are told apart: %s', (path, expected) => {
    const base = { projectRoot: 'C:\\Work', directory: null };
    expect(normalizeArtifactPath(path, base)).toBe(expected);
  });

  it.each([
    ['../a.ts', '../a.ts'],
    ['src/../../a.ts', '../a.ts'],
    ['/src/a.ts', '/src/a.ts'],
  ])('without a root, %s is %s', (path, expected) => {
    expect(normalizeArtifactPath(path, { projectRoot: null, directory: null })).toBe(expected);
  });

  it.each([
    ['a.ts', 'file'],
    ['a.ipynb', 'notebook'],
    ['https://example.com', 'url'],
  ])('%s is a %s', (path, kind) => {
    expect(artifactKind(path)).toBe(kind);
  });

  it.each([
    ['src/a.ts', 'src', true],
    ['src', 'src', false],
    ['src2/a.ts', 'src', false],
    ['src/a.ts', '.', true],
    ['/tmp/a', '.', false],
  ])('%s below %s: %s', (path, directory, expected) => {
    expect(isBelow(path, directory)).toBe(expected);
  });
});
