/**
 * Who speaks, read from the texts: in a conversation each turn begins with a name and a colon.
 * Between two people the turn after a question answers it; in a group the answer is spread over
 * many turns of several people. Which of the two it is decides what a fragment's size may cost.
 */
import type { FragmentStructure } from './read-structure.js';

/** Characters in which the name is looked for. */
const LONGEST_HEAD = 64;
/** `Ana: …`, `Project Manager: …`, `PhD D: …`; nothing that looks like code or a sentence. */
const SPEAKER = /^\s*(\p{L}[\p{L}\p{N} .'’_-]{0,39}?)\s*:\s/u;
/** One who speaks once may be a heading. */
const FEWEST_TURNS = 2;
/** Share of the fragments that must be turns of a speaker. */
const FEWEST_SPOKEN = 0.5;
/** From so many speakers on it is a group. */
const SMALLEST_GROUP = 3;

export interface Speakers {
  /** Positions of the turns of each speaker; empty where the fragments are no conversation. */
  readonly turns: ReadonlyMap<string, readonly number[]>;
  readonly isGroup: boolean;
}

const NO_SPEAKERS: Speakers = { turns: new Map(), isGroup: false };

/** A session with tool calls is no conversation in this sense: `user:` and `result:` are no names. */
export function readSpeakers(
  texts: readonly string[],
  structures: readonly FragmentStructure[],
): Speakers {
  if (structures.some(({ isCall }) => isCall)) return NO_SPEAKERS;
  const turns = new Map<string, number[]>();
  texts.forEach((text, at) => {
    const name = SPEAKER.exec(text.slice(0, LONGEST_HEAD))?.[1];
    if (name === undefined) return;
    const known = turns.get(name);
    if (known === undefined) turns.set(name, [at]);
    else known.push(at);
  });
  let spoken = 0;
  for (const [name, positions] of turns) {
    if (positions.length < FEWEST_TURNS) turns.delete(name);
    else spoken += positions.length;
  }
  if (spoken < FEWEST_SPOKEN * texts.length) return NO_SPEAKERS;
  return { turns, isGroup: turns.size >= SMALLEST_GROUP };
}
