/**
 * A session of Claude Code that is made up: prompts, answers, calls and results of several kilobytes,
 * some not ASCII, and the vendor's detail that repeats a file. Equal sizes give equal files.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { random } from './measure.mjs';

const digest = (text) => createHash('sha256').update(text).digest('hex');

/** What agents read: sources and documents, as this project has them. */
function sourceTexts() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const folders = ['src', 'test', 'docs'].map((name) => join(root, name));
  const paths = folders.flatMap((path) =>
    readdirSync(path, { recursive: true })
      .filter((name) => /\.(?:ts|md)$/.test(name))
      .sort()
      .map((name) => join(path, name)),
  );
  return paths.map((path) => readFileSync(path, 'utf8')).join('\n');
}

/** Pieces of those texts: a function of how many characters. */
export function randomTexts(next) {
  const pool = sourceTexts();
  return (characters) => {
    const from = Math.floor(next() * (pool.length - characters));
    return pool.slice(from, from + characters);
  };
}

/** Writes at least so many bytes. */
export async function writeSession(path, bytes) {
  const text = randomTexts(random(7));
  const out = createWriteStream(path);
  const size = { written: 0 };
  let turn = 0;
  let parentUuid = null;
  const put = async (type, message, more = {}) => {
    const uuid = digest(`${turn}-${size.written}`).slice(0, 36);
    const record = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/somebody/project',
      sessionId: 'bench',
      version: '2.1.80',
      type,
      message,
      uuid,
      timestamp: '2026-01-02T03:04:05.678Z',
      ...more,
    };
    parentUuid = uuid;
    const line = `${JSON.stringify(record)}\n`;
    size.written += Buffer.byteLength(line);
    if (!out.write(line)) await once(out, 'drain');
  };
  for (turn = 1; size.written < bytes; turn += 1) {
    const special = turn % 5 === 0 ? ' — naïve “日本語” 🚢 ' : '';
    await put('user', { role: 'user', content: `${text(200)}${special}` });
    for (let step = 0; step < 6; step += 1) {
      const id = `toolu_${turn}_${step}`;
      const path = `/home/somebody/project/src/part-${turn % 97}/file-${step}.ts`;
      const [name, input] = [
        ['Read', { file_path: path }],
        ['Bash', { command: `npm test -- ${path}`, description: 'run it' }],
        ['Edit', { file_path: path, old_string: text(300), new_string: text(400) }],
      ][step % 3];
      const usage = { input_tokens: 4, cache_read_input_tokens: 20_000 + step, output_tokens: 300 };
      const message = {
        id: `msg_${turn}_${step}`,
        role: 'assistant',
        model: 'claude-opus-4-1',
        usage,
      };
      await put('assistant', { ...message, content: [{ type: 'text', text: text(400) }] });
      await put('assistant', { ...message, content: [{ type: 'tool_use', id, name, input }] });
      const shown = `${text(step % 3 === 0 ? 9_000 : 2_500)}${special}`;
      const detail =
        name === 'Read'
          ? {
              type: 'text',
              file: { filePath: path, content: shown, numLines: 90, startLine: 1, totalLines: 90 },
            }
          : name === 'Bash'
            ? { stdout: shown, stderr: '', interrupted: false }
            : {
                filePath: path,
                oldString: input.old_string,
                newString: input.new_string,
                originalFile: text(4_000),
                structuredPatch: [],
                userModified: false,
              };
      const content = [{ type: 'tool_result', tool_use_id: id, content: shown }];
      await put('user', { role: 'user', content }, { toolUseResult: detail });
    }
  }
  out.end();
  await once(out, 'finish');
}
