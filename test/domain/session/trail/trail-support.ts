/** Calls with their results as entries of a session, and the trail they make. */
import { createHash } from 'node:crypto';
import type { Digest } from '../../../../src/domain/kernel/measures.js';
import type { JsonValue } from '../../../../src/domain/redaction/json-value.js';
import type { ArtifactEvent } from '../../../../src/domain/session/trail/artifact-event.js';
import { extendTrail, TOOL_MAPPINGS } from '../../../../src/domain/session/trail/extend-trail.js';
import {
  EMPTY_TRAIL,
  type Trail,
  type TrailEntry,
  type TrailSettings,
} from '../../../../src/domain/session/trail/trail.js';

export const sha256: Digest = (text) => createHash('sha256').update(text).digest('hex');

export const SETTINGS: TrailSettings = {
  vendor: 'claude-code',
  projectRoot: '/project',
  digest: sha256,
  mappings: TOOL_MAPPINGS,
};

export const CODEX: TrailSettings = { ...SETTINGS, vendor: 'codex' };
export const OTHER: TrailSettings = { ...SETTINGS, vendor: 'openai' };

export interface Step {
  readonly tool: string;
  readonly given: JsonValue;
  readonly content: string;
  readonly isError: boolean;
  readonly exitCode: number | null;
  readonly detail: JsonValue | null;
  readonly isAnswered: boolean;
  readonly active: boolean;
}

/** A call that succeeds with an empty result; override what matters. */
export function step(tool: string, given: JsonValue, parts: Partial<Step> = {}): Step {
  return {
    tool,
    given,
    content: '',
    isError: false,
    exitCode: null,
    detail: null,
    isAnswered: true,
    active: true,
    ...parts,
  };
}

export const bash = (command: string, parts: Partial<Step> = {}): Step =>
  step('Bash', { command }, parts);

export const failed: Partial<Step> = { isError: true, content: 'Error: it went wrong' };

/** Call and result follow each other: seqs 1 and 2, 3 and 4 … */
export function entriesOf(steps: readonly Step[]): readonly TrailEntry[] {
  return steps.flatMap((given, index): readonly TrailEntry[] => {
    const { tool, content, isError, exitCode, detail, isAnswered, active } = given;
    const seq = 2 * index + 1;
    const callId = `call-${index}`;
    const common = { content: '', occurredAt: timeOf(seq), active, messageKey: null };
    const call: TrailEntry = {
      ...common,
      kind: 'tool_call',
      author: 'agent',
      sourceKey: `${seq}`,
      seq,
      callId,
      toolName: tool,
      arguments: given.given,
      effect: 'other',
      spawn: null,
    };
    const result: TrailEntry = {
      ...common,
      kind: 'tool_result',
      author: 'tool',
      sourceKey: `${seq + 1}`,
      seq: seq + 1,
      callId,
      content,
      isError,
      exitCode,
      ruling: null,
      ...(detail !== null && { detail }),
    };
    return isAnswered ? [call, result] : [call];
  });
}

export const timeOf = (seq: number): string =>
  new Date(Date.UTC(2026, 0, 31, 12, seq)).toISOString();

export function trailOf(
  steps: readonly Step[],
  settings: TrailSettings = SETTINGS,
): { readonly trail: Trail; readonly events: readonly ArtifactEvent[] } {
  return extendTrail(EMPTY_TRAIL, entriesOf(steps), settings);
}

/** Events as `action path` lines, with what is special about them behind. */
export function eventLines(events: readonly ArtifactEvent[]): readonly string[] {
  return events.map(({ action, path, oldPath, ok, range }) =>
    [
      action,
      ...(oldPath === null ? [] : [oldPath, '→']),
      path,
      ...(range === null ? [] : [`${range.from}-${range.to ?? ''}`]),
      ...(ok ? [] : ['failed']),
    ].join(' '),
  );
}

/** Net states as `path: state` lines, in order of path. */
export function stateLines({ artifacts }: Trail): readonly string[] {
  return [...artifacts.values()]
    .map(({ path, state }) => `${path}: ${state}`)
    .sort((a, b) => (a < b ? -1 : 1));
}
