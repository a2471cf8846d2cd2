/**
 * The messages of a request before they take a provider's form: who speaks, what belongs to which
 * call. Pairing is settled here for all providers: every call has exactly one result, and no result
 * stands without its call.
 */
import { formOf, type SourceForm } from '../source-form.js';
import type { EntryPlace } from '../stored-entry.js';
import type { ToolCallEntry } from '../transcript.js';
import { CallNames, type NameLimits } from './call-names.js';
import type { ExportNote, TakeNote } from './export-note.js';
import { type ExportEntry, type OutgoingContext, shownTail } from './outgoing-context.js';
import {
  inSourceOrder,
  isVisible,
  type OutgoingCall,
  type OutgoingPart,
  type OutgoingResult,
  type TextPart,
} from './outgoing-parts.js';
import { UnitAnswers } from './unit-answers.js';

export type OutgoingMessage =
  | {
      readonly speaker: 'system' | 'user';
      readonly parts: readonly OutgoingPart[];
      /** Of its source; null: as every provider writes it. */
      readonly form: SourceForm | null;
    }
  | {
      readonly speaker: 'assistant';
      readonly parts: readonly OutgoingPart[];
      /** One for each call of the parts, in the order of the source; those that are missing last. */
      readonly results: readonly OutgoingResult[];
      readonly form: SourceForm | null;
    };

export interface Outgoing {
  readonly messages: readonly OutgoingMessage[];
  /** Messages from the first on that later entries cannot change. */
  readonly settled: number;
  readonly notes: readonly ExportNote[];
}

/** @param limits of the provider that the messages are for. */
export function outgoingMessages(context: OutgoingContext, limits: NameLimits): Outgoing {
  const notes: ExportNote[] = [];
  const names = new CallNames(limits);
  const messages: OutgoingMessage[] = [];
  if (context.summary !== null && isVisible(context.summary)) {
    messages.push(userText(context.summary, null));
  }
  if (context.promptAgain !== null && isVisible(context.promptAgain.content)) {
    messages.push(userText(context.promptAgain.content, context.promptAgain.seq));
  }

  const tail = shownTail(context);
  const latestTurn = tail.at(-1)?.turn ?? 0;
  const stubs = [...context.stubs].sort((a, b) => a.seq - b.seq);
  let settled: number | null = null;
  let nextStub = 0;
  const placeStubs = (before: number): void => {
    for (let stub = stubs[nextStub]; stub !== undefined && stub.seq < before;) {
      messages.push(userText(stub.text, stub.seq));
      nextStub += 1;
      stub = stubs[nextStub];
    }
  };
  const units = groupByUnit(tail);
  for (const [index, entries] of units.entries()) {
    const [first] = entries;
    if (first === undefined) continue;
    placeStubs(first.seq);
    const unit = unitMessages(entries, names, (reason, seq) => notes.push({ reason, seq }));
    const mayGrow = unit.isUnanswered || (index === units.length - 1 && unit.isUnfinished);
    if (mayGrow && first.turn === latestTurn) settled ??= messages.length;
    messages.push(...unit.messages);
  }
  placeStubs(Number.POSITIVE_INFINITY);
  return { messages, settled: settled ?? messages.length, notes };
}

function userText(text: string, seq: number | null): OutgoingMessage {
  return { speaker: 'user', parts: [{ part: 'text', text, seq }], form: null };
}

/** Units in the order of their first entries. */
function groupByUnit(entries: readonly ExportEntry[]): readonly (readonly ExportEntry[])[] {
  const units = new Map<string, ExportEntry[]>();
  for (const entry of entries) {
    const unit = units.get(entry.unitId);
    if (unit === undefined) units.set(entry.unitId, [entry]);
    else unit.push(entry);
  }
  return [...units.values()];
}

/** The assistant's part first, then what is left of the unit as user texts. */
function unitMessages(
  entries: readonly ExportEntry[],
  names: CallNames,
  note: TakeNote,
): {
  readonly messages: readonly OutgoingMessage[];
  /** A result of it may still come. */
  readonly isUnanswered: boolean;
  /** A message of the assistant that called nothing yet. */
  readonly isUnfinished: boolean;
} {
  const spoken: OutgoingPart[] = [];
  const said: TextPart[] = [];
  const harness: TextPart[] = [];
  const system: TextPart[] = [];
  const calls: { readonly original: string; readonly call: OutgoingCall }[] = [];
  const answers = new UnitAnswers(entries);
  for (const entry of entries) {
    const { seq, content: text } = entry;
    switch (entry.kind) {
      case 'tool_call': {
        const call = outgoingCall(entry, names, note);
        calls.push({ original: entry.callId, call });
        spoken.push({ part: 'call', call });
        break;
      }
      case 'thinking':
        spoken.push({ part: 'thinking', text, entry });
        break;
      case 'tool_result':
      case 'attachment':
        break;
      case 'user':
      case 'assistant':
      case 'system':
      case 'summary':
        if (!isVisible(text)) note('empty-left-out', seq);
        else if (entry.kind === 'assistant') {
          const { vendor } = entry;
          spoken.push({ part: 'text', text, seq, ...(vendor !== undefined && { vendor }) });
        } else if (entry.kind === 'system') system.push({ part: 'text', text, seq });
        else if (entry.author === 'harness') harness.push({ part: 'text', text, seq });
        else said.push({ part: 'text', text, seq });
    }
  }
  const results = calls
    .map(({ original, call }) => answers.take(original, call, note))
    .sort((a, b) => (a.seq ?? Number.POSITIVE_INFINITY) - (b.seq ?? Number.POSITIVE_INFINITY) || 0);
  const form = formOf(entries.filter(({ kind }) => kind !== 'tool_result'));
  const isHarness = said.length === 0 && harness.length === 1;
  const parts = isHarness
    ? ordered(form, harness, [], answers.rest(note))
    : ordered(form, said, harness, answers.rest(note));

  const messages: OutgoingMessage[] = [];
  if (spoken.length > 0) messages.push({ speaker: 'assistant', parts: spoken, results, form });
  if (system.length > 0) {
    messages.push({ speaker: 'system', parts: ordered(form, system, [], []), form });
  }
  if (parts.length > 0) messages.push({ speaker: 'user', parts, form });
  const isUnfinished = spoken.length > 0 && calls.length === 0;
  return { messages, isUnanswered: answers.hasMissing, isUnfinished };
}

/** What a unit says beside the assistant: as its source had it, else texts, media, a harness's texts. */
function ordered(
  form: SourceForm | null,
  texts: readonly TextPart[],
  harness: readonly TextPart[],
  rest: readonly OutgoingPart[],
): readonly OutgoingPart[] {
  const media = rest.flatMap((part) => (part.part === 'media' ? part.entry : []));
  const orphans = rest.filter(({ part }) => part !== 'media');
  const [first = null, ...further] = texts;
  if (further.length > 0) return [...texts, ...inSourceOrder([], null, media, harness), ...orphans];
  return [...inSourceOrder(form?.places ?? [], first, media, harness), ...orphans];
}

function outgoingCall(
  entry: ToolCallEntry & EntryPlace,
  names: CallNames,
  note: TakeNote,
): OutgoingCall {
  const callId = names.takeCallId(entry.callId);
  const toolName = names.toolName(entry.toolName);
  if (callId !== entry.callId) note('call-id-rewritten', entry.seq);
  if (toolName !== entry.toolName) note('tool-name-rewritten', entry.seq);
  const { seq, vendor = {} } = entry;
  return { callId, toolName, arguments: entry.arguments, seq, vendor };
}
