/** A file of uses: JSON Lines in the names of the wire. */
import { buffer } from 'node:stream/consumers';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { UseRequest } from '../../../domain/lessons/check-use.js';
import { namedFile, textOf } from '../project-files.js';
import type { Terminal } from '../terminal.js';

export interface UseLine {
  /** From 1. */
  readonly line: number;
  /** What the line says, not yet checked; or why it cannot be read. */
  readonly use: UseRequest | OssatureError;
}

/** Names of the wire and those of the core. */
const FIELDS: Readonly<Record<string, keyof UseRequest>> = {
  use_key: 'useKey',
  kind: 'kind',
  project_id: 'projectId',
  axis: 'axis',
  prompt: 'prompt',
  outcome: 'outcome',
  confidence: 'confidence',
  accepted_summary: 'acceptedSummary',
  check: 'check',
  served: 'served',
  used: 'used',
  corrected: 'corrected',
  spans: 'spans',
  session_id: 'sessionId',
  correction: 'correction',
};

/** @param file `-` reads standard input. Blank lines are passed over. */
export async function readUseLines({ stdin }: Terminal, file: string): Promise<readonly UseLine[]> {
  const text = file === '-' ? textOf(await buffer(stdin), 'Standard input') : await namedFile(file);
  return text.split(/\r?\n/).flatMap((one, at) => {
    return one.trim() === '' ? [] : [{ line: at + 1, use: readLine(one) }];
  });
}

function readLine(text: string): UseLine['use'] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault('INVALID_INPUT', 'It is no JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fault('INVALID_INPUT', 'It is no object.');
  }
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(FIELDS, name));
  if (unknown !== undefined) {
    const known = Object.keys(FIELDS).join(', ');
    return fault(
      'INVALID_INPUT',
      `${JSON.stringify(unknown.slice(0, 60))} is no field; known are ${known}.`,
    );
  }
  const { spans, ...rest } = value as Readonly<Record<string, unknown>>;
  const named = spans === undefined ? undefined : spansOf(spans);
  if (named === null) {
    return fault('INVALID_USE', 'spans must be a list of { lesson_id, text }.');
  }
  const fields = Object.entries(rest).map(([name, given]) => [FIELDS[name] ?? name, given]);
  const use = {
    ...(Object.fromEntries(fields) as UseRequest),
    ...(named === undefined ? {} : { spans: named }),
  };
  const lists: readonly unknown[] = [use.served, use.used, use.corrected];
  return lists.every((list) => list === undefined || isTexts(list))
    ? use
    : fault('INVALID_USE', 'served, used and corrected must be lists of lesson ids.');
}

function isTexts(list: unknown): boolean {
  return Array.isArray(list) && list.every((item) => typeof item === 'string');
}

/** Null where it is no list of spans. */
function spansOf(given: unknown): NonNullable<UseRequest['spans']> | null {
  if (!Array.isArray(given)) return null;
  const spans = given.map((span: unknown) => {
    const { lesson_id: lessonId, text } = (span ?? {}) as Readonly<Record<string, unknown>>;
    return typeof lessonId === 'string' && typeof text === 'string' ? { lessonId, text } : null;
  });
  const named = spans.filter((span) => span !== null);
  return named.length === spans.length ? named : null;
}

function fault(code: 'INVALID_INPUT' | 'INVALID_USE', text: string): OssatureError {
  return new OssatureError(code, text);
}
