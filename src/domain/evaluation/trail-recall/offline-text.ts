/** The summary that `offline` makes of everything up to a boundary, under a ceiling of tokens, as text. */
import type { Digest, TokenCounter } from '../../kernel/measures.js';
import { DecisionLog } from '../../session/session-decision.js';
import type { StoredEntry } from '../../session/stored-entry.js';
import { archiveItems } from '../../session/summary/archive-items.js';
import { readAsks } from '../../session/summary/asks.js';
import { summariseOffline } from '../../session/summary/offline-summary.js';
import { pinStandingRules } from '../../session/summary/pins.js';
import { renderSummary } from '../../session/summary/render-summary.js';
import type { SectionLines } from '../../session/summary/section-lines.js';
import { CODING_SCHEMA } from '../../session/summary/section-schema.js';
import { emptySummary, type Making } from '../../session/summary/summary-item.js';
import { commandLines, trailLines } from '../../session/summary/trail-lines.js';
import type { ArtifactEvent } from '../../session/trail/artifact-event.js';
import type { Trail } from '../../session/trail/trail.js';
import { isHumanPrompt } from '../../session/transcript.js';

/** Tries at a ceiling: pins stand beside what is archived, so the first rendering may be too large. */
const TRIES = 6;

export function offlineText(
  entries: readonly StoredEntry[],
  trail: Trail,
  events: readonly ArtifactEvent[],
  budgetTokens: number,
  { counter, digest }: { readonly counter: TokenCounter; readonly digest: Digest },
): string {
  const active = entries.filter((entry) => entry.active);
  const byId = new Map(active.map(({ seq, entryId }) => [seq, entryId]));
  const making: Making = {
    cycle: 1,
    producer: 'trail',
    spanHash: null,
    itemIdOf: (itemNo) => String(itemNo),
    entryIdOf: (seq) => byId.get(seq) ?? String(seq),
  };
  const contents = new Map(active.map(({ seq, content }) => [seq, content]));
  const commands = commandLines([...trail.commands.values()], ({ resultSeq }) =>
    resultSeq === null ? '' : (contents.get(resultSeq) ?? ''),
  );
  const ruled = pinStandingRules(emptySummary(CODING_SCHEMA), active, making, digest).summary;
  const window = { seqs: new Set(active.map(({ seq }) => seq)), commands };
  const lines = sectionLines(active, trail, events, digest);
  const merged = summariseOffline(ruled, [window], lines, making, { counter, digest });
  const summary = merged.outcome === 'merged' ? merged.summary : ruled;
  let ceiling = budgetTokens;
  let text = '';
  for (let tried = 0; tried < TRIES; tried += 1) {
    text = renderSummary(archiveItems(summary, Math.max(1, ceiling), counter, making).summary);
    const over = counter.count(text) - budgetTokens;
    if (over <= 0) return text;
    ceiling -= over * 2 ** tried;
  }
  // Smaller than the frame of any summary: nothing can be said in it.
  return counter.count(text) <= budgetTokens ? text : '';
}

function sectionLines(
  active: readonly StoredEntry[],
  trail: Trail,
  events: readonly ArtifactEvent[],
  digest: Digest,
): SectionLines {
  const log = new DecisionLog('trail-recall', digest, false);
  const turns = new Map(active.map(({ seq, turn }) => [seq, turn]));
  const open = trail.todos.filter(({ state }) => state === 'pending' || state === 'in-progress');
  return {
    ...trailLines(trail, events, 0),
    asks: readAsks(
      active,
      (turn) => open.filter(({ firstSeq }) => turns.get(firstSeq) === turn).length,
    ),
    decisions: active.flatMap((entry) =>
      log.add([entry]).decisions.map((decision) => ({
        decision,
        seq: entry.seq,
        isPrompt: isHumanPrompt(entry),
      })),
    ),
  };
}
