/** What a plan got of the sessions of a source, and what yielded nothing, by its reason. */
import type { LeftOutReason, PlanMaterial } from '../../domain/session/plan-material.js';
import type { ImportReceipt } from './import-run.js';

export interface SessionMaterialReceipt extends Omit<ImportReceipt, 'planId'> {
  readonly decisionsRead: number;
  readonly fragmentsRead: number;
  /** Entries without a fragment, by reason; on a dry run `sub-agent` counts records. */
  readonly leftOut: Readonly<Partial<Record<LeftOutReason | 'sub-agent', number>>>;
  /** Units at the end of a session whose calls have no result yet. */
  readonly incomplete: readonly string[];
  /** Fragments that are head, tail and handle of a larger unit. */
  readonly shortened: number;
  /** Units that the plan holds as they were at an earlier import, and now as they are too. */
  readonly regrown: number;
}

interface Brought {
  readonly receipt: ImportReceipt;
  /** Of the units that had grown; null: none had. */
  readonly second: ImportReceipt | null;
  readonly material: Pick<PlanMaterial, 'leftOut' | 'incomplete' | 'shortened'>;
  readonly read: { readonly decisions: number; readonly fragments: number };
  readonly grown: number;
}

export class MaterialTally {
  readonly #leftOut: Partial<Record<LeftOutReason, number>> = {};
  readonly #incomplete: string[] = [];
  readonly #sums = {
    fragmentsAdded: 0,
    fragmentsKnown: 0,
    tokensAdded: 0,
    decisionsAdded: 0,
    decisionsRead: 0,
    fragmentsRead: 0,
    shortened: 0,
    regrown: 0,
  };

  add({ receipt, second, material, read, grown }: Brought): void {
    const sums = this.#sums;
    for (const one of second === null ? [receipt] : [receipt, second]) {
      sums.fragmentsAdded += one.fragmentsAdded;
      sums.fragmentsKnown += one.fragmentsKnown;
      sums.tokensAdded += one.tokensAdded;
      sums.decisionsAdded += one.decisionsAdded;
    }
    sums.decisionsRead += read.decisions;
    sums.fragmentsRead += read.fragments;
    sums.shortened += material.shortened;
    sums.regrown += grown;
    this.#incomplete.push(...material.incomplete);
    for (const [reason, count] of Object.entries(material.leftOut)) {
      const known = this.#leftOut[reason as LeftOutReason] ?? 0;
      this.#leftOut[reason as LeftOutReason] = known + count;
    }
  }

  receipt(): SessionMaterialReceipt {
    return { ...this.#sums, leftOut: { ...this.#leftOut }, incomplete: [...this.#incomplete] };
  }
}
