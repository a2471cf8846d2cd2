/** `--assert NAME>=VALUE` of the evaluation commands: figures turned into an exit code. */
import {
  type AssertedFigures,
  type CheckedAssertion,
  checkAssertion,
  figureNames,
  parseAssertion,
} from '../../../domain/evaluation/report/check-assertion.js';
import { showFigure } from '../../../domain/evaluation/report/show-figure.js';
import { UsageError } from '../failure.js';
import type { Message } from '../view.js';

export interface AssertOptions {
  readonly assert?: readonly string[];
}

/** @throws UsageError for a text that is no assertion, before any work. */
export function requireAssertions({ assert: texts = [] }: AssertOptions): void {
  for (const text of texts) {
    if (parseAssertion(text) === null) {
      throw new UsageError(
        `--assert takes NAME>=VALUE, such as ours.share@10>=0.5, not ${JSON.stringify(text.slice(0, 80))}.`,
      );
    }
  }
}

export interface HeldAssertions {
  readonly checked: readonly CheckedAssertion[];
  /** One for each that was missed, with its value and n. */
  readonly messages: readonly Message[];
  /** 1 where one was missed. */
  readonly exitCode: 0 | 1;
}

export function holdAssertions(
  { assert: texts = [] }: AssertOptions,
  figures: AssertedFigures,
): HeldAssertions {
  const checked = texts.flatMap((text) => {
    const assertion = parseAssertion(text);
    return assertion === null ? [] : [checkAssertion(assertion, figures)];
  });
  const missed = checked.filter(({ held }) => !held);
  return {
    checked,
    messages: missed.map((one) => ({ level: 'warning', text: missedText(one, figures) })),
    exitCode: missed.length === 0 ? 0 : 1,
  };
}

export function assertionText({ name, comparison, bound, held, figure }: CheckedAssertion): string {
  const said = figure === null ? 'no such figure' : showFigure(figure);
  return `${held ? 'held' : 'missed'}: ${name}${comparison}${bound} (${said})`;
}

/** Names listed where an assertion names none that is there. */
const LISTED_NAMES = 12;

function missedText(one: CheckedAssertion, figures: AssertedFigures): string {
  if (one.figure !== null) return `Assertion ${assertionText(one)}.`;
  const names = figureNames(figures);
  const more = names.length > LISTED_NAMES ? ` and ${names.length - LISTED_NAMES} more` : '';
  return `Assertion ${assertionText(one)}. There are ${names.slice(0, LISTED_NAMES).join(', ')}${more}.`;
}
