/** Contents behind the marks of a pass: each is read once, and only where somebody asks for it. */
import type { MarkedEntry } from '../../../domain/session/marked-entry.js';
import type { SessionKey, SessionRepository } from '../../../domain/session/repositories.js';
import type { SessionEntry } from '../../../domain/session/session.js';

/** Entries that are read at once. */
const PAGE_ENTRIES = 2_000;

export class PassContents {
  readonly #read = new Map<number, SessionEntry>();

  constructor(
    private readonly sessions: Pick<SessionRepository, 'listEntriesAt'>,
    private readonly key: SessionKey,
  ) {}

  /** @returns in their order. What was decided from marks stands, whatever was marked otherwise since. */
  async of(marks: readonly MarkedEntry[]): Promise<readonly SessionEntry[]> {
    const missing = marks.flatMap(({ seq }) => (this.#read.has(seq) ? [] : seq));
    for (let from = 0; from < missing.length; from += PAGE_ENTRIES) {
      const page = missing.slice(from, from + PAGE_ENTRIES);
      for (const entry of await this.sessions.listEntriesAt(this.key, page)) {
        this.#read.set(entry.seq, entry);
      }
    }
    return marks.flatMap(({ seq, active }) => {
      const entry = this.#read.get(seq);
      if (entry === undefined || entry.active === active) return entry ?? [];
      return { ...entry, active };
    });
  }
}
