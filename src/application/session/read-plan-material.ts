/** A transcript read as material for a plan: decisions and fragments one after the other, then a receipt. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { Redact } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import { deriveSessionId } from '../../domain/session/derived-ids.js';
import { withStorableKeys } from '../../domain/session/measure-entry.js';
import { SourcePlacer } from '../../domain/session/place-entries.js';
import {
  type LeftOutReason,
  type MaterialChoice,
  PlanMaterial,
  type PlanMaterialItem,
} from '../../domain/session/plan-material.js';
import { isBlank } from './detect-format.js';
import type { TranscriptReader, TranscriptSource } from './transcript-reader.js';
import { ReceiptTally, type TranscriptReceipt } from './transcript-receipt.js';

export interface PlanMaterialRequest {
  readonly source: TranscriptSource;
  readonly reader: TranscriptReader;
  readonly digest: Digest;
  readonly counter: TokenCounter;
  readonly redact: Redact;
  /** The plan that the material is for: its decisions get ids of their own. */
  readonly planId: string;
  /** The plan holds a prompt_definition already: the first human prompt is a user_intervention. */
  readonly planHasPrompt: boolean;
  readonly choice?: MaterialChoice;
}

export interface PlanMaterialReading {
  /**
   * In order; a decision comes before the fragments that name it. To be read once. Nothing is final
   * before the end: a source may turn out to be unreadable (INVALID_TRANSCRIPT) after its first
   * items, so write them in a transaction.
   */
  readonly items: AsyncIterable<PlanMaterialItem>;
  /** Throws INVALID_INPUT until the last item was read. */
  receipt(): TranscriptReceipt;
}

export function readPlanMaterial(request: PlanMaterialRequest): PlanMaterialReading {
  let receipt: TranscriptReceipt | null = null;
  return {
    items: readItems(request, (final) => {
      receipt = final;
    }),
    receipt: () => {
      if (receipt !== null) return receipt;
      throw new OssatureError('INVALID_INPUT', 'The receipt exists once the last item was read.');
    },
  };
}

async function* readItems(
  {
    source,
    reader,
    digest,
    counter,
    redact,
    planId,
    planHasPrompt,
    choice = {},
  }: PlanMaterialRequest,
  finish: (receipt: TranscriptReceipt) => void,
): AsyncGenerator<PlanMaterialItem> {
  const cleaner = new TextCleaner(redact);
  const tally = new ReceiptTally();
  const counts = { decision: 0, fragment: 0 };
  const isEmpty = isBlank(await source.head());
  const ended = new EndedMaterial();
  let sessionId: string | null = null;
  const vendorSessionIds: (string | null)[] = [];
  let material: PlanMaterial | null = null;
  let placer = new SourcePlacer();

  function* end(): Generator<PlanMaterialItem> {
    for (const item of material?.finish() ?? []) {
      counts[item.item] += 1;
      yield item;
    }
    if (material !== null) ended.add(material);
    material = null;
  }

  for await (const event of reader.read(source)) {
    tally.note(event);
    if (event.event === 'session') {
      yield* end();
      vendorSessionIds.push(event.vendorSessionId);
    }
    if (event.event === 'entry') {
      if (material === null) {
        placer = new SourcePlacer();
        const vendorName = vendorSessionIds.at(-1) ?? `#${event.entry.sourceKey}`;
        const ownSessionId = deriveSessionId(reader.name, vendorName, digest);
        material = new PlanMaterial({
          sessionId: ownSessionId,
          owner: planId,
          digest,
          counter,
          cleaner,
          // The plan has one prompt, whichever session brought it.
          planHasPrompt: planHasPrompt || counts.decision > 0,
          choice,
        });
        sessionId ??= ownSessionId;
      }
      for (const item of material.add(placer.place(withStorableKeys(event.entry, digest)))) {
        counts[item.item] += 1;
        yield item;
      }
      for (const { reason, callId } of material.takeProblems()) {
        tally.report({ reason, line: null, byteOffset: null, length: null, ids: [callId] });
      }
    }
  }
  yield* end();

  const childRecords = tally.children.reduce((sum, { records }) => sum + records, 0);
  finish({
    sessionId,
    vendorSessionId: vendorSessionIds[0] ?? null,
    format: reader.name,
    lines: tally.lines,
    bytes: tally.bytes,
    entries: tally.entries,
    ignored: tally.ignored,
    skipped: tally.skipped,
    problems: tally.problems,
    redactions: cleaner.redactions,
    repaired: cleaner.repaired,
    children: tally.children,
    decisions: counts.decision,
    fragments: counts.fragment,
    leftOut: { ...ended.leftOut, ...(childRecords > 0 && { 'sub-agent': childRecords }) },
    incomplete: ended.incomplete,
    shortened: ended.shortened,
    notes: notesOn(source.name, isEmpty, vendorSessionIds.length),
  });
}

function notesOn(sourceName: string, isEmpty: boolean, sessions: number): readonly string[] {
  if (isEmpty) return [`${sourceName} is empty: nothing was read.`];
  return sessions > 1 ? [`${sourceName} holds ${sessions} sessions; the first is named.`] : [];
}

/** What the materials of one source after the other have left out. */
class EndedMaterial {
  readonly leftOut: Partial<Record<LeftOutReason, number>> = {};
  readonly incomplete: string[] = [];
  shortened = 0;

  add({ leftOut, incomplete, shortened }: PlanMaterial): void {
    for (const [reason, count] of Object.entries(leftOut)) {
      const known = this.leftOut[reason as LeftOutReason] ?? 0;
      this.leftOut[reason as LeftOutReason] = known + count;
    }
    this.incomplete.push(...incomplete);
    this.shortened += shortened;
  }
}
