/**
 * Summaries of stored sessions: what a request holds, and passes that move the cut. Every entry that
 * leaves is covered by exactly one cycle, and every try is recorded. Works without a model.
 */
import { OssatureError } from '../../domain/kernel/errors.js';
import type { JsonValue } from '../../domain/redaction/json-value.js';
import { NO_REDACTION, type Redact } from '../../domain/redaction/redact.js';
import { calibrated } from '../../domain/session/pass/calibration.js';
import type { TriggerName } from '../../domain/session/pass/trigger-names.js';
import type { SessionKey } from '../../domain/session/repositories.js';
import { parseSessionId, requireTenant } from '../../domain/session/session.js';
import type { SummaryItem } from '../../domain/session/summary/summary-item.js';
import { type Expansion, expandHandle } from './expand-handle.js';
import { abandonDead } from './pass/attempt-record.js';
import {
  calibrateSession,
  type CalibrationReport,
  readCalibration,
} from './pass/calibrate-session.js';
import { checkSums } from './pass/check-sums.js';
import { compactOnce, preparePass, storePreviews } from './pass/compact.js';
import { settingsOf } from './pass/pass-needs.js';
import { countedTokens, recoverFromOverflow } from './pass/recover-overflow.js';
import type {
  CompactReport,
  CompactRequest,
  OverflowReport,
  OverflowRequest,
  PassCheck,
  PassRequest,
  SessionRequest,
  StoredSummaryView,
  SummaryStatus,
  UsageRequest,
} from './pass-request.js';
import { readSummary } from './read-pass-material.js';
import { changeStoredSettings, type SettingsReceipt } from './stored-settings-act.js';
import { type ActReceipt, pinText, rollBackTo, unpinItem } from './summary-acts.js';
import type { PassNeeds } from './summary-needs.js';

/** Tokens of a page of an expansion, where none are named. */
const PAGE_TOKENS = 10_000;

/** Tries of one call while others change the summary. */
const STALE_TRIES = 3;

export class SessionSummaryService {
  constructor(private readonly needs: PassNeeds) {}

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
   * What a request holds, and what an automatic pass would do now. Nothing is written, save that an
   * attempt of a process that died is settled.
   *
   * @throws OssatureError INVALID_CONFIG where the window is not known or a setting is out of bounds.
   */
  async status(request: PassRequest): Promise<SummaryStatus> {
    const { repositories } = this.needs;
    const key = keyOf(request);
    const session = await repositories.sessions.get(key);
    await abandonDead(this.needs, key, settingsOf(this.needs, session, request).settings);
    const { material, planned, resolved } = await preparePass(
      this.needs,
      key,
      request,
      'automatic',
    );
    const { verdict, measured, failures } = planned;
    const { parts, promptAgainTokens, factor } = measured.state;
    const shares = {
      system: parts.systemTokens,
      tools: parts.toolTokens,
      pins: parts.pinTokens,
      summary: parts.summaryTokens,
      promptAgain: promptAgainTokens,
    };
    const before = Object.entries(shares).map(
      ([part, tokens]) => [part, calibrated(tokens, factor)] as const,
    );
    const tail = verdict.usedTokens - before.reduce((sum, [, tokens]) => sum + tokens, 0);
    const expansions = await repositories.summaries.listExpansions(session);
    return {
      session: material.session,
      ...resolved,
      usedTokens: verdict.usedTokens,
      usedByPart: { ...Object.fromEntries(before), tail },
      breakdown: verdict.breakdown,
      triggers: verdict.triggers,
      automatic: {
        outcome: verdict.outcome,
        reason: verdict.outcome === 'pass' ? null : verdict.reason,
      },
      failures,
      calibration: await readCalibration(this.needs, session),
      expansions: {
        count: expansions.length,
        tokens: expansions.reduce((sum, { tokens }) => sum + tokens, 0),
      },
      lastAttempt: material.attempts[0] ?? null,
    };
  }

  /**
   * Asked between two steps of an agent: is a pass due? Oversized texts are decided to be previews from
   * now on; nothing else is written, and no model is called.
   *
   * @throws OssatureError as `status`.
   */
  async check(request: PassRequest): Promise<PassCheck> {
    const key = keyOf(request);
    const session = await this.needs.repositories.sessions.get(key);
    const early = await checkSums(this.needs, session, request);
    if (early !== null) return early;
    const prepared = await preparePass(this.needs, key, request, 'automatic');
    await storePreviews(this.needs, prepared);
    const { material, planned } = prepared;
    const { verdict } = planned;
    return {
      isDue: verdict.outcome === 'pass',
      outcome: verdict.outcome,
      reason: verdict.outcome === 'pass' ? null : verdict.reason,
      usedTokens: verdict.usedTokens,
      triggers: verdict.triggers,
      previewed: [...planned.request.previews.keys()].filter(
        (seq) => !material.request.previews.has(seq),
      ),
    };
  }

  /**
   * The trigger for which an automatic pass would be made now, as `check` finds it, but nothing is
   * written. Null also for a session whose window is not known: nobody can say then.
   *
   * @throws OssatureError INVALID_ID, NOT_FOUND.
   */
  async dueTrigger(request: PassRequest): Promise<TriggerName | null> {
    try {
      const key = keyOf(request);
      const session = await this.needs.repositories.sessions.get(key);
      if ((await checkSums(this.needs, session, request)) !== null) return null;
      const { planned } = await preparePass(this.needs, key, request, 'automatic');
      const { verdict } = planned;
      return verdict.outcome !== 'pass' || verdict.trigger === 'manual' ? null : verdict.trigger;
    } catch (error) {
      if (OssatureError.is(error, 'INVALID_CONFIG')) return null;
      throw error;
    }
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
      const report = await compactOnce(this.needs, key, request);
      if (report.outcome === 'stale' && tries < STALE_TRIES) continue;
      return isRefused(report) ? this.#afterRefusal(report, request) : report;
    }
  }

  /**
   * The provider refused a request of the session, or our own count says that it will. Deterministic
   * steps follow until it fits, and no model is asked; or a stop says how large every part is.
   *
   * @throws OssatureError as `compact`; INVALID_INPUT for numbers that are none.
   */
  async recoverOverflow(request: OverflowRequest): Promise<OverflowReport> {
    for (let tries = 1; ; tries += 1) {
      const report = await recoverFromOverflow(this.needs, keyOf(request), request);
      if (report.outcome !== 'stale' || tries >= STALE_TRIES) return report;
    }
  }

  /**
   * What the provider counted for the request that was sent last: the factor of the counter follows it.
   *
   * @throws OssatureError as `status`; INVALID_INPUT.
   */
  async reportUsage(request: UsageRequest): Promise<CalibrationReport> {
    const { inputTokens } = request;
    if (!Number.isSafeInteger(inputTokens) || inputTokens < 0) {
      throw new OssatureError(
        'INVALID_INPUT',
        `inputTokens must be a whole number from 0 on, got ${inputTokens}.`,
        { details: { field: 'inputTokens' } },
      );
    }
    const prepared = await preparePass(this.needs, keyOf(request), request, 'automatic');
    const counted = countedTokens(this.needs, prepared);
    const reported = { kind: 'usage', inputTokens } as const;
    return calibrateSession(this.needs, prepared.material.session, counted, reported);
  }

  /**
   * Settings that the session keeps, by their names in the store; null takes one back to its default.
   * Another section schema moves the items at once.
   *
   * @throws OssatureError INVALID_CONFIG naming the field; nothing is written then.
   */
  configure(
    request: SessionRequest & { readonly settings: Readonly<Record<string, JsonValue>> },
  ): Promise<SettingsReceipt> {
    return changeStoredSettings(this.needs, keyOf(request), request.settings);
  }

  /**
   * Keeps a rule word for word, in every cycle, until it is unpinned. Secrets in it are replaced first.
   *
   * @throws OssatureError INVALID_INPUT for a blank text, NOT_FOUND.
   */
  pin(
    request: SessionRequest & { readonly text: string; readonly redact?: Redact | null },
  ): Promise<ActReceipt> {
    const { text, redact = this.needs.redact } = request;
    return pinText(this.needs, keyOf(request), text, redact ?? NO_REDACTION);
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

  /** Refused while over the window: the deterministic steps follow in the same call. */
  async #afterRefusal(report: CompactReport, request: CompactRequest): Promise<CompactReport> {
    if (report.breakdown === null || report.tokensBefore <= report.breakdown.usableTokens) {
      return report;
    }
    const recovered = await this.recoverOverflow(request);
    const notes = report.reasons.map(({ code, reason }) => `refused before: ${code}: ${reason}`);
    return { ...recovered, notes: [...report.notes, ...notes, ...recovered.notes] };
  }

  /** Every version of an item, oldest first. @throws OssatureError NOT_FOUND. */
  async versions(
    request: SessionRequest & { readonly itemNo: number },
  ): Promise<readonly SummaryItem[]> {
    const { repositories } = this.needs;
    const session = await repositories.sessions.get(keyOf(request));
    const versions = await repositories.summaries.listVersions(session, request.itemNo);
    if (versions.length > 0) return versions;
    throw new OssatureError('NOT_FOUND', `There is no item #${request.itemNo}.`, {
      details: { itemNo: request.itemNo },
    });
  }

  /** The entries that a handle stands for; each time is counted. @throws OssatureError NOT_FOUND. */
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
    const page = await expandHandle(repositories, session, handle, maxTokens, after);
    await repositories.summaries.addExpansion(session, {
      expansionId: this.needs.newId(),
      handle,
      cycle: session.cycle,
      entries: page.entries.length,
      tokens: page.entries.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
      expandedAt: this.needs.clock(),
    });
    return page;
  }
}

function keyOf({ tenantId, sessionId }: SessionRequest): SessionKey {
  return { tenantId: requireTenant(tenantId), sessionId: parseSessionId(sessionId) };
}

function isRefused({ outcome }: CompactReport): boolean {
  return outcome === 'rejected' || outcome === 'failed';
}
