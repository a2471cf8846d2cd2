/** Whether the configured judge may mark: only after a check that it passed. */
import type { EvaluationRuns } from './evaluation-runs.js';
import type { Evaluator, JudgeAnswer } from './ports.js';

/** `not-checked`: nobody held this judge, with this prompt, to answers of known worth. */
export type JudgeStanding = 'passed' | 'failed' | 'not-checked';

/** The settings of a check: another model or another prompt is another judge. */
export function judgeCheckSettings({ name, promptVersion }: Omit<Evaluator<unknown>, 'work'>) {
  return { judge: name, prompt: promptVersion };
}

/** By the latest check of the tenant that came to an end. */
export async function judgeStanding(
  runs: EvaluationRuns,
  tenantId: string,
  judge: Evaluator<JudgeAnswer>,
): Promise<JudgeStanding> {
  const settings = judgeCheckSettings(judge);
  const checked = await runs.findFinished({ tenantId, kind: 'judge-check', settings });
  if (checked === null) return 'not-checked';
  const arm = checked.report.arms.find(({ name }) => name === 'judge');
  return arm?.figures['passed']?.value === 1 ? 'passed' : 'failed';
}

/** What a report says of a judge whose marks are withheld; null where they are not. */
export function withheldWarning(name: string, standing: JudgeStanding): string | null {
  if (standing === 'passed') return null;
  const why =
    standing === 'failed' ? 'failed `agents eval judge-check`' : 'has not been checked yet';
  const next = standing === 'failed' ? '' : ' Run `agents eval judge-check`, then this again.';
  return `The judge ${name} ${why}: its marks are withheld, and it was not asked.${next}`;
}
