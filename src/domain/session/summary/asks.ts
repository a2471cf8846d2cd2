/**
 * Asks: what the person wanted, prompt by prompt, and whether it is done. The mission is the first
 * prompt, as a pin. The latest prompt itself stays in the messages; here it is only listed and marked.
 */
import type { Digest, TokenCounter } from '../../kernel/measures.js';
import type { StoredEntry } from '../stored-entry.js';
import { isHumanPrompt } from '../transcript.js';
import { headWithin } from './head-within.js';
import { sectionFilledBy } from './section-schema.js';
import type { SummaryDraft } from './summary-draft.js';
import { type AnchoredSummary, asksOf, type SummaryItem } from './summary-item.js';

/** Ceiling of the verbatim beginning of a prompt (specification of sessions, §7.8). */
export const ASK_TOKENS = 100;

/** Ceiling of the mission: a whole document in the first prompt must not become part of the floor. */
export const MISSION_TOKENS = 500;

/** A turn as far as its ask is concerned. */
export interface AskLine {
  readonly turn: number;
  /** The human prompt that began the turn; null: it is not among the entries that were read. */
  readonly prompt: { readonly seq: number; readonly text: string } | null;
  readonly state: 'open' | 'resolved';
}

interface AskEntry extends Pick<StoredEntry, 'seq' | 'turn' | 'kind' | 'author' | 'active'> {
  /** Of prompts; nothing is read off the text of others. */
  readonly content?: string;
}

/**
 * Follows the asks of consecutive entries. An ask is resolved when the agent had the last word in its
 * turn and no todo of that turn is open.
 * @param openTodosOf todos of a turn that are not closed.
 */
export function readAsks(
  entries: readonly AskEntry[],
  openTodosOf: (turn: number) => number,
): readonly AskLine[] {
  const turns = new Map<number, { prompt: AskLine['prompt']; isAgentLast: boolean }>();
  for (const entry of entries) {
    if (!entry.active || entry.turn === 0) continue;
    let turn = turns.get(entry.turn);
    if (turn === undefined) {
      turn = { prompt: null, isAgentLast: false };
      turns.set(entry.turn, turn);
    }
    if (isHumanPrompt(entry)) turn.prompt = { seq: entry.seq, text: entry.content ?? '' };
    if (entry.kind === 'assistant') turn.isAgentLast = true;
    else if (entry.kind === 'tool_call' || entry.kind === 'tool_result' || isHumanPrompt(entry))
      turn.isAgentLast = false;
  }
  return [...turns].map(([turn, { prompt, isAgentLast }]) => ({
    turn,
    prompt,
    state: isAgentLast && openTodosOf(turn) === 0 ? 'resolved' : 'open',
  }));
}

/** Adds new asks and resolves those that are done. What a patch has ended stays ended. */
export function fillAsks(
  draft: SummaryDraft,
  asks: readonly AskLine[],
  counter: TokenCounter,
  digest: Digest,
): void {
  const section = sectionFilledBy(draft.summary.schema, 'asks')?.key;
  if (section === undefined) return;
  let hasMission = draft.items.some((item) => item.section === section && item.pinned);
  for (const { turn, prompt, state } of asks) {
    const identityKey = `ask:${turn}`;
    const known = draft.withKey(identityKey)[0];
    if (known !== undefined) {
      if (known.state === 'open' && state === 'resolved') draft.change(known.itemNo, { state });
      continue;
    }
    if (prompt === null) continue;
    hasMission ||= pinMission(draft, section, prompt, counter, digest);
    const head = headWithin(prompt.text, ASK_TOKENS, counter);
    const text = `${head.text}${head.isWhole ? '' : ' …'} [entry:${prompt.seq}]`;
    draft.add({ section, text, refs: [], identityKey, state, sources: [prompt.seq] });
  }
}

/** The newest ask: the request that the agent works on, or has just finished. */
export function currentAsk(summary: AnchoredSummary): SummaryItem | undefined {
  let newest: SummaryItem | undefined;
  for (const ask of asksOf(summary)) {
    if (newest === undefined || ask.lastSourceSeq >= newest.lastSourceSeq) newest = ask;
  }
  return newest;
}

/** @returns whether there is a mission now: a blank prompt is none. */
function pinMission(
  draft: SummaryDraft,
  section: string,
  { seq, text: prompt }: { readonly seq: number; readonly text: string },
  counter: TokenCounter,
  digest: Digest,
): boolean {
  const { text } = headWithin(prompt, MISSION_TOKENS, counter);
  if (text === '') return false;
  const pinHash = digest(text);
  const identityKey = `mission:${pinHash}`;
  draft.add({ section, text, refs: [], identityKey, state: 'open', sources: [seq], pinHash });
  return true;
}
