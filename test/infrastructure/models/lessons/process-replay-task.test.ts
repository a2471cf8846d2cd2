import { describe, expect, it } from '@jest/globals';
import {
  type ProcessReplaySettings,
  processReplayTask,
} from '../../../../src/infrastructure/models/lessons/process-replay-task.js';

const { signal } = new AbortController();
const request = { lesson: 'Wait.', prompt: 'Fix the upload', words: 150, timeoutMs: 20_000 };

function task(command: string, change: Partial<ProcessReplaySettings> = {}) {
  return processReplayTask({
    command,
    env: process.env,
    envAllow: [],
    homeFiles: [],
    maxAnswerBytes: 65_536,
    ...change,
  });
}

describe('a replay by an agent program', () => {
  it('is told the lesson, the task and the probe, and nothing else', async () => {
    const agent = task(`node -e 'process.stdin.pipe(process.stdout)'`);
    const { answer, processId } = await agent.replay(request, signal);
    expect(agent.isolation).toBe('process');
    expect(processId).toEqual(expect.any(Number));
    expect(answer).toMatch(/at most 150 words/);
    expect(answer).toMatch(/BEGIN LESSON \w+\nWait\.\nEND LESSON/);
    expect(answer).toMatch(/BEGIN TASK \w+\nFix the upload\nEND TASK/);
  });

  it.each([
    ['exits with 2', `node -e 'process.exit(2)'`, 'exit code 2'],
    ['says nothing', `node -e ''`, 'said nothing'],
    ['hangs', `node -e 'setInterval(() => {}, 1000)'`, 'within 500 ms'],
  ])('that %s gives no answer', async (_what, command, fault) => {
    const timeoutMs = command.includes('Interval') ? 500 : 20_000;
    await expect(task(command).replay({ ...request, timeoutMs }, signal)).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: expect.stringContaining(fault),
    });
  });

  it.each(['', 'node "open', 'no-such-agent-anywhere'])(
    'with the command %j is refused before any is asked',
    (command) => {
      expect(() => task(command)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
    },
  );
});
