/** What a shell command does to artifacts, read from its words and never by running it. */
import type { ToolEffect } from './transcript.js';

const CHANGING = new Set([
  'rm',
  'mv',
  'cp',
  'touch',
  'mkdir',
  'rmdir',
  'tee',
  'patch',
  'ln',
  'chmod',
]);
const CHANGING_GIT = new Set(['rm', 'mv', 'apply', 'restore', 'checkout', 'reset', 'revert']);
const READING = new Set([
  'cat',
  'head',
  'tail',
  'ls',
  'grep',
  'rg',
  'find',
  'wc',
  'less',
  'tree',
  'pwd',
  'cd',
  'stat',
  'file',
  'echo',
  'sort',
  'diff',
  'which',
]);
const READING_GIT = new Set([
  'status',
  'log',
  'diff',
  'show',
  'branch',
  'blame',
  'ls-files',
  'grep',
]);

/** Longest command that is looked at, in UTF-16 units; the effect of a longer one is told by its start. */
const LOOKED_AT = 4_000;

/** A file redirection; `2>&1` and `>/dev/null` change nothing. */
const REDIRECTION = /(?:^|[^0-9&>=-])>>?\s{0,8}(?!&|\/dev\/)[\w./~"'$-]/;

/** `changes` when any part changes an artifact, `reads` when all parts only read, else `other`. */
export function shellEffect(command: string): ToolEffect {
  const looked = command.slice(0, LOOKED_AT);
  const effects = looked.split(/&&|\|\||[;|\n]/).flatMap((part) => effectOf(part));
  if (REDIRECTION.test(looked) || effects.includes('changes')) return 'changes';
  return effects.length > 0 && effects.every((effect) => effect === 'reads') ? 'reads' : 'other';
}

function effectOf(part: string): readonly ToolEffect[] {
  const words = part
    .trim()
    .split(/\s+/)
    .filter((word) => !/^\w+=/.test(word) && word !== 'sudo');
  const [program = '', first = ''] = words;
  if (program === '') return [];
  if (program === 'git') {
    if (CHANGING_GIT.has(first)) return ['changes'];
    return [READING_GIT.has(first) ? 'reads' : 'other'];
  }
  if (program === 'sed')
    return [words.some((word) => /^-[a-z]*i/.test(word)) ? 'changes' : 'reads'];
  if (CHANGING.has(program)) return ['changes'];
  return [READING.has(program) ? 'reads' : 'other'];
}
