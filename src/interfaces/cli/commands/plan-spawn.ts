/** `agents plan spawn`: a child, what it inherits, and by name what it does not. */
import type { SessionSpawnRequest, SpawnRequest } from '../../../application/plan/spawn-request.js';
import type { SpawnPreview } from '../../../application/plan/strategy-coordinator.js';
import type { RelevanceSource } from '../../../domain/skeleton/compression-record.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type Block, type CommandResult, countOf, formatCount, type Message } from '../view.js';
import { capsuleFacts, capsuleMessages, capsuleTable, tooLarge } from './capsule-view.js';
import { relevanceText, skeletonPanel } from './plan-reading.js';

export interface SpawnOptions {
  readonly goal: string;
  readonly skeletonRatio?: number;
  readonly relevance: RelevanceSource;
  readonly idempotencyKey?: string;
  readonly session?: string;
  readonly capsuleTokens?: number;
  readonly tenant: string;
  readonly dryRun?: boolean;
}

/** Skipped fragments shown to a person; JSON, YAML and `plan dropped` have all of them. */
const SHOWN_SKIPPED = 10;

export function spawnChild(
  terminal: Terminal,
  name: string,
  { dryRun = false, ...options }: SpawnOptions,
): Promise<CommandResult> {
  const { goal, skeletonRatio, relevance, idempotencyKey } = options;
  const plain: SpawnRequest = {
    goal,
    relevance,
    ...(skeletonRatio === undefined ? {} : { skeletonRatio }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
  if (options.session === undefined && options.capsuleTokens !== undefined) {
    throw new UsageError('--capsule-tokens needs --session: a capsule is made from a session.');
  }
  return withCore(terminal, async (core) => {
    const parent = await core.plans.resolve(name);
    const request = await withSession(core, plain, options);
    if (dryRun) {
      const preview = await core.coordinator.previewSpawn(parent.planId, request);
      if (preview.outcome === 'capsule-over-budget') return tooLarge(preview);
      return {
        data: { dryRun, parentPlanId: parent.planId, ...previewFacts(preview) },
        view: spawnView('Would inherit', goal, null, preview),
        messages: [
          { level: 'info', text: 'A dry run: nothing was written.' },
          ...messagesOn(preview, null),
        ],
      };
    }
    const spawned = await core.coordinator.spawnChild(parent.planId, request);
    if (spawned.outcome === 'capsule-over-budget') return tooLarge(spawned);
    const { child, repeated, inheritedTokenBudget, ...preview } = spawned;
    return {
      data: {
        planId: child.planId,
        parentPlanId: parent.planId,
        goal: child.goal,
        depth: child.depth,
        repeated,
        ...previewFacts(preview),
        inheritedTokenBudget,
      },
      view: spawnView('Child spawned', goal, child.planId, preview),
      messages: [
        ...(repeated
          ? [
              {
                level: 'info',
                text: 'The idempotency key had made this child before; nothing new was written.',
              } satisfies Message,
            ]
          : []),
        ...messagesOn(preview, child.planId),
      ],
    };
  });
}

function previewFacts(preview: SpawnPreview) {
  const { skeleton, inherited, skipped, ratioOrigin, relevanceSource, skeletonBudget } = preview;
  return {
    skeleton: statusOf(skeleton),
    inherited: inherited.map(({ fragmentId }) => fragmentId),
    skipped: skipped.map(({ fragmentId, planId, tokenCount, relevance, reason }) => ({
      id: fragmentId,
      planId,
      tokenCount,
      relevance,
      reason,
    })),
    ratioOrigin,
    relevanceSource,
    skeletonBudget,
    recalled: preview.recalled,
    ...(preview.capsule === null ? {} : { capsule: capsuleFacts(preview) }),
  };
}

async function withSession(
  core: Ossature,
  request: SpawnRequest,
  { session, capsuleTokens, tenant }: SpawnOptions,
): Promise<SpawnRequest | SessionSpawnRequest> {
  if (session === undefined) return request;
  const { sessionId } = await core.sessions.stored.resolve(tenant, session);
  const { sessionId: _none, ...others } = request;
  return {
    ...others,
    tenantId: tenant,
    sessionId,
    ...(capsuleTokens === undefined ? {} : { capsuleTokens }),
  };
}

function statusOf(skeleton: SpawnPreview['skeleton']) {
  const { originalTokens, compressedTokens } = skeleton;
  const removedTokens = originalTokens - compressedTokens;
  const share = originalTokens === 0 ? 0 : removedTokens / originalTokens;
  return { ...skeleton, removedTokens, removedPercent: Math.round(share * 1000) / 10 };
}

function spawnView(
  title: string,
  goal: string,
  planId: string | null,
  preview: SpawnPreview,
): readonly Block[] {
  const { inherited, skipped, ratioOrigin, relevanceSource, skeletonBudget } = preview;
  return [
    {
      block: 'fields',
      title,
      fields: [
        ...(planId === null ? [] : [['plan_id', planId] as const]),
        ['goal', goal],
        ['ratio_origin', ratioOrigin],
        ['relevance_source', relevanceSource],
        ['skeleton_budget', countOf(skeletonBudget, 'token')],
        ['inherited', countOf(inherited.length, 'fragment')],
        ['skipped', skippedText(skipped)],
      ],
    },
    skeletonPanel(statusOf(preview.skeleton)),
    ...(preview.capsule === null ? [] : [capsuleTable(preview.capsule)]),
    ...(skipped.length === 0 ? [] : [skippedTable(skipped.slice(0, SHOWN_SKIPPED))]),
  ];
}

function skippedText(skipped: SpawnPreview['skipped']): string {
  const superseded = skipped.filter(({ reason }) => reason === 'superseded').length;
  const all = countOf(skipped.length, 'fragment');
  return superseded === 0 ? all : `${all}, ${formatCount(superseded)} of them superseded`;
}

function skippedTable(skipped: SpawnPreview['skipped']): Block {
  return {
    block: 'table',
    title: 'skipped',
    isPart: true,
    columns: [
      { title: 'fragment_id', isElastic: true, isId: true },
      { title: 'tokens', align: 'right' },
      { title: 'relevance', align: 'right' },
      { title: 'reason' },
    ],
    rows: skipped.map(({ fragmentId, tokenCount, relevance, reason }) => [
      fragmentId,
      formatCount(tokenCount),
      relevanceText(relevance),
      reason,
    ]),
    none: '',
  };
}

function messagesOn(preview: SpawnPreview, childId: string | null): Message[] {
  const { inherited, skipped, skeletonBudget, recalled } = preview;
  const messages: Message[] = [...capsuleMessages(preview)];
  if (inherited.length === 0 && skipped.length > 0) {
    messages.push({
      level: 'warning',
      text: `The child inherits nothing: no fragment fits into ${countOf(skeletonBudget, 'token')}. Spawn again with a lower --skeleton-ratio, or recall single fragments.`,
    });
  }
  if (skipped.length > SHOWN_SKIPPED) {
    messages.push({
      level: 'info',
      text: `${countOf(skipped.length - SHOWN_SKIPPED, 'more skipped fragment')}: \`${childId === null ? '--format json' : `agents plan dropped ${childId}`}\` lists all.`,
    });
  }
  if (recalled.length > 0) {
    const names = recalled.map(({ fragmentId, recalls }) => `${fragmentId} (${recalls}×)`);
    messages.push({ level: 'info', text: `Earlier children had to recall: ${names.join(', ')}.` });
  }
  return messages;
}
