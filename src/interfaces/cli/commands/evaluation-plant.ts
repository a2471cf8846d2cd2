/** `agents eval plant`: which planted facts survive cycle after cycle. */
import { PLANT_ARMS, type PlantArm } from '../../../domain/evaluation/planted/plant-defaults.js';
import type { TranscriptEntry } from '../../../domain/session/transcript.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import { openSources } from '../open-sources.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult } from '../view.js';
import { countOption, seedOf } from './evaluation-options.js';
import { type AssertOptions, requireAssertions } from './evaluation-assertions.js';
import { reportResult } from './evaluation-result.js';

export interface PlantOptions extends AssertOptions {
  readonly transcript?: string;
  readonly cycles: string;
  readonly facts: string;
  readonly seed: string;
  readonly turns: string;
  readonly window: string;
  readonly strategy?: readonly string[];
  readonly answers?: boolean;
  readonly tenant: string;
}

export function plantFacts(terminal: Terminal, options: PlantOptions): Promise<CommandResult> {
  const request = {
    seed: seedOf(options.seed),
    facts: countOption('--facts', options.facts, 1, 240),
    cycles: countOption('--cycles', options.cycles, 1, 100),
    fillerTurns: countOption('--turns', options.turns, 1, 10_000),
    windowTokens: countOption('--window', options.window, 1_000, 100_000_000),
    arms: armsOf(options.strategy),
  };
  requireAssertions(options);
  return withCore(terminal, async (core) => {
    const { transcript } = options;
    const givenTurns = transcript === undefined ? [] : await readTurns(terminal, core, transcript);
    const filler = transcript ?? 'synthetic';
    const { answers = false } = options;
    if (answers) core.evaluations.plants.requireAnswerer();
    const recorded = await core.evaluations.runs.record(
      {
        tenantId: options.tenant,
        kind: 'plant',
        settings: { ...request, filler, ...(answers && { answers }) },
      },
      async (run) => ({
        report: await core.evaluations.plants.plant(
          { ...request, givenTurns, filler },
          answers ? { run, signal: terminal.signal } : null,
        ),
        timing: {},
      }),
    );
    return reportResult(recorded, options);
  });
}

function armsOf(names: readonly string[] | undefined): readonly PlantArm[] {
  if (names === undefined) return ['full', 'tail', 'offline'];
  const wanted = names.flatMap((name) => name.split(',')).map((name) => name.trim());
  const unknown = wanted.find((name) => !PLANT_ARMS.some((arm) => arm === name));
  if (unknown === undefined) {
    const strategies = PLANT_ARMS.filter((arm) => wanted.includes(arm));
    const controls: readonly PlantArm[] = ['full', 'tail'];
    return [...new Set([...controls, ...strategies])];
  }
  throw new UsageError(
    `There is no strategy ${JSON.stringify(unknown.slice(0, 60))}. There are ${PLANT_ARMS.join(', ')}.`,
  );
}

/** Turns of the file, cleaned; what stands before the first prompt belongs to none. */
async function readTurns(
  terminal: Terminal,
  core: Ossature,
  file: string,
): Promise<readonly (readonly TranscriptEntry[])[]> {
  const { TOKENS } = await import('../../../index.js');
  const { transcriptReaders } = await import('../../transcripts/transcript-readers.js');
  const { detectFormat } = await import('../../../application/session/detect-format.js');
  const { isHumanPrompt } = await import('../../../domain/session/transcript.js');
  const { NO_REDACTION } = await import('../../../domain/redaction/redact.js');
  const { TextCleaner } = await import('../../../domain/redaction/text-cleaner.js');
  const { cleanEntry } = await import('../../../domain/session/clean-entry.js');
  const readers = transcriptReaders(core.resolve(TOKENS.digest), core.resolve(TOKENS.tokenCounter));
  const cleaner = new TextCleaner(core.resolve(TOKENS.redact) ?? NO_REDACTION);
  const [source] = await openSources(terminal, [file]);
  if (source === undefined) return [];
  try {
    const reader = detectFormat(readers, await source.head(), source.name);
    const turns: TranscriptEntry[][] = [];
    for await (const event of reader.read(source)) {
      if (event.event !== 'entry' || !event.entry.active) continue;
      if (isHumanPrompt(event.entry)) turns.push([]);
      turns.at(-1)?.push(cleanEntry(event.entry, cleaner));
    }
    if (turns.length > 0) return turns;
    throw new UsageError(`${file} holds no prompt of a person, so there is no turn to plant into.`);
  } finally {
    await source.dispose();
  }
}
