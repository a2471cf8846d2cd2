/** The contents behind the marks of a pass, read once the pass is to be made. */
import type { MarkedEntry } from '../../../domain/session/marked-entry.js';
import { spanOf } from '../../../domain/session/pass/pass-span.js';
import type { RequestInput } from '../../../domain/session/pass/request-state.js';
import type { SessionKey, SessionRepository } from '../../../domain/session/repositories.js';
import type { SessionEntry } from '../../../domain/session/session.js';

/** Entries that are read at once. */
const PAGE_ENTRIES = 2_000;

/** @returns the same request; what was decided from marks stands, whatever was marked otherwise since. */
export async function readContents(
  sessions: SessionRepository,
  key: SessionKey,
  request: RequestInput<MarkedEntry>,
): Promise<RequestInput<SessionEntry>> {
  const marks = new Map(request.entries.map((mark) => [mark.seq, mark]));
  const entries: SessionEntry[] = [];
  for (const range of spanOf(request.entries)) {
    for (let from = range.from; from <= range.to; from += PAGE_ENTRIES) {
      const to = Math.min(from + PAGE_ENTRIES - 1, range.to);
      for (const entry of await sessions.listEntries(key, { from, to })) {
        const active = marks.get(entry.seq)?.active ?? entry.active;
        entries.push(active === entry.active ? entry : { ...entry, active });
      }
    }
  }
  return { ...request, entries };
}
