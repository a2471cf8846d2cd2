/** Artifacts as a person writes them: Markdown with the fixed headings, or JSON. */
import { OssatureError } from '../kernel/errors.js';
import { type Artifact, type ArtifactLayout, LAYOUTS, type ListLayout } from './artifact.js';
import { checkArtifact, parseArtifactJson, type RawItem } from './check-artifact.js';
import { FENCE_CLOSED, fenceBehind } from './markdown-fence.js';
import { structuralLine } from './render-artifact.js';
import type { WorkflowPhase } from './workflow-phase.js';

/** @throws OssatureError INVALID_INPUT naming line or item, and what may stand there. */
export function readArtifact(phase: WorkflowPhase, given: string): Artifact {
  const text = given.replace(/^\uFEFF/, '');
  return text.trimStart().startsWith('{')
    ? parseArtifactJson(phase, readJson(text))
    : readArtifactMarkdown(phase, text);
}

export function readArtifactMarkdown(phase: WorkflowPhase, text: string): Artifact {
  const reader = new MarkdownReader(LAYOUTS[phase]);
  text.split(/\r\n|\r|\n/).forEach((line, index) => reader.take(line, index + 1));
  return checkArtifact(phase, reader.finish());
}

interface OpenItem {
  readonly at: string;
  readonly itemId: string;
  readonly section: string;
  readonly lines: string[];
  readonly lists: Record<string, string[]>;
}

/** Line after line; a line is a heading, a label, a value of a list, or text of the open item. */
class MarkdownReader {
  private readonly items: OpenItem[] = [];
  private readonly structural: RegExp;
  private section: string | null = null;
  private item: OpenItem | null = null;
  private list: ListLayout | null = null;
  private fence = FENCE_CLOSED;
  private hasTitle = false;

  constructor(private readonly layout: ArtifactLayout) {
    this.structural = structuralLine(layout);
  }

  take(line: string, number: number): void {
    if (this.fence !== FENCE_CLOSED) return this.takeText(line, number);
    const [, escapes, mark] = this.structural.exec(line) ?? [];
    if (mark === undefined) return this.takeValueOrText(line, number);
    if (escapes !== '') return this.takeText(line.slice(1), number);
    if (!mark.startsWith('#')) return this.takeLabel(line, number);
    if (mark === '# ') return this.takeTitle(line, number);
    if (mark === '## ') return this.takeSection(line, number);
    if (mark === '### ') return this.takeItem(line, number);
    return this.takeText(line, number);
  }

  finish(): readonly RawItem[] {
    if (!this.hasTitle) throw fault(1, `must be the heading "# ${this.layout.title}"`);
    return this.items.map(({ at, itemId, section, lines, lists }) => ({
      at,
      itemId,
      section,
      text: lines.join('\n'),
      lists,
    }));
  }

  private takeTitle(line: string, number: number): void {
    const { title } = this.layout;
    if (this.hasTitle || line.slice(2).trim() !== title) {
      throw fault(number, `must be the heading "# ${title}", once, at the top`);
    }
    this.hasTitle = true;
  }

  private takeSection(line: string, number: number): void {
    const { sections } = this.layout;
    const found = sections.find(({ heading }) => heading === line.slice(3).trim());
    if (found === undefined || !this.hasTitle) {
      const known = sections.map(({ heading }) => `"## ${heading}"`).join(', ');
      throw fault(
        number,
        this.hasTitle
          ? `is no heading of this artifact; it has ${known}`
          : `stands before the heading "# ${this.layout.title}"`,
      );
    }
    this.section = found.key;
    this.item = null;
    this.list = null;
  }

  private takeItem(line: string, number: number): void {
    const { prefix, sections } = this.layout;
    const [, itemId, rest = ''] = /^### +(\S+?)(?::? +(.*))?:?$/.exec(line.trimEnd()) ?? [];
    if (itemId === undefined || !itemId.startsWith(`${prefix}-`)) {
      throw fault(number, `must name an item as "### ${prefix}-1"`);
    }
    if (this.section === null) {
      throw fault(number, `stands under no section; put it under "## ${sections[0]?.heading}"`);
    }
    this.item = {
      at: `Line ${number}`,
      itemId,
      section: this.section,
      lines: rest.trim() === '' ? [] : [rest.trim(), ''],
      lists: {},
    };
    this.items.push(this.item);
    this.list = null;
  }

  private takeLabel(line: string, number: number): void {
    const colon = line.indexOf(':');
    const list = this.layout.lists.find(({ label }) => label === line.slice(0, colon));
    if (this.item === null || list === undefined) throw outside(number, this.layout);
    this.list = list;
    const values = (this.item.lists[list.field] ??= []);
    const rest = line.slice(colon + 1).trim();
    if (rest === '') return;
    values.push(...(list.holds === 'item-ids' ? rest.split(',').map((id) => id.trim()) : [rest]));
  }

  private takeValueOrText(line: string, number: number): void {
    if (this.list === null || this.item === null) return this.takeText(line, number);
    if (line.trim() === '') return;
    const value = /^\s*[-*] +(.*)$/.exec(line)?.[1]?.trim();
    if (value === undefined) {
      throw fault(
        number,
        `stands behind "${this.list.label}:" and is no "- …"; text goes before the lists`,
      );
    }
    this.item.lists[this.list.field]?.push(value);
  }

  private takeText(line: string, number: number): void {
    if (this.item !== null && this.list === null) {
      this.item.lines.push(line);
      this.fence = fenceBehind(this.fence, line);
    } else if (line.trim() !== '') throw outside(number, this.layout);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 100) : 'unreadable';
    throw new OssatureError(
      'INVALID_INPUT',
      `The artifact begins with { and is no JSON (${reason}).`,
      { details: { field: 'artifact' }, cause: error },
    );
  }
}

function outside(number: number, { prefix, lists }: ArtifactLayout): OssatureError {
  const labels = lists.map(({ label }) => `"${label}:"`).join(', ');
  return fault(
    number,
    `belongs to no item; text stands under "### ${prefix}-1", before ${labels}. A text line that begins like a heading or label gets a backslash in front`,
  );
}

function fault(number: number, what: string): OssatureError {
  return new OssatureError('INVALID_INPUT', `Line ${number} ${what}.`, {
    details: { field: 'artifact', line: number },
  });
}
