/**
 * When one run of tests holds another one: told by their words alone, so that a run of everything can
 * show that what had failed on its own is overcome (docs/decisions/0018).
 */

interface TestRun {
  /** The key of the command up to where its own words begin. */
  readonly head: string;
  /** Files, folders and tests that were asked for; none: all. */
  readonly paths: readonly string[];
  /** Options that leave tests out, such as `-k name`. */
  readonly selections: readonly string[];
  /** Options that may change what a run does. */
  readonly options: readonly string[];
  /** A run that names nothing runs everything below its folder. */
  readonly runsAllUnasked: boolean;
}

const SCRIPTS = '(?:npm|pnpm|yarn|bun) (?:(?:run )?(?:test|t)(?:[:.-][\\w:.-]+)?|run [\\w:.-]+)';
const RUNNERS =
  'jest|vitest(?: run)?|mocha|ava|playwright test|pytest|py\\.test|python[\\d.]* -m (?:pytest|unittest)|' +
  'go test|cargo (?:test|nextest run)|rspec|phpunit|(?:bin/)?rails test|deno test|bun test|node --test';
const STARTERS =
  'npx |bunx |pnpm exec |pnpm |yarn |bundle exec |uv run |poetry run |pipenv run |hatch run |(?:\\./)?node_modules/\\.bin/|vendor/bin/|(?:\\./)?\\.?venv/bin/';
/** Settings of the environment, what starts the runner, the runner. */
const HEAD = new RegExp(
  `^(?:\\w+=[^\\s"']* )*(?:${SCRIPTS}|(?:${STARTERS})?(?:${RUNNERS}))(?=\\s|$)`,
);
/** Without packages it tests the folder that it stands in, and nothing below. */
const TESTS_ONE_FOLDER = /(?:^| )go test$/;

/** Anything that makes more than one simple command of a text, or hides what its words are. */
const COMPOSED = /[|;&<>$`\\{}()\n]/;
const WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/g;

/** Say more or less, stop earlier or later, run faster or slower. */
const NEUTRAL =
  /^(?:--|-v+|-q+|-x|-s|-r[A-Za-z]+|--verbose|--silent|--quiet|--no-colors?|--colors?(?:=.*)?|--tb=\S+|--no-header|--runInBand|--bail(?:=\d+)?|--ci|--reporters?=\S+|--exitfirst|--maxfail=\d+|--nocapture|--no-fail-fast|--forceExit|--durations=\d+|-count=1|--run|--watch(?:All)?=false|--no-watch|-j\d+|-n\d+|--maxWorkers=\S+)$/;
const NEUTRAL_WITH_VALUE = /^(?:--reporters?|--maxWorkers|--tb|--maxfail|-j|-n)$/;
const SELECTION = /^(?:-k|-t|--testNamePattern|--testPathPatterns?|--grep|-g|-run)(?==|$)/;

/** The run that a key of a command (`commandKey`) stands for; null: none that is known to test. */
export function readTestRun(key: string): TestRun | null {
  const start = Math.max(key.indexOf('$ ') + 2, key.lastIndexOf('&& ') + 3);
  const text = key.slice(start).replace(/^\((?=[^)]*\)$)/, '');
  const isClosed = key.slice(key.indexOf('$ ') + 2).startsWith('(') && text.endsWith(')');
  const plain = isClosed ? text.slice(0, -1).trim() : text;
  const head = HEAD.exec(plain)?.[0];
  if (head === undefined || COMPOSED.test(plain)) return null;
  const paths: string[] = [];
  const selections: string[] = [];
  const options: string[] = [];
  const words = plain.slice(head.length).match(WORD) ?? [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (NEUTRAL.test(word)) continue;
    if (NEUTRAL_WITH_VALUE.test(word)) at += 1;
    else if (SELECTION.test(word)) {
      selections.push(word.includes('=') ? word : `${word}=${words[(at += 1)] ?? ''}`);
    } else if (word.startsWith('-')) options.push(word);
    else paths.push(unquoted(word).replace(/^\.\/(?=[^.])/, ''));
  }
  return {
    head: key.slice(0, key.length - text.length) + head,
    paths,
    selections,
    options: options.sort(),
    runsAllUnasked: !TESTS_ONE_FOLDER.test(head),
  };
}

/**
 * Whether the first run tests at least what the second one tested: the same runner in the same place under
 * the same options, with no selection of its own, and asked for everything or for folders above.
 */
export function holdsTestRun(wide: TestRun, narrow: TestRun): boolean {
  if (wide.head !== narrow.head) return false;
  if (wide.options.join(' ') !== narrow.options.join(' ')) return false;
  if (!wide.selections.every((selection) => narrow.selections.includes(selection))) return false;
  if (wide.paths.length === 0) return wide.runsAllUnasked || narrow.paths.length === 0;
  return (
    narrow.paths.length > 0 &&
    narrow.paths.every((path) => wide.paths.some((above) => isWithin(path, above)))
  );
}

function isWithin(path: string, above: string): boolean {
  if (path === above) return true;
  const isOutside = /^(?:\/|\.\.)/.test(path);
  if (above === '.' || above === './...') return !isOutside;
  if (above.endsWith('/...')) return `${path}/`.startsWith(above.slice(0, -'...'.length));
  // Patterns name more than they look like.
  if (/[*?[\]]/.test(above)) return false;
  return (
    path.startsWith(above) &&
    (above.endsWith('/') || /^(?:[/[]|::?)/.test(path.slice(above.length)))
  );
}

const unquoted = (word: string): string => word.replaceAll(/["']/g, '');
