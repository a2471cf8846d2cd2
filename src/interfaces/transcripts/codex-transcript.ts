/**
 * Rollouts of Codex: JSONL of records in an envelope, or of bare items in older files. Items of the
 * conversation become entries; events beside them tell who typed a text and how a call ended.
 */
import type {
  TranscriptEvent,
  TranscriptHead,
  TranscriptProblem,
  TranscriptReader,
  TranscriptSource,
} from '../../application/session/transcript-reader.js';
import type { Digest } from '../../domain/kernel/measures.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { KnownTexts, readCompaction } from './codex-compaction.js';
import { ResultFacts } from './codex-result.js';
import { metaOf, type RolloutSurvey, surveyRollout } from './codex-survey.js';
import { isInjected } from './codex-text.js';
import { EntryBuilder, type RecordCommon } from './entry-builder.js';
import { isNestedTooDeep, nameOf, objectOf, textOf, timeOf } from './json-fields.js';
import { jsonlParts, problemAt } from './jsonl-values.js';
import { viewHead } from './message-layout.js';
import { messageParts } from './message-parts.js';
import { BAD_SHAPE, type RecordReading, skippedRecord } from './message-reader.js';
import { isItemType, ItemMapper } from './openai-items.js';
import { usageCounts, usageEvent } from './provider-usage.js';
import { SourceKeys } from './source-keys.js';

export const CODEX = 'codex';

/** To be changed when a file gives other events than before. */
const VERSION = '2';

/** @param digest names items that have no id of their own. */
export function codexReader(digest: Digest): TranscriptReader {
  return { name: CODEX, version: VERSION, detect, read: (source) => read(source, digest) };
}

const ENVELOPES = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'world_state',
]);

/** Told by one record in an envelope, or by the first line of an older file. */
function detect(head: TranscriptHead): boolean {
  const view = viewHead(head);
  if (view?.layout !== 'lines') return false;
  return view.sessions.some(({ records }) => records.some(isOwnRecord));
}

function isOwnRecord(record: JsonValue): boolean {
  if (!isJsonObject(record) || 'sessionId' in record) return false;
  const isEnvelope = ENVELOPES.has(nameOf(record['type']) ?? '') && 'timestamp' in record;
  return isEnvelope || record['record_type'] === 'state' || metaOf(record) !== null;
}

async function* read(source: TranscriptSource, digest: Digest): AsyncGenerator<TranscriptEvent> {
  const survey = await surveyRollout(source, digest);
  const { vendorSessionId, directory, parent } = survey;
  yield { event: 'session', vendorSessionId, directory, parent };
  const rollout = new Rollout(survey, digest);
  for await (const parts of jsonlParts(source.open(), source.name)) {
    for (const part of parts) {
      if (part.part === 'problem') yield { event: 'problem', problem: part.problem };
      else if (part.part === 'end') yield { event: 'end', lines: part.lines, bytes: part.bytes };
      else if (!isJsonObject(part.value) || isNestedTooDeep(part.value)) {
        yield { event: 'problem', problem: problemAt(part.line, 'bad-shape') };
      } else {
        const problem = (reason: TranscriptProblem['reason'], ids: readonly string[] = []) =>
          problemAt(part.line, reason, ids);
        for (const one of rollout.add(part.value, part.raw, part.line.number, problem)) yield one;
      }
    }
  }
}

type ProblemOf = (
  reason: TranscriptProblem['reason'],
  ids?: readonly string[],
) => TranscriptProblem;

class Rollout {
  readonly #keys: SourceKeys;
  readonly #known: KnownTexts;
  readonly #facts: ResultFacts;
  readonly #items: ItemMapper;
  #line = 0;
  #content = '';
  #metas = 0;
  /** As the latest `turn_context` says. */
  #model: string | null = null;

  constructor(
    private readonly survey: RolloutSurvey,
    digest: Digest,
  ) {
    this.#keys = new SourceKeys(digest);
    this.#known = new KnownTexts(digest);
    this.#facts = new ResultFacts(survey.endings);
    this.#items = new ItemMapper({
      authorOf: ({ texts }) => (this.#isTyped(texts) ? 'human' : 'harness'),
      completeResult: (result) => this.#facts.complete(result),
      spawnOf,
    });
  }

  *add(
    record: JsonObject,
    raw: string,
    line: number,
    problemOf: ProblemOf,
  ): Generator<TranscriptEvent> {
    this.#line = line;
    this.#content = contentIn(raw);
    const occurredAt = timeOf(record['timestamp'] ?? record['created_at']);
    if (metaOf(record) !== null) {
      this.#metas += 1;
      // A second one means a fork: what it was forked from is copied behind it.
      if (this.#metas > 1) this.#keys.expectCopies();
      yield skipped(this.#metas > 1 ? 'session_meta/fork' : 'session_meta');
      return;
    }
    const type = nameOf(record['type']) ?? nameOf(record['record_type']);
    const payload = objectOf(record['payload']);
    if (type === 'turn_context') this.#model = nameOf(payload['model']) ?? this.#model;
    if (type === 'event_msg') yield* this.#event(payload, occurredAt);
    else if (type === 'compacted') yield* this.#compacted(payload, occurredAt, problemOf);
    else if (type === 'response_item') yield* this.#item(payload, occurredAt, problemOf);
    else if (isBareItem(record)) yield* this.#item(record, occurredAt, problemOf);
    else yield skipped(type ?? 'unknown');
  }

  *#item(
    item: JsonObject,
    occurredAt: string | null,
    problemOf: ProblemOf,
  ): Generator<TranscriptEvent> {
    const { recordKey, state } = this.#keys.take(nameOf(item['id']), this.#content);
    if (state === 'repeated') {
      yield { event: 'repeated' };
      return;
    }
    if (state === 'reused') {
      yield { event: 'problem', problem: problemOf('key-reused', [recordKey]) };
    }
    const model = isAgents(item) ? this.#model : null;
    const { entries, skippedAs, isBadShape } = this.#read(item, { recordKey, occurredAt, model });
    if (isBadShape) yield { event: 'problem', problem: problemOf('bad-shape') };
    for (const name of skippedAs) yield skipped(name);
    for (const entry of entries) {
      if (entry.kind === 'user') this.#known.add(entry.content);
      yield { event: 'entry', entry };
    }
  }

  #read(
    item: JsonObject,
    place: Pick<RecordCommon, 'recordKey' | 'occurredAt' | 'model'>,
  ): RecordReading {
    if (item['type'] !== 'agent_message') return this.#items.add(item, place);
    // What another agent sent is no person's.
    this.#items.endMessage();
    const parts = messageParts(item['content']);
    if (parts === null) return BAD_SHAPE;
    if (parts.texts.length === 0) return skippedRecord('agent_message/empty');
    const builder = new EntryBuilder({ ...place, messageKey: place.recordKey });
    builder.text('user', 'harness', parts.texts.join('\n\n'));
    return { entries: builder.entries, skippedAs: [], isBadShape: false };
  }

  *#compacted(
    payload: JsonObject,
    occurredAt: string | null,
    problemOf: ProblemOf,
  ): Generator<TranscriptEvent> {
    this.#items.endMessage();
    const { recordKey, state } = this.#keys.take(nameOf(payload['id']), this.#content);
    if (state === 'repeated') {
      yield { event: 'repeated' };
      return;
    }
    if (state === 'reused') {
      yield { event: 'problem', problem: problemOf('key-reused', [recordKey]) };
    }
    const { builder, repeated } = readCompaction(payload, { recordKey, occurredAt }, this.#known);
    for (let count = 0; count < repeated; count += 1) yield { event: 'repeated' };
    for (const entry of builder.entries) yield { event: 'entry', entry };
  }

  /** Events repeat items; none is an entry but an abort that no item tells. */
  *#event(payload: JsonObject, occurredAt: string | null): Generator<TranscriptEvent> {
    const type = nameOf(payload['type']) ?? 'unknown';
    if (type === 'patch_apply_end') this.#facts.notePatch(payload);
    if (type === 'token_count') yield* this.#usage(objectOf(payload['info']), occurredAt);
    if (type !== 'turn_aborted' || this.survey.tellsAborts) {
      yield skipped(`event_msg/${type}`);
      return;
    }
    this.#items.endMessage();
    const { recordKey, state } = this.#keys.take(null, this.#content);
    if (state === 'repeated') {
      yield { event: 'repeated' };
      return;
    }
    const reason = textOf(payload['reason']) ?? 'aborted';
    const builder = new EntryBuilder({ recordKey, occurredAt, messageKey: null });
    const [entry] = builder.text('user', 'harness', `[turn aborted: ${reason}]`).entries;
    if (entry !== undefined) yield { event: 'entry', entry };
  }

  /** Reports have no id: the sums so far tell a request from the next, and a report from its repetition. */
  *#usage(info: JsonObject, occurredAt: string | null): Generator<TranscriptEvent> {
    const counts = usageCounts(info['last_token_usage']);
    const sums = usageCounts(info['total_token_usage']);
    if (counts === null || sums === null) return;
    const { uncachedInputTokens, cachedInputTokens, outputTokens } = sums;
    const usageKey = `total:${uncachedInputTokens + cachedInputTokens}/${outputTokens}`;
    yield usageEvent(counts, { usageKey, model: this.#model, occurredAt });
  }

  #isTyped(texts: readonly string[]): boolean {
    if (this.survey.isSubAgent) return false;
    return this.survey.prompts.includes(texts, this.#line) ?? !texts.some(isInjected);
  }
}

/** A copy in a fork has another time in its envelope, which stands before the payload. */
function contentIn(raw: string): string {
  const at = raw.indexOf('"payload"');
  return at === -1 ? raw : raw.slice(at);
}

/** What the model wrote, and not what was said to it. */
function isAgents(item: JsonObject): boolean {
  const type = nameOf(item['type']) ?? 'message';
  if (type === 'message') return item['role'] === 'assistant';
  return type === 'reasoning' || type.endsWith('_call');
}

function isBareItem(record: JsonObject): boolean {
  if ('payload' in record) return false;
  const type = nameOf(record['type']);
  return type === null ? 'role' in record : isItemType(type);
}

/** Tools by which an agent starts another. */
function spawnOf(toolName: string, given: JsonValue) {
  if (toolName !== 'spawn_agent' || !isJsonObject(given)) return null;
  return {
    brief: textOf(given['message']) ?? textOf(given['prompt']) ?? '',
    agentName: nameOf(given['agent_type']) ?? nameOf(given['name']) ?? 'default',
  };
}

function skipped(recordType: string): TranscriptEvent {
  return { event: 'skipped', recordType };
}
