/**
 * What the passes of a session keep of a conversation when no question is known: the case becomes a
 * session in a core of its own, and each budget the target of an offline pass there. Turns behind the cut
 * are kept; what the summary carries a handle to is reachable. The first speaker is the person whose
 * prompts they are, unless a speaker says of itself that it is the agent.
 */
import type { EvidenceTurn } from '../../domain/evaluation/evidence/evidence-case.js';
import type { KeptTurns } from '../../domain/evaluation/evidence/keep-turns.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import type { ToolMapping } from '../../domain/session/trail/tool-mapping.js';
import type { TextEntry } from '../../domain/session/transcript.js';
import type { Clock } from '../ports/system.js';
import { newScratchSession } from './new-scratch-session.js';
import { readPoint } from './read-point.js';
import type { OpenScratch } from './scratch.js';

export interface BlindPassParts {
  readonly openScratch: OpenScratch;
  readonly mappings: readonly ToolMapping[];
  readonly counter: TokenCounter;
  readonly digest: Digest;
  readonly clock: Clock;
}

/** By budget in tokens; a budget that no pass can come down to is absent. */
export type BlindPasses = ReadonlyMap<number, KeptTurns>;

/** Speakers whose turns are no prompts. */
const AGENTS = /^(?:assistant|agent|ai|bot|model|system|tool)\b/i;

/** The drain line and the reserve of a pass, by which a target becomes a window (specification of sessions, §7.1). */
const WINDOW_PER_TARGET = 1 / (0.4 * 0.8);

/** Windows below it cannot be set. */
const SMALLEST_WINDOW = 1_000;

/**
 * Part of the budget that the summary may have: a conversation has no files, errors or decisions to list,
 * so that nearly all of the budget is better spent on turns. Measured on meetings and two-person talks:
 * at a tenth and a quarter fewer gold turns are kept or reachable at the larger budgets.
 */
const SUMMARY_SHARE = 0.05;

/** Below it not even the frame and the handles of a summary have room; tokens. */
const SMALLEST_SUMMARY = 120;

/** @param costs of the turns, as the budgets count them. */
export async function blindPasses(
  turns: readonly EvidenceTurn[],
  costs: readonly number[],
  budgetsTokens: readonly number[],
  { openScratch, mappings, counter, digest, clock }: BlindPassParts,
): Promise<BlindPasses> {
  const { repositories, ingestion, summaries } = openScratch(null);
  const session = newScratchSession('evidence', counter, clock());
  const { tenantId, sessionId } = session;
  const key = { tenantId, sessionId };
  await repositories.sessions.insert(session);
  await ingestion.append({ ...key, entries: entriesOf(turns), redact: null });
  const first = { windowTokens: SMALLEST_WINDOW };
  const { tokensBefore } = await summaries.compact({ ...key, settings: first, dryRun: true });
  // A request counts more for a message than a case does for a turn.
  const perCost = tokensBefore / Math.max(1, sumOf(costs));
  const passes = new Map<number, KeptTurns>();
  for (const budget of new Set(budgetsTokens)) {
    const windowTokens = Math.ceil(budget * Math.max(1, perCost) * WINDOW_PER_TARGET);
    if (windowTokens < SMALLEST_WINDOW) continue;
    const { outcome } = await summaries.compact({
      ...key,
      settings: {
        windowTokens,
        strategy: 'offline',
        fallback: 'none',
        triggers: [['fixed_threshold']],
        summaryTokens: Math.max(SMALLEST_SUMMARY, Math.floor(budget * SUMMARY_SHARE)),
      },
      now: true,
    });
    if (outcome !== 'adopted') continue;
    const reading = { ports: repositories, mappings, digest };
    const { context, entries } = await readPoint(reading, session, null);
    const places = new Map(entries.map(({ entryId, seq }) => [entryId, seq - 1]));
    const placed = (ids: ReadonlySet<string>): readonly number[] =>
      [...ids].flatMap((entryId) => places.get(entryId) ?? []);
    const kept = new Set(placed(context.carried));
    const usedTokens =
      sumOf([...kept].map((place) => costs[place] ?? 0)) + counter.count(context.summary);
    if (usedTokens <= budget) {
      const reachable = new Set([...kept, ...placed(context.reachable)]);
      passes.set(budget, { kept, reachable, usedTokens });
    }
    await summaries.rollback({ ...key, toCycle: 0 });
  }
  return passes;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function entriesOf(turns: readonly EvidenceTurn[]): readonly TextEntry[] {
  const hasAgent = turns.some(({ speaker }) => AGENTS.test(speaker));
  const person = turns[0]?.speaker;
  return turns.map(({ speaker, text }, place) => {
    const isPrompt = hasAgent ? !AGENTS.test(speaker) : speaker === person;
    return {
      kind: isPrompt ? 'user' : 'assistant',
      author: isPrompt ? 'human' : 'agent',
      content: text,
      sourceKey: String(place),
      occurredAt: null,
      active: true,
      messageKey: null,
    };
  });
}
