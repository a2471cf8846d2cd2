/**
 * A lower bound of the whole compression contract, written for speed alone: one pass that validates,
 * fills columns, codes decisions and marks ids; counting buckets with the row in them; ids packed
 * into numbers where relevances tie; output arrays of the final size. It keeps its buffers from call
 * to call and is not re-entrant, both of which the product must not do.
 *
 * `lowerBound(fragments, ratio)` answers what `compressSkeleton` answers, but errors say less.
 */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const SMALL_BUCKET = 20;

let capacity = 0;
let relevances, tokens, decisions, hashes, rows, spareRows, keys, spareKeys, packed, counts;
let bits = new Int32Array(0);
let sharedBits = new Int32Array(0);
let isPacked = false;

function reserve(length) {
  if (length <= capacity) return;
  capacity = Math.max(64, length);
  relevances = new Float64Array(capacity);
  tokens = new Float64Array(capacity);
  keys = new Float64Array(capacity);
  spareKeys = new Float64Array(capacity);
  packed = new Float64Array(capacity);
  decisions = new Uint32Array(capacity);
  hashes = new Int32Array(capacity);
  rows = new Uint32Array(capacity);
  spareRows = new Uint32Array(capacity);
  counts = new Uint32Array(capacity + 1);
}

function broken(index, field) {
  throw new RangeError(`fragment ${index}: ${field}`);
}

export function lowerBound(fragments, ratio) {
  if (!Array.isArray(fragments)) throw new RangeError('no array');
  if (!(typeof ratio === 'number' && ratio >= 0 && ratio <= 1)) throw new RangeError('ratio');
  const length = fragments.length;
  reserve(length);
  isPacked = false;

  let bitCount = 1024;
  while (bitCount < length * 16) bitCount *= 2;
  const words = bitCount >>> 5;
  if (bits.length < words) {
    bits = new Int32Array(words);
    sharedBits = new Int32Array(words);
  } else {
    bits.fill(0, 0, words);
    sharedBits.fill(0, 0, words);
  }
  const bitMask = bitCount - 1;
  let isShared = false;

  const codes = new Map();
  const names = [null];
  let total = 0;
  for (let i = 0; i < length; i++) {
    const fragment = fragments[i];
    if (typeof fragment !== 'object' || fragment === null) broken(i, 'fragment');
    const { fragmentId: id, content, tokenCount, relevance, decisionId } = fragment;
    if (typeof id !== 'string' || id.length === 0) broken(i, 'fragmentId');
    if (!Number.isSafeInteger(tokenCount) || tokenCount < 0) broken(i, 'tokenCount');
    if (!(typeof relevance === 'number' && relevance >= 0 && relevance <= 1))
      broken(i, 'relevance');
    if (typeof content !== 'string') broken(i, 'content');
    let code = 0;
    if (decisionId !== undefined && decisionId !== null) {
      code = codes.get(decisionId);
      if (code === undefined) {
        if (typeof decisionId !== 'string' || !ULID.test(decisionId)) broken(i, 'decisionId');
        code = names.push(decisionId) - 1;
        codes.set(decisionId, code);
      }
    }
    total += tokenCount;
    if (total > Number.MAX_SAFE_INTEGER) broken(i, 'tokenCount');
    let hash = id.length;
    for (let k = hash > 12 ? hash - 12 : 0; k < id.length; k++) {
      hash = Math.imul(hash ^ id.charCodeAt(k), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = (hash ^ (hash >>> 13)) & bitMask;
    const bit = 1 << (hash & 31);
    const word = hash >>> 5;
    if ((bits[word] & bit) === 0) bits[word] |= bit;
    else {
      sharedBits[word] |= bit;
      isShared = true;
    }
    hashes[i] = hash;
    relevances[i] = relevance + 0;
    tokens[i] = tokenCount;
    decisions[i] = code;
  }
  if (isShared) {
    const seen = new Set();
    for (let i = 0; i < length; i++) {
      const hash = hashes[i];
      if ((sharedBits[hash >>> 5] & (1 << (hash & 31))) === 0) continue;
      const id = fragments[i].fragmentId;
      if (seen.has(id)) broken(i, 'fragmentId');
      seen.add(id);
    }
  }

  order(fragments, length);

  const [significand, exponent = '0'] = String(ratio).split('e');
  const [whole, fraction = ''] = significand.split('.');
  const unit = 10n ** BigInt(fraction.length - Number(exponent));
  const budget = Number((BigInt(total) * (unit - BigInt(whole + fraction))) / unit);
  let free = budget;
  let keptLength = 0;
  const keptRows = spareRows;
  const isNamed = new Uint8Array(names.length);
  isNamed[0] = 1;
  const sourceDecisionIds = [];
  let skippedLength = 0;
  for (let k = 0; k < length; k++) {
    const row = rows[k];
    const size = tokens[row];
    if (ratio === 1 ? k === 0 : size <= free) {
      free -= size;
      keptRows[keptLength++] = row;
      const code = decisions[row];
      if (isNamed[code] === 0) {
        isNamed[code] = 1;
        sourceDecisionIds.push(names[code]);
      }
    } else rows[skippedLength++] = row;
  }
  const kept = [];
  kept.length = keptLength;
  for (let k = 0; k < keptLength; k++) kept[k] = fragments[keptRows[k]];
  const skipped = [];
  skipped.length = skippedLength;
  for (let k = 0; k < skippedLength; k++) skipped[k] = fragments[rows[k]];
  return {
    kept,
    skipped,
    metadata: Object.freeze({
      ratio,
      originalTokens: total,
      compressedTokens: budget - free,
      sourceDecisionIds: Object.freeze(sourceDecisionIds),
    }),
    budgetTokens: budget,
  };
}

/** Leaves the rows in order in `rows`: one counting pass over as many buckets as rows. */
function order(fragments, length) {
  const last = length - 1;
  counts.fill(0, 0, length + 1);
  for (let i = 0; i < length; i++) counts[(((1 - relevances[i]) * last) | 0) + 1]++;
  for (let b = 1; b <= length; b++) counts[b] += counts[b - 1];
  for (let i = 0; i < length; i++) rows[counts[((1 - relevances[i]) * last) | 0]++] = i;
  let from = 0;
  for (let b = 0; b < length; b++) {
    const to = counts[b];
    if (to - from > 1) orderBucket(fragments, from, to);
    from = to;
  }
}

function orderBucket(fragments, from, to) {
  if (to - from <= SMALL_BUCKET) {
    for (let i = from + 1; i < to; i++) {
      const row = rows[i];
      const relevance = relevances[row];
      let j = i - 1;
      for (; j >= from; j--) {
        const other = rows[j];
        const known = relevances[other];
        if (known > relevance) break;
        if (known === relevance && fragments[other].fragmentId < fragments[row].fragmentId) break;
        rows[j + 1] = other;
      }
      rows[j + 1] = row;
    }
    return;
  }
  const first = relevances[rows[from]];
  let isTie = true;
  for (let i = from + 1; i < to && isTie; i++) isTie = relevances[rows[i]] === first;
  if (!isTie) {
    rows.subarray(from, to).sort((a, b) => relevances[b] - relevances[a] || byId(fragments, a, b));
    return;
  }
  if (!isPacked) packAll(fragments);
  orderTie(fragments, from, to);
}

function byId(fragments, a, b) {
  return fragments[a].fragmentId < fragments[b].fragmentId ? -1 : 1;
}

function packAll(fragments) {
  const first = fragments[0].fragmentId;
  let shared = first.length;
  for (let i = 1; i < fragments.length && shared > 0; i++) {
    const id = fragments[i].fragmentId;
    if (id.length < shared) shared = id.length;
    let at = 0;
    while (at < shared && id.charCodeAt(at) === first.charCodeAt(at)) at++;
    shared = at;
  }
  for (let i = 0; i < fragments.length; i++) {
    const id = fragments[i].fragmentId;
    let number = 0;
    let isBeyond = false;
    for (let at = shared; at < shared + 7; at++) {
      let code = at < id.length && !isBeyond ? id.charCodeAt(at) + 1 : 0;
      if (code >= 127) {
        code = 127;
        isBeyond = true;
      }
      number = number * 128 + code;
    }
    packed[i] = number;
  }
  isPacked = true;
}

const HALF = 2 ** 30;
const digits = new Uint32Array(5 * 1024);

/** Radix passes of ten bits over the packed ids of one tie, then strings where those are equal. */
function orderTie(fragments, from, to) {
  const length = to - from;
  digits.fill(0);
  let a = keys;
  let b = spareKeys;
  let aRows = rows.slice(from, to);
  let bRows = spareRows;
  for (let i = 0; i < length; i++) {
    const key = packed[aRows[i]];
    a[i] = key;
    const high = Math.floor(key / HALF);
    const low = key - high * HALF;
    digits[low & 1023]++;
    digits[1024 + ((low >>> 10) & 1023)]++;
    digits[2048 + (low >>> 20)]++;
    digits[3072 + (high & 1023)]++;
    digits[4096 + (high >>> 10)]++;
  }
  for (let pass = 0; pass < 5; pass++) {
    const offset = pass * 1024;
    let start = 0;
    let isConstant = false;
    for (let d = offset; d < offset + 1024; d++) {
      const count = digits[d];
      if (count === length) isConstant = true;
      digits[d] = start;
      start += count;
    }
    if (isConstant) continue;
    const divisor = pass < 3 ? 1 : HALF;
    const shift = (pass % 3) * 10;
    for (let i = 0; i < length; i++) {
      const key = a[i];
      const high = Math.floor(key / HALF);
      const part = divisor === 1 ? key - high * HALF : high;
      const target = digits[offset + ((part >>> shift) & 1023)]++;
      b[target] = key;
      bRows[target] = aRows[i];
    }
    [a, b] = [b, a];
    [aRows, bRows] = [bRows, aRows];
  }
  for (let i = 0; i < length; i++) rows[from + i] = aRows[i];
  for (let i = 0; i < length;) {
    let end = i + 1;
    while (end < length && a[end] === a[i]) end++;
    if (end - i > 1) rows.subarray(from + i, from + end).sort((x, y) => byId(fragments, x, y));
    i = end;
  }
}
