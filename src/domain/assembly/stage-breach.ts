/** How a stage hears that it broke its promise, and the shapes that every answer of one has. */
import { OssatureError } from '../kernel/errors.js';
import type { AssemblyStages } from './assembly-stages.js';

export type StageName = keyof AssemblyStages;

export function stageBreach(
  stage: StageName,
  broken: string,
  details: object = {},
  cause?: unknown,
): OssatureError {
  const ours = stage === 'skeletonCompressor' ? 'it, or its compressor' : 'it';
  return new OssatureError(
    'STAGE_BREACH',
    `The stage ${stage} ${broken}. Nothing was assembled: mend ${ours}, or leave it out to use ours.`,
    { details: { stage, ...details }, cause },
  );
}

/** A copy of the list. @throws OssatureError STAGE_BREACH where it is none. */
export function requireList(stage: StageName, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return Array.from<unknown>(value);
  throw stageBreach(stage, `gave ${describe(value)} where a list was due`);
}

/** @throws OssatureError STAGE_BREACH where the value is no object. */
export function requireRecord(stage: StageName, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !isPromise(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw stageBreach(stage, `gave ${describe(value)} where an object was due`);
}

/** @throws OssatureError STAGE_BREACH where the value is no text. */
export function requireText(stage: StageName, value: unknown): string {
  if (typeof value === 'string') return value;
  throw stageBreach(stage, `gave ${describe(value)} where a text was due`);
}

/** @throws OssatureError STAGE_BREACH unless the value is a number from 0 to 1. */
export function requireShare(stage: StageName, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw stageBreach(stage, `gave ${describe(value)} where a number from 0 to 1 was due`);
}

function describe(value: unknown): string {
  if (typeof value === 'number' || value === undefined || value === null) return String(value);
  if (isPromise(value)) return 'a promise';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value;
}
