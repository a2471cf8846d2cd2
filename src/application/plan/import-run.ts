/** One import under way: what waits to be written, and what the store is known to hold. */
import type { ContextEntry, StoredFragment } from '../../domain/context/accumulated-context.js';
import { requireFragment, requireWithinSafeSum } from '../../domain/context/context-fragment.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type { DecisionId, PlanId } from '../../domain/kernel/ids.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import { jsonFault, textFault } from '../../domain/kernel/text.js';
import { type Decision, parseDecisionType } from '../../domain/plan/decision.js';
import type { Repositories } from '../ports/unit-of-work.js';
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
  private readonly waiting = new Map<string, StoredFragment>();
  private readonly usableDecisions = new Set<string>();

  private constructor(
    private readonly repositories: Pick<Repositories, Names>,
    private readonly planId: PlanId,
    private readonly lineage: ReadonlySet<string>,
    private readonly inherited: ReadonlyMap<string, ContextEntry>,
    private readonly tokensBefore: number,
    private readonly measures: Measures,
  ) {}

  static async start(
    repositories: Pick<Repositories, Names>,
    planId: PlanId,
    measures: Measures,
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
    );
  }

  async take(incoming: IncomingItem): Promise<void> {
    requireItem(incoming);
    switch (incoming.item) {
      case 'fragment':
        return this.takeFragment(incoming.fragment, incoming.source);
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

  private async takeFragment(incoming: IncomingFragment, source?: string): Promise<void> {
    const fragment = this.measured(incoming, source);
    this.fragmentsRead += 1;
    await this.requireDecision(fragment, incoming.decision, source);
    const inherited = this.inherited.get(fragment.fragmentId);
    if (inherited !== undefined) return this.compareInherited(fragment, inherited, source);
    const twin = this.waiting.get(fragment.fragmentId);
    if (twin !== undefined) {
      requireSameContent(fragment, twin.contentHash, this.planId, source);
      this.fragmentsKnown += 1;
      return;
    }
    this.waiting.set(fragment.fragmentId, fragment);
    if (this.waiting.size >= BATCH_SIZE) await this.flush();
  }

  private measured(incoming: IncomingFragment, source?: string): StoredFragment {
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
    inSource(source, () => requireFragment(fragment, this.fragmentsRead));
    requireStorable(fragment, source);
    return { ...fragment, contentHash: digest(fragment.content) };
  }

  private async requireDecision(
    { decisionId, fragmentId }: StoredFragment,
    text: string | undefined,
    source?: string,
  ): Promise<void> {
    if (decisionId === null || this.usableDecisions.has(decisionId)) return;
    const [known] = await this.repositories.decisions.findMany([decisionId]);
    if (known === undefined) {
      await this.insertDecision({
        decisionId,
        type: 'implementation_choice',
        question: null,
        choice: text ?? `Imported with fragment ${fragmentId}.`,
        rationale: null,
        parentDecisionId: null,
        createdAt: null,
      });
    } else if (!this.lineage.has(known.planId)) {
      throw new OssatureError(
        'INVALID_FRAGMENT',
        `${prefix(source)}fragment ${JSON.stringify(fragmentId)} names decision ${decisionId} of plan ${known.planId}. A fragment may name a decision of its own plan or of an ancestor.`,
        { details: { fragmentId, field: 'decisionId', decisionId, planId: known.planId } },
      );
    }
    this.usableDecisions.add(decisionId);
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

  private async compareInherited(
    fragment: StoredFragment,
    inherited: ContextEntry,
    source?: string,
  ): Promise<void> {
    const hashes = await this.repositories.fragments.findHashes(inherited.planId, [
      fragment.fragmentId,
    ]);
    requireSameContent(fragment, hashes.get(fragment.fragmentId), inherited.planId, source);
    this.fragmentsKnown += 1;
  }

  private async flush(): Promise<void> {
    const batch = [...this.waiting.values()];
    this.waiting.clear();
    if (batch.length === 0) return;
    const added = new Set(await this.repositories.fragments.add(this.planId, batch));
    const known = batch.filter(({ fragmentId }) => !added.has(fragmentId));
    if (known.length > 0) {
      const ids = known.map(({ fragmentId }) => fragmentId);
      const hashes = await this.repositories.fragments.findHashes(this.planId, ids);
      for (const fragment of known) {
        requireSameContent(fragment, hashes.get(fragment.fragmentId), this.planId, undefined);
      }
    }
    this.fragmentsKnown += known.length;
    this.fragmentsAdded += added.size;
    for (const fragment of batch) {
      if (!added.has(fragment.fragmentId)) continue;
      this.tokensAdded += fragment.tokenCount;
      // A context whose sum cannot be computed exactly could never be compressed again.
      requireWithinSafeSum(this.tokensBefore + this.tokensAdded, fragment, this.fragmentsRead);
    }
  }
}

const ITEMS: readonly IncomingItem['item'][] = ['fragment', 'decision', 'superseded'];

function requireItem(incoming: IncomingItem): void {
  const { item } = (incoming as IncomingItem | null) ?? {};
  const isKnown = ITEMS.some((known) => known === item);
  const part = item === 'superseded' ? incoming : incoming?.[item as 'fragment' & 'decision'];
  if (isKnown && typeof part === 'object' && part !== null) return;
  throw new OssatureError(
    'INVALID_INPUT',
    `An item of an import is { item: 'fragment', fragment }, { item: 'decision', decision } or { item: 'superseded', decisionId, by }, not ${JSON.stringify(item) ?? typeof incoming}.`,
    { details: { field: 'item' } },
  );
}

function isNoTime(value: Date | null): boolean {
  return value !== null && !(value instanceof Date && Number.isFinite(value.getTime()));
}

function requireSameContent(
  { fragmentId, contentHash }: StoredFragment,
  heldHash: string | undefined,
  heldBy: PlanId,
  source: string | undefined,
): void {
  if (heldHash === contentHash) return;
  throw new OssatureError(
    'DUPLICATE_FRAGMENT',
    `${prefix(source)}fragment ${JSON.stringify(fragmentId)} is already held by plan ${heldBy} with other content. Fragments are immutable: give the new content a new id.`,
    { details: { fragmentId, field: 'fragmentId', planId: heldBy } },
  );
}

/** UTF-16 units. An id stands in an index of the store, whose entries have at most 2,700 bytes. */
const LONGEST_FRAGMENT_ID = 500;

function requireStorable(
  { fragmentId, content, metadata, createdAt }: StoredFragment,
  source: string | undefined,
): void {
  const faults = {
    fragmentId:
      fragmentId.length > LONGEST_FRAGMENT_ID
        ? `has more than ${LONGEST_FRAGMENT_ID} characters`
        : textFault(fragmentId),
    content: textFault(content),
    metadata: jsonFault(metadata),
    createdAt: isNoTime(createdAt) ? 'must be a valid Date or null' : null,
  };
  for (const [field, fault] of Object.entries(faults)) {
    if (fault !== null) throw unstorable(fragmentId.slice(0, 60), field, fault, source);
  }
}

function unstorable(fragmentId: string, field: string, fault: string, source?: string) {
  return new OssatureError(
    'INVALID_FRAGMENT',
    `${prefix(source)}fragment ${JSON.stringify(fragmentId)}: ${field} ${fault}.`,
    { details: { fragmentId, field } },
  );
}

/** Runs a check and, where it fails, says which place of the source the value came from. */
function inSource(source: string | undefined, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (source === undefined || !OssatureError.is(error)) throw error;
    throw new OssatureError(error.code, `${prefix(source)}${error.message}`, {
      details: { ...error.details, source },
      cause: error,
    });
  }
}

function prefix(source: string | undefined): string {
  return source === undefined ? '' : `${source}: `;
}
