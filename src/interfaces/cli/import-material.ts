/** One file as items for a plan, whatever its format, and afterwards what became of its lines. */
import { isBlank } from '../../application/session/detect-format.js';
import { readPlanMaterial } from '../../application/session/read-plan-material.js';
import type { TranscriptSource } from '../../application/session/transcript-reader.js';
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
import { sessionItems } from './session-items.js';

export interface ReadingSettings {
  readonly planId: string;
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

/** Refuses a source of no known format before anything of it is read. */
export async function openMaterial(
  source: TranscriptSource,
  settings: ReadingSettings,
): Promise<Material> {
  const head = await source.head();
  const { counter, digest, redact, skipInvalid, forcedFormat } = settings;
  const readers = transcriptReaders(digest, counter);
  const formats = [...readers, fragmentFileFormat];
  if (isBlank(head) && forcedFormat === null) return NOTHING;
  const format = chooseFormat(formats, head, source.name, forcedFormat);
  const reader = readers.find(({ name }) => name === format.name);
  if (reader === undefined) {
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
  const reading = readPlanMaterial({
    source,
    reader,
    digest,
    counter,
    redact,
    planId: settings.planId,
    planHasPrompt: true,
  });
  return {
    items: sessionItems(reading.items, counter),
    onInvalid: stopTheImport,
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
