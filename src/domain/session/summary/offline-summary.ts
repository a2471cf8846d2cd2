/**
 * The summarizer without a model: fills from structure what a patch fills otherwise. Deterministic, and
 * the windows of a span one after the other give the same items as the span in one window: the patch of
 * a window is nothing but the patches of its events, in order.
 */
import type { TokenCounter } from '../../kernel/measures.js';
import { shellEffect } from '../shell-effect.js';
import { addDerivedSteps } from './derived-steps.js';
import { type Measures, fillSections } from './fill-sections.js';
import { lineWithin } from './head-within.js';
import { textKey } from './identity.js';
import { mergePatch, type MergeVerdict } from './merge-patch.js';
import type { PatchOperation, SummaryPatch } from './patch.js';
import type { CommandLine, SectionLines } from './section-lines.js';
import { sectionFilledBy, sectionOf } from './section-schema.js';
import { SummaryDraft } from './summary-draft.js';
import type { AnchoredSummary, ItemRef, Making } from './summary-item.js';

/** Ceilings of a command and of a line about open work, in tokens; together under that of an item. */
const COMMAND_TOKENS = 60;
const WORK_TOKENS = 100;

const CURRENT_STATE = 'current_state';
const NEXT_STEPS = 'next_steps';

/** A part of the span. */
export interface OfflineWindow {
  /** `seq` of its entries. */
  readonly seqs: ReadonlySet<number>;
  /** Commands of its entries, in order. */
  readonly commands: readonly CommandLine[];
}

/**
 * Last outcome per command, test counts and last commit of the window. Commands that only read and
 * succeeded say nothing about the state; they stay in the trail. A schema without `current_state` gets
 * an empty patch.
 */
export function offlinePatch(
  { schema }: AnchoredSummary,
  { commands }: Pick<OfflineWindow, 'commands'>,
  counter: TokenCounter,
): SummaryPatch {
  if (sectionOf(schema, CURRENT_STATE)?.filledBy.includes('patch') !== true) {
    return { operations: [] };
  }
  return { operations: commands.flatMap((command) => operationsOf(command, counter)) };
}

function operationsOf(line: CommandLine, counter: TokenCounter): readonly PatchOperation[] {
  const { command, state, seq, commit } = line;
  const operations: PatchOperation[] = [];
  if (state !== 'ok' || shellEffect(command) !== 'reads') {
    const shown = lineWithin(command.replaceAll('`', "'"), COMMAND_TOKENS, counter);
    operations.push(stating(`\`${shown}\`: ${outcomeOf(line)}`, [], seq));
  }
  if (commit !== null) {
    const hash = /\b[0-9a-f]{7,40}\b/.exec(commit)?.[0];
    const refs: readonly ItemRef[] = hash === undefined ? [] : [{ kind: 'hash', text: hash }];
    operations.push(
      stating(`Last commit: ${lineWithin(commit, COMMAND_TOKENS, counter)}`, refs, seq),
    );
  }
  return operations;
}

function stating(text: string, refs: readonly ItemRef[], seq: number): PatchOperation {
  return { operation: 'add', section: CURRENT_STATE, text, refs, sources: [seq], state: 'open' };
}

function outcomeOf({ state, exitCode, outcome }: CommandLine): string {
  const exit = exitCode === null || state === 'ok' ? '' : `, exit code ${exitCode}`;
  const tests = outcome === null ? '' : `, ${outcome.passed} passed, ${outcome.failed} failed`;
  return `${state}${exit}${tests}`;
}

/**
 * Finished todos, and as next steps open errors and the open ask. Call it after `fillSections` with the
 * same lines. What is done later ends whatever strategy follows.
 */
export function fillOfflineSections(
  summary: AnchoredSummary,
  lines: SectionLines,
  making: Making,
  counter: TokenCounter,
): AnchoredSummary {
  const draft = new SummaryDraft(summary, making);
  const stateSection = sectionOf(summary.schema, CURRENT_STATE)?.key;
  const stepSection =
    sectionOf(summary.schema, NEXT_STEPS)?.key ?? sectionFilledBy(summary.schema, 'todos')?.key;
  if (stateSection !== undefined) {
    for (const { text, state, lastSeq } of lines.todos) {
      if (state !== 'completed') continue;
      const identityKey = `done-${textKey(text)}`;
      if (draft.withKey(identityKey).length > 0) continue;
      draft.add({
        section: stateSection,
        text: `Done: ${lineWithin(text, WORK_TOKENS, counter)}`,
        refs: [],
        identityKey,
        state: 'resolved',
        sources: [lastSeq],
      });
    }
  }
  if (stepSection === undefined) return draft.finish();
  addDerivedSteps(draft, stepSection, lines.errors, counter);
  return draft.finish();
}

/** One pass of the strategy `offline`, before archiving and the gate. */
export function summariseOffline(
  summary: AnchoredSummary,
  windows: readonly OfflineWindow[],
  lines: SectionLines,
  making: Making,
  measures: Measures,
): MergeVerdict {
  const offline: Making = { ...making, producer: 'offline' };
  let merged = summary;
  for (const window of windows) {
    const patch = offlinePatch(merged, window, measures.counter);
    const verdict = mergePatch(merged, patch, window.seqs, offline);
    if (verdict.outcome === 'invalid') return verdict;
    merged = verdict.summary;
  }
  // What follows is read off the trail, of the tail as well, and cites it.
  const trail: Making = { ...making, producer: 'trail' };
  const filled = fillSections(merged, lines, trail, measures);
  const finished = fillOfflineSections(filled, lines, trail, measures.counter);
  return { outcome: 'merged', summary: finished, proposals: [] };
}
