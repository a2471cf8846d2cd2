/**
 * The capsule: what flows from a session to a child beside its skeleton. Mission and constraints are
 * whole or there is no capsule; what else does not fit is named. In the child every item is a pin,
 * so it survives the child's own passes.
 */
import type { TokenCounter } from '../kernel/measures.js';
import { nearness } from './capsule-nearness.js';

/** Where an item comes from: of which session, and as what there. */
export interface CapsuleOrigin {
  readonly sessionId: string;
  /** Id of the pin, decision, artifact or error there; null for the goal itself. */
  readonly sourceId: string | null;
}

export type CapsuleSection = 'mission' | 'constraints' | 'decisions' | 'errors' | 'artifacts';

export interface CapsuleItem {
  readonly section: CapsuleSection;
  readonly text: string;
  readonly tokens: number;
  readonly origin: CapsuleOrigin;
}

/** An active pin. Constraints that a session inherited keep the origin they began with. */
export interface CapsulePin {
  readonly pinId: string;
  readonly text: string;
  /** Only constraints flow on; mission, decisions and artifacts of a capsule end with its child. */
  readonly section: CapsuleSection;
  readonly origin: CapsuleOrigin | null;
}

export interface CapsuleDecision {
  readonly decisionId: string;
  readonly question: string | null;
  readonly choice: string;
  readonly rationale: string | null;
}

/** A line of the trail. */
export interface CapsuleArtifact {
  readonly path: string;
  readonly line: string;
  /** Decisions under which it was touched. */
  readonly decisionIds: readonly string[];
}

export interface CapsuleError {
  readonly errorId: string;
  readonly line: string;
}

/** A session as plain values. */
export interface CapsuleSource {
  readonly sessionId: string;
  /** One line of what the session is for, or null. */
  readonly intent: string | null;
  readonly pins: readonly CapsulePin[];
  /** Decisions in force, oldest first. */
  readonly decisions: readonly CapsuleDecision[];
  readonly artifacts: readonly CapsuleArtifact[];
  readonly openErrors: readonly CapsuleError[];
}

export interface LeftOut {
  readonly section: 'decisions' | 'errors' | 'artifacts';
  readonly sourceId: string;
  readonly tokens: number;
  readonly reason: 'does-not-fit' | 'not-named-by-goal';
}

export type CapsuleVerdict =
  | {
      readonly outcome: 'built';
      readonly items: readonly CapsuleItem[];
      readonly tokens: number;
      readonly leftOut: readonly LeftOut[];
    }
  | {
      readonly outcome: 'capsule-over-budget';
      readonly missionTokens: number;
      readonly constraintTokens: number;
      readonly capsuleTokens: number;
    };

export const DEFAULT_CAPSULE_TOKENS = 2_000;

/**
 * @param goal of the child, kept word for word.
 * @param capsuleTokens ceiling of all items together.
 */
export function buildCapsule(
  source: CapsuleSource,
  goal: string,
  counter: TokenCounter,
  capsuleTokens: number = DEFAULT_CAPSULE_TOKENS,
): CapsuleVerdict {
  const { sessionId } = source;
  const item = (
    section: CapsuleSection,
    text: string,
    sourceId: string | null,
    origin: CapsuleOrigin = { sessionId, sourceId },
  ): CapsuleItem => ({ section, text, tokens: counter.count(text), origin });

  const mission = [item('mission', goal, null)];
  if (source.intent !== null)
    mission.push(item('mission', `Part of: ${firstLine(source.intent)}`, 'intent'));
  const constraints = source.pins.flatMap(({ section, text, pinId, origin }) =>
    section === 'constraints'
      ? [item('constraints', text, pinId, origin ?? { sessionId, sourceId: pinId })]
      : [],
  );
  const missionTokens = total(mission);
  const constraintTokens = total(constraints);
  if (missionTokens + constraintTokens > capsuleTokens) {
    return { outcome: 'capsule-over-budget', missionTokens, constraintTokens, capsuleTokens };
  }

  const items = [...mission, ...constraints];
  const leftOut: LeftOut[] = [];
  let free = capsuleTokens - missionTokens - constraintTokens;
  const take = (section: LeftOut['section'], text: string, sourceId: string): boolean => {
    const taken = item(section, text, sourceId);
    if (taken.tokens > free) {
      leftOut.push({ section, sourceId, tokens: taken.tokens, reason: 'does-not-fit' });
      return false;
    }
    free -= taken.tokens;
    items.push(taken);
    return true;
  };

  const chosen = new Set<string>();
  for (const decision of nearestFirst(source.decisions, goal)) {
    const { decisionId } = decision;
    if (take('decisions', decisionText(decision), decisionId)) chosen.add(decisionId);
  }
  for (const { errorId, line } of source.openErrors) take('errors', line, errorId);
  for (const { path, line, decisionIds } of source.artifacts) {
    const isNamed = goal.includes(path) || goal.includes(path.split('/').at(-1) ?? path);
    if (isNamed || decisionIds.some((id) => chosen.has(id))) take('artifacts', line, path);
    else {
      const tokens = counter.count(line);
      leftOut.push({ section: 'artifacts', sourceId: path, tokens, reason: 'not-named-by-goal' });
    }
  }
  return { outcome: 'built', items, tokens: capsuleTokens - free, leftOut };
}

/** Nearest to the goal first; of equally near ones the latest. */
function nearestFirst(
  decisions: readonly CapsuleDecision[],
  goal: string,
): readonly CapsuleDecision[] {
  const scores = nearness(decisions.map(decisionText), goal);
  return decisions
    .map((decision, index) => ({ decision, index, score: scores[index] ?? 0 }))
    .sort((a, b) => b.score - a.score || b.index - a.index)
    .map(({ decision }) => decision);
}

function decisionText({ question, choice, rationale }: CapsuleDecision): string {
  const asked = question === null ? '' : `${question} → `;
  return `${asked}${choice}${rationale === null ? '' : ` (${rationale})`}`;
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.trim() ?? '';
}

function total(items: readonly CapsuleItem[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}
