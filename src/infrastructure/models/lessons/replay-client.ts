/** The program of one replay: reads what to ask on stdin, asks once, writes the answer on stdout, ends. */
import { text } from 'node:stream/consumers';
import { httpLanguageModel } from '../http-language-model.js';
import { MODEL_UNREADABLE_EXIT, type ReplayClientInput } from './replay-client-input.js';

const input = JSON.parse(await text(process.stdin)) as ReplayClientInput;
const { endpoint, timeoutMs } = input;
const model = httpLanguageModel({ ...endpoint, retries: { timeoutMs } });
const answer = await model.complete(
  { system: input.system, messages: [{ role: 'user', text: input.text }], format: 'text' },
  AbortSignal.timeout(timeoutMs),
);
if (answer.finishReason === 'filtered' || answer.text.trim() === '') {
  process.exitCode = MODEL_UNREADABLE_EXIT;
} else {
  process.stdout.write(answer.text);
}
