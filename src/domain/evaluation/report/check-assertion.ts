/** `--assert NAME>=VALUE`: one figure of a report held to a bound. */
import { type EvaluationReport, type Figure, plainFigure } from './evaluation-report.js';

/** What can be asked for: figures of arms, and counts as `n.NAME`. */
export type AssertedFigures = Pick<EvaluationReport, 'arms' | 'n'>;

export interface Assertion {
  /** `ARM.FIGURE`, `FIGURE` where one arm alone has it, or `n.COUNT`. */
  readonly name: string;
  readonly comparison: '>=' | '<=';
  readonly bound: number;
}

export interface CheckedAssertion extends Assertion {
  readonly held: boolean;
  /** Null where no arm has a figure of the name. */
  readonly figure: Figure | null;
}

const FORM = /^([^<>=]{1,120})(>=|<=)(-?\d{1,15}(?:\.\d{1,9})?)$/;

/** Null where the text is none. */
export function parseAssertion(text: string): Assertion | null {
  const [, name, comparison, bound] = FORM.exec(text.trim()) ?? [];
  if (name === undefined || (comparison !== '>=' && comparison !== '<=')) return null;
  return { name: name.trim(), comparison, bound: Number(bound) };
}

/** A figure that is not there, or could not be measured, holds no bound. */
export function checkAssertion(assertion: Assertion, report: AssertedFigures): CheckedAssertion {
  const figure = figureNamed(assertion.name, report);
  const value = figure?.value ?? null;
  const { comparison, bound } = assertion;
  const held = value !== null && (comparison === '>=' ? value >= bound : value <= bound);
  return { ...assertion, held, figure };
}

/** Every name that an assertion on the report may use. */
export function figureNames({ arms, n }: AssertedFigures): readonly string[] {
  return [
    ...arms.flatMap(({ name, figures }) => Object.keys(figures).map((key) => `${name}.${key}`)),
    ...Object.keys(n).map((key) => `n.${key}`),
  ];
}

function figureNamed(name: string, { arms, n }: AssertedFigures): Figure | null {
  const found = arms.flatMap((arm) =>
    Object.entries(arm.figures).flatMap(([key, figure]) =>
      name === `${arm.name}.${key}` || name === key ? [{ figure, isFull: name !== key }] : [],
    ),
  );
  const full = found.find(({ isFull }) => isFull);
  if (full !== undefined) return full.figure;
  const count = Object.entries(n).find(([key]) => name === `n.${key}`)?.[1];
  if (count !== undefined) return plainFigure(count, count);
  return found.length === 1 ? (found[0]?.figure ?? null) : null;
}
