/**
 * A synthetic session that every compression can be tried on: a login that answers 401 because the session
 * store holds a stale Redis connection. 178 messages, about 89,000 tokens, the same on every machine.
 */
import type { TranscriptEntry } from '../session/transcript.js';
import { drawBelow, seededNumbers } from './seeded-numbers.js';
import { TranscriptWriter } from './transcript-writer.js';

export const LOGIN_401 = {
  prompt:
    'POST /api/auth/login answers 401 for users whose password is right. Find the cause and mend it. Never change the database schema.',
  error: 'Error: 401 Unauthorized on POST /api/auth/login',
  cause: 'a stale Redis connection in the session store',
  modified: ['config/redis.ts', 'services/session.service.ts', 'tests/auth.test.ts'],
  readOnly: ['auth.controller.ts', 'middleware/cors.ts'],
  testCommand: 'npx jest tests/auth.test.ts',
  passed: 14,
  failed: 2,
  messages: 178,
} as const;

/** Words of a log page; 77 pages of them make the size of the session. */
const PAGE_WORDS = 1_035;

export function login401Transcript(): readonly TranscriptEntry[] {
  const writer = new TranscriptWriter('login-401');
  const draw = seededNumbers(401);
  const run = (command: string, result: string, exitCode = 0): void => {
    writer.call({
      toolName: 'Bash',
      arguments: { command },
      result,
      exitCode,
      isError: exitCode !== 0,
    });
  };
  writer.user(LOGIN_401.prompt);
  writer.assistant('I begin with the request itself.');
  run('curl -si -X POST localhost:3000/api/auth/login -d @right.json', LOGIN_401.error, 22);
  for (const path of [...LOGIN_401.readOnly, ...LOGIN_401.modified]) {
    writer.call({
      toolName: 'Read',
      arguments: { file_path: path },
      result: `export const name = '${path}';`,
      effect: 'reads',
    });
  }
  // Pages of logs, until all but the last steps are written.
  while (writer.written < LOGIN_401.messages - 10) {
    run(`sed -n '${writer.written},+40p' logs/api.log`, page(draw));
  }
  for (const path of LOGIN_401.modified) {
    writer.call({
      toolName: 'Edit',
      arguments: {
        file_path: path,
        old_string: 'keepAlive: false',
        new_string: 'export function reconnectStale(): void {}',
      },
      result: `The file ${path} has been updated.`,
      effect: 'changes',
    });
  }
  run(
    LOGIN_401.testCommand,
    `Tests:       ${LOGIN_401.failed} failed, ${LOGIN_401.passed} passed, ${LOGIN_401.passed + LOGIN_401.failed} total`,
    1,
  );
  writer.user('What is it, and what is left?');
  writer.assistant(
    `The cause is ${LOGIN_401.cause}: a connection that Redis had closed was used again. Two tests still fail.`,
  );
  return writer.take();
}

const WORDS =
  'info request served warn retry pool closed user session lookup cache miss token issued trace span upstream ready'.split(
    ' ',
  );

function page(draw: ReturnType<typeof seededNumbers>): string {
  return Array.from({ length: PAGE_WORDS }, (_, at) => {
    const word = WORDS[drawBelow(draw, WORDS.length)] ?? '';
    return at % 12 === 11 ? `${word}\n` : `${word} `;
  }).join('');
}
