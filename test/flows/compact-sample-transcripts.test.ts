/** Every sample transcript can be compacted; the gate refuses nothing but a pass that frees too little. */
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { detectFormat } from '../../src/application/session/detect-format.js';
import { TOKENS } from '../../src/index.js';
import { createEstimateCounter } from '../../src/infrastructure/tokens/estimate-counter.js';
import { fileSource } from '../../src/interfaces/transcripts/transcript-source.js';
import { transcriptReaders } from '../../src/interfaces/transcripts/transcript-readers.js';
import { redact, sha256 } from '../interfaces/transcripts/transcript-support.js';
import { type OpenedCore, STORES } from '../support/stores.js';

const FOLDER = resolve(process.env['OSSATURE_TRANSCRIPTS'] ?? '../shared/transcripts');
const READERS = transcriptReaders(sha256, createEstimateCounter());
const files = existsSync(FOLDER)
  ? readdirSync(FOLDER, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'README.md')
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
  : [];

const WINDOWS = [4_000, 16_000, 64_000];

const describeWhereSamplesAre = files.length > 0 ? describe : describe.skip;

describeWhereSamplesAre('sample transcripts in memory', () => {
  let opened: OpenedCore;
  beforeAll(async () => {
    opened = (await STORES['in memory']?.()) as OpenedCore;
  });
  afterAll(() => opened.close());

  it.each(WINDOWS)(
    'are compacted in a window of %d tokens',
    async (windowTokens) => {
      const { ingestion, summaries } = opened.core.sessions;
      const { sessions } = opened.core.resolve(TOKENS.repositories);
      const outcomes = new Map<string, number>();
      const faults: string[] = [];
      for (const file of files) {
        const shown = relative(FOLDER, file);
        const tenantId = `${windowTokens} ${shown}`;
        try {
          const reader = detectFormat(READERS, await fileSource(file).head(), file);
          await ingestion.import({ tenantId, source: fileSource(file), reader, redact });
        } catch {
          continue;
        }
        for (const { sessionId } of await sessions.list(tenantId)) {
          for (let pass = 0; pass < 5; pass += 1) {
            const settings = { windowTokens };
            const report = await summaries.compact({ tenantId, sessionId, settings, now: true });
            const { outcome } = report;
            outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
            const refused = report.reasons.filter(({ code }) => code !== 'size');
            if (outcome === 'rejected' && refused.length > 0) {
              faults.push(`${shown}: ${JSON.stringify(refused)}`);
            }
            if (outcome !== 'adopted') break;
          }
        }
      }
      expect(faults).toEqual([]);
      expect(outcomes.get('adopted')).toBeGreaterThan(0);
    },
    300_000,
  );
});
