/** Where Claude Code keeps the sessions of sub-agents: beside the file that started them, or in its folder. */
import { open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { COMPACTION_AGENT } from './claude-code-chain.js';

export interface SubAgentFiles {
  /** Paths, in code-unit order. */
  readonly sessions: readonly string[];
  /** The vendor's own compaction runs, which are no sessions. */
  readonly compactions: readonly string[];
}

const AGENT_FILE = /^agent-.+\.jsonl$/;

/** Bytes in which a file names the session that it belongs to. */
const LOOKED_AT = 16 * 1024;

/**
 * @param path of the file of a session.
 * @param vendorSessionId the session in it: files beside it may belong to others.
 */
export async function subAgentFiles(path: string, vendorSessionId: string): Promise<SubAgentFiles> {
  const folder = dirname(path);
  const own = join(folder, basename(path, '.jsonl'), 'subagents');
  const beside: string[] = [];
  for (const file of await agentFilesIn(folder)) {
    if (file !== path && (await belongsTo(file, vendorSessionId))) beside.push(file);
  }
  const all = [...beside, ...(await agentFilesIn(own))];
  const isCompaction = (file: string): boolean =>
    basename(file).startsWith(`agent-${COMPACTION_AGENT}`);
  return {
    sessions: all.filter((file) => !isCompaction(file)),
    compactions: all.filter(isCompaction),
  };
}

async function agentFilesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names
    .filter((name) => AGENT_FILE.test(name))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => join(folder, name));
}

async function belongsTo(path: string, vendorSessionId: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, 0);
    const name = /"sessionId"\s?:\s?"([^"]*)"/.exec(buffer.subarray(0, bytesRead).toString());
    return name?.[1] === vendorSessionId;
  } finally {
    await file.close();
  }
}
