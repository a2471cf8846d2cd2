/** One file for a plan: a transcript, or fragments and afterwards what became of their lines. */
import { isBlank } from '../../application/session/detect-format.js';
import type {
  TranscriptReader,
  TranscriptSource,
} from '../../application/session/transcript-reader.js';
import type { TranscriptReceipt } from '../../application/session/transcript-receipt.js';
import type { OnInvalid } from '../../application/plan/import-run.js';
import type { IncomingFragment, IncomingItem } from '../../application/plan/incoming-material.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { Redact } from '../../domain/redaction/redact.js';
import { chooseFormat } from '../transcripts/choose-format.js';
import { transcriptReaders } from '../transcripts/transcript-readers.js';
import {
  type FileFragment,
  type FragmentFileReceipt,
  type FragmentPlace,
  fragmentFileFormat,
  readFragmentFile,
} from '../transcripts/fragment-file.js';

export interface ReadingSettings {
  readonly counter: TokenCounter;
  readonly digest: Digest;
  readonly redact: Redact;
  readonly skipInvalid: boolean;
  /** The format to take without a look, or null. */
  readonly forcedFormat: string | null;
}

export type MaterialReceipt = TranscriptReceipt | FragmentFileReceipt;

export interface Material {
  /** To be read once. */
  readonly items: AsyncIterable<IncomingItem>;
  /** For the import: names the place of a fragment that the plan cannot take, or leaves it out and notes it. */
  readonly onInvalid: OnInvalid;
  /** What was read; null for a source without a byte in it. After the last item only. */
  receipt(): MaterialReceipt | null;
}

/**
 * What a source holds: fragments, or a transcript for this reader. Refuses one of no known format before
 * anything of it is read.
 */
export async function openMaterial(
  source: TranscriptSource,
  settings: ReadingSettings,
): Promise<Material | { readonly reader: TranscriptReader }> {
  const head = await source.head();
  const { counter, digest, redact, skipInvalid, forcedFormat } = settings;
  const readers = transcriptReaders(digest, counter);
  const formats = [...readers, fragmentFileFormat];
  if (isBlank(head) && forcedFormat === null) return NOTHING;
  const format = chooseFormat(formats, head, source.name, forcedFormat);
  const reader = readers.find(({ name }) => name === format.name);
  if (reader !== undefined) return { reader };
  const reading = readFragmentFile({ source, counter, redact, skipInvalid });
  const places = new WeakMap<IncomingFragment, FragmentPlace>();
  return {
    items: fromFragments(reading.items, source.name, counter, places),
    onInvalid: (error, fragment) => {
      const place = places.get(fragment);
      if (place === undefined) return false;
      reading.refuse(error, place);
      return true;
    },
    receipt: () => reading.receipt(),
  };
}

const stopTheImport: OnInvalid = () => false;

const NOTHING: Material = { items: nothing(), onInvalid: stopTheImport, receipt: () => null };

async function* nothing(): AsyncGenerator<IncomingItem> {}

async function* fromFragments(
  fragments: AsyncIterable<FileFragment>,
  sourceName: string,
  counter: TokenCounter,
  places: WeakMap<IncomingFragment, FragmentPlace>,
): AsyncGenerator<IncomingItem> {
  for await (const { decision, createdAt, metadata, counted, place, ...given } of fragments) {
    const fragment: IncomingFragment = {
      ...given,
      ...(decision === null ? {} : { decision }),
      ...(counted ? { tokenCounter: nameOf(counter) } : {}),
      createdAt: createdAt === null ? null : new Date(createdAt),
      metadata: Object.keys(metadata).length === 0 ? null : metadata,
    };
    places.set(fragment, place);
    yield { item: 'fragment', fragment, source: `${sourceName}, line ${place.number}` };
  }
}

function nameOf({ name, version }: TokenCounter): string {
  return `${name}@${version}`;
}
