/** Every text of an entry through the one way in. */
import { isJsonObject, type JsonObject, type JsonValue } from '../redaction/json-value.js';
import type { TextCleaner } from '../redaction/text-cleaner.js';
import type { Ruling, TranscriptEntry } from './transcript.js';

export function cleanEntry(given: TranscriptEntry, cleaner: TextCleaner): TranscriptEntry {
  const content = cleaner.clean(given.content);
  const entry = withCleanOrigin(given, cleaner);
  if (entry.kind === 'tool_call') {
    const { spawn } = entry;
    return {
      ...entry,
      content,
      toolName: cleaner.clean(entry.toolName),
      arguments: cleaner.cleanJson(entry.arguments),
      spawn: spawn && {
        brief: cleaner.cleanRepeated(spawn.brief),
        agentName: cleaner.cleanRepeated(spawn.agentName),
      },
    };
  }
  if (entry.kind === 'tool_result') {
    return {
      ...entry,
      content,
      ruling: entry.ruling && cleanRuling(entry.ruling, cleaner),
      ...(entry.detail !== undefined && { detail: cleanDetail(entry.detail, cleaner) }),
    };
  }
  return { ...entry, content };
}

/** What an export needs beside the text is data of the vendor, and goes through all the same. */
function withCleanOrigin(entry: TranscriptEntry, cleaner: TextCleaner): TranscriptEntry {
  const { model, vendor } = entry;
  if (model === undefined && vendor === undefined) return entry;
  return {
    ...entry,
    ...(model !== undefined && { model: cleaner.cleanRepeated(model) }),
    ...(vendor !== undefined && { vendor: cleaner.cleanJson(vendor) as JsonObject }),
  };
}

function cleanRuling(ruling: Ruling, cleaner: TextCleaner): Ruling {
  switch (ruling.ruling) {
    case 'plan-approved':
      return {
        ...ruling,
        plan: cleaner.cleanRepeated(ruling.plan),
        remark: ruling.remark && cleaner.cleanRepeated(ruling.remark),
      };
    case 'plan-sent-back':
      return { ...ruling, remark: ruling.remark && cleaner.cleanRepeated(ruling.remark) };
    case 'answered':
      return {
        ...ruling,
        answers: ruling.answers.map(({ question, answer, notTaken }) => ({
          question: cleaner.cleanRepeated(question),
          answer: cleaner.cleanRepeated(answer),
          notTaken: notTaken.map((option) => cleaner.cleanRepeated(option)),
        })),
      };
  }
}

/** What a detail repeats stands in the call or the result too, so its finds are counted there. */
function cleanDetail(detail: JsonValue, cleaner: TextCleaner): JsonValue {
  if (typeof detail === 'string') return cleaner.cleanRepeated(detail);
  if (isJsonObject(detail)) {
    return Object.fromEntries(
      Object.entries(detail).map(([name, field]) => [
        cleaner.cleanRepeated(name),
        cleanDetail(field, cleaner),
      ]),
    );
  }
  return Array.isArray(detail)
    ? detail.map((item: JsonValue) => cleanDetail(item, cleaner))
    : detail;
}

/** For those that build no trail: a detail is long, and cleaning it takes its time. */
export function withoutDetail(entry: TranscriptEntry): TranscriptEntry {
  if (entry.kind !== 'tool_result' || entry.detail === undefined) return entry;
  const { detail: _detail, ...rest } = entry;
  return rest;
}
