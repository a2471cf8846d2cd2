/** The review of a summary by a language model: it reads the items beside what they cite, and may refuse them. */
import { z } from 'zod';
import type {
  Refusal,
  Reviewer,
  ReviewRequest,
  ReviewSummary,
} from '../../application/session/review-summary.js';
import type { TokenCounter } from '../../domain/kernel/measures.js';
import { askForJson } from './ask-for-json.js';
import type { LanguageModel } from './language-model.js';
import { QUOTED_IS_DATA } from './quote-material.js';
import { summarizerFailure, summarizerUsage } from './summary-answers.js';

const VERSION = 'review/1';

const INSTRUCTION = `[${VERSION}] You check statements of a record of an agent's work against the entries of the session that they cite. The part \`items\` has one statement a line: its handle, and as JSON its section, its text and, under "before", what it said until now, which was checked already. The part \`entries\` is what they cite. Refuse a statement that says what neither its entries nor its earlier text say, that turns what they say into its opposite, that takes a plan or an attempt for something done, or that gives a choice to somebody who did not make it. What is only left out, or said in other words, is no reason to refuse.`;

const ANSWER_FORM =
  'Its form: {"refusals":[{"item":"#17","reason":"in one sentence, what is wrong and what the entries say"}]}. An empty list where nothing is to be refused.';

const answerShape = z.object({
  refusals: z.array(
    z.object({
      item: z.string().regex(/^#\d{1,9}$/),
      reason: z.string().regex(/\S/),
    }),
  ),
});

/** The lines around two quoted parts, in tokens. */
const FRAME_TOKENS = 150;

export function promptedReviewer(
  model: LanguageModel,
  { tokenCounter }: { readonly tokenCounter: TokenCounter },
): Reviewer {
  let overheadTokens: number | null = null;
  return {
    name: model.name,
    // When it is asked for: a counter may have to load a table, and most passes are not reviewed.
    get overheadTokens() {
      const texts = [INSTRUCTION, QUOTED_IS_DATA, ANSWER_FORM].join('\n\n');
      overheadTokens ??= tokenCounter.count(texts) + FRAME_TOKENS;
      return overheadTokens;
    },
    review: promptedReview(model),
  };
}

/** Never throws for what a model does: `failed`, with the reason by type. */
export function promptedReview(model: LanguageModel): ReviewSummary {
  return async ({ items, entries, limits }, signal) => {
    const handles = new Set(items.map(({ itemNo }) => `#${itemNo}`));
    const answer = await askForJson(model, {
      instruction: INSTRUCTION,
      answerForm: ANSWER_FORM,
      schema: answerShape,
      input: { items: items.map(lineOf).join('\n'), entries },
      signal,
      maxOutputTokens: limits.answerTokens,
      check: ({ refusals }) => {
        const stray = refusals.find(({ item }) => !handles.has(item));
        return stray === undefined ? null : `${stray.item} is not among the items`;
      },
    });
    if (answer.outcome === 'failed') return summarizerFailure(answer);
    return {
      kind: 'review',
      usage: summarizerUsage(answer.usage),
      refusals: answer.value.refusals.map(({ item, reason }): Refusal => ({
        itemNo: Number(item.slice(1)),
        reason,
      })),
    };
  };
}

function lineOf({ itemNo, section, text, before }: ReviewRequest['items'][number]): string {
  const told = { section, text, ...(before !== null && { before }) };
  return `#${itemNo} ${JSON.stringify(told)}`;
}
