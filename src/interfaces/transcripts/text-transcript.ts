/**
 * Plain text in which a line names the speaker: `User:`, `Assistant:`, `System:`, `Tool:`. Text
 * without such lines is read as notes, cut at blank lines.
 */
import type {
  TranscriptEvent,
  TranscriptHead,
  TranscriptReader,
  TranscriptSource,
} from '../../application/session/transcript-reader.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { TranscriptEntry } from '../../domain/session/transcript.js';
import { byteLines } from './byte-lines.js';
import { EntryBuilder } from './entry-builder.js';
import { SourceKeys } from './source-keys.js';
import { NoteCutter } from './text-notes.js';

export const TEXT = 'text';

/** With these speakers; to be changed when a file gives other events than before. */
const VERSION = '1';

export type Speaker = 'user' | 'assistant' | 'system' | 'tool';

/** Words before a colon that begin a speaker's part, in any case. */
export type SpeakerWords = Readonly<Record<string, Speaker>>;

export const SPEAKERS: SpeakerWords = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  system: 'system',
  tool: 'tool',
};

export interface TextReaderSettings {
  readonly digest: Digest;
  /** Measures notes without speakers. */
  readonly counter: TokenCounter;
  readonly speakers?: SpeakerWords;
}

/** UTF-16 units of one part that are held; a longer one becomes several. */
const MAX_PART_LENGTH = 4 * 1024 * 1024;

export function textReader({
  digest,
  counter,
  speakers = SPEAKERS,
}: TextReaderSettings): TranscriptReader {
  const lines = new SpeakerLines(speakers);
  return {
    name: TEXT,
    ...(speakers === SPEAKERS && { version: VERSION }),
    detect: (head) => detect(head, lines),
    read: (source) => read(source, lines, new SourceKeys(digest), new NoteCutter(counter)),
  };
}

/** A first line that names a speaker, or two speakers that begin paragraphs. */
function detect({ text, isWhole }: TranscriptHead, lines: SpeakerLines): boolean {
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (/^[[{]/.test(start)) return false;
  const all = start.split(/\r?\n/);
  const whole = isWhole || all.length === 1 ? all : all.slice(0, -1);
  if (lines.speakerOf(whole[0] ?? '') !== null) return true;
  const beginning = whole.flatMap((line, index) =>
    (whole[index - 1] ?? '').trim() === '' ? (lines.speakerOf(line)?.speaker ?? []) : [],
  );
  return new Set(beginning).size > 1;
}

async function* read(
  source: TranscriptSource,
  lines: SpeakerLines,
  keys: SourceKeys,
  notes: NoteCutter,
): AsyncGenerator<TranscriptEvent> {
  yield { event: 'session', vendorSessionId: null };
  const end = { lines: 0, bytes: 0 };
  let part: SpokenPart | null = null;

  const entriesFor = (speaker: Speaker, content: string): readonly TranscriptEvent[] => {
    const text = content.trim();
    if (text === '') return [];
    const { recordKey } = keys.take(null, `${speaker}\n${text}`);
    return entriesOf(speaker, text, recordKey).map((entry) => ({ event: 'entry', entry }));
  };
  const take = (): readonly TranscriptEvent[] =>
    part === null
      ? notes.finish().flatMap((note) => entriesFor('system', note))
      : entriesFor(part.speaker, part.lines.join('\n'));

  for await (const line of byteLines(source.open())) {
    end.lines = line.number;
    end.bytes = line.byteEnd;
    const { text, number, byteOffset, length, fault } = line;
    if (text === null) {
      const problem = { line: number, byteOffset, length, ids: [] };
      yield { event: 'problem', problem: { ...problem, reason: fault ?? 'not-utf8' } };
      continue;
    }
    const begun = lines.speakerOf(text);
    if (begun !== null) {
      yield* take();
      part = { speaker: begun.speaker, lines: [begun.rest], length: begun.rest.length };
    } else if (part === null) {
      for (const note of notes.add(text)) yield* entriesFor('system', note);
    } else {
      if (part.length + text.length > MAX_PART_LENGTH) {
        yield* take();
        part = { speaker: part.speaker, lines: [], length: 0 };
      }
      part.lines.push(text);
      part.length += text.length + 1;
    }
  }
  yield* take();
  yield { event: 'end', ...end };
}

interface SpokenPart {
  readonly speaker: Speaker;
  readonly lines: string[];
  length: number;
}

function entriesOf(
  speaker: Speaker,
  content: string,
  recordKey: string,
): readonly TranscriptEntry[] {
  const builder = new EntryBuilder({ recordKey, occurredAt: null, messageKey: recordKey });
  switch (speaker) {
    case 'user':
      return builder.text('user', 'human', content).entries;
    case 'assistant':
      return builder.text('assistant', 'agent', content).entries;
    case 'tool':
      return builder.result({ callId: recordKey, content, isError: false, exitCode: null }).entries;
    case 'system':
      return builder.system(content).entries;
  }
}

class SpeakerLines {
  readonly #pattern: RegExp;
  readonly #speakers: ReadonlyMap<string, Speaker>;

  constructor(speakers: SpeakerWords) {
    this.#speakers = new Map(
      Object.entries(speakers).map(([word, speaker]) => [word.toLowerCase(), speaker]),
    );
    const words = [...this.#speakers.keys()].map((word) => word.replace(/[^\w\s]/g, '\\$&'));
    this.#pattern = new RegExp(`^(${words.join('|')}):(?:\\s|$)`, 'i');
  }

  speakerOf(line: string): { readonly speaker: Speaker; readonly rest: string } | null {
    const [start = '', word = ''] = this.#pattern.exec(line) ?? [];
    const speaker = this.#speakers.get(word.toLowerCase());
    return speaker === undefined ? null : { speaker, rest: line.slice(start.length) };
  }
}
