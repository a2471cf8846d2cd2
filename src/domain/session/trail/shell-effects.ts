/** What a command does to artifacts, read from its words and never by running it. */
import { isAbsolute } from './artifact-path.js';
import { shellParts, type Redirection, type ShellPart, type ShellWord } from './shell-words.js';
import type { ArtifactFact, CommandEffects, ContentChange } from './tool-mapping.js';

export interface ShellEffects {
  readonly effects: CommandEffects;
  readonly artifacts: readonly ArtifactFact[];
}

const UNKNOWN: ShellEffects = { effects: 'unknown', artifacts: [] };

/** Programs that change nothing and whose reading is no artifact's. */
const HARMLESS = new Set(
  (
    'ls grep egrep rg find wc less more tree pwd cd stat file echo printf sort uniq diff which jq cut tr ' +
    'awk date whoami env true false test [ nl strings realpath basename dirname sleep ps du df type history'
  ).split(' '),
);
const HARMLESS_GIT = new Set(
  'status log diff show branch blame ls-files grep rev-parse reflog remote add commit fetch push tag'.split(
    ' ',
  ),
);
/** Words before the program that change nothing of its effects. */
const PREFIXES = new Set(['sudo', 'time', 'nohup', 'command', 'builtin', 'exec', '!']);
/** Words that begin or continue a block: whether what follows them runs is not known. */
const BLOCKS = new Set(
  'if then else elif fi for while until do done case esac function { }'.split(' '),
);

/** Options of programs whose next word is their value and no path. */
const OPTIONS_WITH_VALUE: Readonly<Record<string, RegExp>> = {
  head: /^-[nc]$|^--(?:lines|bytes)$/,
  tail: /^-[nc]$|^--(?:lines|bytes)$/,
  mkdir: /^-m$|^--mode$/,
  touch: /^-[dtr]$|^--(?:date|reference)$/,
  cp: /^-[tS]$/,
  mv: /^-[tS]$/,
};

/** @param directory where the command starts; null: at the project root. */
export function shellArtifacts(command: string, directory: string | null): ShellEffects {
  const parts = shellParts(command);
  if (parts === null) return UNKNOWN;
  const walk = new ShellWalk(directory);
  for (const part of parts) walk.take(part);
  return walk.result();
}

class ShellWalk {
  #directory: string | null;
  /** Where the open parentheses began. */
  readonly #outer: (string | null)[] = [];
  readonly #artifacts: ArtifactFact[] = [];
  #isCertain = true;
  #isUncertainDirectory = false;
  #afterOr = false;
  #blocks = 0;

  constructor(directory: string | null) {
    this.#directory = directory;
  }

  result(): ShellEffects {
    const effects = this.#isCertain ? (this.#artifacts.length > 0 ? 'known' : 'none') : 'unknown';
    return { effects, artifacts: this.#artifacts };
  }

  take(part: ShellPart): void {
    if (part.part === 'operator') {
      if (part.operator === '(') this.#outer.push(this.#directory);
      else if (part.operator === ')') this.#directory = this.#outer.pop() ?? null;
      else if (part.operator === '||') this.#afterOr = true;
      else if (part.operator !== '|') this.#afterOr = false;
      return;
    }
    const words = programWords(part.words);
    const [first] = words;
    if (first !== undefined && BLOCKS.has(first.text) && !first.expands) {
      this.#enterBlock(first.text, words);
      return;
    }
    const found = commandEffects(words, part.redirections);
    if (found === null || this.#isUncertain()) {
      // A harmless fallback such as `|| true` leaves nothing in doubt.
      if (found === null || found.length > 0) this.#isCertain = false;
      if (found === null) this.#takeRedirections(part.redirections);
      return;
    }
    if (first?.text === 'cd') this.#changeDirectory(words[1]);
    else this.#artifacts.push(...found.map((fact) => this.#placed(fact)));
  }

  #takeRedirections(redirections: readonly Redirection[]): void {
    if (this.#isUncertain()) return;
    const found = redirected(redirections, null) ?? [];
    this.#artifacts.push(...found.map((fact) => this.#placed(fact)));
  }

  #isUncertain(): boolean {
    return this.#afterOr || this.#blocks > 0 || this.#isUncertainDirectory;
  }

  #enterBlock(word: string, words: readonly ShellWord[]): void {
    if (['if', 'for', 'while', 'until', 'case', '{', 'function'].includes(word)) this.#blocks += 1;
    if (['fi', 'done', 'esac', '}'].includes(word)) this.#blocks = Math.max(0, this.#blocks - 1);
    const inner = word === 'for' || word === 'case' ? [] : programWords(words.slice(1));
    if (inner.length === 0) return;
    const found = commandEffects(inner, []);
    if (found === null || found.length > 0) this.#isCertain = false;
  }

  #changeDirectory(target: ShellWord | undefined): void {
    if (target === undefined || target.expands || target.text === '-') {
      this.#isUncertainDirectory = true;
      return;
    }
    this.#directory = below(this.#directory, target.text);
  }

  #placed(fact: ArtifactFact): ArtifactFact {
    const inner = fact.directory ?? null;
    const directory = inner === null ? this.#directory : below(this.#directory, inner);
    return { ...fact, directory, inferred: true };
  }
}

function below(directory: string | null, path: string): string {
  return directory === null || isAbsolute(path) ? path : `${directory}/${path}`;
}

/** The words from the program on. */
function programWords(words: readonly ShellWord[]): readonly ShellWord[] {
  let at = 0;
  while (at < words.length) {
    const text = words[at]?.text ?? '';
    if (!PREFIXES.has(text) && !/^[A-Za-z_]\w*=/.test(text)) break;
    at += 1;
  }
  return words.slice(at);
}

/** Null: not known from the words. */
function commandEffects(
  words: readonly ShellWord[],
  redirections: readonly Redirection[],
): readonly ArtifactFact[] | null {
  const written = redirected(redirections, outputOf(words, redirections));
  const own = programEffects(words, redirections);
  return written === null || own === null ? null : [...own, ...written];
}

/** The text that a command is certain to print, or null. */
function outputOf(
  [program, ...rest]: readonly ShellWord[],
  redirections: readonly Redirection[],
): string | null {
  if (program?.text === 'cat' && rest.length === 0) {
    return redirections.find(({ operator }) => operator === '<<')?.body ?? null;
  }
  return null;
}

function redirected(
  redirections: readonly Redirection[],
  output: string | null,
): readonly ArtifactFact[] | null {
  const facts: ArtifactFact[] = [];
  for (const { operator, target } of redirections) {
    if (operator === '<<' || target.text.startsWith('/dev/')) continue;
    if (target.expands || target.text === '') return null;
    if (operator === '<') facts.push({ fact: 'artifact', action: 'read', path: target.text });
    else facts.push(writing(target.text, operator === '>>', output));
  }
  return facts;
}

function writing(path: string, appends: boolean, output: string | null): ArtifactFact {
  const content: ContentChange | null =
    output === null ? null : { change: appends ? 'append' : 'whole', content: output };
  return { fact: 'artifact', action: 'written', path, ...(content !== null && { content }) };
}

function programEffects(
  words: readonly ShellWord[],
  redirections: readonly Redirection[],
): readonly ArtifactFact[] | null {
  const [program, ...rest] = words;
  if (program === undefined) return [];
  if (program.expands) return null;
  const name = program.text.replace(/^\/(?:usr\/)?bin\//, '');
  if (name === 'git') return gitEffects(rest);
  if (name === 'sed') return sedEffects(rest);
  if (name === 'bash' || name === 'sh' || name === 'zsh') return scriptEffects(rest);
  if (HARMLESS.has(name)) {
    return name === 'find' &&
      rest.some(({ text }) => /^-(?:delete|exec|execdir|ok|fprint)/.test(text))
      ? null
      : [];
  }
  const { options, operands } = operandsOf(name, rest);
  if (operands.some(({ expands }) => expands)) return null;
  const paths = operands.map(({ text }) => text);
  switch (name) {
    case 'rm':
    case 'unlink':
      return removals(
        paths,
        options.some((option) => /^-[a-zA-Z]*[rR]|^--recursive$/.test(option)),
      );
    case 'rmdir':
      return removals(paths, true).map((fact) => ({ ...fact, kind: 'directory' }));
    case 'mv':
      return options.some((option) => /^-t|^--target/.test(option)) ? null : moves(paths);
    case 'cp':
      return options.some((option) => /^-t|^--target/.test(option)) ? null : copies(paths);
    case 'touch':
      return paths.map((path) => ({ ...missing(path), action: 'written' }));
    case 'mkdir':
      return paths.map((path) => ({ ...missing(path), kind: 'directory' }));
    case 'tee': {
      const appends = options.some((option) => /^-[a-z]*a|^--append$/.test(option));
      const body = redirections.find(({ operator }) => operator === '<<')?.body ?? null;
      return paths
        .filter((path) => !path.startsWith('/dev/'))
        .map((path) => writing(path, appends, body));
    }
    case 'cat':
      return readings(paths);
    case 'head': {
      const count = lineCount(rest);
      return readings(paths).map((fact) =>
        count === null ? fact : { ...fact, range: { from: 1, to: count } },
      );
    }
    case 'tail':
      return readings(paths);
    default:
      return null;
  }
}

const missing = (path: string): ArtifactFact => ({
  fact: 'artifact',
  action: 'created',
  path,
  onlyIfMissing: true,
});

const readings = (paths: readonly string[]): readonly ArtifactFact[] =>
  paths
    .filter((path) => path !== '-' && !path.startsWith('/dev/'))
    .map((path) => ({ fact: 'artifact', action: 'read', path }));

const removals = (paths: readonly string[], includesBelow: boolean): readonly ArtifactFact[] =>
  paths.map((path) => ({ fact: 'artifact', action: 'deleted', path, includesBelow }));

function moves(paths: readonly string[]): readonly ArtifactFact[] | null {
  const target = paths.at(-1);
  if (paths.length < 2 || target === undefined) return null;
  return paths.slice(0, -1).map((oldPath) => ({
    fact: 'artifact',
    action: 'renamed',
    path: paths.length > 2 || target.endsWith('/') ? inside(target, oldPath) : target,
    oldPath,
    mayEnterDirectory: paths.length === 2,
    includesBelow: true,
  }));
}

function copies(paths: readonly string[]): readonly ArtifactFact[] | null {
  const target = paths.at(-1);
  if (paths.length < 2 || target === undefined) return null;
  return paths.slice(0, -1).flatMap((from): readonly ArtifactFact[] => [
    { fact: 'artifact', action: 'read', path: from },
    {
      fact: 'artifact',
      action: 'written',
      path: paths.length > 2 || target.endsWith('/') ? inside(target, from) : target,
      oldPath: from,
      mayEnterDirectory: paths.length === 2,
      content: { change: 'copy', from },
    },
  ]);
}

function inside(directory: string, path: string): string {
  return `${directory.replace(/\/+$/, '')}/${path.replace(/\/+$/, '').split('/').at(-1) ?? ''}`;
}

function operandsOf(
  program: string,
  words: readonly ShellWord[],
): { readonly options: readonly string[]; readonly operands: readonly ShellWord[] } {
  const options: string[] = [];
  const operands: ShellWord[] = [];
  let onlyOperands = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (onlyOperands || !word.text.startsWith('-') || word.text === '-') operands.push(word);
    else if (word.text === '--') onlyOperands = true;
    else {
      options.push(word.text);
      if (OPTIONS_WITH_VALUE[program]?.test(word.text) === true) at += 1;
    }
  }
  return { options, operands };
}

function lineCount(words: readonly ShellWord[]): number | null {
  const text = words.map((word) => word.text).join(' ');
  const digits = /(?:^|\s)-(?:n\s*)?(\d+)|--lines[= ](\d+)/.exec(text);
  const count = digits?.[1] ?? digits?.[2];
  return count === undefined || Number(count) === 0 ? null : Number(count);
}

function gitEffects(words: readonly ShellWord[]): readonly ArtifactFact[] | null {
  const [subcommand, ...rest] = words;
  if (subcommand === undefined) return [];
  if (HARMLESS_GIT.has(subcommand.text)) return [];
  const { options, operands } = operandsOf('git', rest);
  if (operands.some(({ expands }) => expands)) return null;
  const paths = operands.map(({ text }) => text);
  if (subcommand.text === 'mv') return moves(paths);
  if (subcommand.text !== 'rm') return null;
  // With --cached only the index forgets the file.
  return options.includes('--cached')
    ? []
    : removals(
        paths,
        options.some((o) => /^-\w*r/.test(o)),
      );
}

/** `sed -i` changes its files; otherwise it reads them, a `-n 'A,Bp'` only these lines. */
function sedEffects(words: readonly ShellWord[]): readonly ArtifactFact[] | null {
  const files: ShellWord[] = [];
  let script: string | null = null;
  let inPlace = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (/^-(?:[nrEsuz]*i|-in-place)/.test(word.text)) inPlace = true;
    else if (/^-\w*[ef]$|^--(?:expression|file)$/.test(word.text)) {
      at += 1;
      script = words[at]?.text ?? '';
    } else if (word.text.startsWith('-') && word.text !== '-') continue;
    // An empty suffix stands apart on BSD: `sed -i '' s/a/b/ file`.
    else if (word.text === '' && inPlace && script === null) continue;
    else if (script === null) script = word.text;
    else files.push(word);
  }
  if (files.some(({ expands }) => expands)) return null;
  const [, from, to] = /^(\d+)(?:,(\d+|\$))?p$/.exec(script ?? '') ?? [];
  return files.map(({ text: path }) => {
    if (inPlace) return { fact: 'artifact', action: 'modified', path };
    if (from === undefined) return { fact: 'artifact', action: 'read', path };
    const last = to === '$' ? null : Number(to ?? from);
    return { fact: 'artifact', action: 'read', path, range: { from: Number(from), to: last } };
  });
}

/** `bash -lc "…"`: the script is read in its turn. */
function scriptEffects(words: readonly ShellWord[]): readonly ArtifactFact[] | null {
  const at = words.findIndex(({ text }) => /^-\w*c$/.test(text));
  const script = at === -1 ? undefined : words[at + 1];
  if (script === undefined || script.expands) return null;
  const { effects, artifacts } = shellArtifacts(script.text, null);
  return effects === 'unknown' ? null : artifacts;
}
