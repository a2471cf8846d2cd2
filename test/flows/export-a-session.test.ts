/** What was imported goes out again as messages that each provider accepts. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  checkAnthropic,
  checkLangchain,
  checkOpenaiChat,
  checkOpenaiResponses,
} from 'ossature/testing';
import { detectFormat } from '../../src/application/session/detect-format.js';
import type {
  TranscriptReader,
  TranscriptSource,
} from '../../src/application/session/transcript-reader.js';
import type { JsonObject } from '../../src/domain/redaction/json-value.js';
import {
  EXPORT_PROVIDERS,
  type ExportProvider,
} from '../../src/domain/session/export/providers.js';
import { renderSummary } from '../../src/domain/session/summary/render-summary.js';
import { createOssature, OssatureError, type Repositories } from '../../src/index.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { claudeCodeReader } from '../../src/interfaces/transcripts/claude-code-transcript.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import { fileSource } from '../../src/interfaces/transcripts/transcript-source.js';
import { memorySource, redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const FOLDER = resolve(process.env['OSSATURE_TRANSCRIPTS'] ?? '../shared/transcripts');
const EXAMPLE = resolve('examples/session.jsonl');
const SAMPLES = existsSync(FOLDER)
  ? readdirSync(FOLDER, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'README.md')
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
  : [];
const reader = claudeCodeReader(sha256);
const readers = transcriptReaders(sha256, createEstimateCounter());

/** Null for a file of a format that no reader knows. */
async function readerOf(source: TranscriptSource): Promise<TranscriptReader | null> {
  try {
    return detectFormat(readers, await source.head(), source.name);
  } catch (error) {
    if (OssatureError.is(error, 'INVALID_TRANSCRIPT')) return null;
    throw error;
  }
}

/** A store whose first entry comes back with half a surrogate pair. */
function withIllFormedText(ours: Repositories['sessions']): Repositories['sessions'] {
  const broken = Object.create(ours) as Repositories['sessions'];
  return Object.assign(broken, {
    listEntries: async (...given: Parameters<typeof ours.listEntries>) => {
      const [first, ...others] = await ours.listEntries(...given);
      return first === undefined ? [] : [{ ...first, content: '\uD800' }, ...others];
    },
  });
}

const CHECKS = {
  anthropic: checkAnthropic,
  'openai-chat': checkOpenaiChat,
  'openai-responses': checkOpenaiResponses,
  langchain: checkLangchain,
  'langchain-constructor': checkLangchain,
} satisfies Record<ExportProvider, unknown>;

const record = (type: string, uuid: string, parentUuid: string | null, message: JsonObject) =>
  JSON.stringify({ type, uuid, parentUuid, sessionId: 'abc', isSidechain: false, message });

const LINES = [
  record('user', 'u1', null, { role: 'user', content: 'Mend the login' }),
  record('assistant', 'a1', 'u1', {
    role: 'assistant',
    id: 'm1',
    content: [
      { type: 'thinking', thinking: 'Where is it?', signature: 's' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: '/h/login.ts' } },
    ],
  }),
  record('user', 'u2', 'a1', {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'export const login = 1;' }],
  }),
  record('assistant', 'a2', 'u2', {
    role: 'assistant',
    id: 'm2',
    content: [{ type: 'text', text: 'It is a constant.' }],
  }),
  record('user', 'u3', 'a2', { role: 'user', content: 'Good' }),
];

describe.each(Object.keys(STORES))('an exported session, %s', (name) => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES[name]?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  async function imported(tenantId: string, text: string): Promise<string> {
    const request = { tenantId, source: memorySource(text), reader, redact };
    const [receipt] = await opened.core.sessions.ingestion.import(request);
    return receipt?.sessionId ?? '';
  }

  it('says what the transcript says, and names what it left out', async () => {
    const tenantId = 'said';
    const sessionId = await imported(tenantId, LINES.join('\n'));
    const { exports } = opened.core.sessions;
    const { messages, system, notes, prefixTokens } = await exports.export({
      tenantId,
      sessionId,
      provider: 'openai-chat',
    });
    expect(system).toBeNull();
    expect(messages).toEqual([
      { role: 'user', content: 'Mend the login' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'Read', arguments: '{"file_path":"/h/login.ts"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'export const login = 1;' },
      { role: 'assistant', content: 'It is a constant.' },
      { role: 'user', content: 'Good' },
    ]);
    expect(notes).toEqual([{ reason: 'thinking-left-out', seq: 2 }]);
    expect(prefixTokens).toBeGreaterThan(0);
  });

  it.each(EXPORT_PROVIDERS)(
    'for %s repeats its prefix once the file has grown',
    async (provider) => {
      const tenantId = `grown-${provider}`;
      const sessionId = await imported(tenantId, `${LINES.slice(0, 3).join('\n')}\n`);
      const { exports } = opened.core.sessions;
      const before = await exports.export({ tenantId, sessionId, provider });
      expect(await imported(tenantId, LINES.join('\n'))).toBe(sessionId);
      const after = await exports.export({ tenantId, sessionId, provider });
      const whole = before.prefix.messages;
      expect(whole).toBeGreaterThan(0);
      expect(JSON.stringify(after.messages.slice(0, whole))).toBe(
        JSON.stringify(before.messages.slice(0, whole)),
      );
      expect(after.prefixTokens).toBeGreaterThan(before.prefixTokens);
    },
  );

  it('of many entries goes out whole, in order', async () => {
    const texts = Array.from({ length: 5_001 }, (_, index) => `line ${index}`);
    const lines = texts.map((content, index) =>
      record('user', `u${index}`, index === 0 ? null : `u${index - 1}`, { role: 'user', content }),
    );
    const sessionId = await imported('many', lines.join('\n'));
    const { exports } = opened.core.sessions;
    const request = { tenantId: 'many', sessionId, provider: 'openai-chat' } as const;
    const { messages } = await exports.export(request);
    expect(messages.map(({ content }) => content)).toEqual(texts);
  });

  it.each(EXPORT_PROVIDERS)(
    'for %s begins with the summary of what a pass dropped',
    async (provider) => {
      const tenantId = `compacted-${provider}`;
      const request = { tenantId, source: fileSource(EXAMPLE), reader, redact };
      const [receipt] = await opened.core.sessions.ingestion.import(request);
      const sessionId = receipt?.sessionId ?? '';
      const { exports, summaries } = opened.core.sessions;
      const before = await exports.export({ tenantId, sessionId, provider });
      const settings = {
        windowTokens: 6_000,
        outputReserveTokens: 0,
        keepTurns: 1,
        keepTokens: 1_500,
      };
      const { outcome } = await summaries.compact({ tenantId, sessionId, settings, now: true });
      expect(outcome).toBe('adopted');
      const after = await exports.export({ tenantId, sessionId, provider });
      expect(CHECKS[provider](after.messages)).toEqual([]);
      const { summary } = await summaries.read({ tenantId, sessionId });
      const rendered = JSON.stringify(renderSummary(summary)).slice(1, -1);
      expect(JSON.stringify(after.messages.slice(0, 2))).toContain(rendered);
      expect(JSON.stringify(before.messages)).not.toContain(rendered);
      expect(after.messages.length).toBeLessThan(before.messages.length);
      expect(after.prefixTokens).toBeLessThan(before.prefixTokens / 2);
    },
  );

  it('of another tenant is not there', async () => {
    const sessionId = await imported('owner', LINES.join('\n'));
    const { exports } = opened.core.sessions;
    await expect(
      exports.export({ tenantId: 'other', sessionId, provider: 'anthropic' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('for an unknown provider is refused by name', async () => {
    const sessionId = await imported('owner', LINES.join('\n'));
    const { exports } = opened.core.sessions;
    const provider = 'no-such' as ExportProvider;
    await expect(exports.export({ tenantId: 'owner', sessionId, provider })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'provider' },
    });
  });
});

describe('every session that can be imported', () => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES['in memory']?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  it.each([
    { rule: 'the example', files: [EXAMPLE] },
    { rule: 'every sample of a known format', files: SAMPLES },
  ])(
    'goes out valid for every provider: $rule',
    async ({ files }) => {
      const { ingestion, exports } = opened.core.sessions;
      const faults: object[] = [];
      let exported = 0;
      for (const file of files) {
        const source = fileSource(file);
        const reader = await readerOf(source);
        if (reader === null) continue;
        for (const { sessionId } of await ingestion.import({
          tenantId: file,
          source,
          reader,
          redact,
        })) {
          if (sessionId === null) continue;
          for (const provider of EXPORT_PROVIDERS) {
            const { messages } = await exports.export({ tenantId: file, sessionId, provider });
            const breaches = CHECKS[provider](JSON.parse(JSON.stringify(messages)));
            if (breaches.length > 0) faults.push({ file, provider, breaches });
            exported += 1;
          }
        }
      }
      expect(faults).toEqual([]);
      expect(exported).toBeGreaterThanOrEqual(Math.min(files.length, 5));
    },
    300_000,
  );

  it('is refused with the broken rules where a store hands out what no provider takes', async () => {
    const core = await createOssature({
      store: { kind: 'in-memory' },
      repositories: (ours) => ({ ...ours, sessions: withIllFormedText(ours.sessions) }),
    });
    const request = { tenantId: 'broken', source: memorySource(LINES.join('\n')), reader, redact };
    const [receipt] = await core.sessions.ingestion.import(request);
    const sessionId = receipt?.sessionId ?? '';
    for (const provider of EXPORT_PROVIDERS) {
      await expect(
        core.sessions.exports.export({ tenantId: 'broken', sessionId, provider }),
      ).rejects.toMatchObject({
        code: 'NOT_PORTABLE',
        details: {
          provider,
          breaches: [expect.objectContaining({ rule: 'well-formed-text' })],
          total: 1,
        },
      });
    }
    await core.close();
  });
});
