/**
 * How well each fragment meets the goal: words, topics and neighbours together. The terms of a few
 * fragments, evenly spread, are read first and kept, to learn the topics from; the others are then
 * read one by one, so that memory does not grow with the texts.
 */
import { samplePositions, TopicMatcher } from './match-topics.js';
import { type NamedSpeaker, WordMatcher, type WordMatch } from './match-words.js';
import type { Speakers } from './read-speakers.js';
import { TermRows, type TermRow } from './term-rows.js';

/** Characters of the goal that are read. */
const LONGEST_GOAL = 20_000;

export interface GoalMatch extends WordMatch {
  /** Nearness of each fragment to the goal among the topics, 0..1. */
  readonly topics: Float64Array;
}

/**
 * Reads every text once.
 *
 * @param speakers who speaks in the texts, by name
 */
export function matchGoal(
  goal: string,
  texts: readonly string[],
  speakers: Speakers['turns'] = new Map(),
): GoalMatch {
  const rows = new TermRows();
  const goalTerms = readGoal(rows, goal);
  const named = nameSpeakers(rows, goalTerms, speakers);
  const sample = new Map<number, TermRow>();
  for (const at of samplePositions(texts.length)) sample.set(at, rows.add(texts[at] ?? ''));
  rows.stopLearning();

  const words = new WordMatcher(goalTerms, texts.length, named);
  const topicMatcher = TopicMatcher.learn(rows, [...sample.values()], goalTerms);
  const topics = new Float64Array(texts.length);
  texts.forEach((text, at) => {
    const sampled = sample.get(at);
    const row = sampled ?? rows.add(text);
    words.see(rows, row);
    topics[at] = topicMatcher?.nearness(rows, row) ?? 0;
    if (sampled === undefined) rows.drop(row);
  });
  return { ...words.match(), topics };
}

/** The goal's terms, numbered from 0, and how often it says each. */
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

/** The speakers whom the goal names. */
function nameSpeakers(
  rows: TermRows,
  goalTerms: ReadonlyMap<number, number>,
  speakers: Speakers['turns'],
): readonly NamedSpeaker[] {
  return [...speakers].flatMap(([name, turns]) => {
    const row = rows.add(name);
    const terms = [...rows.terms.subarray(row.start, row.end)].filter((id) => goalTerms.has(id));
    rows.drop(row);
    return terms.length === 0 ? [] : [{ terms, turns }];
  });
}
