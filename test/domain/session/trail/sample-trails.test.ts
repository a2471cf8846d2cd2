import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { redactWith } from '../../../../src/domain/redaction/redact.js';
import { TextCleaner } from '../../../../src/domain/redaction/text-cleaner.js';
import { cleanEntry } from '../../../../src/domain/session/clean-entry.js';
import { normalizeArtifactPath } from '../../../../src/domain/session/trail/artifact-path.js';
import { extendTrail } from '../../../../src/domain/session/trail/extend-trail.js';
import { EMPTY_TRAIL, type TrailEntry } from '../../../../src/domain/session/trail/trail.js';
import { claudeCodeReader } from '../../../../src/interfaces/transcripts/claude-code-transcript.js';
import { fileSource } from '../../../../src/interfaces/transcripts/transcript-source.js';
import { SETTINGS, sha256 } from './trail-support.js';

const FOLDER = resolve(process.env['OSSATURE_TRANSCRIPTS'] ?? '../shared/transcripts');
const files = existsSync(FOLDER)
  ? readdirSync(join(FOLDER, 'claude-code'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
      .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)))
      .sort()
  : [];

interface Block {
  readonly type?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: { readonly file_path?: string };
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
}

interface Counted {
  readonly root: string | null;
  readonly changed: readonly string[];
  readonly calls: ReadonlyMap<string, number>;
}

/** What the tool calls of a file name, read without the reader and without the trail. */
function countByHand(file: string): Counted {
  const isSubAgentFile = /agent-[^/]*\.jsonl$/.test(file);
  const pending = new Map<string, Block>();
  const seen = new Set<string>();
  const changed = new Set<string>();
  const calls = new Map<string, number>();
  let root: string | null = null;
  for (const line of readFileSync(join(FOLDER, file), 'utf8').split('\n')) {
    for (const part of line.replaceAll('}{"', '}\n{"').split('\n')) {
      let record;
      try {
        record = JSON.parse(part) as {
          uuid?: string;
          cwd?: string;
          isSidechain?: boolean;
          message?: { content?: unknown };
        };
      } catch {
        continue;
      }
      root ??= record.cwd ?? null;
      if (record.isSidechain === true && !isSubAgentFile) continue;
      const content = record.message?.content;
      const identity = `${record.uuid} ${JSON.stringify(content)}`;
      if (record.uuid !== undefined && seen.has(identity)) continue;
      seen.add(identity);
      for (const block of Array.isArray(content) ? (content as Block[]) : []) {
        if (block.type === 'tool_use') {
          calls.set(block.name ?? '', (calls.get(block.name ?? '') ?? 0) + 1);
          if (block.id !== undefined) pending.set(block.id, block);
        }
        if (block.type !== 'tool_result' || block.is_error === true) continue;
        const call = pending.get(block.tool_use_id ?? '');
        const path = call?.input?.file_path;
        if (path !== undefined && /^(?:Write|Edit|MultiEdit)$/.test(call?.name ?? '')) {
          changed.add(path);
        }
      }
    }
  }
  return { root, changed: [...changed], calls };
}

async function trailOfFile(file: string, projectRoot: string | null) {
  const cleaner = new TextCleaner(redactWith((secret) => sha256(`test key ${secret}`)));
  const entries: TrailEntry[] = [];
  for await (const event of claudeCodeReader(sha256).read(fileSource(join(FOLDER, file)))) {
    if (event.event !== 'entry') continue;
    entries.push({ ...cleanEntry(event.entry, cleaner), seq: entries.length + 1 });
  }
  return extendTrail(EMPTY_TRAIL, entries, { ...SETTINGS, projectRoot });
}

const describeWhereSamplesAre = files.length > 0 ? describe : describe.skip;

describeWhereSamplesAre('the trail of every sample session of Claude Code', () => {
  it.each(files)('%s names the changed files that its tool calls name', async (file) => {
    const { root, changed } = countByHand(file);
    const { trail, events } = await trailOfFile(file, root);
    const stated = events.filter(
      ({ ok, inferred, action }) =>
        ok && !inferred && (action === 'created' || action === 'modified'),
    );
    const named = new Set(
      changed.map((path) => normalizeArtifactPath(path, { projectRoot: root, directory: null })),
    );
    const written = events.filter(
      ({ ok, action, path }) =>
        ok && (action === 'created' || action === 'modified') && named.has(path),
    );
    expect(new Set(written.map(({ path }) => path))).toEqual(named);
    expect(stated.every(({ path }) => named.has(path))).toBe(true);
    for (const path of named) {
      expect(['created', 'modified', 'deleted']).toContain(trail.artifacts.get(path)?.state);
    }
  });

  it.each(files)('%s has every call mapped or counted', async (file) => {
    const { root, calls } = countByHand(file);
    const { trail } = await trailOfFile(file, root);
    const total = [...calls.values()].reduce((sum, count) => sum + count, 0);
    const unmapped = [...trail.unmappedTools.values()].reduce((sum, count) => sum + count, 0);
    expect(unmapped).toBeLessThanOrEqual(total);
    const known = /^(?:Read|Write|Edit|MultiEdit|Glob|Grep|Bash|WebFetch|Task|Agent|TodoWrite)$/;
    for (const [tool, count] of trail.unmappedTools) {
      expect([tool, count]).toEqual([tool, calls.get(tool)]);
      expect(tool).not.toMatch(known);
    }
    expect(trail.commands.size).toBe((calls.get('Bash') ?? 0) + (calls.get('bash') ?? 0));
  });

  it('hashes of chained edits agree with what the client reports, unless a command ran between', async () => {
    const equal = new Set<string>();
    const unexplained = new Set<string>();
    for (const file of files) {
      const { trail, events } = await trailOfFile(file, countByHand(file).root);
      const doubts = [...trail.commands.values()].filter(({ effects }) => effects === 'unknown');
      const latest = new Map<string, { readonly hash: string | null; readonly seq: number }>();
      for (const { ok, action, path, seq, hashBefore, hashAfter } of events) {
        if (!ok || (action !== 'created' && action !== 'modified')) continue;
        const before = latest.get(path);
        latest.set(path, { hash: hashAfter, seq });
        if (before === undefined || before.hash === null || hashBefore === null) continue;
        const isDoubtful = doubts.some((doubt) => doubt.seq > before.seq && doubt.seq < seq);
        if (hashBefore === before.hash) equal.add(`${file} ${seq}`);
        else if (!isDoubtful) unexplained.add(`${file} ${seq}`);
      }
    }
    expect(equal.size).toBeGreaterThan(10);
    expect([...unexplained]).toEqual([]);
  });
});
