/**
 * One question to a model whose answer is a JSON object that fits a schema. What every adapter over a
 * model builds on, so that none trusts an answer, or lets quoted text give orders.
 *
 *     const answer = await askForJson(model, {
 *       instruction: 'List the claims of the lesson.',
 *       input: { lesson },
 *       schema: z.object({ claims: z.array(z.string()) }),
 *       signal,
 *     });
 *     if (answer.outcome === 'failed') … answer.reason …
 */
import { z } from 'zod';
import type { OssatureError } from '../../domain/kernel/errors.js';
import { boundaryBefore } from '../../domain/session/cut-text.js';
import { jsonInAnswer } from './json-in-answer.js';
import type { LanguageModel, ModelAnswer, ModelMessage, ModelUsage } from './language-model.js';
import { asModelError, modelStopped, modelUnreadable } from './model-failure.js';
import { type Material, QUOTED_IS_DATA, quoteMaterial } from './quote-material.js';
import { untilAborted } from './until-aborted.js';

export interface JsonQuestion<Value> {
  /** What to do, in our words; nothing quoted. The form of the answer is added from the schema. */
  readonly instruction: string;
  /** Quoted to the model as data, each part under its name. */
  readonly input: Material;
  readonly schema: z.ZodType<Value>;
  /** Bounds the time of all tries together. */
  readonly signal: AbortSignal;
  /** Calls at most: each after the first carries the complaint about the answer before. Left out: 2. */
  readonly tries?: number;
  /** Beyond the schema: what is wrong with the value, in words for the model; null: nothing. */
  readonly check?: (value: Value) => string | null;
  readonly maxOutputTokens?: number;
  /** How the object looks, in our words. Left out: the schema as JSON schema. */
  readonly answerForm?: string;
}

/**
 * `unavailable`: the model could not be asked; `unreadable`: its service gave no answer of a model;
 * `cut`: ended by length; `filtered`: withheld or declined; `broken-off`: ended by a fault;
 * `not-json`: no single JSON object; `wrong-schema`: one that does not fit.
 */
export type AskFailureReason =
  'unavailable' | 'unreadable' | 'cut' | 'filtered' | 'broken-off' | 'not-json' | 'wrong-schema';

interface Asked {
  /** Of all calls together; a figure that no call reported is null. */
  readonly usage: ModelUsage;
  /** Calls that were made. */
  readonly calls: number;
}

export type JsonAnswer<Value> = Asked &
  (
    | { readonly outcome: 'answered'; readonly value: Value }
    | {
        readonly outcome: 'failed';
        readonly reason: AskFailureReason;
        /** For people: what happened. Of the answer it tells names of fields at most. */
        readonly message: string;
        /** Why the model could not be asked; null where it answered. */
        readonly error: OssatureError | null;
      }
  );

const TRIES = 2;

/** Of a wrong answer, shown to the model again; UTF-16 units. */
const REPEATED_LENGTH = 20_000;

const NO_USAGE: ModelUsage = { inputTokens: null, cachedInputTokens: null, outputTokens: null };

/** Never throws for what a model does. A wrong answer is complained of; a failed call is not repeated. */
export async function askForJson<Value>(
  model: LanguageModel,
  question: JsonQuestion<Value>,
): Promise<JsonAnswer<Value>> {
  const { signal, maxOutputTokens } = question;
  const messages: ModelMessage[] = [{ role: 'user', text: quoteMaterial(question.input) }];
  const system = systemText(question);
  const tries = Math.max(1, question.tries ?? TRIES);
  let usage = NO_USAGE;
  for (let calls = 1; ; calls += 1) {
    const request = {
      system,
      messages: [...messages],
      format: 'json' as const,
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    };
    const stopped = (): OssatureError => modelStopped(signal, model.name);
    const wasStopped = signal.aborted;
    let answer;
    try {
      answer = asAnswer(
        await untilAborted(signal, stopped, () => model.complete(request, signal)),
        model.name,
      );
    } catch (thrown) {
      const error = asModelError(thrown, model.name);
      const reason = error.code === 'MODEL_UNREADABLE' ? 'unreadable' : 'unavailable';
      // Stopped before it, there was no call.
      const made = wasStopped ? calls - 1 : calls;
      return { outcome: 'failed', reason, message: error.message, error, usage, calls: made };
    }
    usage = addUsage(usage, answer.usage);
    const read = ENDED_BADLY[answer.finishReason] ?? readAnswer(answer.text, question);
    if (read.outcome === 'answered') return { ...read, usage, calls };
    if (!read.isCorrectable || calls >= tries) {
      const { reason, complaint } = read;
      const message = `The answer of ${model.name} was not taken: ${complaint}.`;
      return { outcome: 'failed', reason, message, error: null, usage, calls };
    }
    messages.push(
      {
        role: 'assistant',
        text: answer.text.slice(0, boundaryBefore(answer.text, REPEATED_LENGTH)) || '(empty)',
      },
      {
        role: 'user',
        text: `That answer was not taken: ${read.complaint}. Answer again, with the JSON object alone.`,
      },
    );
  }
}

/** A client of the host's may give anything. @throws OssatureError MODEL_UNREADABLE. */
function asAnswer(given: ModelAnswer, model: string): ModelAnswer {
  const { text, usage, finishReason } = (given ?? {}) as Partial<ModelAnswer>;
  if (typeof text === 'string' && typeof finishReason === 'string') {
    return { text, finishReason, usage: usage ?? NO_USAGE };
  }
  const message = `The client of ${model} gave no answer with text and finishReason.`;
  throw modelUnreadable('wrong-shape', message, { model });
}

/** Sums what was reported. */
export function addUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  const sum = (a: number | null | undefined, b: number | null | undefined): number | null =>
    (a ?? null) === null && (b ?? null) === null ? null : (a ?? 0) + (b ?? 0);
  return {
    inputTokens: sum(one.inputTokens, other.inputTokens),
    cachedInputTokens: sum(one.cachedInputTokens, other.cachedInputTokens),
    outputTokens: sum(one.outputTokens, other.outputTokens),
  };
}

interface NotTaken {
  readonly outcome: 'not-taken';
  readonly reason: AskFailureReason;
  readonly complaint: string;
  /** Whether another answer to the same question may be better. */
  readonly isCorrectable: boolean;
}

const ENDED_BADLY: Readonly<Record<string, NotTaken>> = {
  length: notTaken('cut', 'it was cut by the limit of its length', false),
  filtered: notTaken('filtered', 'it was filtered or declined', false),
  error: notTaken('broken-off', 'it broke off with a fault', false),
};

function readAnswer<Value>(
  text: string,
  { schema, check }: JsonQuestion<Value>,
): NotTaken | { readonly outcome: 'answered'; readonly value: Value } {
  const found = jsonInAnswer(text);
  if (found.outcome === 'none') return notTaken('not-json', found.complaint, true);
  const parsed = schema.safeParse(found.value);
  if (!parsed.success) return notTaken('wrong-schema', complaintOf(parsed.error), true);
  const complaint = check?.(parsed.data) ?? null;
  return complaint === null
    ? { outcome: 'answered', value: parsed.data }
    : notTaken('wrong-schema', complaint, true);
}

function notTaken(reason: AskFailureReason, complaint: string, isCorrectable: boolean): NotTaken {
  return { outcome: 'not-taken', reason, complaint, isCorrectable };
}

/** Faults that one complaint names; more would hide the first. */
const FAULTS_NAMED = 10;

function complaintOf({ issues }: z.ZodError): string {
  const named = issues.slice(0, FAULTS_NAMED).map(({ path, message }) => {
    const place = path.map(String).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  return `the JSON does not fit the schema (${named.join('; ')})`;
}

function systemText({
  instruction,
  schema,
  answerForm,
}: Pick<JsonQuestion<unknown>, 'instruction' | 'schema' | 'answerForm'>): string {
  const form = answerForm ?? `It must fit this JSON schema:\n${jsonSchemaOf(schema)}`;
  return [
    instruction,
    QUOTED_IS_DATA,
    `Answer with exactly one JSON object and nothing else. ${form}`,
  ].join('\n\n');
}

function jsonSchemaOf(schema: z.ZodType): string {
  return JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}
