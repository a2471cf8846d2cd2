/** What a mapping is: one call and its result, as its vendor writes them, turned into facts. */
import type { JsonObject, JsonValue } from '../../redaction/json-value.js';
import type { ArtifactAction, LineRange } from './artifact-event.js';
import type { ArtifactKind } from './artifact-path.js';
import type { PatchHunk } from './apply-patch.js';
import type { TextEdit } from './line-changes.js';
import type { TodoChange } from './session-todos.js';

export interface MappedCall {
  readonly toolName: string;
  /** JSON, or the raw string where it does not parse. */
  readonly arguments: JsonValue;
  /** Null while the call waits for its result, or never got one. */
  readonly result: MappedResult | null;
}

export interface MappedResult {
  readonly content: string;
  readonly isError: boolean;
  readonly exitCode: number | null;
  /** Condensed detail of the vendor, empty where there is none. */
  readonly detail: JsonObject;
}

/** What is known of a content through a call. */
export type ContentChange =
  /** The whole content after the call. */
  | { readonly change: 'whole'; readonly content: string }
  | { readonly change: 'edits'; readonly edits: readonly TextEdit[] }
  | { readonly change: 'hunks'; readonly hunks: readonly PatchHunk[] }
  | { readonly change: 'append'; readonly content: string }
  | { readonly change: 'copy'; readonly from: string };

export interface ArtifactFact {
  readonly fact: 'artifact';
  /** `written`: created or modified, told apart by what the session knows of the path. */
  readonly action: ArtifactAction | 'written';
  /** As the tool gives it; the trail normalizes it. */
  readonly path: string;
  readonly oldPath?: string;
  /** Where a relative path starts; absent: at the project root. */
  readonly directory?: string | null;
  readonly kind?: ArtifactKind;
  /** Read off words and not stated by a tool. */
  readonly inferred?: boolean;
  /** The call failed by what its result says, though the result is not marked as an error. */
  readonly failed?: boolean;
  /** The target may be a directory that takes what is copied or moved. */
  readonly mayEnterDirectory?: boolean;
  /** Everything below a directory shares its end. */
  readonly includesBelow?: boolean;
  /** Only where nothing stands there yet, as `touch` and `mkdir -p` do. */
  readonly onlyIfMissing?: boolean;
  readonly range?: LineRange;
  readonly content?: ContentChange;
  readonly linesAdded?: number;
  readonly linesRemoved?: number;
  readonly hunks?: number;
  readonly hashBefore?: string;
  readonly hashAfter?: string;
  readonly symbols?: readonly string[];
}

/** `unknown`: it still runs, or its end was not reported. */
export type CommandState = 'ok' | 'failed' | 'timed-out' | 'interrupted' | 'unknown';

/** `none`: it changes and reads nothing by its words; `unknown`: its words do not tell. */
export type CommandEffects = 'none' | 'known' | 'unknown';

export interface CommandEnd {
  readonly state: CommandState;
  readonly exitCode: number | null;
  /** What it printed, as far as this result shows it. */
  readonly output: string;
  /** Under which a later call asks for more of a command that still runs; null: it has ended. */
  readonly runsAs: string | null;
}

export type TrailFact =
  | ArtifactFact
  | {
      readonly fact: 'command';
      readonly command: string;
      readonly directory: string | null;
      readonly effects: CommandEffects;
      readonly end: CommandEnd;
      /** What the command does to artifacts once it has succeeded. */
      readonly artifacts: readonly ArtifactFact[];
    }
  /** More of a command that was started by an earlier call. */
  | { readonly fact: 'continuation'; readonly of: string; readonly end: CommandEnd }
  | { readonly fact: 'todos'; readonly todos: TodoChange };

/**
 * The facts of one call; an empty list for a call that touches no artifact, null for one that the
 * mapping does not understand. Called twice: when the call comes, and again with its result.
 */
export type MapCall = (call: MappedCall) => readonly TrailFact[] | null;

export interface ToolMapping {
  /** Vendor of the session, or null for every vendor. */
  readonly vendor: string | null;
  /** Exact name of the tool, or a pattern of names. */
  readonly tool: string | RegExp;
  readonly map: MapCall;
}

/** The first mapping that fits is asked; hosts put theirs in front of ours. */
export function findMapping(
  mappings: readonly ToolMapping[],
  vendor: string,
  toolName: string,
): ToolMapping | null {
  return (
    mappings.find(
      (mapping) =>
        (mapping.vendor === null || mapping.vendor === vendor) &&
        (typeof mapping.tool === 'string'
          ? mapping.tool === toolName
          : mapping.tool.test(toolName)),
    ) ?? null
  );
}
