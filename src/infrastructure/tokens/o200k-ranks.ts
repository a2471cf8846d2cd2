/**
 * Reads the o200k_base vocabulary from the package that ships it, in the published text form: one
 * token a line, base64 and rank, in the order of ranks. The package's own JavaScript form takes ten
 * times as long to load and to turn into a table.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { OssatureError } from '../../domain/kernel/errors.js';
import { RankTable } from './rank-table.js';

const VOCABULARY = 'gpt-tokenizer/data/o200k_base.tiktoken';
const TOKENS = 199_998;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const PADDING = 0x3d;

/** @throws OssatureError INVALID_CONFIG where the vocabulary is missing or not the one expected. */
export function loadO200kRanks(): RankTable {
  return parseVocabulary(readVocabulary());
}

function readVocabulary(): Uint8Array {
  try {
    return readFileSync(createRequire(import.meta.url).resolve(VOCABULARY));
  } catch (cause) {
    throw new OssatureError(
      'INVALID_CONFIG',
      `The o200k_base vocabulary (${VOCABULARY}) cannot be read.`,
      {
        cause,
      },
    );
  }
}

function parseVocabulary(lines: Uint8Array): RankTable {
  const bytes = new Uint8Array(lines.length);
  const starts = new Uint32Array(TOKENS + 1);
  let length = 0;
  let rank = 0;
  for (let index = 0; index < lines.length && rank < TOKENS; index += 1) {
    let bits = 0;
    let pending = 0;
    for (; index < lines.length && lines[index] !== SPACE; index += 1) {
      const character = lines[index] ?? PADDING;
      if (character === PADDING) continue;
      pending = (pending << 6) | (SEXTETS[character] ?? 0);
      bits += 6;
      if (bits >= 8) {
        bits -= 8;
        bytes[length++] = pending >> bits;
        pending &= (1 << bits) - 1;
      }
    }
    starts[++rank] = length;
    while (index < lines.length && lines[index] !== LINE_FEED) index += 1;
  }
  if (rank !== TOKENS) {
    throw new OssatureError(
      'INVALID_CONFIG',
      `The o200k_base vocabulary has ${rank} tokens, not ${TOKENS}.`,
    );
  }
  return new RankTable(bytes.slice(0, length), starts);
}

/** The six bits of each base64 character, by its code. */
const SEXTETS = new Uint8Array(128);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
for (let sextet = 0; sextet < ALPHABET.length; sextet += 1) {
  SEXTETS[ALPHABET.charCodeAt(sextet)] = sextet;
}
