/** Artifacts as Markdown with fixed headings, byte-stable: equal artifacts give equal text. */
import { type Artifact, type ArtifactItem, type ArtifactLayout, LAYOUTS } from './artifact.js';
import { FENCE_CLOSED, fenceBehind } from './markdown-fence.js';
import { referenceOf, renderSource, type Source } from './source.js';

/** Whole, hashes of sources included: `readArtifactMarkdown` reads back the same value. */
export function renderArtifact(artifact: Artifact): string {
  return render(artifact, renderSource);
}

/** Without the hashes of sources: what a person or a model reads, and what budgets count. */
export function renderForReading(artifact: Artifact): string {
  return render(artifact, referenceOf);
}

/** One item as it stands in `renderForReading`. */
export function renderItemForReading(artifact: Artifact, item: ArtifactItem): string {
  return renderItem(layoutOf(artifact), item, referenceOf);
}

export function layoutOf({ kind }: Artifact): ArtifactLayout {
  switch (kind) {
    case 'research_document':
      return LAYOUTS.research;
    case 'implementation_spec':
      return LAYOUTS.planning;
    case 'implementation_record':
      return LAYOUTS.implementation;
  }
}

/** A line that would be read as a heading or a label, behind any number of backslashes. */
export function structuralLine({ lists }: ArtifactLayout): RegExp {
  return new RegExp(`^(\\\\*)(#{1,6} |(?:${lists.map(({ label }) => label).join('|')}):)`);
}

function render(artifact: Artifact, write: (source: Source) => string): string {
  const layout = layoutOf(artifact);
  const items: readonly ArtifactItem[] = artifact.items;
  const sections = layout.sections.flatMap(({ key, heading }) => {
    const own = items.filter(({ section }) => section === key);
    if (own.length === 0) return [];
    return [`## ${heading}`, ...own.map((item) => renderItem(layout, item, write))];
  });
  return `${[`# ${layout.title}`, ...sections].join('\n\n')}\n`;
}

function renderItem(
  layout: ArtifactLayout,
  item: ArtifactItem,
  write: (source: Source) => string,
): string {
  const lists = layout.lists.flatMap(({ field, label, holds }) => {
    const values = (item as unknown as Readonly<Record<string, readonly (string | Source)[]>>)[
      field
    ];
    if (values === undefined || values.length === 0) return [];
    const texts = values.map((value) => (typeof value === 'string' ? value : write(value)));
    if (holds === 'item-ids') return [`${label}: ${texts.join(', ')}`];
    return [`${label}:\n${texts.map((text) => `- ${text}`).join('\n')}`];
  });
  return [`### ${item.itemId}`, escaped(layout, item.text), ...lists].join('\n\n');
}

function escaped(layout: ArtifactLayout, text: string): string {
  const structural = structuralLine(layout);
  let fence = FENCE_CLOSED;
  return text
    .split('\n')
    .map((line) => {
      const isCode = fence !== FENCE_CLOSED;
      fence = fenceBehind(fence, line);
      return !isCode && structural.test(line) ? `\\${line}` : line;
    })
    .join('\n');
}
