/** A payload in a file: its text for a model, or all of it as JSON. */
import { rename, rm, writeFile } from 'node:fs/promises';
import type { AssemblyPayload } from '../../../domain/assembly/assembly-payload.js';
import { renderPayload } from '../../../domain/assembly/render-payload.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { toWire } from '../wire-names.js';

/** Written beside its place and then renamed: under the name stands a whole payload, old or new. */
export async function writePayload(file: string, payload: AssemblyPayload): Promise<void> {
  const text = file.endsWith('.json')
    ? JSON.stringify(toWire(payload), null, 2)
    : renderPayload(payload);
  const draft = `${file}.${process.pid}.part`;
  try {
    await writeFile(draft, `${text}\n`);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    const reason = error instanceof Error ? error.message : String(error);
    throw new OssatureError('INVALID_INPUT', `${file} cannot be written: ${reason}.`, {
      details: { file },
      cause: error,
    });
  }
}
