import { describe, expect, it } from '@jest/globals';
import { commandKey } from '../../../../src/domain/session/trail/session-commands.js';
import { errorSignature } from '../../../../src/domain/session/trail/error-signature.js';
import { findErrors } from '../../../../src/domain/session/trail/session-errors.js';
import { testOutcome } from '../../../../src/domain/session/trail/test-outcome.js';
import { bash, CODEX, step, trailOf } from './trail-support.js';

describe('how a command ended', () => {
  it.each([
    ['ok', {}, 'ok'],
    ['an error', { isError: true, exitCode: 2 }, 'failed'],
    ['an exit code', { exitCode: 1 }, 'failed'],
    ['a timeout', { isError: true, content: 'Command timed out after 2m 0s' }, 'timed-out'],
    ['an interrupt', { detail: { interrupted: true } }, 'interrupted'],
    [
      'a refusal',
      { isError: true, content: "The user doesn't want to proceed with this tool use." },
      'interrupted',
    ],
    ['no result', { isAnswered: false }, 'unknown'],
  ])('%s', (_rule, result, state) => {
    expect(trailOf([bash('make', result)]).trail.commands.get(1)?.state).toBe(state);
  });

  it.each([
    ['npm test 2>&1 | tail -20', 'npm test'],
    ['npm   test', 'npm test'],
    ['npm test 2>&1', 'npm test'],
    ['npm test | head -5 | cat', 'npm test'],
  ])('%j is the same command as %j', (left, right) => {
    const key = (command: string): string => commandKey({ command, directory: null });
    expect(key(left)).toBe(key(right));
    expect(key(left)).not.toBe(key('npm run build'));
  });
});

describe('the outcome of tests', () => {
  it.each([
    ['jest', 'Tests:       1 failed, 2 skipped, 5 passed, 8 total', 5, 1],
    ['vitest', ' Test Files  1 passed (1)\n      Tests  16 passed (16)\n', 16, 0],
    ['vitest with failures', '      Tests  2 failed | 14 passed (16)', 14, 2],
    ['pytest', '===== 1 failed, 12 passed, 1 warning in 0.12s =====', 12, 1],
    ['pytest, errors only', '=== 2 errors in 0.10s ===', 0, 2],
    [
      'cargo',
      'test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 2 failed;',
      4,
      2,
    ],
    ['node:test', '# tests 6\n# pass 5\n# fail 1', 5, 1],
    ['mocha', '  12 passing (1s)\n  1 failing', 12, 1],
    ['rspec', '10 examples, 2 failures', 8, 2],
    ['maven', 'Tests run: 5, Failures: 1, Errors: 1, Skipped: 1', 2, 2],
    ['dotnet', 'Failed!  - Failed:     1, Passed:    10, Skipped: 0', 10, 1],
    ['phpunit', 'OK (5 tests, 10 assertions)', 5, 0],
    ['phpunit with failures', 'Tests: 5, Assertions: 10, Failures: 1.', 4, 1],
    ['unittest', 'Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1)', 3, 2],
    ['go', '--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\tpkg 0.1s', 1, 1],
    ['colours', '\u001b[1mTests:\u001b[22m       \u001b[32m5 passed\u001b[39m, 5 total', 5, 0],
  ])('%s', (_runner, output, passed, failedCount) => {
    expect(testOutcome(output)).toEqual({ passed, failed: failedCount });
  });

  it.each(['', 'all good', 'I passed 3 tests yesterday', 'On branch main'])(
    '%j has none',
    (output) => {
      expect(testOutcome(output)).toBeNull();
    },
  );
});

describe('errors of a session', () => {
  const TYPE_ERROR = "src/a.ts(12,5): error TS2304: Cannot find name 'x'.";

  it.each([
    [TYPE_ERROR, 'src/a.ts', 12],
    ['Exit code 1\n  at run (/project/src/a.ts:3:9)\nTypeError: x is not a function', null, null],
    ['TypeError: no\n    at run (/project/src/a.ts:3:9)', '/project/src/a.ts', 3],
    ['  File "app/main.py", line 7\nSyntaxError: invalid syntax', 'app/main.py', 7],
    ['main.go:4:2: cannot find package', 'main.go', 4],
    ['something odd', null, null],
  ])('%j is placed', (output, file, line) => {
    expect(findErrors(output)[0]).toMatchObject({ file, line });
  });

  it('keeps the first line word for word, at most 500 units', () => {
    const [error] = findErrors(`Exit code 1\nError: ${'é'.repeat(900)}`);
    expect(error?.firstLine).toBe(`Error: ${'é'.repeat(493)}`);
  });

  it('lines of a compiler are one error each', () => {
    const output = `${TYPE_ERROR}\nsrc/b.ts(1,1): error TS1005: ';' expected.\nFound 2 errors.`;
    expect(findErrors(output).map(({ file }) => file)).toEqual(['src/a.ts', 'src/b.ts']);
  });

  it.each([
    ['at 2026-01-31T12:00:00Z in 12.5 ms', 'at 2027-03-01T00:00:00Z in 3 ms'],
    ['/tmp/x-1/a.ts:3 failed', '/var/y/a.ts:44 failed'],
    ['commit 0a1b2c3d4e not found', 'commit 9f8e7d6c5b not found'],
    ['0xdeadbeef is no address', '0x1234 is no address'],
    ['  ✕ adds 2 numbers (5 ms)', '  ✕ adds 2 numbers'],
    ['× sets 90% 1312ms', '× sets 90% 40ms'],
    ['--- FAIL: TestAdd (0.02s)', '--- FAIL: TestAdd (1.10s)'],
    ['not ok 3 - adds', 'not ok 7 - adds'],
    [
      'FAILED tests/x.py::test_y[2] - AssertionError: assert 3 == 4',
      'FAILED tests/x.py::test_y[2] - AssertionError: assert 5 == 6',
    ],
    ['Error: no /tmp/tmpab3k9x2/out.json', 'Error: no /tmp/tmpzz81q0w/out.json'],
    ['Error: no directory /tmp/tmpab3k9x2', 'Error: no directory /tmp/run-7'],
    ['Error: job V1StGXR8Z5jdHi6B is gone', 'Error: job f00Q9WxY2bcd7e8K is gone'],
    ['Error: 01ARZ3NDEKTSV4RRFFQ69G5FAV is gone', 'Error: 01BX5ZZKBKACTAV9WEVGEMMVRZ is gone'],
    ['src/a.ts:3 TypeError: no', 'src/a.ts:44:9 TypeError: no'],
    ['Error: took 1.5 s of 3 s', 'Error: took 20 ms of 3 s'],
    ['12:04:59 ERROR no route', '23:00:01 ERROR no route'],
  ])('%j and %j have one signature', (left, right) => {
    expect(errorSignature(left)).toBe(errorSignature(right));
  });

  it.each([
    ['Error: status code 404', 'Error: status code 503'],
    ['  ✕ case 1 (5 ms)', '  ✕ case 2 (5 ms)'],
    ["a.ts(1,2): error TS2304: Cannot find 'x'", "a.ts(1,2): error TS2552: Cannot find 'x'"],
    ['FAILED tests/x.py::test_y[1] - no', 'FAILED tests/x.py::test_y[2] - no'],
    ['Error: ENOENT a.json', 'Error: ENOENT b.json'],
  ])('%j and %j have two', (left, right) => {
    expect(errorSignature(left)).not.toBe(errorSignature(right));
  });

  it.each([
    [
      'a wrapper of the client',
      '<tool_use_error>File does not exist.</tool_use_error>',
      ['File does not exist.'],
    ],
    [
      'the line of code that node shows',
      "/a/b.js:3\n    throw new Error('boom');\n    ^\n\nError: boom\n    at Object.<anonymous> (/a/b.js:3:9)",
      ['Error: boom'],
    ],
    [
      'code of a traceback',
      'Traceback (most recent call last):\n  File "a.py", line 2, in f\n    raise ValueError("error here")\nValueError: error here',
      ['ValueError: error here'],
    ],
    [
      'code around what pytest raised',
      '    def test_it():\n        assert "Error:" in captured.err\n>       assert 1 == 2\nE       AssertionError: assert 1 == 2\n\ntests/x.py:31: AssertionError\n=== 1 failed in 0.1s ===',
      ['tests/x.py:31: AssertionError'],
    ],
    [
      'what a summary names, with its reason',
      'E       AssertionError: assert 1 == 2\ntests/x.py:31: AssertionError\nFAILED tests/x.py::test_a - assert 1 == 2\nFAILED tests/x.py::test_b - assert 3 == 4',
      ['FAILED tests/x.py::test_a - assert 1 == 2', 'FAILED tests/x.py::test_b - assert 3 == 4'],
    ],
    [
      'every test that failed, once',
      'FAIL test/a.test.ts\n  ✓ is fine (2 ms)\n  ✕ adds (5 ms)\n  ✕ takes away (1 ms)\n  ● adds\n    expect(received).toBe(expected)\n    > 4 | throw new Error()\n      at Object.<anonymous> (test/a.test.ts:4:7)',
      ['✕ adds (5 ms)', '✕ takes away (1 ms)'],
    ],
    [
      'what is behind a heading',
      '> Build error occurred\n[TypeError: no function]',
      ['[TypeError: no function]'],
    ],
    ['a heading where there is nothing else', 'Error', ['Error']],
    ['nothing, where nothing was printed', 'Exit code 1\n', []],
  ])('first lines: %s', (_rule, output, lines) => {
    expect(findErrors(output).map(({ firstLine }) => firstLine)).toEqual(lines);
  });

  it('a command of Codex that failed in silence has none', () => {
    const content =
      'Chunk ID: e48ace\nWall time: 0.01 seconds\nProcess exited with code 1\nOutput:';
    const silent = step(
      'exec_command',
      { cmd: 'rg none' },
      { content, isError: true, exitCode: 1 },
    );
    expect([...trailOf([silent], CODEX).trail.errors.values()]).toEqual([]);
  });

  const run = (content: string, isError = true) =>
    bash('npx tsc 2>&1 | tail -5', { isError, content: `Exit code 2\n${content}` });
  const only = (steps: Parameters<typeof trailOf>[0]) => [...trailOf(steps).trail.errors.values()];

  it('are counted where they come again', () => {
    expect(only([run(TYPE_ERROR), run(TYPE_ERROR.replace('12', '14'))])).toMatchObject([
      { count: 2, seenAt: [1, 3], state: 'open', line: 14, resolvedBy: null },
    ]);
  });

  it('are resolved by a later success of the same command', () => {
    expect(only([run(TYPE_ERROR), bash('ls'), bash('npx tsc')])).toMatchObject([
      { state: 'resolved', resolvedBy: 5 },
    ]);
  });

  const narrow = (command: string, total = 1) =>
    bash(command, {
      isError: true,
      content: `  ✕ adds (5 ms)\nTests:       1 failed, ${total - 1} passed, ${total} total`,
    });
  const green = (command: string, passed = 9) =>
    bash(command, { content: `Tests:       ${passed} passed, ${passed} total` });

  it.each([
    ['npm test -- one.test.ts', 'npm test'],
    ['npm test -- one.test.ts 2>&1 | tail -5', 'npm test 2>&1 | tail -40'],
    ['pytest tests/x.py::test_y', 'pytest'],
    ['pytest tests/x.py::test_y -x', 'pytest tests/x.py -q'],
    ['pytest tests/x.py::test_y[1]', 'pytest ./tests/'],
    ['pytest -k adds', 'pytest'],
    ['(source .venv/bin/activate && pytest -x)', '(source .venv/bin/activate && pytest -q)'],
    ['cd web && npx vitest run src/a.test.ts -t adds', 'cd web && npx vitest run src'],
    ['go test ./pkg/a -run TestAdd -v', 'go test ./...'],
    ['cargo test add::one', 'cargo test'],
    ['rspec spec/a_spec.rb:12', 'rspec spec/a_spec.rb'],
  ])('of %j are resolved by a green run of %j', (failing, wider) => {
    expect(only([narrow(failing), green(wider)])).toMatchObject([
      { state: 'resolved', resolvedBy: 3 },
    ]);
  });

  it.each([
    ['npm test', 'npm test -- one.test.ts'],
    ['npm test -- one.test.ts', 'npm test -- two.test.ts'],
    ['npm test -- one.test.ts', 'npm run lint'],
    ['npm test -- --config e2e.ts one.test.ts', 'npm test'],
    ['CI=1 npm test -- one.test.ts', 'npm test'],
    ['cd web && npm test -- one.test.ts', 'npm test'],
    ['pytest tests/x.py', 'pytest -k other'],
    ['pytest tests/x.py', 'pytest --lf'],
    ['pytest tests/xy.py', 'pytest tests/x'],
    ['go test ./pkg/a', 'go test'],
    ['go test ./pkg/a', 'go test ./pkg/b/...'],
    ['make check one', 'make'],
    ['npm test -- one.test.ts; true', 'npm test'],
  ])('of %j are not resolved by a green run of %j', (failing, other) => {
    expect(only([narrow(failing), green(other)])).toMatchObject([{ state: 'open' }]);
  });

  it('are not resolved by a wider run that tested less, failed, or did not tell what it tested', () => {
    const failing = narrow('pytest tests/x.py', 30);
    expect(only([failing, green('pytest')])).toMatchObject([{ state: 'open' }]);
    expect(only([failing, bash('pytest')])).toMatchObject([{ state: 'open' }]);
    const red = narrow('pytest', 90);
    expect(only([failing, red])).toMatchObject([{ state: 'open' }, { state: 'open' }]);
  });

  it('are not resolved by another command', () => {
    expect(only([run(TYPE_ERROR), bash('npm run build')])).toMatchObject([{ state: 'open' }]);
  });

  it('are open again when they come back', () => {
    expect(only([run(TYPE_ERROR), bash('npx tsc'), run(TYPE_ERROR)])).toMatchObject([
      { state: 'open', count: 2, resolvedBy: null },
    ]);
  });

  it('are found where a pipe hides the exit code of failing tests', () => {
    const content = 'FAIL src/a.test.ts\nTests:       1 failed, 5 passed, 6 total';
    expect(only([bash('npm test | tail -9', { content })])).toMatchObject([{ state: 'open' }]);
  });

  it('of other tools are resolved by their success on the same artifact', () => {
    const edit = (parts: object) =>
      step('Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, parts);
    const no = { isError: true, content: 'Error: String to replace not found in file.' };
    expect(only([edit(no)])).toMatchObject([{ state: 'open' }]);
    expect(only([edit(no), edit({})])).toMatchObject([{ state: 'resolved', resolvedBy: 3 }]);
  });

  it('a call that a person refused is no error', () => {
    const content = "The user doesn't want to proceed with this tool use.";
    expect(only([bash('make', { isError: true, content })])).toEqual([]);
    expect(
      only([step('Write', { file_path: 'a', content: '' }, { isError: true, content })]),
    ).toEqual([]);
  });
});
