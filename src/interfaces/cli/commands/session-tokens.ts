/** `agents session tokens`: what the tasks of a session cost. */
import { type Command, Option } from 'commander';
import {
  ACCOUNT_GROUPINGS,
  type AccountGrouping,
  type TokenAccount,
} from '../../../application/session/token-account-service.js';
import type { TokenSums } from '../../../domain/session/tokens/task-tokens.js';
import { defineCommand, type Session } from '../define-command.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import { type Block, type CommandResult, formatCount, type Message } from '../view.js';

export interface TokensOptions {
  readonly by: AccountGrouping;
  readonly tenant: string;
}

/** @param argument says what SESSION is. @param tenant where none is named. */
export function defineTokens(
  parent: Command,
  session: Session,
  { argument, tenant }: { readonly argument: string; readonly tenant: string },
): void {
  defineCommand<TokensOptions>(
    parent,
    session,
    {
      usage: 'tokens <session>',
      does: 'show what its tasks cost in tokens, and what was fetched again',
      example: 'agents session tokens 01J8ZQ4Q2M7V0C3K5T9N6R1W8X --by cycle',
      more: `${argument} A task is a human prompt up to the next, sub-agents included; entry:N is its prompt.\nTokens fetched again are a surcharge; without_refetch is the sum without it.`,
    },
    (terminal, [name = ''], options) => showTokens(terminal, name, options),
  )
    .addOption(
      new Option('--by <what>', 'how to group them').choices(ACCOUNT_GROUPINGS).default('task'),
    )
    .option('--tenant <name>', 'whose session', tenant);
}

function showTokens(
  terminal: Terminal,
  name: string,
  { by, tenant }: TokensOptions,
): Promise<CommandResult> {
  return withCore(terminal, async (core) => {
    const session = await core.sessions.stored.resolve(tenant, name);
    const { sessionId } = session;
    const account = await core.sessions.tokens.read({ tenantId: tenant, sessionId, by });
    const { tasks, groups, totals, sessions, callsBeforeChange } = account;
    return {
      data: { sessionId, by, tasks, groups, totals, sessions, callsBeforeChange },
      view: [sumTable(account), callTable(account)],
      messages: notesOf(totals),
    };
  });
}

function sumTable({ by, groups, totals }: TokenAccount): Block {
  return {
    block: 'table',
    title: 'Tokens',
    columns: [
      { title: by },
      { title: 'requests', align: 'right' },
      { title: 'input', align: 'right' },
      { title: 'cached', align: 'right' },
      { title: 'output', align: 'right' },
      { title: 'summarizer', align: 'right' },
      { title: 'fetched again', align: 'right' },
      { title: 'in all', align: 'right' },
      { title: 'of sub-agents', align: 'right' },
      { title: 'duplicates', align: 'right' },
    ],
    rows: [...groups, { ...totals, key: 'in all' }].map(sumRow),
    none: '',
  };
}

function sumRow(sums: TokenSums): readonly string[] {
  const estimated = sums.estimatedRequests === 0 ? '' : ` (${sums.estimatedRequests} estimated)`;
  return [
    sums.key,
    `${formatCount(sums.requests)}${estimated}`,
    formatCount(sums.uncachedInputTokens),
    formatCount(sums.cachedInputTokens),
    formatCount(sums.outputTokens),
    formatCount(sums.summarizerTokens),
    formatCount(sums.refetchTokens),
    formatCount(sums.taskTokens),
    formatCount(sums.childTokens),
    formatCount(sums.duplicates),
  ];
}

function callTable({ session, callsBeforeChange }: TokenAccount): Block {
  return {
    block: 'table',
    title: 'calls before the first change',
    isPart: true,
    columns: [
      { title: 'session', isId: true },
      { title: 'after cycle' },
      { title: 'calls', align: 'right' },
      { title: 'changed' },
    ],
    rows: callsBeforeChange.map(({ sessionId, cycle, calls, hasChanged }) => [
      sessionId === session.sessionId ? '' : sessionId,
      String(cycle),
      formatCount(calls),
      hasChanged ? 'yes' : 'no',
    ]),
    none: '',
  };
}

function notesOf({ estimatedRequests }: TokenSums): readonly Message[] {
  if (estimatedRequests === 0) return [];
  const text =
    'Requests without a report of the provider are estimated: counted by us, with all input as uncached.';
  return [{ level: 'info', text }];
}
