/** Handles of a summary followed back to the entries that they stand for, in order, in pages. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { SessionKey } from '../../domain/session/repositories.js';
import type { SessionEntry } from '../../domain/session/session.js';
import { readArtifact } from './read-artifact.js';
import type { SummaryPorts } from './read-pass-material.js';

export interface Expansion {
  readonly entries: readonly SessionEntry[];
  /** `after` of the next page; null: this was the last. */
  readonly next: number | null;
}

/** Entries that are read at once. */
const PAGE_ENTRIES = 50;

/** Of more entries than these, such as those of a cycle, calls and results are cited alike. */
const MOST_CALLS_FOLLOWED = 40;

/**
 * @param handle `#17`, `section:<key>`, `cycle:<n>`, `entry:<n>`, `path:<path>` or `file:<path>`.
 * @param maxTokens of a page; an entry alone may be above it.
 * @param after entries up to this number are passed over.
 * @throws OssatureError NOT_FOUND for what the session does not have.
 */
export async function expandHandle(
  ports: SummaryPorts,
  key: SessionKey,
  handle: string,
  maxTokens: number,
  after: number,
): Promise<Expansion> {
  const cited = await seqsOf(ports, key, handle);
  if (cited.length === 0) throw notFound(handle);
  const seqs = cited.length <= MOST_CALLS_FOLLOWED ? await withResults(ports, key, cited) : cited;
  const wanted = [...new Set(seqs)].filter((seq) => seq > after).sort((a, b) => a - b);
  const entries: SessionEntry[] = [];
  let tokens = 0;
  for (let at = 0; at < wanted.length;) {
    const from = wanted[at] ?? 0;
    const chosen = new Set(
      wanted.slice(at, at + PAGE_ENTRIES).filter((seq) => seq < from + PAGE_ENTRIES),
    );
    const to = Math.max(...chosen);
    for (const entry of await ports.sessions.listEntries(key, { from, to })) {
      if (!chosen.has(entry.seq)) continue;
      tokens += entry.tokenCount;
      if (entries.length > 0 && tokens > maxTokens) {
        return { entries, next: entries.at(-1)?.seq ?? null };
      }
      entries.push(entry);
    }
    at += chosen.size;
  }
  if (entries.length === 0 && after === 0) throw notFound(handle);
  return { entries, next: null };
}

/** A call without its result tells half: what answered a cited call stands beside it. */
async function withResults(
  { sessions }: SummaryPorts,
  key: SessionKey,
  cited: readonly number[],
): Promise<readonly number[]> {
  const all = new Set(cited);
  for (const seq of cited) {
    const [entry, ...following] = await sessions.listEntries(key, {
      from: seq,
      to: seq + PAGE_ENTRIES,
    });
    if (entry?.seq !== seq || entry.kind !== 'tool_call') continue;
    for (const next of following) {
      if (next.kind === 'tool_result' && next.callId === entry.callId) all.add(next.seq);
    }
  }
  return [...all];
}

async function seqsOf(
  { summaries, trails }: SummaryPorts,
  key: SessionKey,
  handle: string,
): Promise<readonly number[]> {
  const [, kind = '', name = ''] =
    /^(#|section:|cycle:|entry:|path:|file:)(.+)$/s.exec(handle) ?? [];
  const isNumber = /^\d{1,9}$/.test(name);
  switch (kind) {
    case '#':
    case 'section:': {
      const items =
        kind === '#'
          ? await summaries.listItems(key, isNumber ? [Number(name)] : [])
          : (await summaries.listItems(key)).filter(({ section }) => section === name);
      return summaries.findEntrySeqs(
        key,
        items.flatMap(({ sourceEntryIds }) => sourceEntryIds),
      );
    }
    case 'cycle:': {
      const cycle = (await summaries.listCycles(key)).find((one) => `${one.cycle}` === name);
      return (cycle?.span ?? []).flatMap(({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, index) => from + index),
      );
    }
    case 'entry:':
      return isNumber ? [Number(name)] : [];
    case 'path:':
    case 'file:': {
      const { paths } = await readArtifact(trails, key, name);
      const events = await trails.listEvents(key, paths);
      return events.flatMap(({ seq, resultSeq }) => [seq, resultSeq]);
    }
    default:
      return [];
  }
}

function notFound(handle: string): OssatureError {
  return new OssatureError(
    'NOT_FOUND',
    `Nothing stands behind ${JSON.stringify(handle.slice(0, 200))}. A handle is #N, section:KEY, cycle:N, entry:N or path:PATH.`,
    { details: { handle: handle.slice(0, 200) } },
  );
}
