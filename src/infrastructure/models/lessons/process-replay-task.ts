/** Replays by any agent program, each in a new process and an empty place. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { ReplayAnswer, ReplayTask } from '../../../application/lessons/ports.js';
import { parseCommandTemplate } from '../../processes/command-template.js';
import {
  type IsolatedAnswer,
  type IsolationRules,
  runIsolated,
} from '../../processes/run-isolated.js';
import { PROBE_VERSION, probeRequest } from './probe-request.js';

export interface ProcessReplaySettings extends IsolationRules {
  /** Such as `claude -p`; the prompt goes to stdin, or where `{prompt}` stands. */
  readonly command: string;
}

/** @throws OssatureError INVALID_CONFIG for a command that cannot be run. */
export function processReplayTask(settings: ProcessReplaySettings): ReplayTask {
  const { command, ...rules } = settings;
  const template = parseCommandTemplate(command, settings.env);
  return {
    // The command tells which agent and model it is, as far as anybody can know.
    identity: `${command} ${PROBE_VERSION}`,
    isolation: 'process',
    async replay(request, signal) {
      const { system, text } = probeRequest(request);
      const { timeoutMs } = request;
      const said = await runIsolated({
        ...rules,
        template,
        prompt: `${system}\n\n${text}\n`,
        timeoutMs,
        signal,
      });
      return replayAnswer(said, timeoutMs);
    },
  };
}

/** @throws OssatureError MODEL_UNAVAILABLE where there is no answer; it tells nothing of what was said. */
export function replayAnswer(said: IsolatedAnswer, timeoutMs: number): ReplayAnswer {
  const fault = faultOf(said, timeoutMs);
  if (fault === null) return { answer: said.answer, processId: said.pid };
  throw new OssatureError('MODEL_UNAVAILABLE', `The agent ${fault}.`, {
    details: { reason: said.outcome, exitCode: said.exitCode, processId: said.pid },
  });
}

function faultOf(said: IsolatedAnswer, timeoutMs: number): string | null {
  if (said.outcome === 'timed-out') return `did not answer within ${timeoutMs} ms`;
  if (said.outcome === 'aborted') return 'was stopped';
  if (said.outcome === 'failed') {
    return said.pid === null ? 'could not be started' : `ended with exit code ${said.exitCode}`;
  }
  return said.answer === '' ? 'said nothing' : null;
}
