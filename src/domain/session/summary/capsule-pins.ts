/**
 * The items of a capsule as pins of the child's session: word for word, in the section that they are
 * about, so that no pass of the child may change or archive one.
 */
import type { Digest } from '../../kernel/measures.js';
import type { CapsuleItem, CapsuleSection } from '../capsule.js';
import { type SectionFiller, type SectionSchema, sectionFilledBy } from './section-schema.js';
import { SummaryDraft } from './summary-draft.js';
import type { AnchoredSummary, Making } from './summary-item.js';

const FILLERS: Readonly<Record<CapsuleSection, SectionFiller>> = {
  mission: 'asks',
  constraints: 'pins',
  decisions: 'decisions',
  errors: 'errors',
  artifacts: 'trail',
};

/** An item that was pinned once is not pinned again: a person may have ended it. */
export function pinCapsule(
  summary: AnchoredSummary,
  items: readonly CapsuleItem[],
  making: Making,
  digest: Digest,
): AnchoredSummary {
  const draft = new SummaryDraft(summary, making);
  for (const { section: part, text } of items) {
    const pinHash = digest(text);
    // The key of a standing rule: the child's user stating it again makes no second pin.
    const identityKey = part === 'constraints' ? `pin:${pinHash}` : `capsule:${part}:${pinHash}`;
    if (draft.withKey(identityKey).length > 0) continue;
    const section = homeOf(part, summary.schema);
    if (section === undefined) continue;
    draft.add({ section, text, refs: [], identityKey, state: 'open', sources: [], pinHash });
  }
  return draft.finish();
}

/** A schema always has a section of asks; it takes what has no other home. */
function homeOf(part: CapsuleSection, schema: SectionSchema): string | undefined {
  return (sectionFilledBy(schema, FILLERS[part]) ?? sectionFilledBy(schema, 'asks'))?.key;
}
