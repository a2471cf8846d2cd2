/**
 * Finished work that is done again is seen: reads of what a pass had dropped are counted, whatever is
 * still there, or was changed since, is not taken for one.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TranscriptEntry } from '../../src/domain/session/transcript.js';
import { TOKENS, type TokenSums } from '../../src/index.js';
import { aSession, aUsage } from '../contracts/session-values.js';
import { redact } from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const COMMON = { occurredAt: null, active: true } as const;

function prompt(text: string): TranscriptEntry {
  return {
    ...COMMON,
    kind: 'user',
    author: 'human',
    content: text,
    sourceKey: text,
    messageKey: null,
  };
}

/** A call of the agent with its result, one message. */
function acted(
  key: string,
  toolName: 'Read' | 'Edit',
  given: { readonly file_path: string; readonly [name: string]: string },
  content: string,
): readonly TranscriptEntry[] {
  return [
    {
      ...COMMON,
      kind: 'tool_call',
      author: 'agent',
      content: '',
      sourceKey: `${key}-call`,
      messageKey: key,
      callId: key,
      toolName,
      arguments: given,
      effect: toolName === 'Edit' ? 'changes' : 'reads',
      spawn: null,
    },
    {
      ...COMMON,
      kind: 'tool_result',
      author: 'tool',
      content,
      sourceKey: `${key}-result`,
      messageKey: null,
      callId: key,
      isError: false,
      exitCode: null,
      ruling: null,
    },
  ];
}

/** As the vendor shows it, long enough that a pass is worth it. */
const shown = (name: string): string =>
  Array.from(
    { length: 200 },
    (_, line) => `${String(line + 1).padStart(6)}\t${name} line ${line}`,
  ).join('\n');

const read = (key: string, file: string, version = file): readonly TranscriptEntry[] =>
  acted(key, 'Read', { file_path: file }, shown(version));

describe.each(Object.keys(STORES))('an account of tokens, %s', (name) => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  async function begun(tenantId: string) {
    const session = aSession({ tenantId, counterName: 'o200k_base', counterVersion: '1' });
    const { tokenCounter } = { tokenCounter: opened.core.resolve(TOKENS.tokenCounter) };
    const counted = { counterName: tokenCounter.name, counterVersion: tokenCounter.version };
    await opened.core.resolve(TOKENS.sessionRepository).insert({ ...session, ...counted });
    const { sessionId } = session;
    const append = async (
      entries: readonly TranscriptEntry[],
      usage?: Parameters<typeof opened.core.sessions.ingestion.append>[0]['usage'],
    ) =>
      opened.core.sessions.ingestion.append({
        tenantId,
        sessionId,
        entries,
        redact,
        ...(usage !== undefined && { usage }),
      });
    return { key: { tenantId, sessionId }, append };
  }

  it('counts what is read again after a pass, and only that', async () => {
    const { key, append } = await begun('refetches');
    await append([prompt('Mend a and b')]);
    await append(read('r1', 'a.ts'));
    await append(read('r2', 'b.ts'));
    await append(read('r3', 'c.ts'));
    await append([prompt('Go on with d')]);
    await append(read('r4', 'd.ts'));
    await append(read('r5', 'd.ts'));

    const settings = {
      windowTokens: 40_000,
      outputReserveTokens: 1_000,
      keepTurns: 1,
      keepTokens: 5_000,
      summaryTokens: 2_000,
    };
    const pass = await opened.core.sessions.summaries.compact({ ...key, settings, now: true });
    expect(pass.outcome).toBe('adopted');

    await append(read('r6', 'a.ts'));
    await append(
      acted('e1', 'Edit', { file_path: 'b.ts', old_string: 'x', new_string: 'y' }, 'ok'),
    );
    await append(read('r7', 'b.ts'));
    await append(read('r8', 'd.ts'));

    const { totals, callsBeforeChange } = await opened.core.sessions.tokens.read(key);
    expect(totals).toMatchObject({ results: 9, refetches: 1, duplicates: 2 });
    const [entry] = await opened.core
      .resolve(TOKENS.sessionRepository)
      .listEntries(key, { from: 3, to: 3 });
    expect(totals.refetchTokens).toBe(entry?.tokenCount);
    expect(totals.taskTokens - totals.taskTokensWithoutRefetch).toBe(totals.refetchTokens);
    expect(callsBeforeChange).toMatchObject([
      { cycle: 0, calls: 5, hasChanged: false },
      { cycle: 1, calls: 1, hasChanged: true },
    ]);
    const byCycle = await opened.core.sessions.tokens.read({ ...key, by: 'cycle' });
    expect(byCycle.groups.map((group) => [group.key, group.refetches, group.duplicates])).toEqual([
      ['0', 0, 1],
      ['1', 1, 1],
    ]);
    const byStrategy = await opened.core.sessions.tokens.read({ ...key, by: 'strategy' });
    expect(byStrategy.groups.map((group) => group.key)).toEqual(['none', 'offline']);
  });

  it('takes what the provider reports, and counts what it does not', async () => {
    const { key, append } = await begun('usage');
    await append([prompt('One')]);
    const { usageKey, model, occurredAt } = aUsage();
    const reported = { uncachedInputTokens: 100, cachedInputTokens: 900, outputTokens: 50 };
    await append(read('r1', 'a.ts'), { usageKey, model, occurredAt, ...reported });
    await append([prompt('Two')]);
    await append(read('r2', 'b.ts'));

    const { tasks, totals } = await opened.core.sessions.tokens.read(key);
    expect(tasks.map((task) => [task.key, task.requests, task.estimatedRequests])).toEqual([
      ['entry:1', 1, 0],
      ['entry:4', 1, 1],
    ]);
    expect(tasks[0]).toMatchObject({ ...reported, taskTokens: 1_050 });
    expect(tasks[1]?.uncachedInputTokens).toBeGreaterThan(1_000);
    const sum = (field: 'taskTokens' | 'requests'): number =>
      tasks.reduce((all: number, task: TokenSums) => all + task[field], 0);
    expect([totals.taskTokens, totals.requests]).toEqual([sum('taskTokens'), sum('requests')]);
  });

  it('names tasks as the host does', async () => {
    const { key, append } = await begun('tasks');
    await append([prompt('One')]);
    await append(read('r1', 'a.ts'));
    await append(read('r2', 'b.ts'));
    const tasks = [
      { taskId: 'look', from: 1, to: 3 },
      { taskId: 'look more', from: 4, to: null },
    ];
    const account = await opened.core.sessions.tokens.read({ ...key, tasks });
    expect(account.tasks.map((task) => task.key)).toEqual(['look', 'look more']);
  });
});
