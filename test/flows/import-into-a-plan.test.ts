/** A transcript is one session and one context of a plan, by whichever way, and however often, it comes in. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mainReceipts } from '../../src/application/session/ingestion-receipt.js';
import { detectFormat } from '../../src/application/session/detect-format.js';
import type { TranscriptReader } from '../../src/application/session/transcript-reader.js';
import { parsePlanId } from '../../src/index.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { fileSource } from '../../src/interfaces/transcripts/transcript-source.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { aRootWith, storeOf } from '../support/builders.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const FOLDER = resolve(process.env['OSSATURE_TRANSCRIPTS'] ?? '../shared/transcripts');
const READERS = transcriptReaders(sha256, createEstimateCounter());
const EXAMPLE = resolve('examples/session.jsonl');

interface Sample {
  readonly file: string;
  readonly reader: TranscriptReader;
}

async function samples(): Promise<readonly Sample[]> {
  if (!existsSync(FOLDER)) return [];
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const found: Sample[] = [];
  for (const file of files) {
    try {
      const head = await fileSource(file).head();
      found.push({ file, reader: detectFormat(READERS, head, file) });
    } catch {
      // Of a format that no reader of ours knows.
    }
  }
  return found;
}

function requireReader(name: string): TranscriptReader {
  const reader = READERS.find((one) => one.name === name);
  if (reader === undefined) throw new Error(`no reader ${name}`);
  return reader;
}

describe.each(Object.keys(STORES))('a transcript imported into a plan %s', (name) => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  /** What a plan knows of a session, without the ids that hold for one plan only. */
  async function contextOf(plan: string) {
    const planId = parsePlanId(plan);
    const { fragments, decisions } = storeOf(opened.core).repositories;
    const held = await fragments.getMany(await fragments.listEntries(planId));
    const made = await decisions.listByPlan(planId);
    const choices = new Map(made.map(({ decisionId, choice }) => [decisionId, choice]));
    return {
      fragments: held
        .map(({ planId: _plan, decisionId, ...fragment }) => ({
          ...fragment,
          decision: decisionId === null ? null : choices.get(decisionId),
        }))
        .sort((a, b) => (a.fragmentId < b.fragmentId ? -1 : 1)),
      decisions: made
        .filter(({ type }) => type !== 'prompt_definition')
        .map(({ type, question, choice, rationale, supersededBy }) => ({
          type,
          question,
          choice,
          rationale,
          supersededBy: supersededBy === null ? null : choices.get(supersededBy),
        }))
        // Those of one moment stand in the order of their ids, which differ from plan to plan.
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    };
  }

  const request = (tenantId: string, file: string, reader: TranscriptReader) => ({
    tenantId,
    source: fileSource(file),
    reader,
    redact,
  });

  /** Both ways for one file; what is wrong with them. */
  async function compared({ file, reader }: Sample): Promise<readonly string[]> {
    const { core } = opened;
    const shown = relative(FOLDER, file);
    const direct = await aRootWith(core);
    const later = await aRootWith(core);
    const planned = await core.sessionImports.import(direct, {
      ...request('looked', file, reader),
      dryRun: true,
    });
    const first = await core.sessionImports.import(direct, request(`${shown} 1`, file, reader));
    await core.sessions.ingestion.import(request(`${shown} 2`, file, reader));
    await core.sessionImports.import(later, request(`${shown} 2`, file, reader));
    const again = await core.sessionImports.import(direct, request(`${shown} 1`, file, reader));

    const faults: string[] = [];
    const [one, other] = [await contextOf(direct), await contextOf(later)];
    if (JSON.stringify(one) !== JSON.stringify(other)) faults.push('the two ways differ');
    const { fragmentsAdded, decisionsAdded, regrown } = again.material;
    if (fragmentsAdded + decisionsAdded + regrown > 0) faults.push('a second import added');
    if (first.material.fragmentsAdded !== planned.material.fragmentsAdded) {
      faults.push(
        `${planned.material.fragmentsAdded} planned, ${first.material.fragmentsAdded} made`,
      );
    }
    const units = new Set<string>();
    for (const { sessionId } of mainReceipts(first.receipts)) {
      if (sessionId === null) continue;
      const key = { tenantId: `${shown} 1`, sessionId };
      const { sessions } = storeOf(core).repositories;
      if ((await sessions.get(key)).planId !== direct) faults.push('the session serves no plan');
      for (const { unitId, sourceKey } of await sessions.listEntries(key, { from: 1, to: null })) {
        units.add(`${sessionId}:${unitId}`).add(`${sessionId}:${sourceKey}`);
      }
    }
    const foreign = one.fragments.filter(({ fragmentId }) => !units.has(fragmentId));
    if (foreign.length > 0) faults.push(`${foreign.length} fragments of no stored unit`);
    return faults.map((fault) => `${shown}: ${fault}`);
  }

  it('is the same by either way, and adds nothing by the second', async () => {
    const reader = requireReader('claude-code');
    expect(await compared({ file: EXAMPLE, reader })).toEqual([]);
  });

  const suite = existsSync(FOLDER) && name === 'in memory' ? describe : describe.skip;
  suite('of the samples', () => {
    it('is the same by either way for every one', async () => {
      const faults: string[] = [];
      for (const sample of await samples()) faults.push(...(await compared(sample)));
      expect(faults).toEqual([]);
    });
  });

  it('ends, grown line by line, as imported at once, and keeps what was made before', async () => {
    const { core } = opened;
    const reader = requireReader('claude-code');
    const lines = readFileSync(EXAMPLE, 'utf8').trimEnd().split('\n').slice(0, 60);
    const [grown, whole] = [await aRootWith(core), await aRootWith(core)];
    for (let count = 1; count <= lines.length; count += 1) {
      const source = memorySource(`${lines.slice(0, count).join('\n')}\n`);
      await core.sessionImports.import(grown, { tenantId: 'grown', source, reader, redact });
    }
    const source = memorySource(`${lines.join('\n')}\n`);
    await core.sessionImports.import(whole, { tenantId: 'whole', source, reader, redact });

    const [stepwise, atOnce] = [await contextOf(grown), await contextOf(whole)];
    expect(stepwise.decisions).toEqual(atOnce.decisions);
    const contents = new Set(stepwise.fragments.map(({ content }) => content));
    expect(atOnce.fragments.filter(({ content }) => !contents.has(content))).toEqual([]);
  });

  it('keeps a fragment of a message that was still growing, and brings the whole beside it', async () => {
    const { core } = opened;
    const reader = requireReader('claude-code');
    const planId = await aRootWith(core);
    const line = (uuid: string, text: string) =>
      `${JSON.stringify({
        parentUuid: null,
        isSidechain: false,
        sessionId: 'growing',
        timestamp: '2026-01-31T12:00:00.000Z',
        type: 'assistant',
        uuid,
        message: { id: 'm1', role: 'assistant', model: 'm', content: [{ type: 'text', text }] },
      })}\n`;
    const imported = (text: string) =>
      core.sessionImports.import(planId, {
        tenantId: 'growing',
        source: memorySource(text),
        reader,
        redact,
      });
    await imported(line('a1', 'First'));
    const { material } = await imported(line('a1', 'First') + line('a2', 'and more'));
    expect(material).toMatchObject({ fragmentsAdded: 1, fragmentsKnown: 0, regrown: 1 });
    const { fragments } = await contextOf(planId);
    expect(fragments.map(({ content }) => content)).toEqual(['First', 'First\nand more']);
    const again = await imported(line('a1', 'First') + line('a2', 'and more'));
    expect(again.material).toMatchObject({ fragmentsAdded: 0, fragmentsKnown: 1, regrown: 1 });
  });

  it('writes nothing for a plan that is not there', async () => {
    const { core } = opened;
    const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
    const asked = request('nobody', EXAMPLE, requireReader('claude-code'));
    await expect(core.sessionImports.import(nobody, asked)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await core.sessions.stored.list('nobody')).toEqual([]);
  });

  it('has thinking and longer or shorter fragments where the import says so', async () => {
    const text = [
      { type: 'thinking', thinking: 'Perhaps the clock.' },
      { type: 'text', text: 'A long answer. '.repeat(200) },
    ];
    const lines = [
      { role: 'user', content: 'Why does it fail?' },
      { role: 'assistant', content: text },
    ];
    const source = memorySource(JSON.stringify({ messages: lines }));
    const bring = async (choice: object) => {
      const planId = await aRootWith(opened.core);
      const reader = requireReader('anthropic');
      const request = { tenantId: 't', source, reader, redact, sessionKey: 'choices', ...choice };
      const { material } = await opened.core.sessionImports.import(planId, request);
      const { fragments } = await contextOf(planId);
      return { material, said: fragments.map(({ content }) => content).join('\n') };
    };
    const plain = await bring({});
    expect(plain.said).not.toContain('Perhaps the clock.');
    expect(plain.material).toMatchObject({ leftOut: { thinking: 1 }, shortened: 0 });
    const chosen = await bring({ thinking: true, maxFragmentTokens: 200 });
    expect(chosen.said).toContain('(thinking)\nPerhaps the clock.');
    expect(chosen.material).toMatchObject({ leftOut: {}, shortened: 1 });
    await expect(bring({ maxFragmentTokens: 5 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
