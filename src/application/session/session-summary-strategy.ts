/**
 * `session-summary`: the anchored summaries of the sessions of the plan and its ancestors, section by
 * section. A section that does not fit is shown with fewer lines, down to its title and handle.
 */
import type { AssemblyFragment, LeftOutFragment } from '../../domain/assembly/assembly-fragment.js';
import type { Rendering } from '../../domain/context/detail-level.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import { renderItem } from '../../domain/session/summary/render-summary.js';
import type { SummarySection } from '../../domain/session/summary/section-schema.js';
import type { SummaryItem } from '../../domain/session/summary/summary-item.js';
import type { Repositories } from '../ports/unit-of-work.js';
import type {
  ContextStrategy,
  StrategyAnswer,
  StrategyRequest,
  StrategyRoom,
} from '../assembly/context-strategy.js';
import { type PlanSession, sessionsOf } from './plan-sessions.js';
import { readSummary } from './read-pass-material.js';

/** Open items that a rung of the detail ladder shows; all of a section stand at its full depth. */
const RUNGS = [
  { depth: 4, items: 8 },
  { depth: 2, items: 3 },
  { depth: 0, items: 0 },
] as const;

export class SessionSummaryStrategy implements ContextStrategy {
  readonly name = 'session-summary';
  readonly quality = 0.8;

  constructor(
    private readonly repositories: Pick<Repositories, 'sessions' | 'summaries'>,
    private readonly tokenCounter: TokenCounter,
    /** Those of the lineage, once it is prepared. */
    private readonly found: readonly PlanSession[] = [],
  ) {}

  /** Where no session serves the plan or one above, there is no summary. */
  canHandle(): number {
    return this.found.length > 0 ? 0.3 : 0;
  }

  async prepare({ lineage }: StrategyRequest): Promise<ContextStrategy> {
    const found = await sessionsOf(this.repositories.sessions, lineage);
    return new SessionSummaryStrategy(this.repositories, this.tokenCounter, found);
  }

  async assemble(_request: StrategyRequest, { roomTokens }: StrategyRoom): Promise<StrategyAnswer> {
    const fragments: AssemblyFragment[] = [];
    const leftOut: LeftOutFragment[] = [];
    let tokens = 0;
    for (const one of this.found) {
      const sections = await this.#sections(one);
      if (tokens >= roomTokens) leftOut.push(...sections);
      else fragments.push(...sections);
      tokens += sections.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
    }
    return { fragments, leftOut };
  }

  /** Constraints first, then in the order of the schema. */
  async #sections(one: PlanSession): Promise<readonly AssemblyFragment[]> {
    const { schema, items } = await readSummary(this.repositories, one.session);
    const isPins = ({ filledBy }: SummarySection): boolean => filledBy.includes('pins');
    const ordered = [
      ...schema.sections.filter(isPins),
      ...schema.sections.filter((section) => !isPins(section)),
    ];
    return ordered.flatMap((section, position) => {
      const own = items.filter((item) => item.section === section.key && !item.archived);
      return own.length === 0 ? [] : [this.#fragment(one, section, own, position)];
    });
  }

  #fragment(
    { session, planId, hierarchy, recency }: PlanSession,
    section: SummarySection,
    items: readonly SummaryItem[],
    position: number,
  ): AssemblyFragment {
    const { sessionId } = session;
    const { name, version } = this.tokenCounter;
    const head = `${section.title} of session ${sessionId}`;
    const content = [`${head}:`, ...items.map(lineOf)].join('\n');
    return {
      planId,
      fragmentId: `summary:${sessionId}:${section.key}`,
      content,
      tokenCount: this.tokenCounter.count(content),
      tokenCounter: `${name}@${version}`,
      relevance: 0,
      decisionId: null,
      contentDomain: 'documents',
      renderings: renderingsOf(head, section, items),
      group: `summary of ${sessionId}`,
      position,
      hierarchy,
      recency,
    };
  }
}

function lineOf(item: SummaryItem): string {
  return `${renderItem(item)}${item.state === 'open' ? '' : ` [${item.state}]`}`;
}

/** Whole items only; what is left out is counted, with the handle that gives it back. */
function renderingsOf(
  head: string,
  { key }: SummarySection,
  items: readonly SummaryItem[],
): readonly Rendering[] {
  const open = items.filter(({ state }) => state === 'open');
  return RUNGS.flatMap(({ depth, items: most }) => {
    const shown = most === 0 ? [] : open.slice(-most);
    const left = items.length - shown.length;
    if (left === 0) return [];
    const rest = `(${left} ${shown.length === 0 ? 'items' : 'more'}: section:${key})`;
    return [{ depth, content: [`${head}:`, ...shown.map(lineOf), rest].join('\n') }];
  });
}
