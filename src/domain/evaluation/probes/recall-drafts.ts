/** Facts that were said once: errors, exit codes, versions, measured numbers, values of the user. */
import type { StoredEntry } from '../../session/stored-entry.js';
import { commandKey } from '../../session/trail/session-commands.js';
import { isHumanPrompt } from '../../session/transcript.js';
import { foldText } from '../grading/find-token.js';
import { parseMeasured } from '../grading/numbers.js';
import { fact, type ProbeDraft } from './probe-draft.js';
import type { ProbeMaterial, SpanIndex } from './probe-material.js';

/** UTF-16 units of a text that are looked at for values; longer outputs are looked at from their start. */
const LOOKED_AT = 20_000;

/** UTF-16 units of a command or a label in a question. */
const LONGEST_SHOWN = 160;

export function recallDrafts(material: ProbeMaterial, index: SpanIndex): readonly ProbeDraft[] {
  return [
    ...errorDrafts(material, index),
    ...exitDrafts(material, index),
    ...namedValueDrafts(material),
  ];
}

/** The last error that a command or call met; where it met several at once, none is the last. */
function errorDrafts({ trail }: ProbeMaterial, index: SpanIndex): readonly ProbeDraft[] {
  const byKey = new Map<string, { readonly line: string; readonly seq: number }[]>();
  for (const { key, firstLine, seenAt } of trail.errors.values()) {
    const own = byKey.get(key) ?? [];
    own.push({ line: firstLine, seq: seenAt.at(-1) ?? 0 });
    byKey.set(key, own);
  }
  return [...byKey].flatMap(([key, seen]) => {
    const last = Math.max(...seen.map(({ seq }) => seq));
    const [error, ...others] = seen.filter(({ seq }) => seq === last);
    const result = index.resultOf(last);
    if (error === undefined || others.length > 0 || result === null) return [];
    if (!isShowable(key)) return [];
    return [
      {
        type: 'recall' as const,
        question: `What was the first line of the error that \`${shown(key)}\` met last, word for word?`,
        format: null,
        facts: [
          fact({
            kind: 'exact',
            topic: 'errors',
            value: error.line.trim(),
            sourceEntryIds: [result.entryId],
          }),
        ],
      },
    ];
  });
}

/** Of the last run of each command, where it failed and stands in the span. */
function exitDrafts({ trail }: ProbeMaterial, index: SpanIndex): readonly ProbeDraft[] {
  const last = new Map([...trail.commands.values()].map((one) => [commandKey(one), one]));
  return [...last].flatMap(([key, { seq, exitCode, state }]) => {
    if (state !== 'failed' || exitCode === null || !isShowable(key)) return [];
    const sources = index.entryIds([seq, index.resultOf(seq)?.seq ?? seq]);
    if (sources.length === 0) return [];
    return [
      {
        type: 'recall' as const,
        question: `With which exit code did \`${shown(key)}\` end when it ran last? Answer with the number alone.`,
        format: 'single-value' as const,
        facts: [
          fact({
            kind: 'number',
            topic: 'value',
            subject: 'exit code',
            value: String(exitCode),
            sourceEntryIds: sources,
          }),
        ],
      },
    ];
  });
}

interface NamedValue {
  readonly question: string;
  readonly kind: 'exact' | 'number';
  readonly value: string;
}

const VERSION =
  /(?<![\w./@-])((?:@[\w-]+\/)?[A-Za-z][\w.-]{1,40})(?:@| v?| version )(\d+\.\d+\.\d+(?:-[\w.]+)?)(?![\w.]*\w)/g;
const MEASURED =
  /^[ \t>*|-]*([A-Za-z][\w /-]{2,40}?)[ \t]*[:=][ \t]*(-?\d[\d,.]*)[ \t]?(ms|s|sec|min|kB|KB|MB|MiB|GB|GiB|%|rps|req\/s|tokens|bytes)(?![\w/])/gm;
const GIVEN =
  /\b(?:the |our |my )?([a-z][\w -]{2,40}?) (?:is|must be|should be|shall be|will be|=) (?:`([^`\n]{1,80})`|"([^"\n]{1,80})")/gi;

/** Names with one value at the end: the last one counts, and what was said twice at once does not. */
function namedValueDrafts({ span, tailText }: ProbeMaterial): readonly ProbeDraft[] {
  const known = new Map<string, { values: Set<string>; entry: StoredEntry; named: NamedValue }>();
  for (const entry of span) {
    const inEntry = new Map<string, Set<string>>();
    for (const { key, named } of valuesIn(entry)) {
      const values = inEntry.get(key) ?? new Set();
      inEntry.set(key, values.add(named.value));
      known.set(key, { values, entry, named });
    }
  }
  const tailKeys = new Set(keysIn(tailText));
  return [...known].flatMap(([key, { values, entry, named }]) => {
    // Said again in the tail: the truth at the point may be another one.
    if (values.size > 1 || tailKeys.has(key)) return [];
    const { question, kind, value } = named;
    return [
      {
        type: 'recall' as const,
        question,
        format: 'single-value' as const,
        facts: [fact({ kind, topic: 'value', value, sourceEntryIds: [entry.entryId] })],
      },
    ];
  });
}

function* valuesIn(
  entry: StoredEntry,
): Generator<{ readonly key: string; readonly named: NamedValue }> {
  const isSaid = entry.kind === 'assistant' || entry.kind === 'tool_result';
  if (!isSaid && !isHumanPrompt(entry)) return;
  yield* valuesOfText(foldText(entry.content.slice(0, LOOKED_AT)), isHumanPrompt(entry));
}

function* valuesOfText(
  text: string,
  isUsers: boolean,
): Generator<{ readonly key: string; readonly named: NamedValue }> {
  for (const [, name = '', version = ''] of text.matchAll(VERSION)) {
    const question = `Which version of ${name} was named last? Answer with the version alone.`;
    yield { key: `version ${name}`, named: { question, kind: 'exact', value: version } };
  }
  for (const [, label = '', digits = '', unit = ''] of text.matchAll(MEASURED)) {
    const value = `${digits.replace(/[,.]$/, '')} ${unit}`;
    if (parseMeasured(value) === null) continue;
    const question = `Which number, with its unit, was measured last for "${label.trim()}"?`;
    const key = `measured ${label.trim().toLowerCase()} ${unit}`;
    yield { key, named: { question, kind: 'number', value } };
  }
  if (!isUsers) return;
  for (const [, name = '', quoted, doubled] of text.matchAll(GIVEN)) {
    const value = (quoted ?? doubled ?? '').trim();
    if (value === '') continue;
    const question = `Which value did the user give last for "${name.trim()}"? Answer with the value alone.`;
    yield { key: `given ${name.trim().toLowerCase()}`, named: { question, kind: 'exact', value } };
  }
}

function keysIn(text: string): readonly string[] {
  return [...valuesOfText(foldText(text), true)].map(({ key }) => key);
}

/** A command over several lines would fill the question. */
function isShowable(command: string): boolean {
  return command.length <= LONGEST_SHOWN && !command.includes('\n') && !command.includes('`');
}

function shown(key: string): string {
  return key.replace(/^[^$]*\$ /, '');
}
