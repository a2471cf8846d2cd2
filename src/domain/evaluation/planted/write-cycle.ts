/** One cycle of a transcript with planted facts: statements of this cycle, and turns of filler between them. */
import type { TranscriptEntry } from '../../session/transcript.js';
import { drawBelow, type SeededNumbers, seededNumbers } from '../seeded-numbers.js';
import { TranscriptWriter } from '../transcript-writer.js';
import { word } from './draw-facts.js';
import { type PlantedFact, type PlantedValue, valueAt } from './planted-fact.js';

export interface WrittenCycle {
  readonly entries: readonly TranscriptEntry[];
  /** Keys of the entries that state a fact in this cycle, by the fact's id. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
}

export interface CycleSettings {
  readonly seed: number;
  /** Turns of filler. */
  readonly fillerTurns: number;
  /** Turns of a given transcript, used over and over; none: they are made up. */
  readonly givenTurns: readonly (readonly TranscriptEntry[])[];
}

/** @param cycle from 1. */
export function writeCycle(
  facts: readonly PlantedFact[],
  cycle: number,
  { seed, fillerTurns, givenTurns }: CycleSettings,
): WrittenCycle {
  const writer = new TranscriptWriter(`planted-${cycle}`);
  const draw = seededNumbers(seed * 1_000 + cycle);
  const stated = facts.flatMap((fact) => {
    const value = valueAt(fact, cycle);
    return value?.cycle === cycle ? [{ fact, value }] : [];
  });
  const entries: TranscriptEntry[] = [];
  const sources = new Map<string, readonly string[]>();
  for (let turn = 0; turn < fillerTurns; turn += 1) {
    for (const { fact, value } of stated.filter(
      (_, at) => placeOf(at, stated.length, fillerTurns) === turn,
    )) {
      sources.set(fact.factId, state(writer, fact, value, facts, cycle, draw));
    }
    if (givenTurns.length === 0) filler(writer, draw);
    entries.push(...writer.take());
    if (givenTurns.length > 0) {
      const number = (cycle - 1) * fillerTurns + turn;
      entries.push(...copyOf(givenTurns[number % givenTurns.length] ?? [], `filler-${number}`));
    }
  }
  return { entries, sources };
}

/** Facts are spread over the first two thirds, so that a pass that keeps the newest turns drops them. */
function placeOf(at: number, count: number, turns: number): number {
  return Math.floor((at * turns * 2) / (3 * Math.max(1, count)));
}

/** @returns the keys of the entries that hold the statement itself. */
function state(
  writer: TranscriptWriter,
  fact: PlantedFact,
  { value }: PlantedValue,
  facts: readonly PlantedFact[],
  cycle: number,
  draw: SeededNumbers,
): readonly string[] {
  const { kind, carrier, subject } = fact;
  if (kind === 'path') return statePath(writer, subject, value);
  if (kind === 'todo') return stateTodos(writer, facts, cycle);
  if (kind === 'decision') return stateDecision(writer, subject, value, draw);
  if (carrier === 'user-prompt') {
    const said = kind === 'constraint' ? value : `The ${subject} is \`${value}\` from today.`;
    const key = writer.user(`${said} Please go on with ${word(draw)}.`);
    writer.assistant(`Noted. ${prose(draw, 20)}`);
    return [key];
  }
  writer.user(`Look after ${word(draw)} ${word(draw)}, please.`);
  if (carrier === 'assistant-prose') {
    return [writer.assistant(`The ${subject} is ${value}. ${prose(draw, 20)}`)];
  }
  const sources = carrier === 'tool-event' ? stateByTool(writer, fact, value, draw) : null;
  const output = `${prose(draw, 10)}\nthe ${subject} is ${value}\n${prose(draw, 10)}`;
  const keys = sources ?? [run(writer, `cat notes/${word(draw)}.txt`, output, 'reads').result];
  writer.assistant(`Done. ${prose(draw, 12)}`);
  return keys;
}

function stateByTool(
  writer: TranscriptWriter,
  { kind, subject }: PlantedFact,
  value: string,
  draw: SeededNumbers,
): readonly string[] {
  if (kind === 'command') {
    const { call, result } = run(writer, value, 'ok', 'other');
    return [call, result];
  }
  if (kind === 'error-code') {
    const { result } = writer.call({
      toolName: 'Bash',
      arguments: { command: subject },
      result: value,
      exitCode: 1,
      isError: true,
    });
    return [result];
  }
  const path = `src/${word(draw)}/${word(draw)}.ts`;
  const edited = writer.call({
    toolName: 'Edit',
    arguments: {
      file_path: path,
      old_string: '',
      new_string: `export function ${value}(): void {\n  return;\n}\n`,
    },
    result: `The file ${path} has been updated.`,
    effect: 'changes',
  });
  return [edited.call];
}

function statePath(writer: TranscriptWriter, path: string, value: string): readonly string[] {
  writer.user(`Take care of ${path}.`);
  const told = ((): { readonly call: string; readonly result: string } => {
    switch (value) {
      case 'created':
        return writer.call({
          toolName: 'Write',
          arguments: { file_path: path, content: 'export const made = 1;\n' },
          result: `File created successfully at: ${path}`,
          effect: 'changes',
        });
      case 'modified':
        return writer.call({
          toolName: 'Edit',
          arguments: { file_path: path, old_string: 'a = 1', new_string: 'a = 2' },
          result: `The file ${path} has been updated.`,
          effect: 'changes',
        });
      default:
        return run(writer, `rm ${path}`, '', 'changes');
    }
  })();
  writer.assistant('Taken care of.');
  return [told.call, told.result];
}

/** The whole list, as the vendor's tool wants it. */
function stateTodos(
  writer: TranscriptWriter,
  facts: readonly PlantedFact[],
  cycle: number,
): readonly string[] {
  const todos = facts.flatMap((fact) => {
    const value = fact.kind === 'todo' ? valueAt(fact, cycle) : null;
    if (value === null) return [];
    return [{ content: fact.subject, status: value.value === 'done' ? 'completed' : 'pending' }];
  });
  writer.user('Bring the list of todos up to date.');
  const { call } = writer.call({
    toolName: 'TodoWrite',
    arguments: { todos },
    result: 'Todos have been modified successfully.',
  });
  writer.assistant('The list is up to date.');
  return [call];
}

function stateDecision(
  writer: TranscriptWriter,
  question: string,
  answer: string,
  draw: SeededNumbers,
): readonly string[] {
  const notTaken = [`${word(draw)} plain`, `${word(draw)} late`];
  writer.user(`Ask me before you decide on ${word(draw)}.`);
  const { result } = writer.call({
    toolName: 'AskUserQuestion',
    arguments: {
      questions: [{ question, options: [answer, ...notTaken].map((label) => ({ label })) }],
    },
    result: `User has answered your questions: "${question}"="${answer}".`,
    answers: [{ question, answer, notTaken }],
  });
  writer.assistant('I go on with that.');
  return [result];
}

function run(
  writer: TranscriptWriter,
  command: string,
  result: string,
  effect: 'reads' | 'changes' | 'other',
): { readonly call: string; readonly result: string } {
  return writer.call({ toolName: 'Bash', arguments: { command }, result, effect, exitCode: 0 });
}

/** Words of a turn of filler, beside the file that it reads. */
const FILLER_WORDS = 60;

function filler(writer: TranscriptWriter, draw: SeededNumbers): void {
  const path = `lib/${word(draw)}.ts`;
  writer.user(`What about ${word(draw)} and ${word(draw)}?`);
  writer.call({
    toolName: 'Read',
    arguments: { file_path: path },
    result: prose(draw, FILLER_WORDS),
    effect: 'reads',
  });
  writer.assistant(prose(draw, FILLER_WORDS / 2));
}

function prose(draw: SeededNumbers, words: number): string {
  return Array.from({ length: words }, () => COMMON[drawBelow(draw, COMMON.length)]).join(' ');
}

/** Ordinary words: filler must weigh like text, and must not look like facts. */
const COMMON = (
  'the water comes over hill and field while people look for a way to the old house near that road ' +
  'some of them think about work others want to see where light goes when evening falls on trees'
).split(' ');

/** Each copy is a turn of its own: keys of entries and calls must differ from those before. */
function copyOf(turn: readonly TranscriptEntry[], mark: string): readonly TranscriptEntry[] {
  return turn.map((entry) => {
    const { sourceKey, messageKey } = entry;
    const copied = {
      ...entry,
      sourceKey: `${mark}:${sourceKey}`,
      messageKey: messageKey === null ? null : `${mark}:${messageKey}`,
    };
    return 'callId' in copied && copied.callId !== null
      ? { ...copied, callId: `${mark}:${copied.callId}` }
      : copied;
  });
}
