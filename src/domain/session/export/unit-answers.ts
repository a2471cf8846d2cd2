/** Pairs the calls of one unit with its results: each call gets one, and none is lost. */
import type { TakeNote } from './export-note.js';
import { formOf } from '../source-form.js';
import type { ExportEntry } from './outgoing-context.js';
import type {
  ExportAttachment,
  OutgoingCall,
  OutgoingPart,
  OutgoingResult,
} from './outgoing-parts.js';
import { isVisible } from './outgoing-parts.js';

const NO_RESULT = '[no result of this call is in the transcript]';

/** Results and media of a unit, given out to the calls that they belong to. */
export class UnitAnswers {
  readonly #entries: readonly ExportEntry[];
  readonly #callsLeft = new Map<string, number>();
  readonly #results = new Map<string, ExportEntry[]>();
  readonly #media = new Map<string, ExportAttachment[]>();
  readonly #taken = new Set<ExportEntry>();
  hasMissing = false;

  constructor(entries: readonly ExportEntry[]) {
    this.#entries = entries;
    for (const entry of entries) {
      if (entry.kind === 'tool_call') {
        this.#callsLeft.set(entry.callId, (this.#callsLeft.get(entry.callId) ?? 0) + 1);
      } else if (entry.kind === 'tool_result') {
        file(this.#results, entry.callId, entry);
      } else if (entry.kind === 'attachment' && entry.callId !== null) {
        file(this.#media, entry.callId, entry);
      }
    }
  }

  /** One result each for calls of one id; the last of them takes what is left. */
  take(original: string, call: OutgoingCall, note: TakeNote): OutgoingResult {
    const left = this.#callsLeft.get(original) ?? 1;
    this.#callsLeft.set(original, left - 1);
    const open = this.#results.get(original) ?? [];
    const results = open.splice(0, left > 1 ? 1 : open.length);
    const media = left > 1 ? [] : (this.#media.get(original) ?? []);
    for (const entry of [...results, ...media]) this.#taken.add(entry);
    const [first, ...further] = results;
    for (const { seq } of further) note('results-joined', seq);
    const { callId, toolName } = call;
    if (first === undefined) {
      note('result-missing', call.seq);
      this.hasMissing = true;
      return { callId, toolName, text: NO_RESULT, isError: true, media, form: null, seq: null };
    }
    const text = results
      .map(({ content }) => content)
      .filter((content, index) => index === 0 || isVisible(content))
      .join('\n');
    const isError = results.some((entry) => entry.kind === 'tool_result' && entry.isError);
    const form = further.length === 0 ? formOf([first]) : null;
    return { callId, toolName, text, isError, media, form, seq: first.seq };
  }

  /** What belongs to no call of the unit: media of a message, and results that lost their call. */
  rest(note: TakeNote): readonly OutgoingPart[] {
    return this.#entries.flatMap((entry): readonly OutgoingPart[] => {
      if (this.#taken.has(entry)) return [];
      if (entry.kind === 'attachment') return [{ part: 'media', entry }];
      if (entry.kind !== 'tool_result') return [];
      note('result-without-call', entry.seq);
      const head = `[result of the call ${entry.callId}, which is not in the transcript]`;
      return [{ part: 'text', text: `${head}\n${entry.content}`.trimEnd(), seq: entry.seq }];
    });
  }
}

function file<Value>(values: Map<string, Value[]>, key: string, value: Value): void {
  const filed = values.get(key);
  if (filed === undefined) values.set(key, [value]);
  else filed.push(value);
}
