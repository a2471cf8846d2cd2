/**
 * `npm run build && node bench/session-large.mjs`: files of a gigabyte through `agents session import`
 * into Postgres, a process each, and the most memory that such a process held. The server is apart.
 *
 * `--megabytes 1024`, `--only jsonl` or `--only array`. The files are made and removed again. Exits 1
 * when the limit of memory is broken (specification of sessions, §4).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomTexts, writeSession } from './made-session.mjs';
import { builtPath, numberArgument, random } from './measure.mjs';
import { withPostgres } from './postgres.mjs';

const LIMIT_MEGABYTES = 512;
const MEGABYTES = numberArgument('--megabytes', 1_024);
const only = process.argv.indexOf('--only');
const KINDS = only < 0 ? ['jsonl', 'array'] : [process.argv[only + 1]];

const folder = mkdtempSync(join(tmpdir(), 'ossature-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Runs in the process of the command: told at its end, in kilobytes. */
const PEAK = `data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))`;

const WRITERS = { jsonl: writeSession, array: writeMessages };

await withPostgres(async (url) => {
  await agents(url, ['database', 'migrate']);
  for (const kind of KINDS) {
    const file = join(folder, `session.${kind === 'array' ? 'json' : 'jsonl'}`);
    await WRITERS[kind](file, MEGABYTES * 1024 * 1024);
    const size = statSync(file).size / 1024 / 1024;
    for (const what of ['import', 'the same again']) {
      const start = performance.now();
      const { answer, peak } = await agents(url, ['--format', 'json', 'session', 'import', file]);
      const seconds = (performance.now() - start) / 1000;
      const { added, ignored, lines } = JSON.parse(answer).data.sessions[0];
      const holds = peak <= LIMIT_MEGABYTES;
      if (!holds) process.exitCode = 1;
      console.log(
        `${kind}, ${what}: ${size.toFixed(0)} MB, ${lines} lines, ${added} added, ${ignored} ignored, ` +
          `${seconds.toFixed(0)} s; peak ${peak.toFixed(0)} MB ≤ ${LIMIT_MEGABYTES} ${holds ? 'holds' : 'BROKEN'}`,
      );
    }
    rmSync(file);
  }
});

async function agents(url, words) {
  const main = builtPath('src/interfaces/cli/main.js');
  const env = { ...process.env, DATABASE_URL: url, OSSATURE_HOME: folder };
  const child = spawn(process.execPath, ['--import', PEAK, main, ...words], { env });
  let [answer, told] = ['', ''];
  child.stdout.on('data', (chunk) => (answer += chunk));
  child.stderr.on('data', (chunk) => (told += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`agents ${words.join(' ')} ended with ${code}: ${answer}${told}`);
  return { answer, peak: Number(/peak (\d+)/.exec(told)?.[1]) / 1024 };
}

/** One JSON array of the messages of Chat Completions. */
async function writeMessages(path, bytes) {
  const next = random(11);
  const text = randomTexts(next);
  const out = createWriteStream(path);
  const size = { written: 0 };
  const put = async (message) => {
    const line = `${size.written === 0 ? '[' : ','}${JSON.stringify(message)}`;
    size.written += Buffer.byteLength(line);
    if (!out.write(line)) await once(out, 'drain');
  };
  for (let turn = 1; size.written < bytes; turn += 1) {
    await put({ role: 'user', content: text(200) });
    for (let step = 0; step < 6; step += 1) {
      const id = `call_${turn}_${step}`;
      const given = JSON.stringify({ command: `npm test -- part-${turn % 97}` });
      const call = { id, type: 'function', function: { name: 'bash', arguments: given } };
      await put({ role: 'assistant', content: text(400), tool_calls: [call] });
      await put({ role: 'tool', tool_call_id: id, content: text(6_000) });
    }
  }
  out.end(']');
  await once(out, 'finish');
}
