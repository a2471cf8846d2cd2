/** The work of `agents session expand`, `pin`, `unpin` and `rollback`. */
import type { ActReceipt } from '../../../application/session/summary-acts.js';
import { UsageError } from '../failure.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult, Field } from '../view.js';
import { entryBlock, entryFacts } from './session-reading.js';

export interface ActOptions {
  readonly tenant: string;
}

export interface ExpandOptions extends ActOptions {
  readonly maxTokens: string;
  readonly after?: string;
}

export interface RollbackOptions extends ActOptions {
  readonly toCycle: string;
}

export function expandSession(
  terminal: Terminal,
  name: string,
  handle: string,
  { maxTokens, after = '0', tenant }: ExpandOptions,
): Promise<CommandResult> {
  const page = { maxTokens: whole('--max-tokens', maxTokens), after: whole('--after', after) };
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(tenant, name);
    const request = { tenantId: tenant, sessionId, handle, ...page };
    const { entries, next } = await core.sessions.summaries.expand(request);
    return {
      data: { sessionId, handle, entries: entries.map(entryFacts), next },
      view: entries.map(entryBlock),
      messages: [
        ...(entries.length === 0 && page.after === 0
          ? [{ level: 'info' as const, text: 'It is there, and no entry stands behind it.' }]
          : []),
        ...(next === null
          ? []
          : [{ level: 'info' as const, text: `There are more: go on with --after ${next}.` }]),
      ],
    };
  });
}

export function pinInSession(
  terminal: Terminal,
  name: string,
  text: string,
  { tenant }: ActOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(tenant, name);
    const request = { tenantId: tenant, sessionId, text };
    return told(sessionId, 'Pinned', await core.sessions.summaries.pin(request));
  });
}

export function unpinInSession(
  terminal: Terminal,
  name: string,
  item: string,
  { tenant }: ActOptions,
): Promise<CommandResult> {
  const itemNo = whole('ITEM', item.replace(/^#/, ''));
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(tenant, name);
    const request = { tenantId: tenant, sessionId, itemNo };
    return told(sessionId, 'Unpinned', await core.sessions.summaries.unpin(request));
  });
}

export function rollBackSession(
  terminal: Terminal,
  name: string,
  { tenant, toCycle }: RollbackOptions,
): Promise<CommandResult> {
  const cycle = whole('--to-cycle', toCycle);
  return withCore(terminal, async (core) => {
    const { sessionId } = await core.sessions.stored.resolve(tenant, name);
    const request = { tenantId: tenant, sessionId, toCycle: cycle };
    return told(sessionId, 'Rolled back', await core.sessions.summaries.rollback(request));
  });
}

function told(sessionId: string, title: string, receipt: ActReceipt): CommandResult {
  const { itemNo, changed, revision, cycle } = receipt;
  const item: readonly Field[] = itemNo === null ? [] : [['item', `#${itemNo}`]];
  return {
    data: { sessionId, ...receipt },
    view: [
      {
        block: 'fields',
        title: changed ? title : 'It was so already',
        fields: [
          ['session_id', sessionId],
          ...item,
          ['cycle', String(cycle)],
          ['revision', String(revision)],
        ],
      },
    ],
  };
}

function whole(what: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`${what} takes a whole number from 0 on.`);
}
