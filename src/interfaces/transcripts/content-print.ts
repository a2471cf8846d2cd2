/**
 * Tells two contents under one id apart, whatever the order of their fields: versions of a client write
 * one record differently. Not a digest for anything that is stored: 32 bits and the length of all texts,
 * computed in one pass without writing the value out.
 */
import { crc32 } from 'node:zlib';
import type { JsonObject, JsonValue } from '../../domain/redaction/json-value.js';

const SEED = 0x811c9dc5;

/** Odd, with bits all over (a constant of MurmurHash3's finalizer). */
const FACTOR = 0x85ebca6b;

/** UTF-16 units from which a checksum is taken: it is quicker by the unit, and slower by the call. */
const SUMMED_LENGTH = 256;

/** Values that the length is told apart by. */
const LENGTHS = 2 ** 20;

export function contentPrint(value: JsonValue): number {
  return (hashOf(value) >>> 0) * LENGTHS + (lengthOf(value) % LENGTHS);
}

function lengthOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let length = 1;
  if (Array.isArray(value)) {
    for (const part of value as readonly JsonValue[]) length += lengthOf(part);
    return length;
  }
  const object = value as JsonObject;
  for (const name in object) length += lengthOf(object[name] ?? null);
  return length;
}

function hashOf(value: JsonValue): number {
  if (typeof value === 'string') {
    return value.length < SUMMED_LENGTH
      ? hashText(value, SEED ^ 1)
      : mixed(crc32(value) ^ SEED ^ 1);
  }
  if (typeof value !== 'object' || value === null) return hashText(String(value), SEED ^ 2);
  if (Array.isArray(value)) {
    let hash = SEED ^ 3;
    for (const item of value as readonly JsonValue[]) hash = mixed(hash ^ hashOf(item));
    return hash;
  }
  // A sum has no order.
  let sum = SEED ^ 4;
  const object = value as JsonObject;
  for (const name in object) {
    const field = mixed(hashText(name, SEED ^ 5));
    sum = (sum + mixed(field ^ hashOf(object[name] ?? null))) | 0;
  }
  return mixed(sum);
}

function hashText(text: string, seed: number): number {
  let hash = seed ^ text.length;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FACTOR);
    hash ^= hash >>> 15;
  }
  return mixed(hash);
}

function mixed(given: number): number {
  const hash = Math.imul(given ^ (given >>> 16), FACTOR);
  return hash ^ (hash >>> 13);
}
