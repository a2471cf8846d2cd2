/** One fact looked for in an answer: how much of it is there, and whether something contradicts it. */
import { type Fact, isOfPaths, valuesOf } from '../fact.js';
import { findToken, foldLines, foldText, holdsToken } from './find-token.js';
import { numbersIn, parseMeasured, sameUnit } from './numbers.js';
import { namedPaths, pathForms } from './named-paths.js';
import { wordsOf } from './state-words.js';

export interface FactMatch {
  /** 0 to 1; null: the kind is not judged. */
  readonly value: number | null;
  /** Something else is stated in its place. */
  readonly contradicted: boolean;
  /** Members that were found, of `set` and `ordered`; else the value or nothing. */
  readonly found: readonly string[];
  /** Members that were named and are none. */
  readonly superfluous: readonly string[];
}

/** What an answer is held against beside the fact. */
export interface MatchSetting {
  /** Every path of the session, to tell whether a bare file name means one of them. */
  readonly knownPaths: readonly string[];
}

/** A file name in place of its path (specification of evaluation, §5). */
const BY_NAME = 0.8;

const NOTHING = { found: [], superfluous: [], contradicted: false } as const;

export function matchFact(fact: Fact, answer: string, setting: MatchSetting): FactMatch {
  switch (fact.kind) {
    case 'exact':
      return matchExact(fact, answer);
    case 'path':
      return matchPath(fact, answer, setting);
    case 'number':
      return matchNumber(fact, answer);
    case 'state':
      return matchState(fact, answer);
    case 'choice':
      return matchOption(fact, answer);
    case 'set':
      return matchSet(fact, answer, setting);
    case 'ordered':
      return matchOrdered(fact, answer, setting);
    case 'free':
      return { ...NOTHING, value: null };
  }
}

function matchExact(fact: Fact, answer: string): FactMatch {
  const text = foldLines(answer);
  const hit = [...valuesOf(fact), ...fact.aliases].find((form) =>
    holdsToken(text, foldLines(form)),
  );
  return { ...NOTHING, value: hit === undefined ? 0 : 1, found: hit === undefined ? [] : [hit] };
}

function matchPath(fact: Fact, answer: string, { knownPaths }: MatchSetting): FactMatch {
  const [path = ''] = valuesOf(fact);
  const value = Math.max(
    ...[path, ...fact.aliases].map((form) => pathValue(form, answer, knownPaths)),
  );
  return { ...NOTHING, value, found: value > 0 ? [path] : [] };
}

/** The full path 1, a file name that can mean no other file 0.8. */
function pathValue(path: string, answer: string, knownPaths: readonly string[]): number {
  const text = foldText(answer).replaceAll('\\', '/');
  const { full, name } = pathForms(path);
  if (holdsToken(text, full)) return 1;
  if (name === null || !holdsToken(text, name)) return 0;
  const sharing = knownPaths.filter((known) => pathForms(known).name === name || known === name);
  return sharing.length > 1 ? 0 : BY_NAME;
}

function matchNumber(fact: Fact, answer: string): FactMatch {
  const text = foldText(answer);
  const [value = ''] = valuesOf(fact);
  const wanted = parseMeasured(value);
  if (wanted === null) return matchExact(fact, answer);
  const units = [value, ...fact.aliases].flatMap((form) => parseMeasured(form)?.unit ?? []);
  const ofThing = numbersIn(text).filter(({ unit }) =>
    wanted.unit === '' ? unit === '' : units.some((known) => sameUnit(known, unit)),
  );
  const isThere = ofThing.some(({ digits }) => digits === wanted.digits);
  const others = [
    ...new Set(ofThing.map(({ digits }) => digits).filter((digits) => digits !== wanted.digits)),
  ];
  return {
    value: isThere && others.length === 0 ? 1 : 0,
    contradicted: others.length > 0,
    found: isThere ? [value] : [],
    superfluous: others,
  };
}

function matchState(fact: Fact, answer: string): FactMatch {
  return matchStated(fact, statementsOn(fact.subject, answer));
}

function matchOption(fact: Fact, answer: string): FactMatch {
  return matchStated(fact, [foldLines(answer)], (text, word) => holdsToken(text, foldLines(word)));
}

function matchStated(
  fact: Fact,
  statements: readonly string[],
  holds: (text: string, word: string) => boolean = holdsWord,
): FactMatch {
  const [value = ''] = valuesOf(fact);
  const stated = fact.options.filter((option) => {
    const words = option === value ? [...wordsOf(option), ...fact.aliases] : wordsOf(option);
    return statements.some((text) => words.some((word) => holds(text, word)));
  });
  // An option inside of a longer one that is stated says nothing by itself.
  const told = stated.filter(
    (option) => !stated.some((other) => other !== option && other.includes(option)),
  );
  const others = told.filter((option) => option !== value);
  const isThere = told.includes(value);
  return {
    value: isThere && others.length === 0 ? 1 : 0,
    contradicted: others.length > 0,
    found: isThere ? [value] : [],
    superfluous: others,
  };
}

function holdsWord(text: string, word: string): boolean {
  return findToken(text.toLowerCase(), word) >= 0;
}

/** Sentences that name the subject; where none does, the answer speaks of it as a whole. */
export function statementsOn(subject: string | null, answer: string): readonly string[] {
  const text = foldText(answer);
  if (subject === null) return [text];
  const { full, name } = pathForms(foldText(subject));
  const sentences = text.split(/\n|(?<=[.!?;]) /);
  const named = sentences.filter(
    (sentence) => holdsToken(sentence, full) || (name !== null && holdsToken(sentence, name)),
  );
  return named.length > 0 ? named.map((sentence) => without(sentence, full, name)) : [text];
}

/** A path such as `src/modified.ts` says no state. */
function without(sentence: string, full: string, name: string | null): string {
  const bare = sentence.replaceAll(full, ' ');
  return name === null ? bare : bare.replaceAll(name, ' ');
}

interface Members {
  readonly found: readonly string[];
  /** Sum over members, 1 for each that is wholly there. */
  readonly worth: number;
  readonly superfluous: readonly string[];
}

function membersIn(fact: Fact, answer: string, setting: MatchSetting): Members {
  const members = valuesOf(fact);
  if (isOfPaths(fact)) {
    const worths = members.map((path) => pathValue(path, answer, setting.knownPaths));
    return {
      found: members.filter((_, at) => (worths[at] ?? 0) > 0),
      worth: worths.reduce((sum, worth) => sum + worth, 0),
      superfluous: namedPaths(answer, setting.knownPaths).filter(
        (path) => !members.some((member) => isSamePath(path, member)),
      ),
    };
  }
  const text = foldLines(answer);
  const found = members.filter((member) => holdsToken(text, foldLines(member)));
  const superfluous = fact.options.filter(
    (option) =>
      !members.includes(option) &&
      !members.some((member) => member.includes(option)) &&
      holdsToken(text, foldLines(option)),
  );
  return { found, worth: found.length, superfluous };
}

function isSamePath(named: string, member: string): boolean {
  const { full, name } = pathForms(member);
  return named === full || named === name;
}

function matchSet(fact: Fact, answer: string, setting: MatchSetting): FactMatch {
  const { found, worth, superfluous } = membersIn(fact, answer, setting);
  const value = fTwo(worth, found.length + superfluous.length, valuesOf(fact).length);
  return { value, contradicted: false, found, superfluous };
}

/** Recall counts twice as much as precision, so that a missing member costs more than a superfluous one. */
function fTwo(worth: number, named: number, wanted: number): number {
  if (wanted === 0 || named === 0) return 0;
  const [precision, recall] = [worth / named, worth / wanted];
  if (precision + recall === 0) return 0;
  return (5 * precision * recall) / (4 * precision + recall);
}

function matchOrdered(fact: Fact, answer: string, setting: MatchSetting): FactMatch {
  const set = matchSet(fact, answer, setting);
  const text = foldLines(answer);
  const places = set.found.map((member) => findToken(text, foldLines(member)));
  let [right, pairs] = [0, 0];
  for (let later = 1; later < places.length; later += 1) {
    for (let earlier = 0; earlier < later; earlier += 1) {
      pairs += 1;
      if ((places[earlier] ?? 0) < (places[later] ?? 0)) right += 1;
    }
  }
  const order = pairs === 0 ? 1 : right / pairs;
  return { ...set, value: (set.value ?? 0) * order };
}
