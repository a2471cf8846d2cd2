/** One import under way: what waits to be written, and what the store is known to hold. */
import type { ContextEntry, StoredFragment } from '../../domain/context/accumulated-context.js';
import { requireWithinSafeSum } from '../../domain/context/context-fragment.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { DecisionId, PlanId } from '../../domain/kernel/ids.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import { type Decision, parseDecisionType } from '../../domain/plan/decision.js';
import type { Repositories } from '../ports/unit-of-work.js';
import { decisionFor, faultOf, foreignDecision, requireItem } from './import-checks.js';
import type { IncomingDecision, IncomingFragment, IncomingItem } from './incoming-material.js';

export interface ImportReceipt {
  readonly planId: PlanId;
  readonly fragmentsAdded: number;
  /** Known to the plan before, with the same content. */
  readonly fragmentsKnown: number;
  readonly tokensAdded: number;
  readonly decisionsAdded: number;
}

type Names = 'plans' | 'fragments' | 'decisions';

/** Fragments a statement: the store's sweet spot between round trips and the building of parameters. */
export const BATCH_SIZE = 100;

/**
 * Decides on a fragment that breaks a rule: true leaves it out and goes on, false stops the import with
 * the error. What it throws stops the import too.
 */
export type OnInvalid = (error: OssatureError, fragment: IncomingFragment) => boolean;

type Given = Extract<IncomingItem, { readonly item: 'fragment' }>;

interface Waiting {
  readonly fragment: StoredFragment;
  readonly given: Given;
  /** Nothing of this id was taken before it. */
  readonly isFirst: boolean;
  /** The same id with the same content, further on. */
  readonly repeats: Given[];
}

interface Measures {
  readonly tokenCounter: TokenCounter;
  readonly digest: Digest;
  readonly now: Date;
}

export class ImportRun {
  fragmentsRead = 0;
  private fragmentsAdded = 0;
  private fragmentsKnown = 0;
  private tokensAdded = 0;
  private decisionsAdded = 0;
  private readonly supersededIn = new Set<PlanId>();
  private readonly waiting = new Map<string, Waiting>();
  /** Where each id of this import stood first. */
  private readonly firstPlaces = new Map<string, string | undefined>();
  private readonly usableDecisions = new Set<string>();

  private constructor(
    private readonly repositories: Pick<Repositories, Names>,
    private readonly planId: PlanId,
    private readonly lineage: ReadonlySet<string>,
    private readonly inherited: ReadonlyMap<string, ContextEntry>,
    private readonly tokensBefore: number,
    private readonly measures: Measures,
    private readonly onInvalid: OnInvalid,
  ) {}

  static async start(
    repositories: Pick<Repositories, Names>,
    planId: PlanId,
    measures: Measures,
    onInvalid: OnInvalid,
  ): Promise<ImportRun> {
    const plan = await repositories.plans.lockContext(planId);
    const isRoot = plan.parentPlanId === null;
    const ancestors = isRoot ? [] : await repositories.plans.listAncestors(planId);
    const entries = isRoot ? [] : await repositories.fragments.listEntries(planId);
    return new ImportRun(
      repositories,
      planId,
      new Set([planId, ...ancestors.map((ancestor) => ancestor.planId)]),
      new Map(
        entries
          .filter((entry) => entry.planId !== planId)
          .map((entry) => [entry.fragmentId, entry]),
      ),
      await repositories.fragments.sumTokens(planId),
      measures,
      onInvalid,
    );
  }

  async take(incoming: IncomingItem): Promise<void> {
    requireItem(incoming);
    switch (incoming.item) {
      case 'fragment':
        return this.takeFragment(incoming);
      case 'decision':
        return this.takeDecision(incoming.decision);
      case 'superseded':
        return this.takeSuperseded(incoming.decisionId, incoming.by);
    }
  }

  async finish(): Promise<ImportReceipt> {
    await this.flush();
    // At the very end, for it holds off spawns until the import is committed.
    for (const planId of this.supersededIn) {
      await this.repositories.plans.touchSubtree(planId, this.measures.now);
    }
    if (this.fragmentsAdded + this.decisionsAdded > 0) {
      await this.repositories.plans.touch(this.planId, this.measures.now);
    }
    return {
      planId: this.planId,
      fragmentsAdded: this.fragmentsAdded,
      fragmentsKnown: this.fragmentsKnown,
      tokensAdded: this.tokensAdded,
      decisionsAdded: this.decisionsAdded,
    };
  }

  private async takeFragment(given: Given): Promise<void> {
    const fragment = this.checked(given.fragment);
    this.fragmentsRead += 1;
    if (OssatureError.is(fragment)) return this.refuse(fragment, given);
    const { fragmentId, decisionId } = fragment;
    const isNewDecision = decisionId !== null && !this.usableDecisions.has(decisionId);
    const [decision] = isNewDecision
      ? await this.repositories.decisions.findMany([decisionId])
      : [undefined];
    if (decision !== undefined && !this.lineage.has(decision.planId)) {
      return this.refuse(foreignDecision(fragment, decision), given);
    }
    const makesDecision = isNewDecision && decision === undefined;
    const known = await this.knownHash(fragmentId, makesDecision);
    if (known !== undefined && known.contentHash !== fragment.contentHash) {
      return this.refuse(this.clash(fragmentId, known.planId), given);
    }
    if (makesDecision) await this.insertDecision(decisionFor(decisionId, given.fragment));
    if (decisionId !== null) this.usableDecisions.add(decisionId);

    const twin = this.waiting.get(fragmentId);
    if (this.inherited.has(fragmentId)) this.fragmentsKnown += 1;
    else if (twin !== undefined) twin.repeats.push(given);
    else {
      const isFirst = !this.firstPlaces.has(fragmentId);
      if (isFirst) this.firstPlaces.set(fragmentId, given.source);
      this.waiting.set(fragmentId, { fragment, given, isFirst, repeats: [] });
      if (this.waiting.size >= BATCH_SIZE) await this.flush();
    }
  }

  /** The fragment as it would be stored, or the rule that it breaks. */
  private checked(incoming: IncomingFragment): StoredFragment | OssatureError {
    const { tokenCounter, digest } = this.measures;
    const counted = incoming.tokenCount === undefined;
    const fragment = {
      planId: this.planId,
      fragmentId: incoming.fragmentId,
      content: incoming.content,
      relevance: incoming.relevance,
      tokenCount:
        incoming.tokenCount ??
        (typeof incoming.content === 'string' ? tokenCounter.count(incoming.content) : 0),
      decisionId: (incoming.decisionId ?? null) as DecisionId | null,
      contentHash: '',
      tokenCounter: counted
        ? `${tokenCounter.name}@${tokenCounter.version}`
        : (incoming.tokenCounter ?? null),
      metadata: incoming.metadata ?? null,
      createdAt: incoming.createdAt ?? null,
    };
    return (
      faultOf(fragment, incoming.decision, this.fragmentsRead) ?? {
        ...fragment,
        contentHash: digest(fragment.content),
      }
    );
  }

  /** What is known under this id. The plan's own rows are compared by the batch, unless it is needed now. */
  private async knownHash(
    fragmentId: string,
    isNeededNow: boolean,
  ): Promise<{ readonly planId: PlanId; readonly contentHash: string | undefined } | undefined> {
    const twin = this.waiting.get(fragmentId);
    if (twin !== undefined) return twin.fragment;
    const holder = this.inherited.get(fragmentId)?.planId ?? (isNeededNow ? this.planId : null);
    if (holder === null) return undefined;
    const hashes = await this.repositories.fragments.findHashes(holder, [fragmentId]);
    const contentHash = hashes.get(fragmentId);
    return contentHash === undefined && holder === this.planId
      ? undefined
      : { planId: holder, contentHash };
  }

  private clash(fragmentId: string, heldBy: PlanId): OssatureError {
    const isTwice = heldBy === this.planId && this.firstPlaces.has(fragmentId);
    const first = this.firstPlaces.get(fragmentId);
    const where = isTwice
      ? first === undefined
        ? 'stands twice in this import, with different contents'
        : `stands twice in this file, with different contents (first: ${first})`
      : `is already held by plan ${heldBy} with other content`;
    return new OssatureError(
      'DUPLICATE_FRAGMENT',
      `fragment ${JSON.stringify(fragmentId)} ${where}. Fragments are immutable: give the new content a new id.`,
      { details: { fragmentId, field: 'fragmentId', planId: heldBy } },
    );
  }

  /** Leaves the fragment out, or stops the import. Nothing of it was sent to the store. */
  private refuse(error: OssatureError, { fragment, source }: Given): void {
    if (this.onInvalid(error, fragment)) return;
    if (source === undefined) throw error;
    throw new OssatureError(error.code, `${source}: ${error.message}`, {
      details: { ...error.details, source },
      cause: error,
    });
  }

  private async takeDecision(decision: IncomingDecision): Promise<void> {
    const [known] = await this.repositories.decisions.findMany([decision.decisionId as DecisionId]);
    if (known === undefined) await this.insertDecision(decision);
    else if (!this.lineage.has(known.planId)) {
      throw new OssatureError(
        'ALREADY_EXISTS',
        `Decision ${decision.decisionId} belongs to plan ${known.planId}: the same session was imported there. Import a session into one plan of a tree only.`,
        { details: { decisionId: decision.decisionId, planId: known.planId } },
      );
    }
    this.usableDecisions.add(decision.decisionId);
  }

  private async insertDecision(incoming: IncomingDecision): Promise<void> {
    const decision: Decision = {
      decisionId: incoming.decisionId as DecisionId,
      planId: this.planId,
      parentDecisionId: incoming.parentDecisionId as DecisionId | null,
      type: parseDecisionType(incoming.type),
      question: incoming.question,
      choice: incoming.choice,
      rationale: incoming.rationale,
      supersededBy: null,
      createdAt: incoming.createdAt ?? this.measures.now,
    };
    await this.repositories.decisions.insert([decision]);
    this.decisionsAdded += 1;
  }

  private async takeSuperseded(decisionId: string, by: string): Promise<void> {
    const decision = await this.repositories.decisions.get(decisionId as DecisionId);
    if (!this.lineage.has(decision.planId)) {
      throw new OssatureError(
        'INVALID_INPUT',
        `Decision ${decisionId} of plan ${decision.planId} cannot be superseded here: an import changes decisions of its own plan and of ancestors, no other.`,
        { details: { decisionId, planId: decision.planId } },
      );
    }
    if (decision.supersededBy !== null) return;
    await this.repositories.decisions.markSuperseded(decision.decisionId, by as DecisionId);
    this.supersededIn.add(decision.planId);
  }

  private async flush(): Promise<void> {
    const batch = await this.withinSafeSum([...this.waiting.values()]);
    this.waiting.clear();
    if (batch.length === 0) return;
    const fragments = batch.map(({ fragment }) => fragment);
    const added = new Set(await this.repositories.fragments.add(this.planId, fragments));
    const known = fragments.flatMap(({ fragmentId }) => (added.has(fragmentId) ? [] : fragmentId));
    const hashes =
      known.length === 0
        ? new Map<string, string>()
        : await this.repositories.fragments.findHashes(this.planId, known);
    for (const { fragment, given, isFirst, repeats } of batch) {
      const { fragmentId, tokenCount, contentHash } = fragment;
      if (added.has(fragmentId)) {
        this.fragmentsAdded += 1;
        this.tokensAdded += tokenCount;
        this.fragmentsKnown += repeats.length;
      } else if (hashes.get(fragmentId) === contentHash) {
        this.fragmentsKnown += 1 + repeats.length;
      } else {
        // Then the other one was held before this import, and stands nowhere in it.
        if (isFirst) this.firstPlaces.delete(fragmentId);
        for (const each of [given, ...repeats]) {
          this.refuse(this.clash(fragmentId, this.planId), each);
        }
      }
    }
  }

  /** A context whose sum cannot be computed exactly could never be compressed again. */
  private async withinSafeSum(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    let total = this.tokensBefore + this.tokensAdded;
    const largest = batch.reduce((sum, { fragment }) => sum + fragment.tokenCount, total);
    if (largest <= Number.MAX_SAFE_INTEGER) return batch;
    const ids = batch.map(({ fragment }) => fragment.fragmentId);
    const held = await this.repositories.fragments.findHashes(this.planId, ids);
    return batch.filter(({ fragment, given, repeats }) => {
      if (held.has(fragment.fragmentId)) return true;
      try {
        requireWithinSafeSum(total + fragment.tokenCount, fragment, this.fragmentsRead);
      } catch (error) {
        if (!OssatureError.is(error)) throw error;
        for (const each of [given, ...repeats]) this.refuse(error, each);
        return false;
      }
      total += fragment.tokenCount;
      return true;
    });
  }
}
