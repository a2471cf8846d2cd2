/** `agents session import`: transcripts into the store, with a receipt for each session. */
import type {
  TranscriptReader,
  TranscriptSource,
} from '../../../application/session/transcript-reader.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import { openSources } from '../open-sources.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult, Message } from '../view.js';
import { sessionFacts, sessionMessages, sessionView } from './session-receipt.js';
import { windowSetting } from './session-summary.js';
import {
  materialChoice,
  type TranscriptImportOptions,
  TranscriptImports,
} from './transcript-imports.js';

export interface SessionImportOptions extends TranscriptImportOptions {
  readonly window?: string;
}

export async function importSessions(
  terminal: Terminal,
  files: readonly string[],
  options: SessionImportOptions,
): Promise<CommandResult> {
  const { windowTokens } = windowSetting(options.window);
  if (options.plan === undefined && Object.keys(materialChoice(options)).length > 0) {
    throw new UsageError(
      '--thinking and --max-fragment-tokens say what a plan gets: add --plan PLAN.',
    );
  }
  const sources = await openSources(terminal, files);
  try {
    // Every file is looked at before the first is written, and before a database is opened.
    for (const source of sources) await source.head();
    return await withCore(terminal, async (core) => {
      const imports = await TranscriptImports.prepare(core, terminal, options);
      const chosen: { readonly source: TranscriptSource; readonly reader: TranscriptReader }[] = [];
      for (const source of sources) chosen.push({ source, reader: await imports.readerOf(source) });
      for (const { source, reader } of chosen) await imports.import(source, reader);
      if (windowTokens !== undefined) await imports.keepWindow(windowTokens);
      return resultOf(imports, options.dryRun === true);
    });
  } finally {
    for (const source of sources) await source.dispose();
  }
}

function resultOf({ receipts, messages }: TranscriptImports, dryRun: boolean): CommandResult {
  const notes: readonly Message[] = dryRun
    ? [{ level: 'info', text: 'A dry run: nothing was written.' }]
    : [];
  return {
    data: { dryRun, sessions: receipts.map(sessionFacts) },
    view: sessionView(receipts),
    messages: [...notes, ...messages, ...receipts.flatMap(sessionMessages)],
  };
}
