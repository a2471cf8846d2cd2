/** What is taken out of a change made by hand. */
import { describe, expect, it } from '@jest/globals';
import { readSeedExample, renderSeedExample } from '../../../src/domain/workflow/seed-example.js';

const GIT = `From 1234 Mon Sep 17 00:00:00 2001
Subject: [PATCH 1/2] Pass the time
---
diff --git a/src/a.ts b/src/a.ts
index 111..222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,4 @@ export class A
-export function isOpen(a: A): boolean {
+export function isOpen(a: A, now: number): boolean {
   return a.open;
 }

@@ -9,2 +9,3 @@
 x
--- a dashed line that was removed
+++ a line that was added
+export const HOUR = 1;
Subject: [PATCH 2/2] Move and remove
diff --git a/src/old name.ts b/src/new name.ts
similarity index 100%
rename from src/old name.ts
rename to src/new name.ts
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1,1 +0,0 @@
-def gone():
\\ No newline at end of file
diff --git a/made.go b/made.go
new file mode 100644
--- /dev/null
+++ b/made.go
@@ -0,0 +1 @@
+func Made() {}
`;

describe('a seed example', () => {
  const seed = readSeedExample(GIT);

  it('names its files with what became of them', () => {
    expect(seed.files).toEqual([
      {
        part: 'file-1',
        path: 'src/a.ts',
        oldPath: null,
        change: 'modified',
        linesAdded: 3,
        linesRemoved: 2,
      },
      {
        part: 'file-2',
        path: 'src/new name.ts',
        oldPath: 'src/old name.ts',
        change: 'renamed',
        linesAdded: 0,
        linesRemoved: 0,
      },
      {
        part: 'file-3',
        path: 'gone.py',
        oldPath: null,
        change: 'deleted',
        linesAdded: 0,
        linesRemoved: 1,
      },
      {
        part: 'file-4',
        path: 'made.go',
        oldPath: null,
        change: 'added',
        linesAdded: 1,
        linesRemoved: 0,
      },
    ]);
  });

  it('names signatures before and after, of what was altered, made and removed', () => {
    expect(seed.signatures.map(({ name, before, after }) => [name, before, after])).toEqual([
      [
        'isOpen',
        'export function isOpen(a: A): boolean {',
        'export function isOpen(a: A, now: number): boolean {',
      ],
      ['HOUR', null, 'export const HOUR = 1;'],
      ['gone', 'def gone():', null],
      ['Made', null, 'func Made() {}'],
    ]);
  });

  it('names its steps in order, with where they stand and what commit they belong to', () => {
    expect(seed.steps).toMatchObject([
      {
        part: 'step-1',
        path: 'src/a.ts',
        line: 1,
        within: 'export class A',
        commit: 'Pass the time',
      },
      { part: 'step-2', path: 'src/a.ts', line: 9, within: null, linesAdded: 2, linesRemoved: 1 },
      { part: 'step-3', path: 'gone.py', line: 0, commit: 'Move and remove' },
      { part: 'step-4', path: 'made.go', line: 1 },
    ]);
    expect(renderSeedExample(seed).split('\n')[0]).toBe(
      'step-1: src/a.ts:1 +1 -1 in export class A (Pass the time)',
    );
  });

  it('is read from a plain diff too, whose names carry times', () => {
    const plain = `--- a.c\t2026-01-01 10:00\n+++ a.c\t2026-01-02 10:00\n@@ -1 +1 @@\n-x\n+y\n--- b.c\n+++ b.c\n@@ -1 +1 @@\n-x\n+y\n`;

    expect(readSeedExample(plain).files.map(({ path, change }) => `${path} ${change}`)).toEqual([
      'a.c modified',
      'b.c modified',
    ]);
  });

  it.each([
    ['text', 'hello\n', 'no file was changed'],
    ['a hunk of no file', '@@ -1 +1 @@\n-x\n+y\n', 'line 1 begins a hunk'],
    [
      'a diff that was cut short',
      '--- a\n+++ a\n@@ -1,5 +1,5 @@\n x\n',
      'stands in a hunk|ends inside a hunk',
    ],
    ['a line of no mark', '--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\nmore\n', 'line 5 stands in a hunk'],
    [
      'more lines than counted',
      '--- a\n+++ a\n@@ -1,1 +1,2 @@\n-x\n-y\n',
      'more than the head of its hunk counts',
    ],
  ])('is refused where it is %s', (_, diff, says) => {
    expect(() => readSeedExample(diff)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(says) }),
    );
  });
});
