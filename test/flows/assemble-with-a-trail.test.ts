/** A session that serves a plan tells the assembly what it changed. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claudeCodeReader } from '../../src/interfaces/transcripts/claude-code-transcript.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { aRootWith } from '../support/builders.js';
import { type OpenedCore, STORES } from '../support/stores.js';

function transcript(files: number): string {
  const records: object[] = [{ type: 'user', message: { role: 'user', content: 'Go.' } }];
  for (let at = 0; at < files; at += 1) {
    const input = { file_path: `/home/me/src/part-${at}.ts`, content: 'export const x = 1;' };
    const result = { type: 'tool_result', tool_use_id: `c${at}`, content: 'written' };
    records.push(
      {
        type: 'assistant',
        message: {
          role: 'assistant',
          id: `m${at}`,
          content: [{ type: 'tool_use', id: `c${at}`, name: 'Write', input }],
        },
      },
      { type: 'user', message: { role: 'user', content: [result] } },
    );
  }
  return records
    .map((record, at) => ({
      uuid: `r${at}`,
      parentUuid: at === 0 ? null : `r${at - 1}`,
      sessionId: 'told',
      cwd: '/home/me',
      isSidechain: false,
      ...record,
    }))
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}

describe.each(Object.keys(STORES))('the strategy artifact-trail %s', (name) => {
  let opened: OpenedCore;
  let sessionId: string;
  let planId: string;

  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
    const { core } = opened;
    planId = await aRootWith(core);
    const [receipt] = await core.sessions.ingestion.import({
      tenantId: 't',
      source: memorySource(transcript(40)),
      reader: claudeCodeReader(sha256),
      redact,
      planId,
    });
    sessionId = receipt?.sessionId ?? '';
    await core.imports.import(planId, [
      {
        item: 'fragment',
        fragment: { fragmentId: `${sessionId}:r0`, content: 'Go on with the parts.', relevance: 1 },
      },
    ]);
  });
  afterAll(() => opened.close());

  const trailIn = async (plan: string, maxTokens: number) => {
    const payload = await opened.core.contexts.assemble({
      planId: plan,
      query: 'parts',
      maxTokens,
      reservedTokens: 0,
      preferredStrategies: ['artifact-trail'],
    });
    expect(payload.totalTokens).toBeLessThanOrEqual(maxTokens);
    return payload.fragments.find(({ fragmentId }) => fragmentId === `trail:${sessionId}`);
  };

  it('names every file that was made where there is room', async () => {
    const fragment = await trailIn(planId, 8_000);
    expect(fragment?.content.match(/src\/part-\d+\.ts \(created/g)).toHaveLength(40);
  });

  it('shows whole lines and the number of the others where there is little', async () => {
    const fragment = await trailIn(planId, 400);
    expect(fragment?.content).toMatch(/^- \d+ more: trail:changed$/m);
  });

  it('is named where not one line of it fits', async () => {
    const { excluded } = await opened.core.contexts.assemble({
      planId,
      query: 'parts',
      maxTokens: 30,
    });
    expect(excluded).toContainEqual({
      planId,
      fragmentId: `trail:${sessionId}`,
      tokenCount: expect.any(Number),
      reason: 'over-budget',
      strategy: 'artifact-trail',
    });
  });

  it('tells a child that goes on with the session what it did for the parent', async () => {
    const { core } = opened;
    const { child } = await core.coordinator.spawnChild(planId, { goal: 'the rest' });
    await core.imports.import(child.planId, [
      {
        item: 'fragment',
        fragment: { fragmentId: `${sessionId}:r1`, content: 'More of it.', relevance: 1 },
      },
    ]);
    expect((await trailIn(child.planId, 8_000))?.content).toContain('src/part-39.ts');
  });

  it('leaves the room to others where no session serves the plan', async () => {
    const other = await aRootWith(opened.core, 'a:0.5:10');
    const { strategies } = await opened.core.contexts.assemble({ planId: other, query: 'a' });
    expect(strategies).toContainEqual(
      expect.objectContaining({ name: 'artifact-trail', confidence: 0, share: 0 }),
    );
  });
});
