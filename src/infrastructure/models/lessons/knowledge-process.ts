/** The agent of the offline model as a process: it knows the facts of the lesson in its prompt, and no other. */
import type { ReplayTask } from '../../../application/lessons/ports.js';
import { type IsolationRules, runIsolated } from '../../processes/run-isolated.js';
import { FACT, OFFLINE_IDENTITY, UNKNOWING } from '../knowledge-world.js';
import { probeRequest } from './probe-request.js';
import { replayAnswer } from './process-replay-task.js';

/** In one text and not in a file, so that it runs from wherever this module was loaded. */
const PROGRAM = `
let prompt = '';
for await (const part of process.stdin.setEncoding('utf8')) prompt += part;
const quoted = /^BEGIN LESSON (\\S+)$([\\s\\S]*?)^END LESSON \\1$/m.exec(prompt);
const facts = [...new Set((quoted?.[2] ?? '').match(new RegExp(process.argv[1], 'gi')) ?? [])];
process.stdout.write(facts.length === 0 ? process.argv[2] : 'I would mind ' + facts.join(' '));
`;

export function knowledgeProcessTask(settings: IsolationRules): ReplayTask {
  const template = {
    program: process.execPath,
    arguments: ['--input-type=module', '-e', PROGRAM, FACT.source, UNKNOWING],
    promptBy: 'stdin',
  } as const;
  return {
    identity: `${OFFLINE_IDENTITY}+process`,
    offline: true,
    isolation: 'process',
    async replay(request, signal) {
      const { timeoutMs } = request;
      const { system, text } = probeRequest(request);
      const prompt = `${system}\n\n${text}\n`;
      const said = await runIsolated({ ...settings, template, prompt, timeoutMs, signal });
      return replayAnswer(said, timeoutMs);
    },
  };
}
