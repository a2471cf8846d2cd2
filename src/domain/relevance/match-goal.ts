/**
 * How well each fragment meets the goal: words, topics and neighbours together. The terms of a few
 * fragments, evenly spread, are read first and kept, to learn the topics from; then the goal. Nothing
 * learnt from the fragments depends on the goal, so that they may be read once for many goals.
 */
import { nearness, samplePositions, TopicSpace } from './match-topics.js';
import { type NamedSpeaker, WordMatcher, type WordMatch } from './match-words.js';
import type { Speakers } from './read-speakers.js';
import { TermRows, type TermRow } from './term-rows.js';

/** Characters of the goal that are read. */
const LONGEST_GOAL = 20_000;

export interface GoalMatch extends WordMatch {
  /** Nearness of each fragment to the goal among the topics, 0..1. */
  readonly topics: Float64Array;
}

/** The texts that topics are learnt from, and the names of who speaks. */
interface FirstReading {
  readonly rows: TermRows;
  /** Rows by the position of their text. */
  readonly sample: ReadonlyMap<number, TermRow>;
  readonly names: readonly NamedSpeaker[];
}

/**
 * For one goal: reads every text once, those beside the sample one by one, so that memory does not
 * grow with the texts.
 *
 * @param speakers who speaks in the texts, by name
 */
export function matchGoal(
  goal: string,
  texts: readonly string[],
  speakers: Speakers['turns'] = new Map(),
): GoalMatch {
  const { rows, sample, names } = readFirst(texts, speakers);
  const goalTerms = readGoal(rows, goal);
  rows.stopLearning();

  const words = wordsOf(goalTerms, texts.length, rows, names);
  const space = goalTerms.size === 0 ? null : TopicSpace.learn(rows, [...sample.values()]);
  const aim = space?.placeGoal(goalTerms) ?? null;
  const place = new Float64Array(space?.width ?? 0);
  const topics = new Float64Array(texts.length);
  texts.forEach((text, at) => {
    const sampled = sample.get(at);
    const row = sampled ?? rows.add(text);
    words.see(rows, row);
    if (space !== null && aim !== null) {
      space.placeText(rows, row, place, 0);
      topics[at] = nearness(aim, place, 0);
    }
    if (sampled === undefined) rows.drop(row);
  });
  return { ...words.match(), topics };
}

/** For many goals: the same numbers as `matchGoal`; the rows and places of all texts are kept. */
export function prepareMatch(
  texts: readonly string[],
  speakers: Speakers['turns'] = new Map(),
): (goal: string) => GoalMatch {
  const { rows, sample, names } = readFirst(texts, speakers);
  const kept = texts.map((text, at) => sample.get(at) ?? rows.add(text));
  // A goal's word that no text has matches nothing, and needs no number.
  rows.stopLearning();
  const space = TopicSpace.learn(rows, [...sample.values()]);
  const width = space?.width ?? 0;
  const places = new Float64Array(texts.length * width);
  kept.forEach((row, at) => space?.placeText(rows, row, places, at * width));

  return (goal) => {
    const goalTerms = readGoal(rows, goal);
    const words = wordsOf(goalTerms, texts.length, rows, names);
    for (const row of kept) words.see(rows, row);
    const aim = space?.placeGoal(goalTerms) ?? null;
    const topics = new Float64Array(texts.length);
    if (aim !== null) {
      for (let at = 0; at < topics.length; at += 1) topics[at] = nearness(aim, places, at * width);
    }
    return { ...words.match(), topics };
  };
}

function readFirst(texts: readonly string[], speakers: Speakers['turns']): FirstReading {
  const rows = new TermRows();
  const sample = new Map<number, TermRow>();
  for (const at of samplePositions(texts.length)) sample.set(at, rows.add(texts[at] ?? ''));
  const names = [...speakers].map(([name, turns]) => {
    const row = rows.add(name);
    const terms = [...rows.terms.subarray(row.start, row.end)];
    rows.drop(row);
    return { terms, turns };
  });
  return { rows, sample, names };
}

/** The goal's terms by their numbers, in the order of the goal, and how often it says each. */
function readGoal(rows: TermRows, goal: string): ReadonlyMap<number, number> {
  const row = rows.add(goal.slice(0, LONGEST_GOAL));
  const { terms, counts } = rows;
  const goalTerms = new Map<number, number>();
  for (let entry = row.start; entry < row.end; entry += 1) {
    goalTerms.set(terms[entry] ?? 0, counts[entry] ?? 0);
  }
  rows.drop(row);
  return goalTerms;
}

function wordsOf(
  goalTerms: ReadonlyMap<number, number>,
  textCount: number,
  { termCount }: TermRows,
  names: readonly NamedSpeaker[],
): WordMatcher {
  return new WordMatcher(goalTerms, textCount, termCount, namedBy(goalTerms, names));
}

/** The speakers whom the goal names, with those terms of their names that it has. */
function namedBy(
  goalTerms: ReadonlyMap<number, number>,
  names: readonly NamedSpeaker[],
): readonly NamedSpeaker[] {
  return names.flatMap(({ terms, turns }) => {
    const said = terms.filter((term) => goalTerms.has(term));
    return said.length === 0 ? [] : [{ terms: said, turns }];
  });
}
