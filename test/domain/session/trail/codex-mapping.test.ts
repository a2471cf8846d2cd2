import { describe, expect, it } from '@jest/globals';
import {
  applyHunks,
  parsePatch,
  type PatchedFile,
} from '../../../../src/domain/session/trail/apply-patch.js';
import { CODEX, eventLines, sha256, stateLines, step, trailOf } from './trail-support.js';

const PATCH = `*** Begin Patch
*** Add File: src/new.ts
+export const one = 1;
+
*** Update File: src/old.ts
*** Move to: src/moved.ts
@@ class Old {
   keep
-  drop
+  fresh
*** Delete File: src/gone.ts
*** Update File: src/same.ts
@@
-a
+b
*** End of File
*** End Patch`;

const EVENTS = [
  'created src/new.ts',
  'modified src/old.ts',
  'renamed src/old.ts → src/moved.ts',
  'deleted src/gone.ts',
  'modified src/same.ts',
];

describe('apply_patch in each of its forms', () => {
  const done = { content: 'Success. Updated the following files:\nA src/new.ts\n' };

  it.each([
    ['the patch as raw text', 'apply_patch', PATCH],
    ['under the argument input', 'apply_patch', { input: PATCH }],
    ['as a text of JSON', 'apply_patch', JSON.stringify({ input: PATCH })],
    ['as a word behind the program', 'shell', { command: ['apply_patch', PATCH] }],
    ['in a heredoc', 'shell', { command: ['bash', '-lc', `apply_patch <<'EOF'\n${PATCH}\nEOF`] }],
    ['in a heredoc of a script', 'exec_command', { cmd: `apply_patch <<EOF\n${PATCH}\nEOF\n` }],
    ['in a local shell call', 'local_shell_call', { action: { command: ['apply_patch', PATCH] } }],
    ['by its older name', 'shell', { command: ['applypatch', PATCH] }],
  ])('%s', (_form, tool, given) => {
    const { events, trail } = trailOf([step(tool, given, done)], CODEX);
    expect(eventLines(events)).toEqual(EVENTS);
    expect(trail.unmappedTools.size).toBe(0);
    expect(events[1]).toMatchObject({
      linesAdded: 1,
      linesRemoved: 1,
      note: '1 hunk, +1 −1, `Old`',
    });
  });

  it.each([
    ['behind a change of directory', { cmd: `cd sub && apply_patch <<'EOF'\n${PATCH}\nEOF` }],
    [
      'with a working directory',
      { cmd: `apply_patch <<'EOF'\n${PATCH}\nEOF`, workdir: '/project/sub' },
    ],
  ])('%s, paths start there', (_form, given) => {
    const { events } = trailOf([step('exec_command', given, done)], CODEX);
    expect(events[0]?.path).toBe('sub/src/new.ts');
  });

  it.each([
    ['an error', { isError: true, content: 'apply_patch verification failed: no such context' }],
    ['its words', { content: 'apply_patch verification failed: no such context' }],
    ['an exit code in JSON', { content: '{"output":"no","metadata":{"exit_code":1}}' }],
    ['the detail', { content: 'patch did not apply', detail: { success: false } }],
  ])('that failed by %s changes nothing', (_how, result) => {
    const { events, trail } = trailOf([step('apply_patch', PATCH, result)], CODEX);
    expect(events.some(({ ok }) => ok)).toBe(false);
    expect(trail.artifacts.size).toBe(0);
    expect(trail.errors.size).toBe(1);
  });

  it("takes counts and symbols from the vendor's own report", () => {
    const diff = '@@ -1,2 +1,3 @@\n function start() {\n+  one();\n+  two();\n }\n';
    const changes = {
      '/project/src/a.ts': { type: 'update', unified_diff: diff, move_path: null },
    };
    const patch = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n+  one();\n*** End Patch';
    const { events } = trailOf(
      [step('apply_patch', patch, { detail: { success: true, changes } })],
      CODEX,
    );
    expect(events[0]).toMatchObject({ linesAdded: 2, linesRemoved: 0, symbols: ['start'] });
  });

  it('computes the hash after an update of a known content', () => {
    const update = '*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+six\n*** End Patch';
    const add = '*** Begin Patch\n*** Add File: a\n+one\n+two\n*** End Patch';
    const { events } = trailOf([step('apply_patch', add), step('apply_patch', update)], CODEX);
    expect(events.map(({ hashAfter }) => hashAfter)).toEqual([
      sha256('one\ntwo\n'),
      sha256('one\nsix\n'),
    ]);
  });

  it.each<[string, string, PatchedFile[] | null]>([
    ['no patch', 'ls', null],
    ['a patch of nothing', '*** Begin Patch\n*** End Patch', null],
    [
      'a patch without its end',
      '*** Begin Patch\r\n*** Delete File: a',
      [{ change: 'delete', path: 'a' }],
    ],
  ])('%s is read as it is', (_what, text, expected) => {
    expect(parsePatch(text)).toEqual(expected);
  });

  it.each([
    ['in one place', 'a\nb\n', [' a', '-b', '+c'], '', 'a\nc\n'],
    ['below its head', 'x\na\nclass B\na\n', ['-a', '+c'], 'class B', 'x\na\nclass B\nc\n'],
    ['in two places is not known', 'a\na\n', ['-a', '+c'], '', null],
    ['in no place is not known', 'a\n', ['-b', '+c'], '', null],
    ['without old lines is not known', 'a\n', ['+c'], '', null],
  ])('a hunk %s', (_where, content, lines, head, expected) => {
    expect(applyHunks(content, [{ head, lines, atEnd: false }])).toBe(expected);
  });
});

describe('commands of Codex', () => {
  it('a command that still runs is settled by what a later call reads of it', () => {
    const steps = [
      step(
        'exec_command',
        { cmd: 'rm a', workdir: '/project' },
        {
          content: 'Chunk ID: 1\nProcess running with session ID 7\nOutput:\n',
        },
      ),
      step(
        'write_stdin',
        { session_id: 7, chars: '' },
        {
          content:
            'Chunk ID: 2\nProcess exited with code 0\nOutput:\nTests  2 failed | 14 passed (16)\n',
        },
      ),
    ];
    const running = trailOf(steps.slice(0, 1), CODEX);
    expect(running.events).toEqual([]);
    expect(running.trail.commands.get(1)).toMatchObject({ state: 'unknown', resultSeq: 2 });

    const { trail, events } = trailOf(steps, CODEX);
    expect(eventLines(events)).toEqual(['deleted a']);
    expect(events[0]).toMatchObject({ seq: 1, resultSeq: 4 });
    expect([...trail.commands.values()]).toMatchObject([
      { seq: 1, state: 'ok', exitCode: 0, outcome: { passed: 14, failed: 2 } },
    ]);
    expect(trail.running.size).toBe(0);
  });

  it.each([
    ['Exit code: 2\nWall time: 1 seconds\nOutput:\nno', null, { state: 'failed', exitCode: 2 }],
    ['Exit code: 0\nOutput:\nyes', null, { state: 'ok', exitCode: 0 }],
    ['{"output":"yes","metadata":{"exit_code":0}}', null, { state: 'ok', exitCode: 0 }],
    ['{"output":"no","metadata":{"exit_code":124}}', null, { state: 'timed-out', exitCode: 124 }],
    ['aborted by user after 3.0s', null, { state: 'interrupted' }],
    ['yes', 3, { state: 'failed', exitCode: 3 }],
    ['yes', null, { state: 'ok', exitCode: null }],
  ])('ends as its result says: %j', (content, exitCode, expected) => {
    const given = { command: ['bash', '-lc', 'make'] };
    const { trail } = trailOf([step('shell', given, { content, exitCode })], CODEX);
    expect(trail.commands.get(1)).toMatchObject({ command: 'make', ...expected });
  });

  it('words with blanks are quoted in the command that is kept', () => {
    const { trail } = trailOf([step('shell', { command: ['rm', 'a b'] })], CODEX);
    expect(trail.commands.get(1)?.command).toBe("rm 'a b'");
    expect(stateLines(trail)).toEqual(['a b: deleted']);
  });

  it('a plan is the list of todos, a viewed image is read', () => {
    const plan = [
      { step: 'one', status: 'completed' },
      { step: 'two', status: 'in_progress' },
    ];
    const { trail, events } = trailOf(
      [step('update_plan', { plan }), step('view_image', { path: 'a.png' })],
      CODEX,
    );
    expect(trail.todos.map(({ text, state }) => `${text}: ${state}`)).toEqual([
      'one: completed',
      'two: in-progress',
    ]);
    expect(eventLines(events)).toEqual(['read a.png']);
  });
});
