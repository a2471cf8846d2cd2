/** Calls of Claude Code on a handful of paths, so that they meet: made here, moved, removed, run, failed. */
import fc from 'fast-check';
import { failed, step, type Step } from './trail-support.js';

const path = fc.constantFrom('a', 'b', 'd/a', 'd/b', 'd', 'e/c.ts');
const text = fc.constantFrom('x\n', 'y\n', 'x y\n', 'export function go() {\n}\n');
const word = fc.constantFrom('x', 'y', 'go');
const outcome = fc.constantFrom<Partial<Step>>(
  {},
  {},
  {},
  failed,
  { isAnswered: false },
  { active: false },
  { isError: true, content: '  ✕ adds\nTests:  1 failed, 1 passed, 2 total' },
  { content: 'Tests:  2 passed, 2 total' },
  { detail: { backgroundTaskId: 'b1' } },
  { content: '     1→x\n     2→', detail: { file: { startLine: 1, numLines: 2, totalLines: 2 } } },
  { detail: { filePath: 'a', originalFile: 'x\n', oldString: 'x', newString: 'y' } },
);

export const anyStep: fc.Arbitrary<Step> = fc
  .oneof(
    path.map((file_path) => ['Read', { file_path }] as const),
    fc.tuple(path, text).map(([file_path, content]) => ['Write', { file_path, content }] as const),
    fc
      .tuple(path, word, word)
      .map(
        ([file_path, old_string, new_string]) =>
          ['Edit', { file_path, old_string, new_string }] as const,
      ),
    fc
      .tuple(fc.constantFrom('rm -r', 'cat', 'touch', 'mkdir -p', 'npm test'), path)
      .map(([program, operand]) => ['Bash', { command: `${program} ${operand}` }] as const),
    fc
      .tuple(fc.constantFrom('mv', 'cp', 'git mv'), path, path)
      .map(([program, from, to]) => ['Bash', { command: `${program} ${from} ${to}` }] as const),
    fc
      .constantFrom('npm test', 'npm test d', 'npm test -- -t x')
      .map((command) => ['Bash', { command }] as const),
    fc.constant(['BashOutput', { bash_id: 'b1' }] as const),
    fc.constant(['KillBash', { shell_id: 'b1' }] as const),
    fc.constant(['Weather', { city: 'x' }] as const),
    text.map((content) => ['TodoWrite', { todos: [{ content, status: 'pending' }] }] as const),
  )
  .chain(([tool, given]) => outcome.map((parts) => step(tool, given, parts)));
