/** Sources read as they are now: their texts, hashes and sizes. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { SessionRepository } from '../../domain/session/repositories.js';
import { readSeedExample, seedParts } from '../../domain/workflow/seed-example.js';
import { parseSource, referenceOf, type Source } from '../../domain/workflow/source.js';
import type { CurrentHashes } from '../../domain/workflow/trace.js';
import type { RegisteredSource, WorkflowKey } from '../../domain/workflow/workflow.js';
import { notReadable, type ProjectReader } from './project-reading.js';

/** A text that is kept with the workflow. */
export interface GivenText {
  readonly kind: 'document' | 'seed';
  readonly name: string;
  readonly content: string;
}

export interface SourceNeeds {
  readonly sessions: Pick<SessionRepository, 'listEntries'>;
  readonly tokenCounter: TokenCounter;
  readonly digest: Digest;
}

/** Registrations that are new, with numbers that go on from those that are there. */
export class SourceRegister {
  private readonly added: RegisteredSource[] = [];

  constructor(
    private readonly needs: SourceNeeds,
    private readonly key: WorkflowKey,
    private readonly known: readonly RegisteredSource[],
    private readonly project: ProjectReader,
    private readonly now: Date,
  ) {}

  get news(): readonly RegisteredSource[] {
    return this.added;
  }

  /**
   * Reads and registers a source; the same place with the same text is registered once.
   *
   * @throws OssatureError NOT_FOUND where it is not there.
   */
  async cite(source: Source): Promise<Source> {
    const text = await this.textOf(source);
    if (text === undefined) throw notThere(source);
    const reference = referenceOf(baseOf(source));
    // What cannot be read now is cited as it was read last.
    const hash = text === null ? this.lastHash(reference) : this.needs.digest(text);
    const isKept = source.kind === 'document' || source.kind === 'seed';
    if (!isKept) this.add(reference, hash, text, null);
    return { ...source, hash };
  }

  /** Keeps a text with the workflow. INVALID_INPUT for a seed example that is no diff. */
  keep({ kind, name, content }: GivenText): string {
    const reference = referenceOf(parseSource(`${kind}:${name}`));
    const text = this.project.clean(content);
    if (text.trim() === '') {
      throw new OssatureError('INVALID_INPUT', `${reference} is empty.`, {
        details: { field: 'source' },
      });
    }
    if (kind === 'seed') readSeedExample(text);
    this.add(reference, this.needs.digest(text), text, text);
    return reference;
  }

  /** Undefined: not there. Null: cannot be read. */
  async textOf(source: Source): Promise<string | null | undefined> {
    switch (source.kind) {
      case 'url':
        return this.project.address(source.url);
      case 'file':
        return (await this.project.stretch(source.path, source.lines)) ?? undefined;
      case 'entry': {
        const session = { tenantId: this.key.tenantId, sessionId: source.sessionId };
        const range = { from: source.seq, to: source.seq };
        const [entry] = await this.needs.sessions.listEntries(session, range);
        return entry?.content;
      }
      case 'document':
      case 'seed': {
        const content = this.contentOf(referenceOf(baseOf(source)));
        if (content === undefined || source.kind === 'document' || source.part === null) {
          return content;
        }
        return seedParts(readSeedExample(content)).includes(source.part) ? content : undefined;
      }
    }
  }

  /** Of the place as it was registered last; null where it was never read. */
  lastHash(reference: string): string | null {
    return this.#last(reference)?.hash ?? null;
  }

  #last(reference: string): RegisteredSource | undefined {
    return [...this.known, ...this.added].findLast((one) => one.reference === reference);
  }

  private contentOf(reference: string): string | undefined {
    const all = [...this.known, ...this.added];
    return all.findLast((one) => one.reference === reference)?.content ?? undefined;
  }

  private add(
    reference: string,
    hash: string | null,
    text: string | null,
    content: string | null,
  ): void {
    const all = [...this.known, ...this.added];
    const last = all.findLast((one) => one.reference === reference);
    if (last !== undefined && last.hash === hash) return;
    const { name, version } = this.needs.tokenCounter;
    this.added.push({
      sourceNo: (all.at(-1)?.sourceNo ?? 0) + 1,
      reference,
      hash,
      tokenCount: text === null ? 0 : this.needs.tokenCounter.count(text),
      counterName: name,
      counterVersion: version,
      content,
      addedAt: this.now,
    });
  }
}

/** What the sources hold now, by reference. What cannot be looked at is absent. */
export async function currentHashes(
  sources: readonly Source[],
  register: SourceRegister,
  digest: Digest,
): Promise<CurrentHashes> {
  const hashes = new Map<string, string | null>();
  for (const source of sources) {
    const reference = referenceOf(source);
    if (hashes.has(reference)) continue;
    const text = await textOrGone(source, register);
    const last = register.lastHash(reference);
    if (text !== null) hashes.set(reference, text === undefined ? null : digest(text));
    else if (last !== null) hashes.set(reference, last);
  }
  return hashes;
}

/** A file that has become a folder or a binary is gone as a text. */
async function textOrGone(
  source: Source,
  register: SourceRegister,
): Promise<string | null | undefined> {
  try {
    return await register.textOf(source);
  } catch (error) {
    if (!OssatureError.is(error, 'INVALID_INPUT')) throw error;
    return undefined;
  }
}

/** The place that is registered: a part of a seed example belongs to the whole. */
export function baseOf(source: Source): Source {
  return source.kind === 'seed' ? { ...source, part: null } : source;
}

/** Tokens of what was read: each place once, as it was read last. */
export function sourceTokens(sources: readonly RegisteredSource[]): number {
  const latest = new Map(sources.map(({ reference, tokenCount }) => [reference, tokenCount]));
  return [...latest.values()].reduce((sum, tokens) => sum + tokens, 0);
}

function notThere(source: Source): OssatureError {
  if (source.kind === 'file') return notReadable(source.path, source.lines);
  const reference = referenceOf(source);
  const how =
    source.kind === 'entry'
      ? 'Check the session and the number of the entry.'
      : 'Add it to the sources of the workflow first, and check the part that is named.';
  return new OssatureError('NOT_FOUND', `There is no ${reference}. ${how}`, {
    details: { source: reference },
  });
}
