/** Replays by an endpoint: each in a new process of ours, which makes a client of its own. */
import { fileURLToPath } from 'node:url';
import type { ReplayTask } from '../../../application/lessons/ports.js';
import { MODEL_UNREADABLE_EXIT, type ReplayClientInput } from './replay-client-input.js';
import { type IsolationRules, runIsolated } from '../../processes/run-isolated.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import { PROBE_VERSION, probeRequest } from './probe-request.js';
import { replayAnswer } from './process-replay-task.js';

export interface ModelReplaySettings extends IsolationRules {
  readonly endpoint: ReplayClientInput['endpoint'];
}

const CLIENT = fileURLToPath(new URL('./replay-client.js', import.meta.url));

export function modelProcessReplayTask({ endpoint, ...rules }: ModelReplaySettings): ReplayTask {
  return {
    identity: `${endpoint.model} ${PROBE_VERSION}`,
    isolation: 'process',
    async replay(request, signal) {
      const { timeoutMs } = request;
      const input: ReplayClientInput = { endpoint, timeoutMs, ...probeRequest(request) };
      const said = await runIsolated({
        ...rules,
        template: { program: process.execPath, arguments: [CLIENT], promptBy: 'stdin' },
        // The key goes through the pipe: an environment can be read by whoever lists processes.
        prompt: JSON.stringify(input),
        timeoutMs,
        signal,
      });
      if (said.exitCode === MODEL_UNREADABLE_EXIT) {
        throw new OssatureError('MODEL_UNREADABLE', `${endpoint.model} gave no whole answer.`, {
          details: { model: endpoint.model, processId: said.pid },
        });
      }
      return replayAnswer(said, timeoutMs);
    },
  };
}
