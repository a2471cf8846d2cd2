/** A shorter form of a lesson, by a model that must say what became of every claim. */
import { z } from 'zod';
import type {
  CompressionRequest,
  NumberedClaim,
  ProposeCompression,
} from '../../../application/lessons/ports.js';
import { CLAIM_KINDS } from '../../../domain/lessons/claim.js';
import type { LanguageModel } from '../language-model.js';
import { askModel } from './ask-model.js';
import { reportedUsage } from './lesson-usage.js';

/** Changed with every change of the words below: results are told apart by it. */
const PROMPT_VERSION = 'compression/1';

const proposal = z.object({
  body: z.string(),
  title: z.string().nullish(),
  gist: z.string().nullish(),
  lossless: z.boolean().nullish(),
  dropped: z
    .array(
      z.object({ claim: z.string(), kind: z.string(), claim_ids: z.array(z.string()).nullish() }),
    )
    .nullish(),
  fates: z
    .array(
      z.object({
        claim_id: z.string(),
        fate: z.enum(['kept', 'merged', 'dropped']),
        merged_with: z.array(z.string()).nullish(),
      }),
    )
    .nullish(),
  rationale: z.string().nullish(),
});

export function promptedCompression(model: LanguageModel): ProposeCompression {
  return {
    identity: `${model.name} ${PROMPT_VERSION}`,
    async propose(request, signal) {
      const { value, usage } = await askModel(model, {
        instruction: instructionOf(request),
        input: materialOf(request),
        schema: proposal,
        signal,
      });
      return {
        proposal: {
          body: value.body,
          title: value.title ?? null,
          gist: value.gist ?? null,
          lossless: value.lossless ?? false,
          rationale: value.rationale ?? null,
          dropped: (value.dropped ?? []).map(({ claim, kind, claim_ids: claimIds }) => ({
            claim,
            kind,
            claimIds: claimIds ?? [],
          })),
          fates: (value.fates ?? []).map(({ claim_id: claimId, fate, merged_with: others }) => ({
            claimId,
            fate,
            mergedWith: others ?? [],
          })),
        },
        ...reportedUsage(usage),
      };
    },
  };
}

function instructionOf({ sources, targetTokens, spans }: CompressionRequest): string {
  const isMerge = sources.length > 1;
  return [
    isMerge
      ? `Write one lesson that can stand in for the ${sources.length} lessons below.`
      : 'Write a shorter form of the lesson below. It is advice for an agent at work.',
    `Its body has at most ${targetTokens} tokens; aim a little below. Keep the language of the lesson.`,
    'An agent that is given only your text must still do right on the tasks whose beginnings are quoted. Prefer whole claims left out over many claims made vague. Copy numbers, commands, paths, names and other exact values as they stand; write none that the lesson does not hold.',
    'What HINTS names was missed when it was cut before: keep it.',
    spans.length > 0
      ? 'What OBSERVED quotes was seen to change what an agent did: keep it, and take the reduction from the rest.'
      : 'No part of it was observed to change what an agent did. None observed does not mean none needed: be conservative.',
    `Give a fate to every numbered claim in fates: kept, merged (with which other numbers, in merged_with) or dropped. Name each dropped claim in dropped: claim is a sentence that can be understood by itself, kind is one of ${CLAIM_KINDS.join(', ')}, claim_ids are its numbers. Set lossless to true only if you tightened wording and dropped nothing.`,
    'title and gist are optional: a title of at most 120 characters, a gist of one line and at most 25 words that says when the lesson applies.',
  ].join('\n');
}

function materialOf({
  sources,
  claims,
  prompts,
  hints,
  spans,
}: CompressionRequest): Record<string, string> {
  const several = sources.length > 1;
  const lessons = sources.map(({ title, gist, body }, index): [string, string] => [
    several ? `LESSON ${index + 1}` : 'LESSON',
    `${title}\n${gist}\n\n${body}`,
  ]);
  return {
    ...Object.fromEntries(lessons),
    CLAIMS: claims.map(claimLine).join('\n'),
    ...listed('TASKS', prompts),
    ...listed('HINTS', hints),
    ...listed('OBSERVED', spans),
  };
}

function claimLine({ number, text, values }: NumberedClaim): string {
  return `${number}. ${text}${values.length > 0 ? `\n   exact values: ${values.join(' | ')}` : ''}`;
}

function listed(name: string, texts: readonly string[]): Record<string, string> {
  return texts.length === 0 ? {} : { [name]: texts.map((text) => `- ${text}`).join('\n') };
}
