/**
 * The one schema that every artifact passes, whoever wrote it and in which form: Markdown, JSON, or a
 * model's answer. What comes out is normalised, so equal artifacts are equal values.
 */
import { OssatureError } from '../kernel/errors.js';
import { requireFields } from '../kernel/requests.js';
import { requireText } from '../kernel/text.js';
import {
  type Artifact,
  type ArtifactItem,
  type ArtifactLayout,
  LAYOUTS,
  type ListLayout,
} from './artifact.js';
import { FENCE_CLOSED, fenceBehind } from './markdown-fence.js';
import { parseProjectPath, parseSource, renderSource, type Source } from './source.js';
import type { WorkflowPhase } from './workflow-phase.js';

/** An item before it is checked, in the names of the wire. `at` says where it was read. */
export interface RawItem {
  readonly at: string;
  readonly itemId: unknown;
  readonly section: unknown;
  readonly text: unknown;
  readonly lists: Readonly<Record<string, unknown>>;
}

/** Items of one artifact. Far more than any budget holds. */
const MOST_ITEMS = 2_000;
/** Values of one list. */
const LONGEST_LIST = 500;
const LONGEST_LINE = 2_000;

/** @throws OssatureError INVALID_INPUT naming the place, the item and the rule. */
export function checkArtifact(phase: WorkflowPhase, raw: readonly RawItem[]): Artifact {
  const layout = LAYOUTS[phase];
  if (raw.length === 0 || raw.length > MOST_ITEMS) {
    const [{ heading } = { heading: '' }] = layout.sections;
    throw invalid(
      `The ${layout.kind} has ${raw.length} items; it must have 1 to ${MOST_ITEMS}. An item begins with "### ${layout.prefix}-1" under a heading such as "## ${heading}".`,
      { items: raw.length },
    );
  }
  const items = raw.map((item) => checkItem(layout, item));
  const seen = new Set<string>();
  items.forEach(({ itemId }, index) => {
    if (seen.has(itemId)) throw invalid(`${raw[index]?.at}: ${itemId} is there twice.`, { itemId });
    seen.add(itemId);
  });
  const places = layout.sections.map(({ key }) => key);
  const placeOf = ({ section }: ArtifactItem): number => places.indexOf(section);
  const ordered = items.sort((a, b) => placeOf(a) - placeOf(b));
  return { kind: layout.kind, items: ordered } as Artifact;
}

/**
 * An artifact as JSON says it: `{ kind, items: [{ item_id, section, text, … }] }`, sources as text.
 *
 * @throws OssatureError INVALID_INPUT.
 */
export function parseArtifactJson(phase: WorkflowPhase, value: unknown): Artifact {
  const layout = LAYOUTS[phase];
  requireFields(value, 'The artifact', ['kind', 'items']);
  const { kind, items } = value as { readonly kind?: unknown; readonly items?: unknown };
  if (kind !== layout.kind) {
    throw invalid(`kind must be ${JSON.stringify(layout.kind)} in the ${phase} phase.`, {
      field: 'kind',
    });
  }
  if (!Array.isArray(items)) throw invalid('items must be an array.', { field: 'items' });
  const lists = layout.lists.map(({ field }) => field);
  const raw = items.map((item: unknown, index): RawItem => {
    const at = `items[${index}]`;
    requireFields(item, at, ['item_id', 'section', 'text', ...lists]);
    const fields = item as Readonly<Record<string, unknown>>;
    return {
      at,
      itemId: fields['item_id'],
      section: fields['section'],
      text: fields['text'],
      lists: fields,
    };
  });
  return checkArtifact(phase, raw);
}

/** The artifact as JSON says it; `parseArtifactJson` reads it back to the same value. */
export function artifactJson({ kind, items }: Artifact): {
  readonly kind: string;
  readonly items: readonly Readonly<Record<string, unknown>>[];
} {
  return {
    kind,
    items: items.map(({ itemId, section, text, ...lists }) => ({
      item_id: itemId,
      section,
      text,
      ...Object.fromEntries(
        Object.entries(lists).map(([field, values]) => [
          field,
          (values as readonly (string | Source)[]).map((one) =>
            typeof one === 'string' ? one : renderSource(one),
          ),
        ]),
      ),
    })),
  };
}

function checkItem(layout: ArtifactLayout, raw: RawItem): ArtifactItem {
  const { at, itemId, section } = raw;
  if (typeof itemId !== 'string' || !isItemId(layout.prefix, itemId)) {
    throw invalid(
      `${at}: an item of the ${layout.kind} is called ${layout.prefix}-1, ${layout.prefix}-2 …, got ${JSON.stringify(itemId)?.slice(0, 60)}.`,
      { field: 'item_id' },
    );
  }
  const known = layout.sections.map(({ key }) => key);
  if (!known.includes(section as string)) {
    throw invalid(`${at}: section of ${itemId} must be one of ${known.join(', ')}.`, {
      field: 'section',
      itemId,
    });
  }
  const lists = layout.lists.map((list) => [list.field, checkList(list, raw, itemId)] as const);
  return {
    itemId,
    section,
    text: checkText(raw.text, at, itemId),
    ...Object.fromEntries(lists),
  } as unknown as ArtifactItem;
}

function checkText(value: unknown, at: string, itemId: string): string {
  const given = requireText(value, `${at}: the text of ${itemId}`);
  const text = given.replace(/\r\n?/g, '\n').trim();
  if (text.split('\n').reduce(fenceBehind, FENCE_CLOSED) !== FENCE_CLOSED) {
    throw invalid(`${at}: the text of ${itemId} opens a code fence that it does not close.`, {
      field: 'text',
      itemId,
    });
  }
  return text;
}

function checkList(list: ListLayout, { at, lists }: RawItem, itemId: string): readonly unknown[] {
  const value = lists[list.field] ?? [];
  if (!Array.isArray(value) || value.length > LONGEST_LIST) {
    throw invalid(
      `${at}: ${list.field} of ${itemId} must be an array of at most ${LONGEST_LIST} texts.`,
      { field: list.field, itemId },
    );
  }
  const named = (one: unknown): unknown => {
    try {
      return checkValue(list, one);
    } catch (error) {
      if (!OssatureError.is(error)) throw error;
      const details = { ...error.details, itemId };
      throw new OssatureError(
        error.code,
        `${at}: in ${list.field} of ${itemId}: ${error.message}`,
        {
          details,
          cause: error,
        },
      );
    }
  };
  const checked = value.map(named);
  const seen = new Set<string>();
  return checked.filter((one) => {
    const key = typeof one === 'string' ? one : renderSource(one as Source);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function checkValue({ holds, prefix = '' }: ListLayout, value: unknown): string | Source {
  switch (holds) {
    case 'sources':
      return parseSource(value);
    case 'entries': {
      const source = parseSource(value);
      if (source.kind === 'entry') return source;
      throw invalid('an entry is written as entry:SESSION_ID#12.', { field: 'entries' });
    }
    case 'paths':
      return parseProjectPath(value, 'A file');
    case 'item-ids':
      if (typeof value === 'string' && isItemId(prefix, value.trim())) return value.trim();
      throw invalid(`an item is named as ${prefix}-1, got ${JSON.stringify(value)?.slice(0, 60)}.`);
    case 'lines': {
      const line = requireText(value, 'A line', { maxLength: LONGEST_LINE }).trim();
      if (!/[\r\n]/.test(line)) return line;
      throw invalid('a line must not hold a line end.', { field: 'checks' });
    }
  }
}

function isItemId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}-`) && /^[1-9]\d{0,5}$/.test(text.slice(prefix.length + 1));
}

function invalid(message: string, details: Readonly<Record<string, unknown>> = {}): OssatureError {
  return new OssatureError('INVALID_INPUT', message, { details });
}
