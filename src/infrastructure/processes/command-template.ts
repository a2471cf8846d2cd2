/**
 * The command of an agent program, as a person writes it: split into arguments as a shell would, but
 * never given to one, so that nothing in a prompt can become a command.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { OssatureError } from '../../domain/kernel/errors.js';

const PROMPT = '{prompt}';

export interface CommandTemplate {
  /** Absolute path of the program. */
  readonly program: string;
  /** One of them is `{prompt}` where the prompt is an argument. */
  readonly arguments: readonly string[];
  /** Where the program is told what to do. */
  readonly promptBy: 'stdin' | 'argument';
}

/**
 * @param env where PATH is looked up.
 * @throws OssatureError INVALID_CONFIG for an empty template, unbalanced quotes, `{prompt}` inside another
 * argument or given twice, and a program that is not there.
 */
export function parseCommandTemplate(
  template: string,
  env: Readonly<Record<string, string | undefined>>,
): CommandTemplate {
  const [name, ...rest] = splitWords(template);
  if (name === undefined || name === '') throw invalid('is empty', template);
  const withPrompt = [name, ...rest].filter((word) => word.includes(PROMPT));
  if (name.includes(PROMPT) || withPrompt.some((word) => word !== PROMPT)) {
    throw invalid(`has ${PROMPT} inside another argument; let it stand alone`, template);
  }
  if (withPrompt.length > 1) throw invalid(`has ${PROMPT} twice`, template);
  return {
    program: findProgram(name, env, template),
    arguments: rest,
    promptBy: withPrompt.length === 1 ? 'argument' : 'stdin',
  };
}

export function argumentsWith({ arguments: words }: CommandTemplate, prompt: string): string[] {
  return words.map((word) => (word === PROMPT ? prompt : word));
}

/** Words parted by white space; single quotes, double quotes and backslashes as POSIX shells read them. */
function splitWords(template: string): string[] {
  const words: string[] = [];
  let word = '';
  let isOpen = false;
  let quote = '';
  for (let index = 0; index < template.length; index += 1) {
    const character = template.charAt(index);
    const next = template.charAt(index + 1);
    if (quote === "'") {
      if (character === quote) quote = '';
      else word += character;
    } else if (character === '\\' && (quote === '' || '"\\$`'.includes(next))) {
      if (next === '') throw invalid('ends in a backslash', template);
      word += next;
      isOpen = true;
      index += 1;
    } else if (quote === '"') {
      if (character === quote) quote = '';
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      isOpen = true;
    } else if (/\s/.test(character)) {
      if (isOpen) words.push(word);
      word = '';
      isOpen = false;
    } else {
      word += character;
      isOpen = true;
    }
  }
  if (quote !== '') throw invalid('has unbalanced quotes', template);
  return isOpen ? [...words, word] : words;
}

function findProgram(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  template: string,
): string {
  const places = /[/\\]/.test(name)
    ? [isAbsolute(name) ? name : resolve(name)]
    : (env['PATH'] ?? '').split(delimiter).flatMap((folder) => namesIn(folder, name, env));
  const found = places.find(isProgram);
  if (found !== undefined) return found;
  throw invalid(`names the program ${JSON.stringify(name)}, which was not found`, template);
}

/** Windows finds `claude` as `claude.exe`; other systems know one name. */
function namesIn(
  folder: string,
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  if (folder === '') return [];
  const endings = process.platform === 'win32' ? (env['PATHEXT'] ?? '.EXE').split(';') : [];
  return ['', ...endings].map((ending) => resolve(join(folder, name + ending)));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function invalid(fault: string, template: string): OssatureError {
  return new OssatureError(
    'INVALID_CONFIG',
    `replay.command ${fault}. Give a program with its arguments, such as: claude -p.`,
    { details: { field: 'replay.command', given: template.slice(0, 200) } },
  );
}
