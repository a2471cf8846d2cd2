import { existsSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { renderUnit } from '../../../../src/domain/session/render-unit.js';
import { readAsks } from '../../../../src/domain/session/summary/asks.js';
import { archiveItems } from '../../../../src/domain/session/summary/archive-items.js';
import { checkGate } from '../../../../src/domain/session/summary/gate.js';
import { summariseOffline } from '../../../../src/domain/session/summary/offline-summary.js';
import { pinStandingRules } from '../../../../src/domain/session/summary/pins.js';
import { renderSummary } from '../../../../src/domain/session/summary/render-summary.js';
import { NO_LINES } from '../../../../src/domain/session/summary/section-lines.js';
import { commandLines, trailLines } from '../../../../src/domain/session/summary/trail-lines.js';
import { activePins } from '../../../../src/domain/session/summary/summary-item.js';
import { trailTexts } from '../../../../src/domain/session/summary/trail-texts.js';
import { extendTrail, TOOL_MAPPINGS } from '../../../../src/domain/session/trail/extend-trail.js';
import { EMPTY_TRAIL } from '../../../../src/domain/session/trail/trail.js';
import { isHumanPrompt, type TranscriptEntry } from '../../../../src/domain/session/transcript.js';
import { claudeCodeReader } from '../../../../src/interfaces/transcripts/claude-code-transcript.js';
import { fileSource } from '../../../../src/interfaces/transcripts/transcript-source.js';
import { counter, digest, entryIdOf, making, measures, nothing } from './summary-world.js';

const FOLDER = resolve(process.env['OSSATURE_TRANSCRIPTS'] ?? '../shared/transcripts');
const files = existsSync(FOLDER)
  ? readdirSync(join(FOLDER, 'claude-code'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
      .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)))
      .sort()
  : [];

type PlacedEntry = TranscriptEntry & { readonly seq: number; readonly turn: number };

async function readEntries(file: string): Promise<readonly PlacedEntry[]> {
  const entries: PlacedEntry[] = [];
  let turn = 0;
  for await (const event of claudeCodeReader(digest).read(fileSource(join(FOLDER, file)))) {
    if (event.event !== 'entry') continue;
    if (isHumanPrompt(event.entry)) turn += 1;
    entries.push({ ...event.entry, seq: entries.length + 1, turn });
  }
  return entries;
}

function trailOf(entries: readonly PlacedEntry[]) {
  const settings = { vendor: 'claude-code', projectRoot: null, digest, mappings: TOOL_MAPPINGS };
  return extendTrail(EMPTY_TRAIL, entries, settings);
}

function outputOf(entries: readonly PlacedEntry[], seq: number): string {
  const call = entries.find((entry) => entry.seq === seq);
  if (call?.kind !== 'tool_call') return '';
  const { callId } = call;
  return (
    entries.find((entry) => entry.kind === 'tool_result' && entry.callId === callId)?.content ?? ''
  );
}

const describeWhereSamplesAre = files.length > 0 ? describe : describe.skip;

describeWhereSamplesAre('the summary of every sample session of Claude Code', () => {
  it.each(files)(
    '%s: rules word for word, windows as one, and nothing the gate refuses',
    async (file) => {
      const entries = await readEntries(file);
      const { trail, events } = trailOf(entries);
      const commands = commandLines([...trail.commands.values()], ({ seq }) =>
        outputOf(entries, seq),
      );
      const lines = {
        ...NO_LINES,
        ...trailLines(trail, events, 0),
        asks: readAsks(entries, () => 0),
      };
      const ruled = pinStandingRules(nothing, entries, making(1, 'trail'), digest).summary;
      for (const pin of activePins(ruled)) {
        const sources = entries.filter(({ seq }) => pin.sourceEntryIds.includes(entryIdOf(seq)));
        expect(sources.some(({ content }) => content.includes(pin.text))).toBe(true);
      }

      const windowsOf = (size: number) =>
        Array.from({ length: Math.ceil(entries.length / size) }, (_, at) => {
          const seqs = new Set(entries.slice(at * size, (at + 1) * size).map(({ seq }) => seq));
          return { seqs, commands: commands.filter(({ seq }) => seqs.has(seq)) };
        });
      const summarise = (size: number) => {
        const verdict = summariseOffline(ruled, windowsOf(size), lines, making(1), measures);
        return verdict.outcome === 'merged' ? verdict.summary : nothing;
      };
      const whole = summarise(Math.max(1, entries.length));
      for (const size of [1, 7]) expect(summarise(size)).toEqual(whole);

      const { summary } = archiveItems(whole, 6_000, counter, making(1, 'trail'));
      const text = renderSummary(summary);
      for (const pin of activePins(summary)) expect(text).toContain(pin.text);
      const verdict = checkGate({
        strategy: 'offline',
        before: nothing,
        after: summary,
        opaqueText: null,
        patches: [],
        answers: [],
        span: entries.map((entry) => ({
          seq: entry.seq,
          entryId: entryIdOf(entry.seq),
          text: renderUnit([entry]),
          matters: isHumanPrompt(entry) && entry.active,
        })),
        history: [],
        trailTexts: trailTexts(lines, commands),
        requestBefore: { tokens: 2, counter: 'quarter' },
        requestAfter: { tokens: 1, counter: 'quarter' },
        targetTokens: 1,
        minFreedTokens: 1,
        pairingProblems: [],
        tailBefore: '',
        tailAfter: '',
        latestPrompt: null,
        outgoingTexts: [],
        counter,
        digest,
      });
      expect(verdict.reasons).toEqual([]);
    },
  );
});
