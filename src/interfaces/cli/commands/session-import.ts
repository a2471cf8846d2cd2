/** `agents session import`: transcripts into the store, with a receipt for each session. */
import { basename } from 'node:path';
import { detectFormat, isBlank } from '../../../application/session/detect-format.js';
import type {
  IngestionReceipt,
  StoredChild,
} from '../../../application/session/ingestion-receipt.js';
import type {
  TranscriptReader,
  TranscriptSource,
} from '../../../application/session/transcript-reader.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { redactWith } from '../../../domain/redaction/redact.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { withCore } from '../open-core.js';
import { openSources } from '../open-sources.js';
import { tell } from '../output.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult, Message } from '../view.js';
import { intoPlan } from './session-into-plan.js';
import { windowSetting } from './session-summary.js';
import {
  sessionFacts,
  type SessionReceipt,
  sessionMessages,
  sessionView,
} from './session-receipt.js';

export interface SessionImportOptions {
  readonly from?: string;
  readonly plan?: string;
  readonly sessionKey?: string;
  readonly projectRoot?: string;
  readonly window?: string;
  readonly dryRun?: boolean;
  readonly tenant: string;
}

export async function importSessions(
  terminal: Terminal,
  files: readonly string[],
  options: SessionImportOptions,
): Promise<CommandResult> {
  const { windowTokens } = windowSetting(options.window);
  const sources = await openSources(terminal, files);
  try {
    // Every file is looked at before the first is written, and before a database is opened.
    for (const source of sources) await source.head();
    return await withCore(terminal, async (core) => {
      const work = await SessionImport.prepare(core, terminal, options);
      const chosen: { readonly source: TranscriptSource; readonly reader: TranscriptReader }[] = [];
      for (const source of sources) chosen.push({ source, reader: await work.readerOf(source) });
      for (const { source, reader } of chosen) await work.import(source, reader);
      if (windowTokens !== undefined) await work.keepWindow(windowTokens);
      return work.result();
    });
  } finally {
    for (const source of sources) await source.dispose();
  }
}

class SessionImport {
  readonly #receipts: SessionReceipt[] = [];
  readonly #messages: Message[] = [];

  private constructor(
    private readonly core: Ossature,
    private readonly terminal: Terminal,
    private readonly options: SessionImportOptions,
    private readonly readers: readonly TranscriptReader[],
    private readonly redact: ReturnType<typeof redactWith>,
    private readonly planId: string | null,
  ) {}

  static async prepare(
    core: Ossature,
    terminal: Terminal,
    options: SessionImportOptions,
  ): Promise<SessionImport> {
    const { TOKENS } = await import('../../../index.js');
    const { keyedDigest } = await import('../redaction-key.js');
    const { transcriptReaders } = await import('../../transcripts/transcript-readers.js');
    const plan = options.plan === undefined ? null : await core.plans.resolve(options.plan);
    const readers = transcriptReaders(
      core.resolve(TOKENS.digest),
      core.resolve(TOKENS.tokenCounter),
    );
    const redact = redactWith(keyedDigest(terminal.env));
    return new SessionImport(core, terminal, options, readers, redact, plan?.planId ?? null);
  }

  async readerOf(source: TranscriptSource): Promise<TranscriptReader> {
    const head = await source.head();
    const forced = this.options.from ?? null;
    const [first] = this.readers;
    if (isBlank(head) && forced === null && first !== undefined) return first;
    return detectFormat(this.readers, head, source.name, forced);
  }

  async import(source: TranscriptSource, reader: TranscriptReader): Promise<void> {
    try {
      for (const receipt of await this.#store(source, reader)) {
        await this.#importSubAgents(source.name, receipt);
      }
    } catch (error) {
      const stored = this.#receipts.map(({ file }) => file);
      if (stored.length > 0) {
        const text = `Imported before the error: ${[...new Set(stored)].join(', ')}.`;
        await tell({ level: 'warning', text }, this.terminal);
      }
      throw error;
    }
  }

  /** Of the sessions named on the command line: a sub-agent has the window of its own model. */
  async keepWindow(windowTokens: number): Promise<void> {
    const { tenant, dryRun = false } = this.options;
    if (dryRun) return;
    for (const { receipt } of this.#receipts) {
      if (receipt.sessionId === null || receipt.parentSessionId !== null) continue;
      await this.core.sessions.summaries.configure({
        tenantId: tenant,
        sessionId: receipt.sessionId,
        settings: { window_tokens: windowTokens },
      });
    }
  }

  result(): CommandResult {
    const dryRun = this.options.dryRun === true;
    const notes: readonly Message[] = dryRun
      ? [{ level: 'info', text: 'A dry run: nothing was written.' }]
      : [];
    return {
      data: { dryRun, sessions: this.#receipts.map(sessionFacts) },
      view: sessionView(this.#receipts),
      messages: [...notes, ...this.#messages, ...this.#receipts.flatMap(sessionMessages)],
    };
  }

  async #store(
    source: TranscriptSource,
    reader: TranscriptReader,
  ): Promise<readonly IngestionReceipt[]> {
    const { tenant, sessionKey = null, projectRoot, dryRun = false } = this.options;
    const { core, redact, planId } = this;
    const receipts = await core.sessions.ingestion.import({
      tenantId: tenant,
      source,
      reader,
      redact,
      planId,
      sessionKey,
      ...(projectRoot === undefined ? {} : { projectRoot }),
      dryRun,
    });
    const material =
      planId === null ? null : await intoPlan(core, { source, reader, redact, planId, dryRun });
    for (const receipt of receipts) {
      this.#receipts.push({ file: source.name, receipt, material });
    }
    return receipts;
  }

  /** Files of sub-agents become context of no plan: they are other agents' work. */
  async #importSubAgents(file: string, receipt: IngestionReceipt): Promise<void> {
    const { format, vendorSessionId, parentSessionId } = receipt;
    const { CLAUDE_CODE } = await import('../../transcripts/claude-code-transcript.js');
    if (format !== CLAUDE_CODE || vendorSessionId === null || file === STANDARD_INPUT) return;
    // A sub-agent's own file, or one inside the file: the main session looks for the others.
    if (parentSessionId !== null) return;
    const { subAgentFiles } = await import('../../transcripts/sub-agent-files.js');
    const { fileSource } = await import('../../transcripts/transcript-source.js');
    const found = await subAgentFiles(file, vendorSessionId);
    const reader = this.readers.find(({ name }) => name === format);
    if (reader === undefined) return;
    const { tenant, dryRun = false, projectRoot } = this.options;
    const store = (path: string): Promise<readonly IngestionReceipt[]> =>
      this.core.sessions.ingestion.import({
        tenantId: tenant,
        source: fileSource(path),
        reader,
        redact: this.redact,
        ...(projectRoot === undefined ? {} : { projectRoot }),
        dryRun,
      });
    const children: StoredChild[] = [];
    for (const path of found.sessions) {
      if (this.#receipts.some((one) => one.file === path)) continue;
      for (const one of await store(path)) {
        this.#receipts.push({ file: path, receipt: one, material: null });
        children.push(childOf(one, agentIn(path)));
      }
    }
    for (const path of found.compactions) {
      children.push(...(await this.#keepUsage(path, store)));
    }
    const at = this.#receipts.findIndex((one) => one.receipt === receipt);
    const own = this.#receipts[at];
    if (own === undefined) return;
    const all = { ...receipt, children: [...receipt.children, ...children] };
    this.#receipts[at] = { ...own, receipt: all };
  }

  /** A run by which the vendor shortened the session is no session, but it was paid for. */
  async #keepUsage(
    path: string,
    store: (path: string) => Promise<readonly IngestionReceipt[]>,
  ): Promise<readonly StoredChild[]> {
    const run = `${path} is a compaction run of the vendor and no session`;
    try {
      const receipts = await store(path);
      this.#messages.push({ level: 'info', text: `${run}: what it spent was kept.` });
      return receipts.flatMap(({ children }) => children);
    } catch (error) {
      if (!OssatureError.is(error, 'INVALID_TRANSCRIPT')) throw error;
      this.#messages.push({ level: 'warning', text: `${run}, and cannot be read.` });
      return [];
    }
  }
}

const STANDARD_INPUT = 'standard input';

/** `agent-<id>.jsonl`, as the vendor names them. */
function agentIn(path: string): string {
  return basename(path, '.jsonl').replace(/^agent-/, '');
}

function childOf(receipt: IngestionReceipt, agentId: string): StoredChild {
  const { sessionId, entries, parentCallId } = receipt;
  return { agentId, records: entries, callId: parentCallId, kind: 'sub-agent', sessionId };
}
