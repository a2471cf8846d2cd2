/**
 * Records a session in the form in which Claude Code keeps it. Times, ids and numbers follow from the
 * order of the calls, so the same script gives the same bytes. Files are kept in memory: what is read,
 * searched and edited is what the file holds at that moment.
 */
import { createHash } from 'node:crypto';

const DIRECTORY = '/home/dev/harbor';
const SESSION = '5b1f0c1e-7f0a-4c52-9d0e-3a6f0c7e2b41';
const START = Date.UTC(2026, 2, 3, 9, 12, 0);

export class Recorder {
  lines = [];
  files;
  branch = 'main';
  #clock = START;
  #count = 0;
  #parent = null;
  #message = 0;
  #side = null;
  #original;

  constructor(files) {
    this.files = new Map(Object.entries(files));
    this.#original = new Map(this.files);
  }

  /** What the session changed under a folder, as a unified diff of whole hunks. */
  diff(under) {
    return [...this.files]
      .filter(([path, content]) => path.startsWith(under) && this.#original.get(path) !== content)
      .map(([path, content]) => fileDiff(path, this.#original.get(path), content))
      .join('\n');
  }

  /** The next number of a fixed sequence, 0 ≤ n < limit. */
  number(limit) {
    this.#count += 1;
    const digest = createHash('sha256').update(`harbor ${this.#count}`).digest();
    return digest.readUInt32BE(0) % limit;
  }

  pause(seconds) {
    this.#clock += seconds * 1000 + this.number(900);
  }

  prompt(content) {
    this.pause(45 + this.number(200));
    this.snapshot();
    this.#record('user', { role: 'user', content }, { permissionMode: 'default' });
  }

  say(text) {
    this.#assistant([{ type: 'text', text }], this.#nextMessage());
  }

  /**
   * One message of the assistant: perhaps thinking, perhaps text, and calls made at once.
   * @param calls `{ name, input, run }`; `run` gives `{ content, error, detail }`.
   */
  act({ think, text, calls }) {
    const message = this.#nextMessage();
    const signature = createHash('sha256').update(`${message}`).digest('base64');
    if (think) this.#assistant([{ type: 'thinking', thinking: think, signature }], message);
    if (text) this.#assistant([{ type: 'text', text }], message);
    const started = calls.map((call) => {
      const id = `toolu_01${this.#name(22)}`;
      const uuid = this.#assistant(
        [{ type: 'tool_use', id, name: call.name, input: call.input }],
        message,
      );
      return { ...call, id, uuid };
    });
    for (const { id, uuid, run } of started) {
      this.pause(2 + this.number(20));
      const { content, error = false, detail } = run();
      const result = {
        tool_use_id: id,
        type: 'tool_result',
        content,
        ...(error && { is_error: true }),
      };
      this.#record(
        'user',
        { role: 'user', content: [result] },
        {
          toolUseResult: error ? `Error: ${content}` : detail,
          sourceToolAssistantUUID: uuid,
        },
      );
    }
  }

  read(path, offset, limit) {
    const input = { file_path: `${DIRECTORY}/${path}`, ...(offset && { offset, limit }) };
    return {
      name: 'Read',
      input,
      run: () => {
        const content = this.files.get(path);
        if (content === undefined)
          return { content: '<tool_use_error>File does not exist.</tool_use_error>', error: true };
        const lines = content.split('\n');
        const from = offset ?? 1;
        const shown = lines.slice(from - 1, limit ? from - 1 + limit : undefined);
        return {
          content: numbered(shown, from),
          detail: {
            type: 'text',
            file: {
              filePath: input.file_path,
              content: shown.join('\n'),
              numLines: shown.length,
              startLine: from,
              totalLines: lines.length,
            },
          },
        };
      },
    };
  }

  grep(pattern, under = '') {
    return {
      name: 'Grep',
      input: { pattern, path: `${DIRECTORY}/${under}`, output_mode: 'content', '-n': true },
      run: () => {
        const expression = new RegExp(pattern);
        const found = [...this.files]
          .filter(([path]) => path.startsWith(under))
          .flatMap(([path, content]) =>
            content
              .split('\n')
              .flatMap((line, index) =>
                expression.test(line) ? [`${path}:${index + 1}:${line}`] : [],
              ),
          );
        return {
          content: found.join('\n') || 'No matches found',
          detail: { mode: 'content', numLines: found.length },
        };
      },
    };
  }

  edit(path, before, after) {
    const file_path = `${DIRECTORY}/${path}`;
    return {
      name: 'Edit',
      input: { file_path, old_string: before, new_string: after },
      run: () => {
        const content = this.files.get(path) ?? '';
        const at = content.indexOf(before);
        if (at === -1)
          return {
            content: '<tool_use_error>String to replace not found in file.</tool_use_error>',
            error: true,
          };
        const changed = content.replace(before, () => after);
        this.files.set(path, changed);
        const first = Math.max(1, content.slice(0, at).split('\n').length - 4);
        const shown = changed.split('\n').slice(first - 1, first + after.split('\n').length + 7);
        return {
          content: `The file ${file_path} has been updated. Here's the result of running \`cat -n\` on a snippet of the edited file:\n${numbered(shown, first)}`,
          detail: {
            filePath: file_path,
            oldString: before,
            newString: after,
            originalFile: content,
            userModified: false,
          },
        };
      },
    };
  }

  write(path, content) {
    const file_path = `${DIRECTORY}/${path}`;
    return {
      name: 'Write',
      input: { file_path, content },
      run: () => {
        this.files.set(path, content);
        return {
          content: `File created successfully at: ${file_path}`,
          detail: { type: 'create', filePath: file_path, content },
        };
      },
    };
  }

  bash(command, description, output, failed = 0) {
    return {
      name: 'Bash',
      input: { command, description },
      run: () => {
        const content = typeof output === 'function' ? output() : output;
        return failed
          ? { content: `Exit code ${failed}\n${content}`, error: true }
          : {
              content,
              detail: { stdout: content, stderr: '', interrupted: false, isImage: false },
            };
      },
    };
  }

  /** A run of the tests: names come from the files, failures are given by title. */
  tests(paths, failures = {}) {
    const failedTitles = Object.keys(failures);
    const output = () => {
      const lines = [` RUN  v2.1.8 ${DIRECTORY}`, ''];
      const details = [];
      let passed = 0;
      let failedFiles = 0;
      for (const path of paths) {
        const content = this.files.get(path) ?? '';
        const titles = [...content.matchAll(/(describe|it)\(\s*'([^']+)'/g)];
        const cases = titles.filter(([, kind]) => kind === 'it').map(([, , title]) => title);
        const bad = cases.filter((title) => failedTitles.includes(title));
        passed += cases.length - bad.length;
        failedFiles += bad.length > 0 ? 1 : 0;
        lines.push(
          ` ${bad.length > 0 ? '❯' : '✓'} ${path} (${cases.length} tests${bad.length > 0 ? ` | ${bad.length} failed` : ''}) ${40 + this.number(900)}ms`,
        );
        let suite = '';
        for (const [, kind, title] of titles) {
          if (kind === 'describe') suite = title;
          else
            lines.push(
              `   ${bad.includes(title) ? '×' : '✓'} ${suite} > ${title} ${1 + this.number(60)}ms`,
            );
          if (kind === 'it' && bad.includes(title))
            details.push(` FAIL  ${path} > ${suite} > ${title}`, failures[title], '');
        }
      }
      const failedCount = failedTitles.length;
      if (details.length > 0) lines.push('', '⎯⎯⎯⎯⎯⎯⎯ Failed Tests ⎯⎯⎯⎯⎯⎯⎯', '', ...details);
      lines.push(
        '',
        ` Test Files  ${failedFiles > 0 ? `${failedFiles} failed | ` : ''}${paths.length - failedFiles} passed (${paths.length})`,
      );
      lines.push(
        `      Tests  ${failedCount > 0 ? `${failedCount} failed | ` : ''}${passed} passed (${passed + failedCount})`,
      );
      lines.push(`   Duration  ${(1 + this.number(400) / 100).toFixed(2)}s`);
      return lines.join('\n');
    };
    return this.bash(
      `npx vitest run ${paths.join(' ')} --reporter=verbose`,
      'Run the tests concerned',
      output,
      failedTitles.length > 0 ? 1 : 0,
    );
  }

  todos(list) {
    const todos = list.map(([content, status]) => ({ content, status, activeForm: content }));
    return {
      name: 'TodoWrite',
      input: { todos },
      run: () => ({
        content:
          'Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable',
        detail: { newTodos: todos },
      }),
    };
  }

  plan(plan, verdict) {
    return {
      name: 'ExitPlanMode',
      input: { plan },
      run: () =>
        verdict === true
          ? {
              content: `User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\n## Approved Plan:\n${plan}`,
              detail: { plan, isAgent: false },
            }
          : {
              content: `The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n${verdict}`,
              error: true,
            },
    };
  }

  ask(question, header, options, answer) {
    const questions = [
      {
        question,
        header,
        options: options.map(([label, description]) => ({ label, description })),
        multiSelect: false,
      },
    ];
    return {
      name: 'AskUserQuestion',
      input: { questions },
      run: () => ({
        content: `User has answered your questions: "${question}"="${answer}". You can now continue with the user's answers in mind.`,
        detail: { questions, answers: { [question]: answer } },
      }),
    };
  }

  task(agentId, description, prompt, report, work) {
    return {
      name: 'Task',
      input: { description, prompt, subagent_type: 'Explore' },
      run: () => {
        this.#aside(agentId, prompt, work);
        const content = [{ type: 'text', text: report }];
        return {
          content,
          detail: { status: 'completed', prompt, agentId, content, totalToolUseCount: 4 },
        };
      },
    };
  }

  reminder(text) {
    this.#record(
      'user',
      { role: 'user', content: `<system-reminder>\n${text}\n</system-reminder>` },
      { isMeta: true },
    );
  }

  snapshot() {
    const messageId = this.#uuid();
    this.lines.push({
      type: 'file-history-snapshot',
      messageId,
      snapshot: { messageId, trackedFileBackups: {}, timestamp: this.#time() },
      isSnapshotUpdate: false,
    });
  }

  turnEnds(seconds) {
    this.#record('system', null, {
      subtype: 'turn_duration',
      durationMs: seconds * 1000,
      isMeta: false,
    });
  }

  text() {
    return this.lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  /** Records of a sub-agent inside the same file. */
  #aside(agentId, brief, work) {
    const parent = this.#parent;
    this.#side = agentId;
    this.#parent = null;
    this.#record('user', { role: 'user', content: brief }, {});
    work();
    this.#side = null;
    this.#parent = parent;
  }

  #assistant(content, message) {
    this.pause(3 + this.number(9));
    const last = content.at(-1);
    const usage = {
      input_tokens: 4,
      cache_read_input_tokens: 9_000 + message * 310,
      output_tokens: 60 + this.number(400),
    };
    return this.#record(
      'assistant',
      {
        model: 'claude-example',
        id: `msg_01${createHash('sha256').update(`message ${message}`).digest('hex').slice(0, 22)}`,
        type: 'message',
        role: 'assistant',
        content,
        stop_reason: last.type === 'tool_use' ? 'tool_use' : null,
        stop_sequence: null,
        usage,
      },
      { requestId: `req_011${message.toString().padStart(8, '0')}` },
    );
  }

  #record(type, message, fields) {
    const uuid = this.#uuid();
    this.lines.push({
      parentUuid: this.#parent,
      isSidechain: this.#side !== null,
      userType: 'external',
      cwd: DIRECTORY,
      sessionId: SESSION,
      version: '2.0.55',
      gitBranch: this.branch,
      ...(this.#side !== null && { agentId: this.#side }),
      type,
      ...(message !== null && { message }),
      ...fields,
      uuid,
      timestamp: this.#time(),
    });
    this.#parent = uuid;
    return uuid;
  }

  #nextMessage() {
    this.#message += 1;
    return this.#message;
  }

  #name(length) {
    this.#count += 1;
    return createHash('sha256')
      .update(`name ${this.#count}`)
      .digest('base64url')
      .replaceAll(/[-_]/g, 'x')
      .slice(0, length);
  }

  #uuid() {
    this.#count += 1;
    const hex = createHash('sha256').update(`uuid ${this.#count}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  #time() {
    return new Date(this.#clock).toISOString();
  }
}

function numbered(lines, from) {
  return lines.map((line, index) => `${String(from + index).padStart(6)}→${line}`).join('\n');
}

function fileDiff(path, before, after) {
  const head = [
    `diff --git a/${path} b/${path}`,
    before === undefined ? '--- /dev/null' : `--- a/${path}`,
    `+++ b/${path}`,
  ];
  const old = before === undefined ? [] : before.split('\n');
  const now = after.split('\n');
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end))
    end += 1;
  const from = Math.max(0, start - 3);
  const context = Math.min(3, end);
  return [
    ...head,
    `@@ -${from + 1},${old.length - end + context - from} +${from + 1},${now.length - end + context - from} @@`,
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...now.slice(now.length - end, now.length - end + context).map((line) => ` ${line}`),
  ].join('\n');
}
