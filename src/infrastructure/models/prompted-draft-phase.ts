/**
 * Drafts of workflow artifacts by a language model. The request is made from the layout of the artifact,
 * the answer is checked by the core's own schema, and what is wrong with it goes back to the model once.
 */
import { z } from 'zod';
import type { DraftPhase, DraftRequest } from '../../application/workflow/draft-phase.js';
import type { ArtifactLayout, ListHolds } from '../../domain/workflow/artifact.js';
import { askForJson, type AskFailureReason, type JsonAnswer } from './ask-for-json.js';
import type { LanguageModel } from './language-model.js';
import { modelUnavailable, modelUnreadable, type UnreadableReason } from './model-failure.js';
import type { Material } from './quote-material.js';

/** A change of these words is a new version: it stands in the request. */
const VERSION = 'draft-phase/1';

/** Calls at most: the second carries what was wrong with the first answer. */
const TRIES = 2;

const answerSchema = z.looseObject({ kind: z.string(), items: z.array(z.unknown()) });

/** @throws OssatureError MODEL_UNAVAILABLE, MODEL_UNREADABLE, the latter with the last complaint. */
export function promptedDraftPhase(model: LanguageModel): DraftPhase {
  return async (request, signal) => {
    const answer = await askForJson(model, {
      instruction: instructionOf(request),
      answerForm: answerFormOf(request.layout),
      input: materialOf(request),
      schema: answerSchema,
      check: request.check,
      tries: TRIES,
      signal,
    });
    if (answer.outcome === 'failed') throw failureOf(answer, model.name);
    return {
      artifact: answer.value,
      model: model.name.replaceAll(/\s+/gu, ' ').trim() || 'unnamed',
    };
  };
}

const TASKS: Readonly<Record<ArtifactLayout['phase'], string>> = {
  research:
    'Research what the change asked for in `goal` touches: the components concerned, what they depend on, the interfaces between them, the effects of the change, and what cannot be answered from the sources. Say only what the sources show, and cite for each item where it shows.',
  planning:
    'Plan the change asked for in `goal` from the research in `approved 1`: signatures, types, how data flows, the steps in order, and how each is checked. Every item of the research is taken up by some item of yours, or is no part of the change.',
  implementation:
    'Write the record of what was done for `goal`, from the entries in the sources, against the spec in `approved 2`: each step that was done with the items of the spec it carries out, and each deviation from the spec.',
};

const VALUES: Readonly<Record<ListHolds, string>> = {
  sources:
    'references of sources, as they stand at the head of each source; a stretch of a file as file:PATH:10-20, a part of a seed example as seed:NAME#step-2',
  entries: 'entries as entry:SESSION_ID#12',
  'item-ids': 'ids of items of the approved artifact before',
  paths: 'paths of files, relative to the project',
  lines: 'lines of text, each what was run and how it ended',
};

function instructionOf({ layout, budgetTokens }: DraftRequest): string {
  return `[${VERSION}] ${TASKS[layout.phase]}

Rules:
- The whole takes at most ${budgetTokens} tokens. Be brief; leave out what the next phase does not need.
- One statement an item. Its text is plain Markdown without headings of its own; a code fence that is opened is closed.
- If there is a part \`previous\`, it is the version that stands now; if there is a part \`reasons\`, they say why it was rejected: meet each of them.
- Cite and name nothing that is not in the material.`;
}

function answerFormOf({ kind, prefix, sections, lists }: ArtifactLayout): string {
  const example = {
    kind,
    items: [
      {
        item_id: `${prefix}-1`,
        section: sections[0]?.key ?? '',
        text: '…',
        ...Object.fromEntries(lists.map(({ field }) => [field, ['…']])),
      },
    ],
  };
  const fields = lists.map(({ field, holds }) => `"${field}": ${VALUES[holds]}`).join('; ');
  return `Its form:\n${JSON.stringify(example)}\nIds are ${prefix}-1, ${prefix}-2 and so on. "section" is one of ${sections.map(({ key }) => key).join(', ')}. ${fields}. No other fields.`;
}

function materialOf({ goal, approved, sources, previous, reasons }: DraftRequest): Material {
  const unread = sources.flatMap(({ reference, text }) => (text === null ? [reference] : []));
  return {
    goal,
    ...Object.fromEntries(approved.map((text, index) => [`approved ${index + 1}`, text])),
    ...Object.fromEntries(
      sources.flatMap(({ reference, text }, index) =>
        text === null ? [] : [[`source ${index + 1}`, `${reference}\n\n${text}`]],
      ),
    ),
    ...(unread.length > 0 && { 'sources without text': unread.join('\n') }),
    ...(previous !== null && { previous }),
    ...(reasons.length > 0 && { reasons: reasons.join('\n\n') }),
  };
}

const UNREADABLE: Readonly<Partial<Record<AskFailureReason, UnreadableReason>>> = {
  'not-json': 'not-json',
  'wrong-schema': 'wrong-shape',
  cut: 'too-large',
  filtered: 'empty',
};

function failureOf(
  { reason, message, error }: Extract<JsonAnswer<unknown>, { outcome: 'failed' }>,
  model: string,
): Error {
  if (error !== null) return error;
  const fault = UNREADABLE[reason];
  return fault === undefined
    ? modelUnavailable('server-error', message, { model })
    : modelUnreadable(fault, message, { model });
}
