/** What the tools of Claude Code mean: effects on artifacts, sub-agents, and rulings of a person. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/redaction/json-value.js';
import { shellEffect } from '../../domain/session/shell-effect.js';
import type { Answer, Ruling, ToolCallEntry, ToolEffect } from '../../domain/session/transcript.js';

const CHANGING = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);
const READING = new Set([
  'Read',
  'Glob',
  'Grep',
  'LS',
  'NotebookRead',
  'WebFetch',
  'WebSearch',
  'BashOutput',
]);
const SPAWNING = new Set(['Task', 'Agent']);

/** Starts of the sentences by which the vendor reports a refused call. */
const REFUSED = "The user doesn't want to proceed with this tool use";
const REJECTED = /^User rejected\b/;
const REMARK_MARKS = [
  'the user said:\n',
  'The user provided the following reason for the rejection: ',
];

export function toolEffect(toolName: string, value: JsonValue): ToolEffect {
  if (CHANGING.has(toolName)) return 'changes';
  if (READING.has(toolName)) return 'reads';
  if (toolName !== 'Bash' || !isJsonObject(value)) return 'other';
  return shellEffect(textOf(value['command']) ?? '');
}

export function toolSpawn(toolName: string, value: JsonValue): ToolCallEntry['spawn'] {
  if (!SPAWNING.has(toolName) || !isJsonObject(value)) return null;
  return {
    brief: textOf(value['prompt']) ?? textOf(value['description']) ?? '',
    agentName: textOf(value['subagent_type']) ?? textOf(value['name']) ?? 'general-purpose',
  };
}

/**
 * What a person decided through a result.
 *
 * @param detail the record's `toolUseResult`, which holds answers apart from their sentence.
 */
export function toolRuling(
  call: { readonly toolName: string; readonly arguments: JsonValue } | null,
  content: string,
  isError: boolean,
  detail: unknown,
): Ruling | null {
  if (call?.toolName === 'ExitPlanMode') {
    if (isError) return sentBack(content);
    const asked = isJsonObject(call.arguments) ? textOf(call.arguments['plan']) : null;
    const approved = isJsonObject(detail) ? textOf(detail['plan']) : null;
    const plan = approved ?? asked ?? content;
    return {
      ruling: 'plan-approved',
      plan,
      remark: isJsonObject(detail) ? textOf(detail['feedback']) : null,
    };
  }
  if (call?.toolName === 'AskUserQuestion' && !isError) {
    const answers = readAnswers(call.arguments, detail, content);
    return answers.length === 0 ? null : { ruling: 'answered', answers };
  }
  return null;
}

/** Any other failure, such as a call outside of plan mode, is no person's ruling. */
function sentBack(content: string): Ruling | null {
  if (content.includes(REFUSED)) return { ruling: 'plan-sent-back', remark: remarkIn(content) };
  return REJECTED.test(content) ? { ruling: 'plan-sent-back', remark: content } : null;
}

function remarkIn(content: string): string | null {
  for (const mark of REMARK_MARKS) {
    const at = content.indexOf(mark);
    const remark = at === -1 ? '' : content.slice(at + mark.length).trim();
    if (remark !== '') return remark;
  }
  return null;
}

function readAnswers(asked: JsonValue, detail: unknown, content: string): readonly Answer[] {
  const given = isJsonObject(detail) && isJsonObject(detail['answers']) ? detail['answers'] : null;
  const questions =
    isJsonObject(asked) && Array.isArray(asked['questions']) ? asked['questions'] : [];
  return questions.flatMap((question: JsonValue) => {
    if (!isJsonObject(question)) return [];
    const text = textOf(question['question']) ?? '';
    const answer = given === null ? answerIn(content, text) : written(given[text]);
    if (answer === null) return [];
    const notTaken = optionLabels(question).filter((label) => !answer.includes(label));
    return [{ question: text, answer, notTaken }];
  });
}

/** Older clients give the answers only in a sentence: `"question"="answer"`. */
function answerIn(content: string, question: string): string | null {
  const mark = `"${question}"="`;
  const start = content.indexOf(mark);
  if (start === -1) return null;
  const end = content.indexOf('"', start + mark.length);
  return end === -1 ? null : content.slice(start + mark.length, end);
}

function optionLabels(question: JsonObject): readonly string[] {
  const options = Array.isArray(question['options']) ? question['options'] : [];
  return options.flatMap((option: JsonValue) =>
    isJsonObject(option) ? (textOf(option['label']) ?? []) : [],
  );
}

function written(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
