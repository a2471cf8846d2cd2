/**
 * Survival: whether a fact is still in the context, or the context carries what leads back to it. It is
 * measured without an answerer, and it is not an answer: it never becomes a mark.
 */
import { type Fact, isOfPaths, valuesOf } from './fact.js';
import { findToken, foldLines, foldText, holdsToken } from './grading/find-token.js';
import { numbersIn, parseMeasured } from './grading/numbers.js';
import { pathForms } from './grading/named-paths.js';
import { WORK_STATES, wordsOf } from './grading/state-words.js';
import { expandPathLists } from '../session/trail/path-list.js';
import { FINISHED_HEADING, SUPERSEDED_HEADING } from '../session/summary/render-summary.js';

/** What remains after a pass, as texts. */
export interface SurvivingContext {
  /** Constraints and summary as rendered; empty before the first pass. */
  readonly summary: string;
  /** What is carried word for word. */
  readonly tail: string;
  /** Entries that are carried word for word and whole. */
  readonly carried: ReadonlySet<string>;
  /** Entries that handles in the context lead back to. */
  readonly reachable: ReadonlySet<string>;
}

export type Survival = 'kept' | 'reachable' | 'lost';

/** Texts made ready once for many facts. */
export class ContextTexts {
  readonly whole: string;
  readonly #lines: readonly SummaryLine[];
  readonly #numbers: ReadonlySet<string>;

  /** @param projectRoot from which paths of facts are told; tools write them out in full. */
  constructor(
    readonly context: SurvivingContext,
    projectRoot: string | null = null,
  ) {
    const raw = `${context.summary}\n${context.tail}`;
    const told = expandPathLists(raw);
    const both = projectRoot === null ? told : told.replaceAll(`${projectRoot}/`, '');
    this.whole = foldLines(both);
    this.#lines = summaryLines(context.summary);
    this.#numbers = new Set(
      numbersIn(foldText(both)).map(({ digits, unit }) => `${digits} ${unit.toLowerCase()}`),
    );
  }

  holds(value: string): boolean {
    return holdsToken(this.whole, foldLines(value));
  }

  holdsNumber(digits: string, unit: string): boolean {
    return this.#numbers.has(`${digits} ${unit.toLowerCase()}`);
  }

  /** Lines of the summary that name the subject. */
  linesOn(subject: string): readonly SummaryLine[] {
    const { full } = pathForms(foldText(subject));
    return this.#lines.filter(({ text }) => holdsToken(text, full));
  }
}

export function survivalOf(fact: Fact, texts: ContextTexts): Survival {
  if (isKept(fact, texts)) return 'kept';
  const { reachable } = texts.context;
  return fact.sourceEntryIds.some((entryId) => reachable.has(entryId)) ? 'reachable' : 'lost';
}

function isKept(fact: Fact, texts: ContextTexts): boolean {
  const values = valuesOf(fact);
  switch (fact.kind) {
    case 'number':
      // Runners leave out what is 0: a run that is carried tells its counts.
      return isNumberKept(fact, texts) || (fact.topic === 'tests' && isCarried(fact, texts));
    case 'state':
      return isStateKept(fact, texts);
    case 'path':
      return [...values, ...fact.aliases].some((path) => texts.holds(pathForms(path).full));
    case 'set':
      return values.every((member) =>
        texts.holds(isOfPaths(fact) ? pathForms(member).full : member),
      );
    case 'ordered': {
      const places = values.map((member) => findToken(texts.whole, foldLines(member)));
      return places.every((place, at) => place >= 0 && place >= (places[at - 1] ?? 0));
    }
    case 'exact':
    case 'choice':
    case 'free':
      return [...values, ...fact.aliases].some((form) => texts.holds(form));
  }
}

function isCarried({ sourceEntryIds }: Fact, { context }: ContextTexts): boolean {
  return sourceEntryIds.some((entryId) => context.carried.has(entryId));
}

/** A bare number stands in every text, so it counts only behind what it belongs to. */
function isNumberKept(fact: Fact, texts: ContextTexts): boolean {
  const [value = ''] = valuesOf(fact);
  const wanted = parseMeasured(value);
  if (wanted === null) return texts.holds(value);
  if (wanted.unit === '') {
    return fact.subject === null ? texts.holds(value) : texts.holds(`${fact.subject} ${value}`);
  }
  const units = [value, ...fact.aliases].flatMap((form) => parseMeasured(form)?.unit ?? []);
  return units.some((unit) => texts.holdsNumber(wanted.digits, unit));
}

function isStateKept(fact: Fact, texts: ContextTexts): boolean {
  const [value = ''] = valuesOf(fact);
  const subject = foldText(fact.subject ?? '');
  const lines = subject === '' ? [] : texts.linesOn(subject);
  const isWork = WORK_STATES.some((state) => state === value);
  const told = lines.flatMap((line) =>
    isWork ? workState(line) : (firstStated(line.text, subject, fact.options) ?? []),
  );
  if (!told.every((state) => state === value)) return false;
  // A call that is carried tells the state by itself.
  return told.length > 0 || isCarried(fact, texts);
}

function workState({ text, heading }: SummaryLine): string {
  return heading === 'open' && !/^#\d+ Done: /.test(text) ? 'open' : 'done';
}

/** What a line says of its subject stands right behind it; what follows tells how it came to be. */
function firstStated(line: string, subject: string, options: readonly string[]): string | null {
  const behind = line.slice(line.indexOf(subject) + subject.length).toLowerCase();
  const places = options.flatMap((option) =>
    wordsOf(option).flatMap((word) => {
      const at = findToken(behind, word);
      return at < 0 ? [] : [{ option, at }];
    }),
  );
  return places.sort((a, b) => a.at - b.at)[0]?.option ?? null;
}

interface SummaryLine {
  readonly text: string;
  readonly heading: 'open' | 'finished' | 'superseded';
}

/** Lines with the heading that they stand under. */
export function summaryLines(summary: string): readonly SummaryLine[] {
  let heading: SummaryLine['heading'] = 'open';
  return foldText(summary)
    .split('\n')
    .map((text) => {
      if (text.startsWith('## ')) heading = 'open';
      if (text === FINISHED_HEADING) heading = 'finished';
      if (text === SUPERSEDED_HEADING) heading = 'superseded';
      return { text, heading };
    });
}

/** Handles that a context carries: items and sections of its summary, entries anywhere in it. */
export interface ContextHandles {
  readonly itemNos: readonly number[];
  readonly sections: readonly string[];
  readonly seqs: readonly number[];
}

/** Items count where a line of the summary begins with them: `#17` in a sentence is somebody's words. */
export function handlesIn(summary: string): ContextHandles {
  const itemNos = [...summary.matchAll(/^#(\d{1,9}) /gm)].map(([, no]) => Number(no));
  const sections = [
    ...summary.matchAll(/^(?:\(\d+ archived: |Paths only, .* \()section:([\w-]+)\):?$/gm),
  ].map(([, key = '']) => key);
  const seqs = [...summary.matchAll(/\bentry:(\d{1,9})\b/g)].map(([, seq]) => Number(seq));
  return { itemNos, sections, seqs: [...new Set(seqs)] };
}
