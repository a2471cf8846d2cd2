/** What a person does to a summary beside passes: pins, ends pins, rolls back. Each is one revision. */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Redact } from '../../domain/redaction/redact.js';
import { TextCleaner } from '../../domain/redaction/text-cleaner.js';
import type { SessionKey } from '../../domain/session/repositories.js';
import type { Session } from '../../domain/session/session.js';
import { addPin, endPin } from '../../domain/session/summary/pins.js';
import { newVersions } from '../../domain/session/summary/session-cycle.js';
import {
  activePins,
  type AnchoredSummary,
  type Making,
} from '../../domain/session/summary/summary-item.js';
import { readSummary } from './read-pass-material.js';
import { retryStale } from './retry-stale.js';
import type { SummaryNeeds } from './summary-needs.js';

/** What an act left. */
export interface ActReceipt {
  /** The item that it is about; null for a rollback. */
  readonly itemNo: number | null;
  /** False: it was so already, and nothing was written. */
  readonly changed: boolean;
  readonly revision: number;
  readonly cycle: number;
}

export async function pinText(
  needs: SummaryNeeds,
  key: SessionKey,
  given: string,
  redact: Redact,
): Promise<ActReceipt> {
  const text = new TextCleaner(redact).clean(given);
  const { receipt, summary } = await act(needs, key, (before, making) =>
    addPin(before, { text, sources: [] }, making, needs.digest),
  );
  const pin = activePins(summary).findLast((item) => item.text === text);
  return { ...receipt, itemNo: pin?.itemNo ?? null };
}

export async function unpinItem(
  needs: SummaryNeeds,
  key: SessionKey,
  itemNo: number,
): Promise<ActReceipt> {
  const { receipt } = await act(needs, key, (before, making) => endPin(before, itemNo, making));
  return { ...receipt, itemNo };
}

/** Summary and cut as they were after the cycle; 0: before the first. Acts of the host stay. */
export function rollBackTo(
  needs: SummaryNeeds,
  key: SessionKey,
  toCycle: number,
): Promise<ActReceipt> {
  return retryStale(() =>
    needs.unitOfWork(async ({ sessions, summaries }) => {
      const session = await sessions.lock(key);
      const cycles = await summaries.listCycles(session);
      const standing = cycles.filter(({ state }) => state !== 'rolled-back');
      if (toCycle !== 0 && !standing.some(({ cycle }) => cycle === toCycle)) {
        const there = standing.map(({ cycle }) => cycle).join(', ');
        const choice = there === '' ? '0 (no pass was made yet)' : `0 (before any pass), ${there}`;
        throw new OssatureError(
          'NOT_FOUND',
          `Cycle ${toCycle} is not in force; there are: ${choice}.`,
          {
            details: { cycle: toCycle },
          },
        );
      }
      const undone = standing.filter(({ cycle }) => cycle > toCycle);
      const rolledBack = undone.map(({ cycle }) => cycle);
      const restored = undone
        .flatMap(({ replaces }) => replaces)
        .filter((cycle) => cycle <= toCycle);
      if (rolledBack.length === 0) return receiptOf(session, false);
      const { revision } = session;
      const step = { fromRevision: revision, sessionCycle: toCycle, items: [], adopted: null };
      await summaries.apply(session, { ...step, rolledBack, restored }, needs.clock());
      return { itemNo: null, changed: true, revision: revision + 1, cycle: toCycle };
    }),
  );
}

/** One change of the summary as a revision of its own, made by code or a person and not by a pass. */
export function act(
  needs: Pick<SummaryNeeds, 'unitOfWork' | 'newId' | 'clock'>,
  key: SessionKey,
  change: (before: AnchoredSummary, making: Making) => AnchoredSummary,
): Promise<{ readonly receipt: ActReceipt; readonly summary: AnchoredSummary }> {
  return retryStale(() =>
    needs.unitOfWork(async ({ sessions, summaries }) => {
      const session = await sessions.lock(key);
      const before = await readSummary({ summaries }, session);
      const summary = change(before, {
        cycle: session.cycle,
        producer: 'host',
        spanHash: null,
        itemIdOf: () => needs.newId(),
        entryIdOf: noSource,
      });
      const items = newVersions(before, summary);
      if (items.length === 0) return { receipt: receiptOf(session, false), summary };
      const { revision, cycle } = session;
      const step = { fromRevision: revision, sessionCycle: cycle, items };
      await summaries.apply(session, { ...step, adopted: null, rolledBack: [] }, needs.clock());
      return { receipt: receiptOf({ ...session, revision: revision + 1 }, true), summary };
    }),
  );
}

/** Acts of a host cite no entries. */
function noSource(seq: number): never {
  throw new OssatureError('INVALID_INPUT', `An act of the host cites no entry (${seq}).`);
}

function receiptOf({ revision, cycle }: Session, changed: boolean): ActReceipt {
  return { itemNo: null, changed, revision, cycle };
}
