/** Texts are whole, well-formed, within their limits, and say something. */
import { textFault } from '../../kernel/text.js';
import { knownTexts } from './check-identifiers.js';
import { failureOf, type FailureText } from './failure-text.js';
import type { Findings, GateInput } from './gate-input.js';
import { KnownTexts } from './identifiers.js';
import { changedItems, summarizedItems } from './item-changes.js';
import { sectionOf } from './section-schema.js';
import { MAX_ITEM_TOKENS } from './summary-item.js';

const FAILURES: Readonly<Record<FailureText, string>> = {
  placeholder: 'the text is a placeholder',
  'error-text': 'the text is an error or a refusal, not a statement about the span',
};

export function checkText(input: GateInput): Findings {
  return [...answerFaults(input), ...opaqueFaults(input), ...itemFaults(input)];
}

function answerFaults({ answers }: GateInput): Findings {
  return answers.flatMap((end) =>
    end === 'complete' ? [] : [{ itemNo: null, reason: `the answer was ${end}` }],
  );
}

function opaqueFaults(input: GateInput): Findings {
  if (input.opaqueText === null) return [];
  const known = new KnownTexts(knownTexts(input));
  const failure = failureOf(input.opaqueText, known, false);
  const fault = textFault(input.opaqueText);
  return [
    ...(fault === null ? [] : [{ itemNo: null, reason: `the text ${fault}` }]),
    ...(failure === null ? [] : [{ itemNo: null, reason: FAILURES[failure] }]),
  ];
}

function itemFaults(input: GateInput): Findings {
  const { before, after, counter } = input;
  const written = new Set(summarizedItems(before, after).map(({ after: item }) => item.itemNo));
  const known = new KnownTexts(knownTexts(input));
  return changedItems(before, after).flatMap(
    ({ after: { itemNo, text, refs, pinned, section } }) => {
      const reasons: string[] = [];
      const fault = textFault(text) ?? refs.map((ref) => textFault(ref.text)).find((one) => one);
      if (fault !== null && fault !== undefined) reasons.push(`the text ${fault}`);
      if (!pinned) {
        const tokens = counter.count(text);
        if (tokens > MAX_ITEM_TOKENS)
          reasons.push(`the text has ${tokens} tokens; at most ${MAX_ITEM_TOKENS} are allowed`);
      }
      if (written.has(itemNo)) {
        const isErrors = sectionOf(after.schema, section)?.filledBy.includes('errors') === true;
        const failure = failureOf(text, known, isErrors);
        if (failure !== null) reasons.push(FAILURES[failure]);
      }
      return reasons.map((reason) => ({ itemNo, reason }));
    },
  );
}
