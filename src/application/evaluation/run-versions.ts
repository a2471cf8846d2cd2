/** Who answered and who judged, as every report names them. */
import type { TokenCounter } from '../../domain/kernel/measures.js';
import type { Evaluator, Evaluators } from './ports.js';

type Named = Omit<Evaluator<unknown>, 'work'>;

export function namesOf(
  counter: TokenCounter,
  answerer: Named | null,
  judge: Named | null,
): Readonly<Record<string, string>> {
  return {
    counter: `${counter.name}@${counter.version}`,
    ...(answerer === null ? {} : { answerer: versionOf(answerer) }),
    ...(judge === null ? {} : { judge: versionOf(judge) }),
  };
}

/** A model is lenient with what it wrote itself. */
export function oneModelWarning({ answerer }: Evaluators, judge: Named | null): string | null {
  if (judge === null || answerer === null || answerer.name !== judge.name) return null;
  return `Answerer and judge are one model (${answerer.name}): it marks its own answers.`;
}

/** With the prompt: another prompt is another run. */
export function versionOf(named: Named | null): string {
  return named === null ? 'none' : `${named.name}, prompt ${named.promptVersion}`;
}
