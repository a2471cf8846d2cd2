/** What is known of a result beside its text: exit states and applied patches. */
import { isJsonObject, type JsonObject } from '../../domain/redaction/json-value.js';
import type { CommandEnding } from './codex-survey.js';
import type { BuiltResult } from './entry-builder.js';
import { nameOf, objectOf, parseJson } from './json-fields.js';

/** Lines at the head of an output that tell the state of its process. */
const HEAD_LENGTH = 400;

const EXITED = /^(?:Process exited with code|Exit code:) (-?\d+)$/m;

const FAILED =
  /^(?:exec_command failed|write_stdin failed|apply_patch verification failed|aborted by user)/im;

/** Patches that wait for their output; each holds its changes. */
const MAX_PATCHES = 100;

export class ResultFacts {
  readonly #patches = new Map<string, JsonObject>();

  constructor(private readonly endings: ReadonlyMap<string, CommandEnding>) {}

  /** The end of a patch, which the client reports before the output. */
  notePatch(payload: JsonObject): void {
    const callId = nameOf(payload['call_id']);
    if (callId === null) return;
    const { success, status, changes } = payload;
    const facts = Object.entries({ success, status, changes }).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, value] as const],
    );
    this.#patches.set(callId, Object.fromEntries(facts));
    const [oldest] = this.#patches.keys();
    if (this.#patches.size > MAX_PATCHES && oldest !== undefined) this.#patches.delete(oldest);
  }

  complete(result: BuiltResult): BuiltResult {
    const patch = this.#patches.get(result.callId) ?? null;
    this.#patches.delete(result.callId);
    const ending = this.endings.get(result.callId);
    const exitCode = ending?.exitCode ?? exitCodeIn(result.content);
    const detail = {
      ...patch,
      ...(ending !== undefined && {
        ...(ending.exitCode !== null && { exit_code: ending.exitCode }),
        ...(ending.directory !== null && { cwd: ending.directory }),
        ...(ending.status !== null && { status: ending.status }),
      }),
    };
    const isError =
      result.isError ||
      (exitCode ?? 0) !== 0 ||
      patch?.['success'] === false ||
      FAILED.test(result.content.slice(0, HEAD_LENGTH));
    return {
      ...result,
      exitCode,
      isError,
      ...(Object.keys(detail).length > 0 && { detail }),
    };
  }
}

/** In the head of an output, or, as older clients write it, in JSON around it. */
function exitCodeIn(content: string): number | null {
  const value = content.startsWith('{') ? parseJson(content) : null;
  const wrapped = isJsonObject(value) ? objectOf(value['metadata'])['exit_code'] : null;
  if (typeof wrapped === 'number' && Number.isInteger(wrapped)) return wrapped;
  const at = content.indexOf('Output:\n');
  const head = content.slice(0, at === -1 ? HEAD_LENGTH : Math.min(at, HEAD_LENGTH));
  const said = EXITED.exec(head)?.[1];
  return said === undefined ? null : Number(said);
}
