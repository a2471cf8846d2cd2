/** What a reader makes of a source, sorted by the kind of its events. */
import type {
  TranscriptProblem,
  TranscriptReader,
  TranscriptSource,
} from '../../../src/application/session/transcript-reader.js';
import type { TranscriptEntry } from '../../../src/domain/session/transcript.js';

export interface ReadEvents {
  /** Vendor ids of the sessions, in order. */
  readonly sessions: readonly (string | null)[];
  readonly entries: readonly TranscriptEntry[];
  readonly skipped: readonly string[];
  readonly repeated: number;
  readonly problems: readonly TranscriptProblem[];
  readonly lines: number;
  readonly bytes: number;
}

export async function readEvents(
  reader: TranscriptReader,
  source: TranscriptSource,
): Promise<ReadEvents> {
  const sessions: (string | null)[] = [];
  const entries: TranscriptEntry[] = [];
  const skipped: string[] = [];
  const problems: TranscriptProblem[] = [];
  let repeated = 0;
  let end = { lines: 0, bytes: 0 };
  for await (const event of reader.read(source)) {
    if (event.event === 'session') sessions.push(event.vendorSessionId);
    if (event.event === 'entry') entries.push(event.entry);
    if (event.event === 'skipped') skipped.push(event.recordType);
    if (event.event === 'problem') problems.push(event.problem);
    if (event.event === 'repeated') repeated += 1;
    if (event.event === 'end') end = { lines: event.lines, bytes: event.bytes };
  }
  return { sessions, entries, skipped, repeated, problems, ...end };
}

/** Each entry as one line: kind and author, then what it holds. */
export function outline(entries: readonly TranscriptEntry[]): readonly string[] {
  return entries.map((entry) => `${entry.kind}/${entry.author} ${held(entry)}`.trim());
}

function held(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case 'tool_call':
      return `${entry.callId} ${entry.toolName} ${JSON.stringify(entry.arguments)}`;
    case 'tool_result':
      return `${entry.callId} ${entry.isError ? 'failed ' : ''}${entry.content}`;
    case 'attachment':
      return `${entry.mediaKind} ${entry.mediaType ?? '?'} ${entry.bytes ?? '?'}`;
    case 'system':
      return entry.boundary ? '(boundary)' : entry.content;
    case 'user':
    case 'assistant':
    case 'thinking':
    case 'summary':
      return entry.content;
  }
}
