/** Transcripts into the store, as `agents session import` and `agents plan import` bring them. */
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
import type { MaterialChoice } from '../../../domain/session/plan-material.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { UsageError } from '../failure.js';
import { tell } from '../output.js';
import type { Terminal } from '../terminal.js';
import type { Message } from '../view.js';
import type { SessionReceipt } from './session-receipt.js';

export interface TranscriptImportOptions {
  readonly from?: string;
  readonly plan?: string;
  readonly sessionKey?: string;
  readonly projectRoot?: string;
  readonly dryRun?: boolean;
  readonly tenant: string;
  /** Of what a plan gets. */
  readonly thinking?: boolean;
  readonly maxFragmentTokens?: string;
}

/** Imports transcripts file by file, with the sub-agents beside each, into a plan where one is named. */
export class TranscriptImports {
  readonly #receipts: SessionReceipt[] = [];
  readonly #messages: Message[] = [];

  private constructor(
    private readonly core: Ossature,
    private readonly terminal: Terminal,
    private readonly options: TranscriptImportOptions,
    private readonly readers: readonly TranscriptReader[],
    private readonly planId: string | null,
  ) {}

  static async prepare(
    core: Ossature,
    terminal: Terminal,
    options: TranscriptImportOptions,
  ): Promise<TranscriptImports> {
    const { TOKENS } = await import('../../../index.js');
    const { transcriptReaders } = await import('../../transcripts/transcript-readers.js');
    const plan = options.plan === undefined ? null : await core.plans.resolve(options.plan);
    const readers = transcriptReaders(
      core.resolve(TOKENS.digest),
      core.resolve(TOKENS.tokenCounter),
    );
    return new TranscriptImports(core, terminal, options, readers, plan?.planId ?? null);
  }

  async readerOf(source: TranscriptSource): Promise<TranscriptReader> {
    const head = await source.head();
    const forced = this.options.from ?? null;
    const [first] = this.readers;
    if (isBlank(head) && forced === null && first !== undefined) return first;
    return detectFormat(this.readers, head, source.name, forced);
  }

  /** @returns the receipts of this file and of what lies beside it. */
  async import(
    source: TranscriptSource,
    reader: TranscriptReader,
  ): Promise<readonly SessionReceipt[]> {
    const before = this.#receipts.length;
    try {
      for (const receipt of await this.#store(source, reader)) {
        await this.#importSubAgents(source.name, receipt);
      }
      return this.#receipts.slice(before);
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
    const { summaries } = this.core.sessions;
    for (const [at, one] of this.#receipts.entries()) {
      const { sessionId, agentName } = one.receipt;
      if (sessionId === null || agentName !== null) continue;
      const key = { tenantId: tenant, sessionId };
      await summaries.configure({ ...key, settings: { window_tokens: windowTokens } });
      const due = await summaries.dueTrigger(key);
      this.#receipts[at] = { ...one, receipt: { ...one.receipt, due } };
    }
  }

  /** Of every file so far. */
  get receipts(): readonly SessionReceipt[] {
    return this.#receipts;
  }

  /** What was passed over beside the files. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  async #store(
    source: TranscriptSource,
    reader: TranscriptReader,
  ): Promise<readonly IngestionReceipt[]> {
    const { tenant, sessionKey = null, projectRoot, dryRun = false } = this.options;
    const { core, planId } = this;
    const request = {
      tenantId: tenant,
      source,
      reader,
      sessionKey,
      ...(projectRoot === undefined ? {} : { projectRoot }),
      dryRun,
    };
    const { receipts, material } =
      planId === null
        ? { receipts: await core.sessions.ingestion.import(request), material: null }
        : await core.sessionImports.import(planId, { ...request, ...materialChoice(this.options) });
    for (const receipt of receipts) {
      this.#receipts.push({ file: source.name, receipt, material });
    }
    return receipts;
  }

  /** Files of sub-agents become context of no plan: they are other agents' work. */
  async #importSubAgents(file: string, receipt: IngestionReceipt): Promise<void> {
    const { format, vendorSessionId, agentName } = receipt;
    const { CLAUDE_CODE } = await import('../../transcripts/claude-code-transcript.js');
    if (format !== CLAUDE_CODE || vendorSessionId === null || file === STANDARD_INPUT) return;
    // A sub-agent's own file, or one inside the file: the main session looks for the others.
    if (agentName !== null) return;
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

/** @throws UsageError */
export function materialChoice({
  thinking,
  maxFragmentTokens: most,
}: Pick<TranscriptImportOptions, 'thinking' | 'maxFragmentTokens'>): MaterialChoice {
  if (most !== undefined && !(/^\d{1,9}$/.test(most) && Number(most) >= 100)) {
    throw new UsageError('--max-fragment-tokens takes a whole number from 100, such as 8000.');
  }
  return {
    ...(thinking === true && { thinking }),
    ...(most !== undefined && { maxFragmentTokens: Number(most) }),
  };
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
