/** One plan for reading: where it stands, and the fragments that it knows. */
import type { ContextSize, SkeletonStatus } from '../../../application/plan/plan-status.js';
import type { ContextItem } from '../../../domain/context/accumulated-context.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import {
  type Block,
  type CommandResult,
  countOf,
  type Field,
  formatCount,
  type Message,
} from '../view.js';
import { Verbatim } from '../wire-names.js';
import { capsulePanel, capsuleStateFacts, capsuleTable, outdatedMessages } from './capsule-view.js';
import { planFacts } from './plan-roots.js';

export interface ContextOptions {
  readonly limit: number;
  readonly offset: number;
  readonly full?: boolean;
}

export function showStatus(terminal: Terminal, name: string): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { planId } = await core.plans.resolve(name);
    const report = await core.status.report(planId);
    const { plan, project, children, context, decisions, skeleton, recalledFragments } = report;
    const { capsule } = report;
    return {
      data: {
        ...planFacts(plan),
        project: project.name,
        children: children.map((child) => ({
          planId: child.planId,
          phase: child.phase,
          state: child.state,
          goal: child.goal,
        })),
        context,
        decisions,
        ...(skeleton === undefined ? {} : { skeleton }),
        ...(capsule === null ? {} : { capsule: capsuleStateFacts(capsule) }),
        recalledFragments,
        notes: report.notes,
      },
      view: [
        {
          block: 'fields',
          title: plan.name ?? plan.planId,
          fields: [
            ['plan_id', plan.planId],
            ['project', project.name],
            ['goal', plan.goal],
            ['phase', plan.phase],
            ['state', plan.state],
            ...(plan.parentPlanId === null
              ? []
              : [['parent_plan_id', plan.parentPlanId] satisfies Field]),
            ['depth', String(plan.depth)],
            ...(plan.skeletonRatio === null
              ? []
              : [['skeleton_ratio', String(plan.skeletonRatio)] satisfies Field]),
            ['context', sizeText(context.total)],
            ['own', sizeText(context.own)],
            ['inherited', sizeText(context.inherited)],
            ...(context.superseded.fragments === 0
              ? []
              : [['superseded', sizeText(context.superseded)] satisfies Field]),
            ['decisions', `${decisions.live} live, ${decisions.superseded} superseded`],
            ['recalled', countOf(recalledFragments, 'fragment')],
          ],
        },
        ...(skeleton === undefined ? [] : [skeletonPanel(skeleton)]),
        ...(capsule === null ? [] : [capsulePanel(capsule), capsuleTable(capsule.capsule)]),
        ...(children.length === 0 ? [] : [childrenTable(children)]),
      ],
      messages: [
        ...report.notes.map((text): Message => ({ level: 'warning', text })),
        ...(capsule === null ? [] : outdatedMessages([capsule])),
      ],
    };
  });
}

export function skeletonPanel(skeleton: SkeletonStatus): Block {
  const { ratio, originalTokens, compressedTokens, sourceDecisionIds } = skeleton;
  return {
    block: 'fields',
    title: 'skeleton',
    isPart: true,
    fields: [
      ['ratio', String(ratio)],
      ['original_tokens', formatCount(originalTokens)],
      ['compressed_tokens', formatCount(compressedTokens)],
      ['removed_tokens', `${formatCount(skeleton.removedTokens)} (${skeleton.removedPercent} %)`],
      [
        'source_decision_ids',
        sourceDecisionIds.length === 0 ? 'none' : sourceDecisionIds.join(' '),
      ],
    ],
  };
}

function childrenTable(
  children: readonly {
    readonly planId: string;
    readonly phase: string;
    readonly state: string;
    readonly goal: string;
  }[],
): Block {
  return {
    block: 'table',
    title: 'children',
    isPart: true,
    columns: [
      { title: 'plan_id' },
      { title: 'phase' },
      { title: 'state' },
      { title: 'goal', isElastic: true },
    ],
    rows: children.map(({ planId, phase, state, goal }) => [planId, phase, state, goal]),
    none: '',
  };
}

function sizeText({ fragments, tokens }: ContextSize): string {
  return `${countOf(fragments, 'fragment')}, ${countOf(tokens, 'token')}`;
}

export function showContext(
  terminal: Terminal,
  name: string,
  { limit, offset, full = false }: ContextOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { planId } = await core.plans.resolve(name);
    const { total } = (await core.status.report(planId)).context;
    const { TOKENS } = await import('../../../index.js');
    const fragments = core.resolve(TOKENS.fragmentRepository);
    const items = await fragments.listItems(planId, { limit, offset });
    const left = Math.max(0, total.fragments - offset - items.length);
    return {
      data: { planId, total, offset, fragments: items.map((item) => itemFacts(item)) },
      view: full ? items.flatMap(wholeItem) : [contextTable(items)],
      messages:
        left === 0
          ? []
          : [
              {
                level: 'info',
                text: `${countOf(left, 'more fragment')} of ${formatCount(total.fragments)}: go on with --offset ${offset + items.length}.`,
              },
            ],
    };
  });
}

function itemFacts({ metadata, ...item }: ContextItem) {
  return { ...item, metadata: new Verbatim(metadata) };
}

function contextTable(items: readonly ContextItem[]): Block {
  return {
    block: 'table',
    title: 'Context',
    columns: [
      { title: 'fragment_id', isElastic: true, isId: true },
      { title: 'origin' },
      { title: 'tokens', align: 'right' },
      { title: 'relevance', align: 'right' },
      { title: 'content', isElastic: true },
    ],
    rows: items.map((item) => [
      item.fragmentId,
      item.superseded ? `${item.origin}, superseded` : item.origin,
      formatCount(item.tokenCount),
      relevanceText(item.relevance),
      item.content.slice(0, 200),
    ]),
    none: 'This plan has no context. Add some with `agents plan import PLAN FILE`.',
  };
}

function wholeItem(item: ContextItem): readonly Block[] {
  return [
    {
      block: 'fields',
      title: item.fragmentId,
      fields: [
        ['fragment_id', item.fragmentId],
        ['plan_id', item.planId],
        ['origin', item.superseded ? `${item.origin}, superseded` : item.origin],
        ['token_count', formatCount(item.tokenCount)],
        ['relevance', relevanceText(item.relevance)],
        ['decision_id', item.decisionId ?? 'none'],
      ],
    },
    { block: 'text', text: item.content },
  ];
}

/** Three decimals tell fragments apart; more would only fill the line. */
export function relevanceText(relevance: number): string {
  return relevance.toFixed(3);
}
