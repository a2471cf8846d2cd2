/** A session that was compacted tells the assembly its summary, section by section, as far as there is room. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claudeCodeReader } from '../../src/interfaces/transcripts/claude-code-transcript.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { aRootWith } from '../support/builders.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const RULE = 'Never log a password, not even hashed.';

describe.each(Object.keys(STORES))('the strategy session-summary %s', (name) => {
  let opened: OpenedCore;
  let sessionId: string;
  let planId: string;

  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
    const { core } = opened;
    planId = await aRootWith(core);
    const { receipts } = await core.sessionImports.import(planId, {
      tenantId: 't',
      source: memorySource(readFileSync(resolve('examples/session.jsonl'), 'utf8')),
      reader: claudeCodeReader(sha256),
      redact,
    });
    sessionId = receipts[0]?.sessionId ?? '';
    const key = { tenantId: 't', sessionId };
    await core.sessions.summaries.pin({ ...key, text: RULE, redact });
    await core.sessions.summaries.compact({
      ...key,
      now: true,
      settings: { windowTokens: 6_000, outputReserveTokens: 0, keepTurns: 1, keepTokens: 1_500 },
    });
  });
  afterAll(() => opened.close());

  const shown = async (plan: string, maxTokens: number) => {
    const payload = await opened.core.contexts.assemble({
      planId: plan,
      query: 'password reset token',
      maxTokens,
      reservedTokens: 0,
      preferredStrategies: ['session-summary'],
    });
    expect(payload.totalTokens).toBeLessThanOrEqual(maxTokens);
    return payload.fragments.filter(({ strategy }) => strategy === 'session-summary');
  };

  it('gives the sections of the summary, the constraints word for word', async () => {
    const sections = await shown(planId, 30_000);
    const keys = sections.map(({ fragmentId }) => fragmentId);
    for (const key of ['constraints', 'session_intent', 'files_modified', 'decisions']) {
      expect(keys).toContain(`summary:${sessionId}:${key}`);
    }
    const constraints = sections.find(({ fragmentId }) => fragmentId.endsWith(':constraints'));
    expect(constraints?.content).toContain(RULE);
  });

  it('goes down the ladder where there is little room, with counts and handles', async () => {
    const sections = await shown(planId, 700);
    const reduced = sections.filter((section) => section.reduced !== undefined);
    expect(reduced.length).toBeGreaterThan(0);
    for (const { content } of reduced)
      expect(content).toMatch(/^\(\d+ (?:more|items): section:\w+\)$/m);
  });

  it('names the sections that find no room', async () => {
    const everything = await shown(planId, 30_000);
    const { fragments, excluded } = await opened.core.contexts.assemble({
      planId,
      query: 'password reset token',
      maxTokens: 120,
      reservedTokens: 0,
    });
    const named = [...fragments, ...excluded].map(({ fragmentId }) => fragmentId);
    expect(named).toEqual(expect.arrayContaining(everything.map(({ fragmentId }) => fragmentId)));
    expect(excluded.some(({ strategy }) => strategy === 'session-summary')).toBe(true);
  });

  it('tells a child what its parent’s session came to', async () => {
    const { child } = await opened.core.coordinator.spawnChild(planId, { goal: 'the rest' });
    const keys = (await shown(child.planId, 30_000)).map(({ fragmentId }) => fragmentId);
    expect(keys).toContain(`summary:${sessionId}:constraints`);
  });

  it('tells of a session that serves the plan without a fragment in its context', async () => {
    const plan = await aRootWith(opened.core);
    const [receipt] = await opened.core.sessions.ingestion.import({
      tenantId: 't',
      source: memorySource(
        readFileSync(resolve('examples/session.jsonl'), 'utf8').replaceAll(
          /"sessionId":"[^"]+"/g,
          '"sessionId":"serves without fragments"',
        ),
      ),
      reader: claudeCodeReader(sha256),
      redact,
      planId: plan,
    });
    const own = receipt?.sessionId ?? '';
    await opened.core.sessions.summaries.pin({
      tenantId: 't',
      sessionId: own,
      text: RULE,
      redact,
    });
    const keys = (await shown(plan, 30_000)).map(({ fragmentId }) => fragmentId);
    expect(keys).toContain(`summary:${own}:constraints`);
  });

  it('leaves the room to others where no session serves the plan', async () => {
    const other = await aRootWith(opened.core, 'a:0.5:10');
    const { strategies } = await opened.core.contexts.assemble({ planId: other, query: 'a' });
    expect(strategies).toContainEqual(
      expect.objectContaining({ name: 'session-summary', confidence: 0, share: 0 }),
    );
  });
});
