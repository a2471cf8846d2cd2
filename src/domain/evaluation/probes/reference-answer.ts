/** The answer that says every fact of a probe and nothing else: the grader gives it full marks. */
import { type Fact, valuesOf } from '../fact.js';
import type { Probe } from '../probe.js';

export function referenceAnswer({ facts }: Pick<Probe, 'facts'>): string {
  return facts.flatMap(linesOf).join('\n');
}

function linesOf(fact: Fact): readonly string[] {
  const values = valuesOf(fact);
  return fact.kind === 'state' && fact.subject !== null
    ? values.map((value) => `${fact.subject}: ${value}`)
    : values;
}
