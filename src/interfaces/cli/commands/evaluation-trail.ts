/** `agents eval trail`: which files summaries of real compactions still name, the vendor's and ours. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Trajectory } from '../../../application/evaluation/trail-recall-service.js';
import { detectFormat } from '../../../application/session/detect-format.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { Ossature } from '../../../infrastructure/container/create-ossature.js';
import { withCore } from '../open-core.js';
import { fileStatus } from '../file-status.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult } from '../view.js';
import { seedOf } from './evaluation-options.js';
import { type AssertOptions, requireAssertions } from './evaluation-assertions.js';
import { reportResult } from './evaluation-result.js';

export interface TrailRecallOptions extends AssertOptions {
  readonly seed: string;
  readonly tenant: string;
}

export async function measureTrail(
  terminal: Terminal,
  folder: string,
  options: TrailRecallOptions,
): Promise<CommandResult> {
  const seed = seedOf(options.seed);
  requireAssertions(options);
  const files = transcriptFiles(folder);
  return withCore(terminal, async (core) => {
    const recorded = await core.evaluations.runs.record(
      {
        tenantId: options.tenant,
        kind: 'trail',
        settings: { data: folder, seed, files: files.length },
      },
      () =>
        core.evaluations.trail.measure({
          trajectories: trajectories(core, files),
          source: folder,
          seed,
        }),
    );
    return reportResult(recorded, options);
  });
}

/** @throws OssatureError INVALID_INPUT for what is no folder, or holds no transcripts. */
function transcriptFiles(folder: string): readonly string[] {
  const found = fileStatus(folder);
  const files =
    found?.isDirectory() === true
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => /\.jsonl?$/.test(name))
          .sort((a, b) => (a < b ? -1 : 1))
          .map((name) => join(folder, name))
          .filter((file) => fileStatus(file)?.isFile() === true)
      : [];
  if (files.length > 0) return files;
  const why = found?.isDirectory() === true ? 'holds no .jsonl or .json file' : 'is no folder';
  throw new OssatureError('INVALID_INPUT', `${folder} ${why}. Name a folder of transcripts.`, {
    details: { folder },
  });
}

async function* trajectories(core: Ossature, files: readonly string[]): AsyncGenerator<Trajectory> {
  const { TOKENS } = await import('../../../index.js');
  const { transcriptReaders } = await import('../../transcripts/transcript-readers.js');
  const { fileSource } = await import('../../transcripts/transcript-source.js');
  const readers = transcriptReaders(core.resolve(TOKENS.digest), core.resolve(TOKENS.tokenCounter));
  for (const file of files) {
    const source = fileSource(file);
    try {
      yield { source, reader: detectFormat(readers, await source.head(), source.name) };
    } catch (error) {
      if (!OssatureError.is(error, 'INVALID_TRANSCRIPT')) throw error;
      yield { name: file, fault: error.message };
    }
  }
}
