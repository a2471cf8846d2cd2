/**
 * Summaries of stored sessions: what a request holds, and passes that move the cut. Every entry that
 * leaves is covered by exactly one cycle, and every try is recorded. Works without a model.
 */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { Redact } from '../../domain/redaction/redact.js';
import {
  leavingEntries,
  runOfflinePass,
  spanHashOf,
  spanOf,
} from '../../domain/session/pass/offline-pass.js';
import type { PassPlan } from '../../domain/session/pass/plan-pass.js';
import { type ResolvedSettings, resolveSettings } from '../../domain/session/pass/settings.js';
import type { SessionKey } from '../../domain/session/repositories.js';
import { parseSessionId, requireTenant, type Session } from '../../domain/session/session.js';
import {
  newVersions,
  type SessionAttempt,
  type SessionCycle,
} from '../../domain/session/summary/session-cycle.js';
import type { Making } from '../../domain/session/summary/summary-item.js';
import type {
  CompactReport,
  CompactRequest,
  PassRequest,
  SessionRequest,
  StoredSummaryView,
  SummaryStatus,
} from './pass-request.js';
import {
  type PassMaterial,
  type PlannedPass,
  planStored,
  readPassMaterial,
  readSummary,
} from './read-pass-material.js';
import { type Expansion, expandHandle } from './expand-handle.js';
import { readSectionLines } from './read-section-lines.js';
import type { SummaryNeeds } from './summary-needs.js';
import { type ActReceipt, pinText, rollBackTo, unpinItem } from './summary-acts.js';

/** Tokens of a page of an expansion, where none are named. */
const PAGE_TOKENS = 10_000;

/** Tries of one call while others change the summary. */
const STALE_TRIES = 3;

const NO_FRAME = { systemTokens: 0, toolTokens: 0 };

export class SessionSummaryService {
  constructor(private readonly needs: SummaryNeeds) {}

  /** The summary in force, with all cycles. @throws OssatureError INVALID_ID, NOT_FOUND. */
  async read(request: SessionRequest): Promise<StoredSummaryView> {
    const { repositories } = this.needs;
    const session = await repositories.sessions.get(keyOf(request));
    return {
      session,
      summary: await readSummary(repositories, session),
      cycles: await repositories.summaries.listCycles(session),
    };
  }

  /**
   * What a request holds, and what an automatic pass would do now. Nothing is written.
   *
   * @throws OssatureError INVALID_CONFIG where the window is not known or a setting is out of bounds.
   */
  async status(request: PassRequest): Promise<SummaryStatus> {
    const { repositories } = this.needs;
    const key = keyOf(request);
    const resolved = this.#settle(await repositories.sessions.get(key), request);
    const material = await readPassMaterial(repositories, key, request.frame ?? NO_FRAME);
    const { verdict, measured, failures } = this.#plan(material, resolved, 'automatic');
    const { parts, promptAgainTokens } = measured.state;
    const { systemTokens: system, toolTokens: tools, pinTokens: pins, summaryTokens } = parts;
    const before = system + tools + pins + summaryTokens + promptAgainTokens;
    return {
      session: material.session,
      ...resolved,
      usedTokens: verdict.usedTokens,
      usedByPart: {
        system,
        tools,
        pins,
        summary: summaryTokens,
        promptAgain: promptAgainTokens,
        tail: verdict.usedTokens - before,
      },
      breakdown: verdict.breakdown,
      triggers: verdict.triggers,
      automatic: {
        outcome: verdict.outcome,
        reason: verdict.outcome === 'pass' ? null : verdict.reason,
      },
      failures,
      lastAttempt: material.attempts[0] ?? null,
    };
  }

  /**
   * One pass. The history stays as it was unless the gate lets the new summary through.
   *
   * @throws OssatureError INVALID_CONFIG as `status`, and for a strategy or trigger that needs more than
   * the store; NOT_FOUND; STORE_FAILED.
   */
  async compact(request: CompactRequest): Promise<CompactReport> {
    const key = keyOf(request);
    for (let tries = 1; ; tries += 1) {
      const report = await this.#compactOnce(key, request);
      if (report.outcome !== 'stale' || tries >= STALE_TRIES) return report;
    }
  }

  /**
   * Keeps a rule word for word, in every cycle, until it is unpinned. Secrets in it are replaced first.
   *
   * @throws OssatureError INVALID_INPUT for a blank text, NOT_FOUND.
   */
  pin(
    request: SessionRequest & { readonly text: string; readonly redact: Redact },
  ): Promise<ActReceipt> {
    return pinText(this.needs, keyOf(request), request.text, request.redact);
  }

  /** @throws OssatureError NOT_FOUND where it is no pin in force. */
  unpin(request: SessionRequest & { readonly itemNo: number }): Promise<ActReceipt> {
    return unpinItem(this.needs, keyOf(request), request.itemNo);
  }

  /**
   * Summary and cut as they were after that cycle; 0: without any. Later cycles stay recorded.
   *
   * @throws OssatureError NOT_FOUND where the cycle is not in force.
   */
  rollback(request: SessionRequest & { readonly toCycle: number }): Promise<ActReceipt> {
    return rollBackTo(this.needs, keyOf(request), request.toCycle);
  }

  /** The entries that a handle stands for. @throws OssatureError NOT_FOUND. */
  async expand(
    request: SessionRequest & {
      readonly handle: string;
      /** Of a page. Left out: 10,000. */
      readonly maxTokens?: number;
      /** `next` of the page before. */
      readonly after?: number;
    },
  ): Promise<Expansion> {
    const { repositories } = this.needs;
    const session = await repositories.sessions.get(keyOf(request));
    const { handle, maxTokens = PAGE_TOKENS, after = 0 } = request;
    return expandHandle(repositories, session, handle, maxTokens, after);
  }

  async #compactOnce(key: SessionKey, request: CompactRequest): Promise<CompactReport> {
    const { repositories, digest } = this.needs;
    const resolved = this.#settle(await repositories.sessions.get(key), request);
    const { dryRun = false, now = false } = request;
    if (!dryRun) await this.#abandon(key, resolved.settings.passTimeoutMs);
    const material = await readPassMaterial(repositories, key, request.frame ?? NO_FRAME);
    const planned = this.#plan(material, resolved, now ? 'manual' : 'automatic');
    const { verdict } = planned;
    const report: CompactReport = {
      outcome: verdict.outcome === 'pass' ? 'planned' : verdict.outcome,
      reasons: verdict.outcome === 'pass' ? [] : [said(verdict.reason)],
      cycle: material.session.cycle,
      attemptId: null,
      span: [],
      tokensBefore: verdict.usedTokens,
      tokensAfter: null,
      targetTokens: verdict.breakdown.targetTokens,
      breakdown: verdict.breakdown,
      notes: resolved.notes,
    };
    if (verdict.outcome === 'stopped' && !dryRun) {
      return { ...report, attemptId: await this.#recordStop(material, planned) };
    }
    if (verdict.outcome !== 'pass') return report;

    const leaving = leavingEntries(
      planned.request.entries,
      planned.measured.frameEntries,
      planned.request.cut.cutSeq,
      verdict.span.cutSeq,
    );
    const span = spanOf(leaving);
    if (dryRun) return { ...report, span, tokensAfter: verdict.afterTokens };
    const attempt = this.#attempt(material, planned, verdict, span);
    if (!(await repositories.summaries.startAttempt(key, attempt))) {
      const running = (await repositories.summaries.listAttempts(key, 10)).find(
        ({ outcome }) => outcome === 'started',
      );
      const reasons = [{ code: 'busy', reason: 'another pass of this session is running' }];
      return { ...report, outcome: 'busy', reasons, attemptId: running?.attemptId ?? null };
    }
    try {
      const read = await readSectionLines(repositories, material, leaving, digest);
      const cycle = 1 + material.cycles.reduce((last, one) => Math.max(last, one.cycle), 0);
      const spanHash = spanHashOf(leaving, digest);
      const pass = runOfflinePass({
        request: planned.request,
        plan: verdict,
        settings: resolved.settings,
        lines: read.lines,
        commands: read.commands,
        making: this.#making(cycle, spanHash, read.entryIds),
        counter: this.needs.tokenCounter,
        digest,
      });
      const { gate, tokensBefore, tokensAfter } = pass;
      const made = { ...report, span, attemptId: attempt.attemptId, tokensBefore, tokensAfter };
      const settled: SessionAttempt = {
        ...attempt,
        tokensAfter,
        checks: gate.checks,
        reasons: gate.reasons,
        outcome: gate.outcome === 'passed' ? 'adopted' : 'rejected',
        finishedAt: this.needs.clock(),
      };
      if (gate.outcome === 'rejected') {
        await repositories.summaries.settleAttempt(key, settled);
        return { ...made, outcome: 'rejected', reasons: gate.reasons };
      }
      const adopted: SessionCycle = {
        cycle,
        revision: material.session.revision + 1,
        attemptId: attempt.attemptId,
        state: 'live',
        strategy: 'offline',
        stubs: [],
        blob: null,
        replaces: [],
        lastSeq: material.session.lastSeq,
        cutSeq: verdict.span.cutSeq,
        span,
        spanHash,
        previews: [...planned.request.previews]
          .filter(([seq]) => seq > verdict.span.cutSeq)
          .map(([seq, characters]) => ({ seq, characters }))
          .sort((a, b) => a.seq - b.seq),
        promptAgainSeq: verdict.promptAgainSeq,
        tokensBefore,
        tokensAfter,
        targetTokens: verdict.targetTokens,
        floorTokens: verdict.breakdown.floorTokens,
        createdAt: this.needs.clock(),
      };
      await this.needs.unitOfWork(async ({ summaries }) => {
        await summaries.apply(
          key,
          {
            fromRevision: material.session.revision,
            sessionCycle: cycle,
            items: newVersions(planned.request.summary, pass.summary),
            adopted,
            rolledBack: [],
          },
          this.needs.clock(),
        );
        await summaries.settleAttempt(key, settled);
      });
      this.needs.log.info('session.compacted', { ...key, cycle, tokensBefore, tokensAfter });
      return { ...made, outcome: 'adopted', cycle };
    } catch (error) {
      const isStale = OssatureError.is(error, 'STALE');
      await this.#settleFailed(key, attempt, isStale ? 'stale' : 'failed', error);
      if (!isStale) throw error;
      const reasons = [{ code: 'stale', reason: 'the summary was changed meanwhile' }];
      return { ...report, outcome: 'stale', reasons, attemptId: attempt.attemptId };
    }
  }

  #settle(session: Session, { settings = {} }: PassRequest): ResolvedSettings {
    const resolved = resolveSettings(settings, session.model);
    const { strategy, triggers } = resolved.settings;
    if (strategy !== 'auto' && strategy !== 'offline') {
      throw invalid('strategy', `${strategy} needs a model; choose offline or auto`);
    }
    const other = triggers.flat().find((name) => name === 'importance' || name === 'task_boundary');
    if (other === undefined) return resolved;
    throw invalid('triggers', `${other} is not offered for stored sessions`);
  }

  #plan(
    material: PassMaterial,
    { settings }: ResolvedSettings,
    start: 'automatic' | 'manual',
  ): PlannedPass {
    const { tokenCounter: counter, digest } = this.needs;
    return planStored(material, start, { settings, counter, digest });
  }

  #making(cycle: number, spanHash: string, entryIds: ReadonlyMap<number, string>): Making {
    return {
      cycle,
      producer: 'offline',
      spanHash,
      itemIdOf: () => this.needs.newId(),
      entryIdOf: (seq) => {
        const entryId = entryIds.get(seq);
        if (entryId !== undefined) return entryId;
        throw new OssatureError('STORE_FAILED', `There is no entry ${seq} to cite.`, {
          details: { seq },
        });
      },
    };
  }

  #attempt(
    { session }: PassMaterial,
    { verdict, fingerprint }: PlannedPass,
    plan: Pick<PassPlan, 'trigger'>,
    span: SessionAttempt['span'],
  ): SessionAttempt {
    return {
      attemptId: this.needs.newId(),
      fallbackOf: null,
      fromRevision: session.revision,
      trigger: plan.trigger,
      strategy: 'offline',
      producer: 'offline',
      lastSeq: session.lastSeq,
      span,
      fingerprint,
      tokensBefore: verdict.usedTokens,
      tokensAfter: null,
      targetTokens: verdict.breakdown.targetTokens,
      floorTokens: verdict.breakdown.floorTokens,
      modelCalls: [],
      leaseUntil: null,
      outcome: 'started',
      reasons: [],
      checks: null,
      startedAt: this.needs.clock(),
      finishedAt: null,
    };
  }

  /** Once for a state of the session. @returns the attempt that tells of it. */
  async #recordStop(material: PassMaterial, planned: PlannedPass): Promise<string> {
    const known = material.attempts.find(
      ({ outcome, fingerprint }) => outcome === 'stopped' && fingerprint === planned.fingerprint,
    );
    if (known !== undefined) return known.attemptId;
    const trigger = planned.verdict.triggers.find(({ due }) => due)?.trigger ?? 'manual';
    const { floorTokens, fillTokens } = planned.verdict.breakdown;
    const stopped: SessionAttempt = {
      ...this.#attempt(material, planned, { trigger }, []),
      outcome: 'stopped',
      reasons: [
        {
          code: 'floor-over-budget',
          itemNo: null,
          reason: `floor ${floorTokens}, fill line ${fillTokens}`,
        },
      ],
      finishedAt: this.needs.clock(),
    };
    await this.needs.repositories.summaries.startAttempt(material.session, stopped);
    return stopped.attemptId;
  }

  /** What a crash left started blocks no longer than the time of a pass. */
  async #abandon(key: SessionKey, passTimeoutMs: number): Promise<void> {
    const { summaries } = this.needs.repositories;
    const now = this.needs.clock();
    for (const attempt of await summaries.listAttempts(key, 10)) {
      const isDead = now.getTime() - attempt.startedAt.getTime() > passTimeoutMs;
      if (attempt.outcome !== 'started' || !isDead) continue;
      await this.#settleFailed(key, attempt, 'abandoned', null);
    }
  }

  async #settleFailed(
    key: SessionKey,
    attempt: SessionAttempt,
    outcome: 'stale' | 'failed' | 'abandoned',
    error: unknown,
  ): Promise<void> {
    const reason = error instanceof Error ? error.message : outcome;
    await this.needs.repositories.summaries
      .settleAttempt(key, {
        ...attempt,
        outcome,
        reasons: [{ code: 'error', itemNo: null, reason }],
        finishedAt: this.needs.clock(),
      })
      .catch((fault: unknown) => {
        // Settled by somebody else meanwhile, or out of reach: the error at hand is the one to tell.
        this.needs.log.warn('session.attempt-not-settled', { ...key, fault: String(fault) });
      });
  }
}

function said(code: string): { readonly code: string; readonly reason: string } {
  return { code, reason: code.replaceAll('-', ' ') };
}

function keyOf({ tenantId, sessionId }: SessionRequest): SessionKey {
  return { tenantId: requireTenant(tenantId), sessionId: parseSessionId(sessionId) };
}

function invalid(field: string, fault: string): OssatureError {
  return new OssatureError('INVALID_CONFIG', `${field} ${fault}.`, { details: { field } });
}
