/** `agents session status` and `compact`: what a request holds, and what stands for the rest. */
import type { CompactReport, PassRequest } from '../../../application/session/pass-request.js';
import { MAX_FAILURES } from '../../../domain/session/pass/pass-state.js';
import { reasonWords } from '../../../domain/session/pass/reason-words.js';
import { type PassSettingsInput, resolveSettings } from '../../../domain/session/pass/settings.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { frameIn } from './frame-file.js';
import { capsulesOf } from './session-capsules.js';
import { type CommandResult, type Field, formatCount, type Message } from '../view.js';
import { toSnakeCase } from '../wire-names.js';

export interface StatusOptions {
  readonly window?: string;
  readonly frame?: string;
  readonly tenant: string;
}

export interface CompactOptions extends StatusOptions {
  readonly now?: boolean;
  readonly strategy?: PassSettingsInput['strategy'];
  readonly focus?: string;
  readonly dryRun?: boolean;
}

export function showStatus(
  terminal: Terminal,
  name: string,
  { window, frame, tenant }: StatusOptions,
): Promise<CommandResult> {
  const settings = windowSetting(window);
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(tenant, name);
    const status = await core.sessions.summaries.status({
      tenantId: tenant,
      sessionId,
      settings,
      ...(await frameIn(frame)),
    });
    const { session, usedTokens, usedByPart, breakdown, triggers, automatic, failures } = status;
    const capsules = await capsulesOf(core, session);
    const { usableTokens, windowTokens, fillTokens, drainTokens } = status.settings;
    const { factor, reports } = status.calibration;
    const guard = { ...automatic, failures, isSuspended: failures >= MAX_FAILURES };
    const parts = Object.entries(usedByPart).map(([part, tokens]): Field => [
      `  ${PARTS[part] ?? toSnakeCase(part)}`,
      formatCount(tokens),
    ]);
    return {
      data: {
        sessionId,
        windowTokens,
        usableTokens,
        usedTokens,
        usedByPart,
        fillTokens,
        drainTokens,
        floorTokens: breakdown.floorTokens,
        cycle: session.cycle,
        triggers: triggers.map(({ trigger, ...answer }) => ({ name: trigger, ...answer })),
        guard,
        lastAttempt: status.lastAttempt,
        calibration: status.calibration,
        expansions: status.expansions,
        capsules: capsules.facts,
      },
      messages: [...status.notes.map(note), ...capsules.messages],
      view: [
        {
          block: 'fields',
          title: session.vendorSessionId ?? sessionId,
          fields: [
            ['session_id', sessionId],
            ['cycle', String(session.cycle)],
            ['window', formatCount(windowTokens)],
            ['used', formatCount(usedTokens)],
            ...parts,
            ['fill line', formatCount(fillTokens)],
            ['drain line', formatCount(drainTokens)],
            ['floor', formatCount(breakdown.floorTokens)],
            [
              'automatic pass',
              automatic.reason === null
                ? 'due now'
                : `${automatic.outcome}: ${reasonWords(automatic.reason)}`,
            ],
            ...(failures >= MAX_FAILURES
              ? [['automatic passes', 'suspended; a manual pass that succeeds lifts it'] as const]
              : []),
            ['last attempt', status.lastAttempt?.outcome ?? 'none'],
            ['calibration', `${factor} by ${formatCount(reports)} reports`],
            ['expansions', formatCount(status.expansions.count)],
          ],
        },
        {
          block: 'table',
          title: 'Triggers',
          isPart: true,
          columns: [{ title: 'trigger' }, { title: 'due' }, { title: 'reason' }],
          rows: triggers.map(({ trigger, due, reason }) => [trigger, due ? 'yes' : 'no', reason]),
          none: 'No triggers.',
        },
        ...capsules.view,
      ],
    };
  });
}

/** What the parts of a request are called, where their own names do not say it. */
const PARTS: Readonly<Record<string, string>> = {
  system: 'system prompt',
  tools: 'tool definitions',
  promptAgain: 'latest request, placed again',
};

const BAD_NEWS: readonly CompactReport['outcome'][] = [
  'rejected',
  'failed',
  'cancelled',
  'stopped',
  'busy',
  'stale',
];

export function compactSession(
  terminal: Terminal,
  name: string,
  { window, frame, tenant, strategy, focus, now = false, dryRun = false }: CompactOptions,
): Promise<CommandResult> {
  const settings = { ...windowSetting(window), ...(strategy !== undefined && { strategy }) };
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(tenant, name);
    const asked = { tenantId: tenant, sessionId, settings, ...(await frameIn(frame)) };
    const report = await core.sessions.summaries.compact({
      ...asked,
      // Who says what to attend to wants a pass.
      now: now || focus !== undefined,
      dryRun,
      ...(focus !== undefined && { focus }),
      signal: terminal.signal,
    });
    const { outcome, reasons, span, tokensAfter } = report;
    const { tokensBefore, targetTokens, breakdown } = await measured(core, asked, report);
    const left = span.map(({ from, to }) => (from === to ? `${from}` : `${from}..${to}`));
    return {
      data: { sessionId, ...report, tokensBefore, targetTokens, breakdown },
      messages: report.notes.map(note),
      exitCode: BAD_NEWS.includes(outcome) ? 1 : 0,
      view: [
        {
          block: 'fields',
          title: TITLES[outcome],
          fields: [
            ['outcome', outcome],
            ['strategy', report.strategy],
            ...reasons.map(({ code, reason }): Field => ['reason', `${code}: ${reason}`]),
            ['cycle', String(report.cycle)],
            ['attempt_id', report.attemptId ?? 'none'],
            ['entries', left.length === 0 ? 'none' : left.join(', ')],
            ['tokens before', formatCount(tokensBefore)],
            ['tokens after', tokensAfter === null ? 'unchanged' : afterText(tokensAfter, dryRun)],
            ['target', formatCount(targetTokens)],
          ],
        },
      ],
    };
  });
}

/** Of a check that sums alone have answered, the sizes that a person wants to see all the same. */
async function measured(
  core: Pick<Ossature, 'sessions'>,
  asked: PassRequest,
  { tokensBefore, breakdown }: CompactReport,
) {
  if (breakdown !== null) return { tokensBefore, targetTokens: breakdown.targetTokens, breakdown };
  const status = await core.sessions.summaries.status(asked);
  const { targetTokens } = status.breakdown;
  return { tokensBefore: status.usedTokens, targetTokens, breakdown: status.breakdown };
}

const TITLES: Readonly<Record<CompactReport['outcome'], string>> = {
  adopted: 'Compacted',
  planned: 'What a pass would do',
  not_due: 'No pass is due',
  unchanged: 'Nothing to do',
  stopped: 'No pass can help',
  rejected: 'The summary was rejected; the session is as it was',
  failed: 'The summarizer failed; the session is as it was',
  cancelled: 'Cancelled; the session is as it was',
  busy: 'Another pass is running',
  stale: 'The session was changed meanwhile',
};

function afterText(tokens: number, isPlan: boolean): string {
  return isPlan ? `at most ${formatCount(tokens)}` : formatCount(tokens);
}

/**
 * Checked before anything is read or written.
 *
 * @throws UsageError for what is no number; OssatureError INVALID_CONFIG for one out of bounds.
 */
export function windowSetting(window: string | undefined): { readonly windowTokens?: number } {
  if (window === undefined) return {};
  if (!/^-?\d+(\.\d+)?$/.test(window)) {
    throw new UsageError('--window takes the tokens of the window, such as 200000.');
  }
  const windowTokens = Number(window);
  resolveSettings({ windowTokens }, null);
  return { windowTokens };
}

function note(text: string): Message {
  return { level: 'info', text };
}
