/** `agents plan import`: files become context, each whole or not at all, with a receipt for each. */
import type { ImportReceipt } from '../../../application/plan/import-run.js';
import type {
  TranscriptReader,
  TranscriptSource,
} from '../../../application/session/transcript-reader.js';
import { NO_REDACTION } from '../../../domain/redaction/redact.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import type { Material, MaterialReceipt, ReadingSettings } from '../import-material.js';
import { withCore } from '../open-core.js';
import { openSources } from '../open-sources.js';
import { tell } from '../output.js';
import type { Terminal } from '../terminal.js';
import { type CommandResult, countOf, type Message } from '../view.js';
import { type FileReceipt, importView, receiptFacts } from './import-receipt.js';
import { transcriptFile } from './transcript-file.js';
import { materialChoice, TranscriptImports } from './transcript-imports.js';

export interface ImportOptions {
  readonly from?: string;
  readonly skipInvalid?: boolean;
  readonly dryRun?: boolean;
  readonly tenant: string;
  readonly thinking?: boolean;
  readonly maxFragmentTokens?: string;
}

export async function importFiles(
  terminal: Terminal,
  name: string,
  files: readonly string[],
  options: ImportOptions,
): Promise<CommandResult> {
  const { from: _from, skipInvalid: _skip, ...transcriptOptions } = options;
  materialChoice(options);
  const sources = await openSources(terminal, files);
  try {
    // Every file is looked at before the first is written, and before a database is opened.
    for (const source of sources) await source.head();
    return await withCore(terminal, async (core) => {
      const { planId } = await core.plans.resolve(name);
      const settings = await readingSettings(core, options);
      const { openMaterial } = await import('../import-material.js');
      const chosen: { readonly source: TranscriptSource; readonly material: Chosen }[] = [];
      for (const source of sources) {
        chosen.push({ source, material: await openMaterial(source, settings) });
      }
      const { dryRun = false } = options;
      const wanted = { ...transcriptOptions, plan: planId };
      const transcripts = await TranscriptImports.prepare(core, terminal, wanted);
      const receipts: FileReceipt[] = [];
      for (const { source, material } of chosen) {
        try {
          receipts.push(
            'reader' in material
              ? transcriptFile(
                  source.name,
                  await transcripts.import(source, material.reader),
                  dryRun,
                )
              : await importFragments(core, planId, source.name, material, dryRun),
          );
        } catch (error) {
          await tellImported(receipts, terminal);
          throw error;
        }
      }
      return resultOf(planId, receipts, transcripts.messages, dryRun);
    });
  } finally {
    for (const source of sources) await source.dispose();
  }
}

type Chosen = Material | { readonly reader: TranscriptReader };

async function importFragments(
  core: Ossature,
  planId: string,
  file: string,
  material: Material,
  dryRun: boolean,
): Promise<FileReceipt> {
  const written = dryRun
    ? await tally(material.items)
    : await core.imports.import(planId, material.items, undefined, material.onInvalid);
  return { file, written, read: material.receipt() };
}

async function readingSettings(
  core: Ossature,
  { from, skipInvalid = false }: ImportOptions,
): Promise<ReadingSettings> {
  const { TOKENS } = await import('../../../index.js');
  return {
    counter: core.resolve(TOKENS.tokenCounter),
    digest: core.resolve(TOKENS.digest),
    redact: core.resolve(TOKENS.redact) ?? NO_REDACTION,
    skipInvalid,
    forcedFormat: from ?? null,
  };
}

/** What an import would bring, without a look at what the plan holds. */
async function tally(
  items: Material['items'],
): Promise<Omit<ImportReceipt, 'planId' | 'fragmentsKnown'>> {
  const found = { fragmentsAdded: 0, tokensAdded: 0, decisionsAdded: 0 };
  for await (const one of items) {
    if (one.item === 'decision') found.decisionsAdded += 1;
    if (one.item !== 'fragment') continue;
    found.fragmentsAdded += 1;
    found.tokensAdded += one.fragment.tokenCount ?? 0;
  }
  return found;
}

/** Files before the one that failed are in: said, because the error speaks of one file only. */
async function tellImported(receipts: readonly FileReceipt[], terminal: Terminal): Promise<void> {
  if (receipts.length === 0) return;
  const names = receipts.map(({ file }) => file).join(', ');
  await tell({ level: 'warning', text: `Imported before the error: ${names}.` }, terminal);
}

function resultOf(
  planId: string,
  receipts: readonly FileReceipt[],
  messages: readonly Message[],
  dryRun: boolean,
): CommandResult {
  return {
    data: { planId, dryRun, files: receipts.map(receiptFacts) },
    view: importView(receipts),
    messages: [
      ...(dryRun
        ? [
            {
              level: 'info',
              text: 'A dry run: nothing was written. What the plan already holds is counted here too.',
            } satisfies Message,
          ]
        : []),
      ...messages,
      ...receipts.flatMap(({ file, read }) => messagesOn(file, read)),
    ],
  };
}

function messagesOn(file: string, read: MaterialReceipt | null): readonly Message[] {
  if (read === null) return [{ level: 'warning', text: `${file} is empty: nothing was read.` }];
  const { problems, redactions, repaired, notes } = read;
  const secrets = Object.values(redactions).reduce((sum, count) => sum + count, 0);
  return [
    ...notes.map((text) => ({ level: 'warning', text }) satisfies Message),
    ...(repaired === 0
      ? []
      : [
          {
            level: 'warning',
            text: `${file}: ${countOf(repaired, 'character')} that the store cannot hold (U+0000 or half of a surrogate pair) became U+FFFD${placesOf(read)}: what is stored differs there from what was given.`,
          } satisfies Message,
        ]),
    ...(problems.total === 0
      ? []
      : [
          {
            level: 'warning',
            text: `${file}: ${countOf(problems.total, 'problem')}; what could not be read was left out.`,
          } satisfies Message,
        ]),
    ...(secrets === 0
      ? []
      : [
          {
            level: 'info',
            text: `${file}: ${countOf(secrets, 'secret')} replaced by placeholders.`,
          } satisfies Message,
        ]),
  ];
}

/** Lines that a warning names; all are in the data. */
const NAMED_LINES = 10;

function placesOf(read: MaterialReceipt): string {
  if (!('repairedLines' in read)) return '';
  const lines = read.repairedLines;
  const named = lines.slice(0, NAMED_LINES).join(', ') + (lines.length > NAMED_LINES ? ', …' : '');
  return ` in ${lines.length === 1 ? 'line' : 'lines'} ${named}`;
}
