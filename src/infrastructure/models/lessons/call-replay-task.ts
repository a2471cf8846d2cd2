/** Replays by a client inside this process: only where the host allows it, and then provisional. */
import type { ReplayTask } from '../../../application/lessons/ports.js';
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { LanguageModel } from '../language-model.js';
import { reportedUsage } from './lesson-usage.js';
import { PROBE_VERSION, probeRequest } from './probe-request.js';

export function callReplayTask(model: LanguageModel): ReplayTask {
  return {
    identity: `${model.name} ${PROBE_VERSION}`,
    isolation: 'call',
    async replay(request, signal) {
      const { system, text } = probeRequest(request);
      const said = await model.complete(
        { system, messages: [{ role: 'user', text }], format: 'text' },
        signal,
      );
      if (said.text.trim() === '' || said.finishReason === 'filtered') {
        throw new OssatureError('MODEL_UNREADABLE', `${model.name} said nothing.`, {
          details: { reason: said.finishReason, model: model.name },
        });
      }
      return { answer: said.text, processId: null, ...reportedUsage(said.usage) };
    },
  };
}
