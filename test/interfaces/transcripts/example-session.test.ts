import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fileSource } from '../../../src/interfaces/transcripts/transcript-source.js';
import { readSession } from './transcript-support.js';

const EXAMPLE = 'examples/session.jsonl';

describe('the example session', () => {
  it('shows decisions of every type, of which some are superseded', async () => {
    const { decisions } = await readSession(fileSource(EXAMPLE));
    expect(new Set(decisions.map(({ type }) => type))).toEqual(
      new Set([
        'prompt_definition',
        'user_intervention',
        'strategy_choice',
        'implementation_choice',
        'subplan_spawn',
      ]),
    );
    expect(decisions.filter(({ supersedes }) => supersedes !== null)).toHaveLength(2);
  });

  it('is read without a problem, and its false key does not come through', async () => {
    const reading = await readSession(fileSource(EXAMPLE));
    expect(reading.receipt).toMatchObject({ problems: { total: 0 }, incomplete: [], lines: 367 });
    expect(reading.receipt.redactions).toEqual({ 'openai-key': 1, 'url-password': 1 });
    expect(readFileSync(EXAMPLE, 'utf8')).toContain('this-is-not-a-real-key');
    expect(JSON.stringify(reading.items)).not.toContain('this-is-not-a-real-key');
  });

  it('is what its script writes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ossature-example-'));
    const written = join(folder, 'session.jsonl');
    execFileSync(process.execPath, ['scripts/build-example.mjs', written]);
    expect(readFileSync(written, 'utf8')).toBe(readFileSync(EXAMPLE, 'utf8'));
    rmSync(folder, { recursive: true });
  });
});
