/** Draws planted facts by seed: kinds in turn, two carriers where a kind has several, six that change. */
import { drawBelow, type SeededNumbers, seededNumbers } from '../seeded-numbers.js';
import { FILE_STATES, WORK_STATES } from '../grading/state-words.js';
import { type Carrier, PLANTED_KINDS, type PlantedFact, type PlantedKind } from './planted-fact.js';

export interface PlantingPlan {
  readonly seed: number;
  readonly facts: number;
  readonly cycles: number;
}

/** Facts that change later, by kind; a third of each kind's facts or the first of them. */
const CHANGING: readonly PlantedKind[] = ['path', 'decision', 'todo', 'version', 'number', 'date'];

const CARRIERS_OF: Readonly<Record<PlantedKind, readonly [Carrier, Carrier]>> = {
  constraint: ['user-prompt', 'user-prompt'],
  path: ['tool-event', 'tool-event'],
  decision: ['decision', 'decision'],
  todo: ['todo', 'todo'],
  'error-code': ['tool-event', 'tool-event'],
  version: ['user-prompt', 'tool-output'],
  number: ['user-prompt', 'tool-output'],
  command: ['tool-event', 'tool-event'],
  symbol: ['tool-event', 'assistant-prose'],
  date: ['user-prompt', 'assistant-prose'],
  name: ['user-prompt', 'assistant-prose'],
  url: ['user-prompt', 'tool-output'],
};

/** Facts are planted in the first half of the cycles, so that all of them grow old. */
export function drawFacts({ seed, facts, cycles }: PlantingPlan): readonly PlantedFact[] {
  const draw = seededNumbers(seed);
  const lastPlanting = Math.max(1, Math.ceil(cycles / 2));
  return Array.from({ length: facts }, (_, at) => {
    const kind = PLANTED_KINDS[at % PLANTED_KINDS.length] ?? 'name';
    const round = Math.floor(at / PLANTED_KINDS.length);
    const carrier = CARRIERS_OF[kind][round % 2] ?? 'user-prompt';
    const cycle = 1 + (at % lastPlanting);
    const isChanging = round === 0 && CHANGING.includes(kind) && cycles > 1;
    const later = Math.min(cycles, cycle + 1 + drawBelow(draw, Math.max(1, cycles - cycle - 1)));
    return {
      factId: `${kind}-${round + 1}`,
      kind,
      carrier,
      ...describe(kind, draw, { cycle, later: isChanging ? later : null }),
    };
  });
}

interface Planting {
  readonly cycle: number;
  /** When it changes; null: never. */
  readonly later: number | null;
}

type Described = Pick<PlantedFact, 'match' | 'subject' | 'options' | 'values'>;

function describe(kind: PlantedKind, draw: SeededNumbers, planting: Planting): Described {
  const exact = (subject: string, make: () => string): Described => ({
    match: 'exact',
    subject,
    options: [],
    values: valuesOf(planting, make),
  });
  switch (kind) {
    case 'constraint': {
      const rule = `Never restart the service \`${word(draw)}-${word(draw)}\` before ${hour(draw)}.`;
      return exact('a standing rule', () => rule);
    }
    case 'path': {
      const path = `src/${word(draw)}/${word(draw)}-${word(draw)}.ts`;
      const [first, then] = planting.later === null ? ['modified', ''] : ['created', 'deleted'];
      const values = [{ cycle: planting.cycle, value: first }];
      if (planting.later !== null) values.push({ cycle: planting.later, value: then });
      return { match: 'state', subject: path, options: FILE_STATES, values };
    }
    case 'todo': {
      const values = [{ cycle: planting.cycle, value: 'open' }];
      if (planting.later !== null) values.push({ cycle: planting.later, value: 'done' });
      const subject = `Calibrate the ${word(draw)} of ${word(draw)}`;
      return { match: 'state', subject, options: WORK_STATES, values };
    }
    case 'decision':
      return exact(
        `Which ${word(draw)} shall we use for ${word(draw)}?`,
        () => `${capital(word(draw))} ${capital(word(draw))}`,
      );
    case 'error-code':
      return exact(
        `npm run ${word(draw)}`,
        () =>
          `Error E${1000 + drawBelow(draw, 9000)}: ${word(draw)} of ${word(draw)} is not reachable`,
      );
    case 'version':
      return exact(
        `lib-${word(draw)}`,
        () => `${drawBelow(draw, 40)}.${drawBelow(draw, 60)}.${drawBelow(draw, 90)}`,
      );
    case 'number':
      return {
        match: 'number',
        subject: `${word(draw)} limit`,
        options: [],
        values: valuesOf(planting, () => `${1000 + drawBelow(draw, 90_000)} ms`),
      };
    case 'command':
      return exact('a command', () => `make ${word(draw)}-${word(draw)}`);
    case 'symbol':
      return exact('a function', () => `${word(draw)}${capital(word(draw))}`);
    case 'date':
      return exact(
        `${word(draw)} freeze`,
        () =>
          `20${30 + drawBelow(draw, 60)}-${two(1 + drawBelow(draw, 12))}-${two(1 + drawBelow(draw, 28))}`,
      );
    case 'name':
      return exact(`owner of ${word(draw)}`, () => `${capital(word(draw))} ${capital(word(draw))}`);
    case 'url':
      return exact(`page of ${word(draw)}`, () => `https://${word(draw)}.example/${word(draw)}`);
  }
}

function valuesOf({ cycle, later }: Planting, make: () => string): PlantedFact['values'] {
  const first = { cycle, value: make() };
  return later === null ? [first] : [first, { cycle: later, value: make() }];
}

const CONSONANTS = 'bdfgklmnprstvz';
const VOWELS = 'aeiou';

/** Of eight letters: one of a thousand million, and in no dictionary. */
export function word(draw: SeededNumbers): string {
  let text = '';
  for (let at = 0; at < 4; at += 1) {
    text += CONSONANTS.charAt(drawBelow(draw, CONSONANTS.length));
    text += VOWELS.charAt(drawBelow(draw, VOWELS.length));
  }
  return text;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function hour(draw: SeededNumbers): string {
  return `${two(drawBelow(draw, 24))}:${two(drawBelow(draw, 60))}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
