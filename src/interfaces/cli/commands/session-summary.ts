/** `agents session status`, `compact` and `show --section`: what a request holds, and what stands for the rest. */
import type { CompactReport } from '../../../application/session/pass-request.js';
import { renderItem } from '../../../domain/session/summary/render-summary.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { capsulesOf } from './session-capsules.js';
import { type CommandResult, type Field, formatCount, type Message } from '../view.js';
import { toSnakeCase, Verbatim } from '../wire-names.js';

export interface StatusOptions {
  readonly window?: string;
  readonly tenant: string;
}

export interface CompactOptions extends StatusOptions {
  readonly now?: boolean;
  readonly dryRun?: boolean;
}

export function showStatus(
  terminal: Terminal,
  name: string,
  { window, tenant }: StatusOptions,
): Promise<CommandResult> {
  const settings = windowSetting(window);
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(tenant, name);
    const status = await core.sessions.summaries.status({ tenantId: tenant, sessionId, settings });
    const { session, usedTokens, usedByPart, breakdown, triggers, automatic, failures } = status;
    const capsules = await capsulesOf(core, session);
    const { usableTokens, windowTokens, fillTokens, drainTokens } = status.settings;
    const guard = { ...automatic, failures };
    const parts = Object.entries(usedByPart).map(([part, tokens]): Field => [
      `  ${toSnakeCase(part)}`,
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
              'next pass',
              automatic.reason === null
                ? automatic.outcome
                : `${automatic.outcome}: ${automatic.reason}`,
            ],
            ['last attempt', status.lastAttempt?.outcome ?? 'none'],
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
  { window, tenant, now = false, dryRun = false }: CompactOptions,
): Promise<CommandResult> {
  const settings = windowSetting(window);
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(tenant, name);
    const request = { tenantId: tenant, sessionId, settings, now, dryRun };
    const report = await core.sessions.summaries.compact(request);
    const { outcome, reasons, span, tokensBefore, tokensAfter, targetTokens } = report;
    const left = span.map(({ from, to }) => (from === to ? `${from}` : `${from}..${to}`));
    return {
      data: { sessionId, ...report },
      messages: report.notes.map(note),
      exitCode: BAD_NEWS.includes(outcome) ? 1 : 0,
      view: [
        {
          block: 'fields',
          title: TITLES[outcome],
          fields: [
            ['outcome', outcome],
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

/** The summary of a session, one section of it. */
export function showSection(
  terminal: Terminal,
  name: string,
  key: string,
  tenant: string,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(tenant, name);
    const { summary, session } = await core.sessions.summaries.read({
      tenantId: tenant,
      sessionId,
    });
    const section = summary.schema.sections.find((one) => one.key === key);
    if (section === undefined) {
      const known = summary.schema.sections.map((one) => one.key);
      throw new OssatureError(
        'NOT_FOUND',
        `The summary has no section ${key.slice(0, 60)}. It has ${known.join(', ')}.`,
        { details: { section: key, known } },
      );
    }
    const items = summary.items.filter((item) => item.section === key);
    const told = items.map((item) => ({
      ...item,
      refs: item.refs.map((ref) => new Verbatim(ref)),
    }));
    return {
      data: {
        sessionId,
        cycle: session.cycle,
        sections: [{ key, title: section.title, items: told }],
      },
      view: [
        {
          block: 'fields',
          title: section.title,
          fields: [
            ['session_id', sessionId],
            ['cycle', String(session.cycle)],
            ['items', formatCount(items.length)],
          ],
        },
        ...items.map((item) => ({
          block: 'text' as const,
          text: `${renderItem(item)} [${item.state}${item.archived ? ', archived' : ''}]`,
        })),
      ],
    };
  });
}

function windowSetting(window: string | undefined): { readonly windowTokens?: number } {
  if (window === undefined) return {};
  if (!/^\d{1,15}$/.test(window)) {
    throw new UsageError('--window takes the tokens of the window, such as 200000.');
  }
  return { windowTokens: Number(window) };
}

function note(text: string): Message {
  return { level: 'info', text };
}
