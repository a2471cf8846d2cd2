/**
 * Summaries by a language model. The model writes operations or a document, and nothing of it is taken
 * on trust: form is checked here, content by the patch and the gate of the session.
 */
import { z } from 'zod';
import type { Summarise, Summarizer, SummaryRequest } from '../../application/session/summarise.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import { MIGRATION_SCHEMA } from '../../domain/session/summary/section-schema.js';
import { askForJson, type JsonAnswer } from './ask-for-json.js';
import type { LanguageModel } from './language-model.js';
import { type Material, QUOTED_IS_DATA } from './quote-material.js';
import { summarizerFailure, summarizerUsage } from './summary-answers.js';
import { anchoredPrompt, regenerativePrompt, type SummaryPrompt } from './summary-prompts.js';

export interface PromptedSummarizerOptions {
  /** Measures what the instructions add to a request. */
  readonly tokenCounter: TokenCounter;
  /** Of the model, input and output. Left out: taken for that of the session's model. */
  readonly windowTokens?: number;
}

/** The lines around up to four quoted parts, in tokens. */
const FRAME_TOKENS = 250;

export function promptedSummarizer(
  model: LanguageModel,
  { tokenCounter, windowTokens }: PromptedSummarizerOptions,
): Summarizer {
  let overheadTokens: number | null = null;
  return {
    name: model.name.replaceAll(/\s+/gu, ' ').trim() || 'unnamed',
    windowTokens: windowTokens ?? null,
    // When it is asked for: a counter may have to load a table, and most commands summarize nothing.
    get overheadTokens() {
      overheadTokens ??= largestInstructions(tokenCounter) + FRAME_TOKENS;
      return overheadTokens;
    },
    summarise: promptedSummarise(model),
  };
}

/** With the built-in schema of most sections, and figures of most digits. */
function largestInstructions(tokenCounter: TokenCounter): number {
  const limits = { requestTokens: 99_999, answerTokens: 99_999, itemTokens: 999 };
  const sizes = [anchoredPrompt, regenerativePrompt].map((prompt) => {
    const { instruction, answerForm } = prompt({ schema: MIGRATION_SCHEMA, limits });
    return tokenCounter.count([instruction, QUOTED_IS_DATA, answerForm].join('\n\n'));
  });
  return Math.max(...sizes);
}

const patchAnswer = z.object({ operations: z.array(z.unknown()) });
const documentAnswer = z.object({ sections: z.record(z.string(), z.array(z.unknown())) });

/** Never throws for what a model does: `failed`, with the reason by type. Blobs it cannot give. */
export function promptedSummarise(model: LanguageModel): Summarise {
  return async (request, signal) => {
    switch (request.approach) {
      case 'anchored': {
        const answer = await ask(model, anchoredPrompt(request), patchAnswer, request, signal);
        if (answer.outcome === 'failed') return summarizerFailure(answer);
        const usage = summarizerUsage(answer.usage);
        return { kind: 'patch', patch: answer.value, end: 'complete', usage };
      }
      case 'regenerative': {
        const prompt = regenerativePrompt(request);
        const answer = await ask(model, prompt, documentAnswer, request, signal);
        if (answer.outcome === 'failed') return summarizerFailure(answer);
        const usage = summarizerUsage(answer.usage);
        return { kind: 'document', document: answer.value, end: 'complete', usage };
      }
      case 'opaque': {
        const reason = `${model.name} writes text; an opaque summary needs a summarizer of the host.`;
        return { kind: 'failed', failure: 'unavailable', reason, usage: null };
      }
    }
  };
}

function ask<Value>(
  model: LanguageModel,
  { instruction, answerForm }: SummaryPrompt,
  schema: z.ZodType<Value>,
  request: SummaryRequest,
  signal: AbortSignal,
): Promise<JsonAnswer<Value>> {
  const input = materialOf(request);
  // One try: the pass itself sends complaints back, under the ceiling of its requests.
  return askForJson(model, { instruction, answerForm, schema, input, signal, tries: 1 });
}

function materialOf({ window, reference, focus, complaints }: SummaryRequest): Material {
  return {
    ...(reference !== '' && { items: reference }),
    entries: window.text,
    ...(focus !== null && { focus }),
    ...(complaints.length > 0 && { complaints: complaints.join('\n') }),
  };
}
