/**
 * Pins: constraints kept word for word. A pin begins by the host, by a standing rule that a person or
 * a system prompt stated, or by a summarizer's proposal that is found verbatim; it ends only by a
 * recorded act. No patch can touch it.
 */
import { OssatureError } from '../../kernel/errors.js';
import type { Digest } from '../../kernel/measures.js';
import type { StoredEntry } from '../stored-entry.js';
import type { PinProposal } from './merge-patch.js';
import { sectionFilledBy } from './section-schema.js';
import { findStandingRules, sentencesAround, type StandingRuleCues } from './standing-rules.js';
import { SummaryDraft } from './summary-draft.js';
import { activePins, type AnchoredSummary, isActivePin, type Making } from './summary-item.js';

/** What a pin may be taken from. */
export type PinSource = Pick<StoredEntry, 'seq' | 'kind' | 'author' | 'content' | 'active'>;

export interface NewPin {
  /** Kept as it is, whitespace too. */
  readonly text: string;
  /** `seq` of its entries; empty for a pin that the host sets. */
  readonly sources: readonly number[];
  /** A pin in force that this one takes the place of. */
  readonly supersedes?: number;
}

/**
 * A text that is pinned already stays one pin.
 * @throws OssatureError INVALID_INPUT for a blank text; NOT_FOUND when `supersedes` is no pin in force.
 */
export function addPin(
  summary: AnchoredSummary,
  { text, sources, supersedes }: NewPin,
  making: Making,
  digest: Digest,
): AnchoredSummary {
  if (text.trim() === '')
    throw new OssatureError('INVALID_INPUT', 'The text of a pin must not be empty.');
  const draft = new SummaryDraft(summary, making);
  const pin = putPin(draft, text, sources, digest);
  if (supersedes !== undefined && supersedes !== pin) {
    requireActivePin(summary, supersedes);
    draft.change(supersedes, { state: 'superseded', supersededBy: pin, archived: true });
  }
  return draft.finish();
}

/**
 * Unpins. The item stays, archived at once: a rule that is shown although it no longer holds is a rule
 * that is followed. @throws OssatureError NOT_FOUND when it is no pin in force.
 */
export function endPin(summary: AnchoredSummary, itemNo: number, making: Making): AnchoredSummary {
  requireActivePin(summary, itemNo);
  const draft = new SummaryDraft(summary, making);
  draft.change(itemNo, { state: 'resolved', archived: true });
  return draft.finish();
}

export interface TakenPins {
  readonly summary: AnchoredSummary;
  /** Sentences with a cue, or proposals, that became no pin. */
  readonly leftOut: number;
}

/** Pins the standing rules of the entries. The same entries again add nothing, even after an unpin. */
export function pinStandingRules(
  summary: AnchoredSummary,
  entries: readonly PinSource[],
  making: Making,
  digest: Digest,
  cues?: StandingRuleCues,
): TakenPins {
  const draft = new SummaryDraft(summary, making);
  let leftOut = 0;
  for (const entry of entries) {
    if (!mayBind(entry)) continue;
    const found = findStandingRules(entry.content, cues);
    leftOut += found.leftOut;
    for (const rule of found.rules) putPin(draft, rule, [entry.seq], digest);
  }
  return { summary: draft.finish(), leftOut };
}

/**
 * Takes proposals that stand word for word in an entry they cite. The whole sentence becomes the pin:
 * "push to main" alone would turn "never push to main" into its opposite.
 */
export function takeProposals(
  summary: AnchoredSummary,
  proposals: readonly PinProposal[],
  entries: readonly PinSource[],
  making: Making,
  digest: Digest,
): TakenPins {
  const draft = new SummaryDraft(summary, making);
  let leftOut = 0;
  for (const { text, sources } of proposals) {
    const found = entries
      .filter((entry) => mayBind(entry) && sources.includes(entry.seq))
      .map((entry) => ({ seq: entry.seq, stretch: sentencesAround(entry.content, text) }))
      .find(({ stretch }) => stretch !== null);
    if (found?.stretch === undefined || found.stretch === null) leftOut += 1;
    else putPin(draft, found.stretch, [found.seq], digest);
  }
  return { summary: draft.finish(), leftOut };
}

/** Numbers of pins in force whose text is no longer what was pinned. */
export function brokenPins(summary: AnchoredSummary, digest: Digest): readonly number[] {
  return activePins(summary)
    .filter(({ text, textHash }) => textHash === null || digest(text) !== textHash)
    .map(({ itemNo }) => itemNo);
}

/** Text of a program in a user record binds nobody: it may come from a tool or another agent. */
function mayBind({ kind, author, active }: PinSource): boolean {
  return active && ((kind === 'user' && author === 'human') || kind === 'system');
}

function putPin(
  draft: SummaryDraft,
  text: string,
  sources: readonly number[],
  digest: Digest,
): number {
  const section = sectionFilledBy(draft.summary.schema, 'pins')?.key ?? 'constraints';
  const pinHash = digest(text);
  const identityKey = `pin:${pinHash}`;
  const known = draft.withKey(identityKey);
  const inForce = known.find((item) => item.section === section && isActivePin(item));
  if (inForce !== undefined) {
    draft.change(inForce.itemNo, { sources, archived: false });
    return inForce.itemNo;
  }
  const ended = known.find((item) => sources.length > 0 && draft.cites(item, sources));
  if (ended !== undefined) return ended.itemNo;
  return draft.add({ section, text, refs: [], identityKey, state: 'open', sources, pinHash })
    .itemNo;
}

function requireActivePin(summary: AnchoredSummary, itemNo: number): void {
  if (activePins(summary).some((pin) => pin.itemNo === itemNo)) return;
  throw new OssatureError('NOT_FOUND', `#${itemNo} is no pin in force.`, { details: { itemNo } });
}
