/** `agents eval judge-check`: whether the configured judge can be trusted with marks. */
import { judgeCheckSettings } from '../../../application/evaluation/judge-standing.js';
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult } from '../view.js';
import { type AssertOptions, requireAssertions } from './evaluation-assertions.js';
import { reportResult } from './evaluation-result.js';

export function checkJudge(
  terminal: Terminal,
  options: AssertOptions & { readonly tenant: string },
): Promise<CommandResult> {
  requireAssertions(options);
  return withCore(terminal, async (core) => {
    const judge = core.evaluations.judge.requireJudge();
    const recorded = await core.evaluations.runs.record(
      {
        tenantId: options.tenant,
        kind: 'judge-check',
        settings: judgeCheckSettings(judge),
      },
      (run) => core.evaluations.judge.check(run, terminal.signal),
    );
    const result = reportResult(recorded, options);
    const hasFailed = recorded.report.arms[0]?.figures['passed']?.value !== 1;
    return hasFailed ? { ...result, exitCode: 1 } : result;
  });
}
