/** Text without speakers as notes: whole paragraphs, as many as fit into one. */
import type { TokenCounter } from '../../domain/kernel/measures.js';
import { boundaryBefore } from '../../domain/session/cut-text.js';

/** Tokens of one note (specification of sessions, §4). */
export const MAX_NOTE_TOKENS = 2_000;

/** UTF-16 units that are tried first for a piece of a long line. */
const TRIED_LENGTH = 4 * MAX_NOTE_TOKENS;

/** What is left of a piece that was still too long. */
const SHRINK = 0.75;

export class NoteCutter {
  #note: string[] = [];
  #noteTokens = 0;
  #paragraph: string[] = [];
  #paragraphTokens = 0;

  constructor(private readonly counter: TokenCounter) {}

  /** @returns notes that this line completes. */
  add(line: string): readonly string[] {
    if (line.trim() === '') return this.#endParagraph();
    const tokens = this.counter.count(line) + 1;
    if (tokens <= MAX_NOTE_TOKENS) return this.#addLine(line, tokens);
    return this.#pieces(line).flatMap((piece) =>
      this.#addLine(piece, this.counter.count(piece) + 1),
    );
  }

  /** @returns what is left. */
  finish(): readonly string[] {
    return [...this.#endParagraph(), ...this.#takeNote()];
  }

  #addLine(line: string, tokens: number): readonly string[] {
    const isFull = this.#paragraphTokens + tokens > MAX_NOTE_TOKENS;
    const done = isFull ? [...this.#endParagraph(), ...this.#takeNote()] : [];
    this.#paragraph.push(line);
    this.#paragraphTokens += tokens;
    return done;
  }

  #endParagraph(): readonly string[] {
    if (this.#paragraph.length === 0) return [];
    const isFull = this.#noteTokens + this.#paragraphTokens + 1 > MAX_NOTE_TOKENS;
    const done = isFull ? this.#takeNote() : [];
    this.#note.push(this.#paragraph.join('\n'));
    this.#noteTokens += this.#paragraphTokens + 1;
    this.#paragraph = [];
    this.#paragraphTokens = 0;
    return done;
  }

  #takeNote(): readonly string[] {
    const content = this.#note.join('\n\n');
    this.#note = [];
    this.#noteTokens = 0;
    return content === '' ? [] : [content];
  }

  #pieces(line: string): readonly string[] {
    const pieces: string[] = [];
    for (let from = 0; from < line.length;) {
      let end = from + TRIED_LENGTH;
      let piece = line.slice(from, boundaryBefore(line, end));
      while (this.counter.count(piece) + 1 > MAX_NOTE_TOKENS && end > from + 1) {
        end = from + Math.max(1, Math.floor((end - from) * SHRINK));
        const cut = boundaryBefore(line, end);
        piece = line.slice(from, cut > from ? cut : end);
      }
      pieces.push(piece);
      from += piece.length;
    }
    return pieces;
  }
}
