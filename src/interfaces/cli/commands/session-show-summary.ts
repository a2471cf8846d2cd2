/** `agents session show --section`, `--item` and `--cycle`: the summary and what stands behind it. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { SessionCycle } from '../../../domain/session/summary/session-cycle.js';
import type { SummarySection } from '../../../domain/session/summary/section-schema.js';
import { renderItem } from '../../../domain/session/summary/render-summary.js';
import type { AnchoredSummary, SummaryItem } from '../../../domain/session/summary/summary-item.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type Block, type CommandResult, type Field, formatCount } from '../view.js';
import { Verbatim } from '../wire-names.js';

export interface SummaryPart {
  readonly section?: string;
  readonly item?: string;
  readonly cycle?: string;
  readonly provenance?: boolean;
  readonly tenant: string;
}

export function showSummaryPart(
  terminal: Terminal,
  name: string,
  part: SummaryPart,
): Promise<CommandResult> {
  const itemNo = part.item === undefined ? null : numberIn('--item', part.item.replace(/^#/, ''));
  const cycleNo = part.cycle === undefined ? null : numberIn('--cycle', part.cycle);
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(part.tenant, name);
    const key = { tenantId: part.tenant, sessionId };
    const { summaries } = core.sessions;
    const { summary, session, cycles } = await summaries.read(key);
    const base = { sessionId, cycle: session.cycle };
    const provenance = part.provenance === true;
    if (itemNo !== null) {
      const versions = await summaries.versions({ ...key, itemNo });
      return {
        data: { ...base, item: itemFacts(versions.at(-1)), versions: versions.map(itemFacts) },
        view: [titled(`#${itemNo}`, [['versions', formatCount(versions.length)]])].concat(
          versions.map((item) => itemBlock(item, true)),
        ),
      };
    }
    if (cycleNo !== null) {
      const cycle = requireCycle(cycles, cycleNo);
      const items = summary.items.filter(
        ({ cycleChanged, cycleCreated }) => cycleChanged === cycleNo || cycleCreated === cycleNo,
      );
      return {
        data: { ...base, cycle: cycle.cycle, record: cycle, sections: sectionsOf(summary, items) },
        view: [titled(`Cycle ${cycleNo}`, cycleFields(cycle)), ...blocksOf(items, provenance)],
      };
    }
    const section = requireSection(summary, part.section ?? '');
    const items = summary.items.filter((item) => item.section === section.key);
    return {
      data: { ...base, sections: [sectionFacts(section, items)] },
      view: [
        titled(section.title, [
          ['session_id', sessionId],
          ['cycle', String(session.cycle)],
          ['items', formatCount(items.length)],
        ]),
        ...blocksOf(items, provenance),
      ],
    };
  });
}

/** Sections with these items, in the order of the schema. */
export function sectionsOf({ schema }: AnchoredSummary, items: readonly SummaryItem[]) {
  return schema.sections.map((section) =>
    sectionFacts(
      section,
      items.filter((item) => item.section === section.key),
    ),
  );
}

function sectionFacts({ key, title }: SummarySection, items: readonly SummaryItem[]) {
  return { key, title, items: items.map(itemFacts) };
}

function itemFacts(item: SummaryItem | undefined) {
  return item === undefined ? null : { ...item, refs: item.refs.map((ref) => new Verbatim(ref)) };
}

function titled(title: string, fields: readonly Field[]): Block {
  return { block: 'fields', title, fields };
}

function blocksOf(items: readonly SummaryItem[], provenance: boolean): readonly Block[] {
  return items.map((item) => itemBlock(item, provenance));
}

function itemBlock(item: SummaryItem, provenance: boolean): Block {
  const { state, archived, cycleCreated, cycleChanged, version, producer, sourceEntryIds } = item;
  const sources = sourceEntryIds.length === 0 ? 'none' : sourceEntryIds.join(' ');
  const origin = `\n  cycle ${cycleCreated}–${cycleChanged}, version ${version}, by ${producer}, sources ${sources}`;
  const text = `${renderItem(item)} [${state}${archived ? ', archived' : ''}]`;
  return { block: 'text', text: provenance ? `${text}${origin}` : text };
}

function cycleFields(cycle: SessionCycle): readonly Field[] {
  const span = cycle.span.map(({ from, to }) => (from === to ? `${from}` : `${from}..${to}`));
  return [
    ['state', cycle.state],
    ['strategy', cycle.strategy],
    ['entries', span.join(', ')],
    ['tokens before', formatCount(cycle.tokensBefore)],
    ['tokens after', formatCount(cycle.tokensAfter)],
    ['target', formatCount(cycle.targetTokens)],
    ['floor', formatCount(cycle.floorTokens)],
    ['created_at', cycle.createdAt.toISOString()],
  ];
}

function requireCycle(cycles: readonly SessionCycle[], wanted: number): SessionCycle {
  const cycle = cycles.find((one) => one.cycle === wanted);
  if (cycle !== undefined) return cycle;
  throw new OssatureError('NOT_FOUND', `The session has no cycle ${wanted}.`, {
    details: { cycle: wanted },
  });
}

function requireSection({ schema }: AnchoredSummary, key: string): SummarySection {
  const section = schema.sections.find((one) => one.key === key);
  if (section !== undefined) return section;
  const known = schema.sections.map((one) => one.key);
  throw new OssatureError(
    'NOT_FOUND',
    `The summary has no section ${key.slice(0, 60)}. It has ${known.join(', ')}.`,
    { details: { section: key, known } },
  );
}

function numberIn(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`${option} takes a whole number.`);
}
