/**
 * What the tasks of a session cost in tokens: requests, summarizer, and what was fetched again because
 * a pass had dropped it. Told from the store; sub-agents are part of the task that started them.
 */
import { OssatureError } from '../../domain/kernel/errors.js';
import { parseSessionId, requireTenant, type Session } from '../../domain/session/session.js';
import {
  callsBeforeChange,
  type CallsBeforeChange,
} from '../../domain/session/tokens/calls-before-change.js';
import { SessionAccount } from '../../domain/session/tokens/session-account.js';
import {
  noTokens,
  sumTokens,
  type TokenRecord,
  type TokenSums,
} from '../../domain/session/tokens/task-tokens.js';
import { normalizeArtifactPath } from '../../domain/session/trail/artifact-path.js';
import { isHumanPrompt } from '../../domain/session/transcript.js';
import type { Logger } from '../ports/logger.js';
import type { SummaryPorts } from './read-pass-material.js';

export const ACCOUNT_GROUPINGS = ['task', 'cycle', 'strategy', 'session'] as const;
export type AccountGrouping = (typeof ACCOUNT_GROUPINGS)[number];

/** A task as the host knows it: entries of the session, both ends included. */
export interface HostTask {
  readonly taskId: string;
  readonly from: number;
  /** Null: up to the last. */
  readonly to: number | null;
}

export interface AccountRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  /** Left out: by task. */
  readonly by?: AccountGrouping;
  /** Left out: a task is a human prompt up to the next, called `entry:N` after it. */
  readonly tasks?: readonly HostTask[];
}

export interface SessionCalls extends CallsBeforeChange {
  readonly sessionId: string;
}

export interface TokenAccount {
  readonly session: Session;
  readonly by: AccountGrouping;
  readonly tasks: readonly TokenSums[];
  /** By what was asked for; the tasks again where that is the task. */
  readonly groups: readonly TokenSums[];
  readonly totals: TokenSums;
  /** The session and its sub-agents, one each. */
  readonly sessions: readonly TokenSums[];
  /** Calls before the first change: at the start of each session, and after each pass. */
  readonly callsBeforeChange: readonly SessionCalls[];
}

/** The task of what stands before the first prompt, and of sub-agents that no call is known for. */
const NO_TASK = 'none';

/** Entries that are read at once. */
const PAGE_ENTRIES = 5_000;

/** More attempts than a session has. */
const ALL_ATTEMPTS = 1_000_000;

interface Accounted {
  readonly records: readonly TokenRecord[];
  readonly calls: readonly SessionCalls[];
}

export class TokenAccountService {
  constructor(
    private readonly ports: SummaryPorts,
    private readonly log: Logger,
  ) {}

  /** @throws OssatureError INVALID_ID, INVALID_INPUT, NOT_FOUND. */
  async read(request: AccountRequest): Promise<TokenAccount> {
    const { by = 'task', tasks = null } = request;
    if (!ACCOUNT_GROUPINGS.includes(by)) {
      throw new OssatureError(
        'INVALID_INPUT',
        `Tokens are told by one of ${ACCOUNT_GROUPINGS.join(', ')}.`,
        { details: { field: 'by', known: ACCOUNT_GROUPINGS } },
      );
    }
    const session = await this.ports.sessions.get({
      tenantId: requireTenant(request.tenantId),
      sessionId: parseSessionId(request.sessionId),
    });
    const taskOf = tasks === null ? await this.#prompts(session) : givenTasks(tasks);
    const own = await this.#account(session, taskOf, false);
    const children = await this.#accountChildren(session, taskOf);
    const records = [own, ...children].flatMap((one) => one.records);
    const account = {
      session,
      by,
      tasks: sumTokens(records, 'task'),
      groups: sumTokens(records, by),
      totals: sumTokens(records, 'all')[0] ?? noTokens('all'),
      sessions: sumTokens(records, 'session'),
      callsBeforeChange: [own, ...children].flatMap(({ calls }) => calls),
    };
    this.log.debug('session.tokens-told', {
      sessionId: session.sessionId,
      requests: account.totals.requests,
      estimated: account.totals.estimatedRequests,
    });
    return account;
  }

  async #accountChildren(
    parent: Session,
    taskOf: (seq: number) => string,
  ): Promise<readonly Accounted[]> {
    const accounted: Accounted[] = [];
    for (const child of await this.ports.sessions.listChildren(parent)) {
      const ids = child.parentEntryId === null ? [] : [child.parentEntryId];
      const [seq] = await this.ports.summaries.findEntrySeqs(parent, ids);
      const taskId = seq === undefined ? NO_TASK : taskOf(seq);
      accounted.push(await this.#account(child, () => taskId, true));
      accounted.push(...(await this.#accountChildren(child, () => taskId)));
    }
    return accounted;
  }

  async #account(
    session: Session,
    taskOf: (seq: number) => string,
    isChild: boolean,
  ): Promise<Accounted> {
    const { sessions, trails, summaries } = this.ports;
    const { sessionId, projectRoot } = session;
    const times: { readonly seq: number; readonly time: number }[] = [];
    const expanded = await summaries.listExpansions(session);
    const expansions: { readonly seq: number }[] = [];
    const account = new SessionAccount({
      sessionId,
      isChild,
      taskOf,
      usage: await sessions.listUsage(session),
      events: await trails.listEvents(session),
      cycles: await summaries.listCycles(session),
      attempts: await summaries.listAttempts(session, ALL_ATTEMPTS),
      expansions,
      normalizePath: (path) => normalizeArtifactPath(path, { projectRoot, directory: null }),
    });
    for (let from = 1; from <= session.lastSeq; from += PAGE_ENTRIES) {
      const to = Math.min(from + PAGE_ENTRIES - 1, session.lastSeq);
      for (const entry of await sessions.listEntries(session, { from, to })) {
        account.add(entry);
        const time = Date.parse(entry.occurredAt ?? '');
        if (expanded.length > 0 && isHumanPrompt(entry)) times.push({ seq: entry.seq, time });
      }
    }
    // An expansion has no place among the entries: it belongs to the last prompt before its time.
    for (const { expandedAt } of expanded) {
      const last = times.findLast(({ time }) => !(time > expandedAt.getTime()));
      expansions.push({ seq: last?.seq ?? session.lastSeq });
    }
    account.finish();
    const calls = callsBeforeChange(account.calls, account.passes);
    return { records: account.records, calls: calls.map((one) => ({ sessionId, ...one })) };
  }

  async #prompts(session: Session): Promise<(seq: number) => string> {
    const prompts = (
      await this.ports.sessions.listEntries(session, { from: 1, to: null }, ['user'])
    ).flatMap((entry) => (isHumanPrompt(entry) ? [entry.seq] : []));
    return (seq) => {
      let [low, high] = [0, prompts.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((prompts[middle] ?? 0) <= seq) low = middle + 1;
        else high = middle;
      }
      const prompt = prompts[low - 1];
      return prompt === undefined ? NO_TASK : `entry:${prompt}`;
    };
  }
}

function givenTasks(tasks: readonly HostTask[]): (seq: number) => string {
  return (seq) =>
    tasks.find(({ from, to }) => seq >= from && (to === null || seq <= to))?.taskId ?? NO_TASK;
}
