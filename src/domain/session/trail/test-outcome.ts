/** How many tests passed and failed, as the closing lines of common runners say. */

export interface TestOutcome {
  readonly passed: number;
  readonly failed: number;
}

/** UTF-16 units at the end of an output that are looked at; runners sum up last. */
const LOOKED_AT = 20_000;

// eslint-disable-next-line no-control-regex -- colours of terminals begin with U+001B.
const COLOURS = /\u001b\[[\d;]*[A-Za-z]/g;

type Reader = (output: string) => TestOutcome | null;

/** Nearly no output has the word without which a runner's patterns find nothing; it is looked for quickly. */
function after(word: string, read: Reader): Reader {
  return (output) => (output.includes(word) ? read(output) : null);
}

const READERS: readonly Reader[] = [
  // jest, vitest: `Tests:  1 failed, 2 skipped, 5 passed, 8 total`, `Tests  2 failed | 14 passed (16)`
  after('Tests', (output) =>
    countsOf(lastLine(output, /^\s*Tests:?\s+.*\d+ (?:passed|failed|total).*$/gm)),
  ),
  // cargo: one line per binary
  after('test result: ', (output) =>
    summed(output, /^test result: \w+\. (\d+) passed; (\d+) failed;/gm, ([, passed, failed]) => ({
      passed: Number(passed),
      failed: Number(failed),
    })),
  ),
  // pytest: `==== 1 failed, 12 passed in 0.12s ====`, quiet without the frame
  after(' in ', (output) =>
    countsOf(
      lastLine(
        output,
        /^=*\s*(?:\d+ [a-z]+,? ?)*\d+ (?:passed|failed|errors?)\b.* in [\d.]+s.*$/gm,
      ),
    ),
  ),
  // node:test and TAP: `# pass 5`, `ℹ fail 0`
  after(' pass ', (output) => pairOf(output, /^(?:#|ℹ) pass (\d+)$/gm, /^(?:#|ℹ) fail (\d+)$/gm)),
  // mocha: `12 passing (1s)`, `1 failing`
  after(' passing', (output) => pairOf(output, /^\s*(\d+) passing\b/gm, /^\s*(\d+) failing\b/gm)),
  // rspec: `10 examples, 2 failures`
  after(' example', (output) =>
    lastOf(output, /^(\d+) examples?, (\d+) failures?/gm, ([, total, failed]) =>
      ofTotal(total, failed),
    ),
  ),
  // maven, junit: `Tests run: 5, Failures: 1, Errors: 0`
  after('Tests run: ', (output) =>
    lastOf(
      output,
      /Tests run: (\d+), Failures: (\d+), Errors: (\d+)(?:, Skipped: (\d+))?/g,
      ([, total, failures, errors, skipped]) => {
        const failed = Number(failures) + Number(errors);
        return { passed: Number(total) - failed - Number(skipped ?? 0), failed };
      },
    ),
  ),
  // dotnet: `Failed:     0, Passed:    10`
  after('Failed:', (output) =>
    lastOf(output, /Failed:\s+(\d+), Passed:\s+(\d+)/g, ([, failed, passed]) => ({
      passed: Number(passed),
      failed: Number(failed),
    })),
  ),
  // phpunit: `Tests: 5, Assertions: 10, Failures: 1.` and `OK (5 tests, 10 assertions)`
  (output) =>
    lastOf(
      output,
      /^Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?/gm,
      ([, total, errors, failures]) =>
        ofTotal(total, String(Number(errors ?? 0) + Number(failures ?? 0))),
    ) ?? lastOf(output, /^OK \((\d+) tests?, /gm, ([, total]) => ofTotal(total, '0')),
  // unittest of Python: `Ran 5 tests in 0.001s` and `FAILED (failures=1, errors=2)`
  after('Ran ', (output) =>
    lastOf(output, /^Ran (\d+) tests? in /gm, ([, total]) => {
      const ended = /^FAILED \(([^)]*)\)/m.exec(output)?.[1] ?? '';
      const failed = [...ended.matchAll(/(?:failures|errors)=(\d+)/g)].map(([, count]) =>
        Number(count),
      );
      return ofTotal(total, String(failed.reduce((sum, count) => sum + count, 0)));
    }),
  ),
  // go test -v counts tests; without -v only packages are told, and they are counted
  after('--- ', (output) => pairCount(output, /^\s*--- PASS: /gm, /^\s*--- FAIL: /gm)),
  (output) => pairCount(output, /^ok\s+\S+\s+(?:[\d.]+s|\(cached\))/gm, /^FAIL\s+\S+\s+[\d.]+s/gm),
  // closing lines of the form `12 passed, 1 failed`
  after(' passed, ', (output) => countsOf(lastLine(output, /^\d+ passed, \d+ failed\b.*$/gm))),
];

/** Null where no runner is recognised. */
export function testOutcome(output: string): TestOutcome | null {
  const looked = output.slice(-LOOKED_AT).replaceAll(COLOURS, '');
  for (const read of READERS) {
    const outcome = read(looked);
    if (outcome !== null) return outcome;
  }
  return null;
}

function lastLine(output: string, pattern: RegExp): string | null {
  return output.match(pattern)?.at(-1) ?? null;
}

function countsOf(line: string | null): TestOutcome | null {
  if (line === null) return null;
  const passed = /(\d+) passed/.exec(line)?.[1];
  const failed = /(\d+) (?:failed|failures?)\b/.exec(line)?.[1];
  const errors = /(\d+) errors?\b/.exec(line)?.[1];
  if (passed === undefined && failed === undefined && errors === undefined) return null;
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 0) + Number(errors ?? 0) };
}

function lastOf(
  output: string,
  pattern: RegExp,
  read: (match: RegExpMatchArray) => TestOutcome,
): TestOutcome | null {
  const match = [...output.matchAll(pattern)].at(-1);
  return match === undefined ? null : read(match);
}

function summed(
  output: string,
  pattern: RegExp,
  read: (match: RegExpMatchArray) => TestOutcome,
): TestOutcome | null {
  const parts = [...output.matchAll(pattern)].map(read);
  if (parts.length === 0) return null;
  return {
    passed: parts.reduce((sum, { passed }) => sum + passed, 0),
    failed: parts.reduce((sum, { failed }) => sum + failed, 0),
  };
}

function pairOf(output: string, passing: RegExp, failing: RegExp): TestOutcome | null {
  const passed = [...output.matchAll(passing)].at(-1)?.[1];
  const failed = [...output.matchAll(failing)].at(-1)?.[1];
  if (passed === undefined) return null;
  return { passed: Number(passed), failed: Number(failed ?? 0) };
}

function pairCount(output: string, passing: RegExp, failing: RegExp): TestOutcome | null {
  const passed = output.match(passing)?.length ?? 0;
  const failed = output.match(failing)?.length ?? 0;
  return passed + failed === 0 ? null : { passed, failed };
}

function ofTotal(total: string | undefined, failed: string | undefined): TestOutcome {
  return { passed: Number(total ?? 0) - Number(failed ?? 0), failed: Number(failed ?? 0) };
}
