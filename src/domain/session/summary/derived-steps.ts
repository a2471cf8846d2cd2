/** Next steps that stand for an open error or ask, and end with it, whichever strategy made them. */
import type { TokenCounter } from '../../kernel/measures.js';
import { currentAsk } from './asks.js';
import { lineWithin } from './head-within.js';
import { signatureKey } from './identity.js';
import type { ErrorLine } from './section-lines.js';
import type { SummaryDraft } from './summary-draft.js';
import type { SummaryItem } from './summary-item.js';

const PREFIX = 'step-';

export function isDerivedStep({ identityKey }: SummaryItem): boolean {
  return identityKey.startsWith(PREFIX);
}

/** Ceiling of the error in a step, in tokens. */
const ERROR_TOKENS = 100;

/** Open errors, then the current ask while it is open. Of asks only one is a next step: the newest. */
export function addDerivedSteps(
  draft: SummaryDraft,
  section: string,
  errors: readonly ErrorLine[],
  counter: TokenCounter,
): void {
  for (const { signature, text, state, lastSeq } of errors) {
    const step = { section, refs: [], identityKey: `${PREFIX}${signatureKey(signature)}` };
    const known = draft.live(section, step.identityKey);
    if (state !== 'open') continue;
    if (known?.state === 'resolved')
      draft.change(known.itemNo, { state, sources: [lastSeq], archived: false });
    if (known !== undefined) continue;
    const shown = `Open error: ${lineWithin(text, ERROR_TOKENS, counter)}`;
    draft.add({ ...step, text: shown, state, sources: [lastSeq] });
  }
  const ask = currentAsk({ ...draft.summary, items: draft.items });
  if (ask?.state === 'open') addAskStep(draft, section, ask);
  endDoneSteps(draft);
}

export function endDoneSteps(draft: SummaryDraft): void {
  for (const step of draft.items) {
    if (step.state !== 'open' || !isDerivedStep(step)) continue;
    const source = draft.withKey(step.identityKey.slice(PREFIX.length)).at(-1);
    if (source !== undefined && source.state !== 'open')
      draft.change(step.itemNo, { state: 'resolved' });
  }
}

function addAskStep(draft: SummaryDraft, section: string, ask: SummaryItem): void {
  const identityKey = `${PREFIX}${ask.identityKey}`;
  if (draft.live(section, identityKey) !== undefined) return;
  const { itemNo } = draft.add({
    section,
    text: `Open request: ${ask.text}`,
    refs: [],
    identityKey,
    state: 'open',
    sources: [ask.lastSourceSeq],
  });
  for (const step of draft.items) {
    const isEarlierAsk = step.identityKey.startsWith(`${PREFIX}ask:`) && step.itemNo !== itemNo;
    if (isEarlierAsk && step.state === 'open')
      draft.change(step.itemNo, { state: 'superseded', supersededBy: itemNo });
  }
}
