/** What of a line about an error is the same in every run. */
import { boundaryBefore } from '../cut-text.js';

/** UTF-16 units of a first line that are kept (specification of sessions, §6.1). */
export const MAX_FIRST_LINE = 500;

/** Lines by which runners name a test that failed. */
export const FAILED_TEST =
  /^\s*(?:[✕✗✘✖×]\s+(?!failing tests)|--- FAIL: |● |not ok \d+ |(?:FAILED|ERROR) \S+(?:::|\.py\b))/;

const TIME =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b/g;
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;
const ULID = /\b[0-7][\dA-HJKMNP-TV-Z]{25}\b/g;
const ADDRESS = /\b0x[\da-f]+\b/gi;
const HASH = /\b(?=[a-f]*\d)[\da-f]{7,64}\b/gi;
/** Letters and digits in turn, as drawn at random; words with a number at their end are names. */
const DRAWN = /\b(?=[A-Za-z]*\d+[A-Za-z]+\d)[A-Za-z\d]{10,}\b/g;
const TEMPORARY =
  /(?:(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm)|[A-Za-z]:[\w\\ .~-]*\\Temp)[/\\]([^\s'"`:;,()[\]<>|]+)/g;
const FOLDERS = /(?:[A-Za-z]:)?(?:[\w.@~+-]*[/\\])+(?=[\w.@+-])/g;
const DURATION =
  /(?<![\w.])\d+(?:\.\d+)?\s?(?:ms|µs|μs|us|ns|s|m|h|secs?|seconds?|mins?|minutes?)(?![\w/])/g;
const DURATION_AT_END =
  /\s*(?:\((?:\d+(?:\.\d+)?\s?(?:ms|s|m)\s?)+\)|\s\d+(?:\.\d+)?(?:ms|s|m))\s*$/;
const PLACE = /(?::\d+){1,2}\b|\(\d+,\d+\)/g;
/** Numbers alone; those in a name or a code, and those that say which failure it is, stay. */
const NUMBER =
  /(?<![A-Za-z_\d]|(?:\bstatus(?: code)?|\bHTTP(?:\/[\d.]+)?|\bexit code|\berrno|\berror code)[ :=]{1,2})\d+(?:\.\d+)*/gi;

/**
 * The line without times, durations, addresses, ids, folders, temporary paths, places and numbers: equal
 * for the same failure in two runs. The name of a test keeps its numbers, which tell it from others.
 */
export function errorSignature(line: string): string {
  const cut = line.slice(0, boundaryBefore(line, MAX_FIRST_LINE)).trim();
  if (!FAILED_TEST.test(cut)) return tidy(withoutNumbers(withoutIds(cut)));
  const at = /^(?:FAILED|ERROR) /.test(cut) ? cut.indexOf(' - ') : -1;
  const name = (at === -1 ? cut : cut.slice(0, at)).replace(/^not ok \d+ -?/, 'not ok');
  const reason = at === -1 ? '' : withoutNumbers(withoutIds(cut.slice(at)));
  return tidy(`${withoutIds(name.replace(DURATION_AT_END, ''))}${reason}`);
}

function withoutIds(text: string): string {
  return text
    .replaceAll(TIME, '<time>')
    .replaceAll(UUID, '<id>')
    .replaceAll(ULID, '<id>')
    .replaceAll(ADDRESS, '<address>')
    .replaceAll(HASH, '<hash>')
    .replaceAll(TEMPORARY, (_whole, below: string) => temporaryName(below))
    .replaceAll(DRAWN, '<id>')
    .replaceAll(FOLDERS, '');
}

/** The file below a temporary folder; what lies there directly has a name drawn at random. */
function temporaryName(below: string): string {
  const parts = below.split(/[/\\]/).filter((part) => part !== '');
  const last = parts.at(-1) ?? '';
  return parts.length > 1 && /\.\w+$/.test(last) ? last : '<temporary>';
}

function withoutNumbers(text: string): string {
  return text
    .replaceAll(DURATION, '<duration>')
    .replaceAll(PLACE, ':<n>')
    .replaceAll(NUMBER, '<n>');
}

const tidy = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
