/** Conversations in the format of Anthropic's Messages API, in any layout. */
import type {
  TranscriptHead,
  TranscriptReader,
} from '../../application/session/transcript-reader.js';
import type { Digest } from '../../domain/kernel/measures.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { isAnthropicSession } from './anthropic-marks.js';
import { AnthropicMapper } from './anthropic-message.js';
import { nameOf } from './json-fields.js';
import { viewHead } from './message-layout.js';
import {
  BAD_SHAPE,
  type KeyedRecord,
  type MessageFormat,
  messageReader,
  NOTHING_READ,
  type SessionMapper,
} from './message-reader.js';

export const ANTHROPIC = 'anthropic';

/** @param digest names messages that have no id of their own. */
export function anthropicReader(digest: Digest): TranscriptReader {
  return messageReader(anthropicFormat, digest);
}

const anthropicFormat: MessageFormat = { name: ANTHROPIC, detect, begin };

/** One session of the head with a mark of its own tells the format; none may contradict it. */
function detect(head: TranscriptHead): boolean {
  const sessions = viewHead(head)?.sessions ?? [];
  const withRecords = sessions.filter(({ records }) => records.length > 0);
  return (
    withRecords.some(isAnthropicSession) &&
    withRecords.every(({ members, records }) =>
      isAnthropicSession({ records, members: { ...members, system: '' } }),
    )
  );
}

function begin({ system }: JsonObject): SessionMapper {
  const mapper = new AnthropicMapper();
  const content: JsonValue = system ?? null;
  return {
    preamble: content === null || content === '' ? [] : [{ role: 'system', content }],
    readMembers: ['system'],
    unfold: () => null,
    idOf: (record) => (isJsonObject(record) ? nameOf(record['id']) : null),
    continues: () => false,
    repeatsById: false,
    add: ({ record, recordKey }: KeyedRecord) =>
      isJsonObject(record) ? mapper.add(record, recordKey) : BAD_SHAPE,
    finish: () => NOTHING_READ,
  };
}
