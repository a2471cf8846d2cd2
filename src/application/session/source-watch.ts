/** A source whose bytes are digested while they are read. */
import type { ByteDigest, NewByteDigest } from '../../domain/kernel/measures.js';
import type { TranscriptSource } from './transcript-reader.js';

export class SourceWatch {
  readonly source: TranscriptSource;
  /** Of every reading that came to the end. */
  readonly #digests = new Set<string>();

  constructor(
    private readonly watched: TranscriptSource,
    private readonly newByteDigest: NewByteDigest,
  ) {
    this.source = {
      name: watched.name,
      head: () => watched.head(),
      open: () => this.#read(),
    };
  }

  /** Of the whole source; null where it was not read to its end, or changed between two readings. */
  get digest(): string | null {
    const [first = null] = this.#digests;
    return this.#digests.size === 1 ? first : null;
  }

  /** Reads the source for nothing but its digest. */
  async digestOf(): Promise<string> {
    const digest: ByteDigest = this.newByteDigest();
    for await (const chunk of this.watched.open()) digest.update(chunk);
    const hex = digest.hex();
    this.#digests.add(hex);
    return hex;
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    const digest = this.newByteDigest();
    for await (const chunk of this.watched.open()) {
      digest.update(chunk);
      yield chunk;
    }
    this.#digests.add(digest.hex());
  }
}
