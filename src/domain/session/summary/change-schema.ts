/** Another section schema between two cycles: items move by the key of their section, none is lost. */
import {
  requireSectionSchema,
  type SectionSchema,
  sectionFilledBy,
  sectionOf,
} from './section-schema.js';
import { SummaryDraft } from './summary-draft.js';
import {
  type AnchoredSummary,
  isActivePin,
  type Making,
  type SummaryItem,
} from './summary-item.js';

export interface SchemaChange {
  readonly summary: AnchoredSummary;
  /** Items whose section the new schema has not: archived, found again by their number. */
  readonly homeless: readonly {
    readonly itemNo: number;
    readonly section: string;
    readonly reason: 'section-not-in-schema';
  }[];
}

/**
 * Pins and asks go to the section of the new schema that holds them, whatever its key.
 * @throws OssatureError INVALID_CONFIG for an ill-formed schema.
 */
export function changeSchema(
  summary: AnchoredSummary,
  schema: SectionSchema,
  making: Making,
): SchemaChange {
  requireSectionSchema(schema);
  const draft = new SummaryDraft(summary, making);
  const homeless: SchemaChange['homeless'][number][] = [];
  for (const item of summary.items) {
    const section = homeOf(item, summary.schema, schema);
    if (section !== null) draft.change(item.itemNo, { section });
    else {
      homeless.push({
        itemNo: item.itemNo,
        section: item.section,
        reason: 'section-not-in-schema',
      });
      draft.change(item.itemNo, { archived: true });
    }
  }
  return { summary: { ...draft.finish(), schema }, homeless };
}

function homeOf(item: SummaryItem, from: SectionSchema, to: SectionSchema): string | null {
  const filledBy = sectionOf(from, item.section)?.filledBy ?? [];
  for (const filler of ['pins', 'asks'] as const) {
    if (filledBy.includes(filler)) return sectionFilledBy(to, filler)?.key ?? null;
  }
  const same = sectionOf(to, item.section);
  // A key that now belongs to pins or asks must not make a pin or a request of an ordinary item.
  const isReserved = same?.filledBy.some((filler) => filler === 'pins' || filler === 'asks');
  if (same !== undefined && isReserved !== true) return same.key;
  return isActivePin(item) ? (sectionFilledBy(to, 'pins')?.key ?? null) : null;
}
