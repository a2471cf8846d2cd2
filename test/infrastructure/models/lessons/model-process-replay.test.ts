/** The child process is the compiled program itself, against a server that misbehaves on purpose. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReplayAnswer } from '../../../../src/application/lessons/ports.js';
import {
  answers,
  type Behaviour,
  fails,
  hangs,
  type ModelServer,
  startModelServer,
} from '../../../support/model-server.js';
import { type CompiledCore, compileCore, type Worker } from '../../typeorm/compiled-core.js';

const WORKER = `
  import { createInterface } from 'node:readline';
  import { modelProcessReplayTask } from './src/infrastructure/models/lessons/model-process-replay-task.js';

  for await (const line of createInterface({ input: process.stdin })) {
    const { baseUrl, timeoutMs } = JSON.parse(line);
    const task = modelProcessReplayTask({
      endpoint: { baseUrl, model: 'served', apiKey: 'key-4711-private' },
      env: process.env, envAllow: [], homeFiles: [], maxAnswerBytes: 65536,
    });
    const request = { lesson: 'Wait.', prompt: 'Fix the upload', words: 150, timeoutMs };
    console.log(JSON.stringify(await task.replay(request, new AbortController().signal).catch(
      (error) => ({ code: error.code, message: error.message }))));
  }
`;

let server: ModelServer;
let core: CompiledCore;
let worker: Worker;
beforeAll(async () => {
  server = await startModelServer();
  core = compileCore();
  worker = core.start(WORKER);
}, 60_000);
afterAll(async () => {
  core.remove();
  await server.close();
});

function replay(behaviour: Behaviour, timeoutMs = 20_000) {
  server.behave(behaviour);
  return worker.ask<ReplayAnswer & { code?: string; message?: string }>({
    baseUrl: server.baseUrl,
    timeoutMs,
  });
}

describe('a replay over an endpoint', () => {
  it('is a new process each time, which asks with a client of its own', async () => {
    const first = await replay(answers('I would wait.'));
    const [asked] = server.requests;
    const second = await replay(answers('I would wait.'));
    expect(first.answer).toBe('I would wait.');
    expect(asked?.headers.authorization).toBe('Bearer key-4711-private');
    expect(asked?.body.messages?.[1]?.content).toContain('Fix the upload');
    expect(first.processId).not.toBe(second.processId);
  });

  it.each<[string, Behaviour, string, number]>([
    ['declines', answers('no', 'content_filter'), 'MODEL_UNREADABLE', 20_000],
    ['says nothing', answers(''), 'MODEL_UNREADABLE', 20_000],
    ['refuses the key', fails(401), 'MODEL_UNAVAILABLE', 20_000],
    ['hangs', hangs, 'MODEL_UNAVAILABLE', 1_500],
  ])('that %s gives no answer, and tells no key', async (_what, behaviour, code, timeoutMs) => {
    const said = await replay(behaviour, timeoutMs);
    expect(said.code).toBe(code);
    expect(said.message).not.toContain('4711');
  });
});
