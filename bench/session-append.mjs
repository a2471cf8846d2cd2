/**
 * `npm run build && node bench/session-append.mjs`: one entry appended to sessions of 1,000, 10,000 and
 * 100,000 entries in Postgres, and questions to the trail of the longest, which names 10,000 artifacts.
 *
 * The reference is the same act on the shortest session, in the same run: what is appended decides the
 * time, and not what is there. The limits in milliseconds are those of the specification of sessions,
 * §16. Exits 1 when one is broken.
 */
import { load, median, numberArgument, report, short, times } from './measure.mjs';
import { withPostgres } from './postgres.mjs';

const ENTRIES = numberArgument('--entries', 100_000);
const ROUNDS = numberArgument('--rounds', 20);
const SIZES = [ENTRIES / 100, ENTRIES / 10, ENTRIES];

const APPEND_MS = 20;
const ANSWER_MS = 100;

/** How far an append may grow while the session grows a hundredfold; trees grow by a level or so. */
const GROWTH = 2;

const COMMON = { occurredAt: null, active: true, messageKey: null, content: '' };

await withPostgres(async (url) => {
  const { createOssature, TOKENS } = await load('src/index.js');
  const { newSession } = await load('src/domain/session/new-session.js');
  const core = await createOssature({ store: { kind: 'url', url }, checkSchema: false });
  await core.migrate();
  const { sessions } = core.resolve(TOKENS.repositories);
  const { ingestion, trail, tokens } = core.sessions;

  const create = async (count) => {
    const named = {
      tenantId: 'bench',
      sessionId: core.resolve(TOKENS.newId)(),
      vendor: 'claude-code',
    };
    const session = newSession(named, core.resolve(TOKENS.tokenCounter), new Date());
    await sessions.insert(session);
    const key = { tenantId: session.tenantId, sessionId: session.sessionId };
    for (let at = 0; at < count; at += 5_000) {
      const entries = times(Math.min(5_000, count - at), (index) => entryOf(at + index));
      await ingestion.append({ ...key, entries, redact: null });
    }
    return { key, count, ms: new Map() };
  };
  const grown = [];
  for (const size of SIZES) grown.push(await create(size));

  const time = async (into, name, work) => {
    const start = performance.now();
    await work();
    const held = into.get(name);
    const ms = performance.now() - start;
    if (held === undefined) into.set(name, [ms]);
    else held.push(ms);
  };
  for (let round = -2; round < ROUNDS; round += 1) {
    for (const { key, ms } of round % 2 === 0 ? grown : [...grown].reverse()) {
      for (const [name, entry] of Object.entries(newEntries(round))) {
        const request = { ...key, entries: [entry], redact: null };
        await time(round < 0 ? new Map() : ms, name, () => ingestion.append(request));
      }
    }
  }
  const [short_, , long] = grown;
  const asked = new Map();
  const artifact = `src/part-7/file-7.ts`;
  for (let round = 0; round < 5; round += 1) {
    await time(asked, 'whole trail read', () => trail.read(long.key));
    await time(asked, 'trail in 2,000 tokens', () => trail.render(long.key, 2_000));
    const history = { ...long.key, path: artifact };
    await time(asked, 'history of one artifact', () => trail.history(history));
    await time(asked, '1,000 events of all artifacts', () => trail.eventsPage(long.key));
  }
  const told = [];
  for (let round = 0; round < 3; round += 1) {
    for (const { key, ms } of grown) await time(ms, 'tokens', () => tokens.read(key));
    const each = ({ ms, count }) => ms.get('tokens').at(-1) / count;
    told.push(each(long) / each(grown[1]));
  }
  await core.close();

  const acts = Object.keys(newEntries(0));
  const holds = report(`One entry appended at ${SIZES.join(', ')} entries`, [
    ...acts.map((name) => ({
      question: `${name} at ${long.count}, against ${short_.count}`,
      reference: `${short(median(short_.ms.get(name)))} ms`,
      ours: `${short(median(long.ms.get(name)))} ms`,
      ratios: short_.ms.get(name).map((ms, round) => long.ms.get(name)[round] / ms),
      must: 'atMost',
      limit: GROWTH,
    })),
    ...acts.map((name) => within(`${name} at ${long.count}`, long.ms.get(name), APPEND_MS)),
    ...[...asked].map(([name, values]) => within(name, values, ANSWER_MS)),
    {
      question: `token account, for each entry, at ${long.count} against ${grown[1].count}`,
      reference: `${short(median(grown[1].ms.get('tokens')))} ms`,
      ours: `${short(median(long.ms.get('tokens')))} ms`,
      ratios: told,
      must: 'atMost',
      limit: GROWTH,
    },
  ]);
  process.exitCode = holds ? 0 : 1;
});

function within(question, values, limit) {
  return {
    question,
    reference: `${limit} ms`,
    ours: `${short(median(values))} ms`,
    ratios: values.map((value) => value / limit),
    must: 'atMost',
    limit: 1,
  };
}

/** Rounds of ten: a prompt, four calls with their results, an answer; the calls go through 10,000 files. */
function entryOf(at) {
  const common = { ...COMMON, sourceKey: `k${at}` };
  const [round, place] = [Math.floor(at / 10), at % 10];
  if (place === 0) return promptOf(`k${at}`, `Please do part ${round}.`);
  if (place === 9) return { ...common, kind: 'assistant', author: 'agent', content: 'It is done.' };
  const call = Math.floor((place - 1) / 2);
  const file = (round * 4 + call) % 10_000;
  const path = `src/part-${file % 100}/file-${file}.ts`;
  if (place % 2 === 0) return resultOf(`k${at}`, `c${round}-${call}`, call === 3);
  const [tool, given] = [
    ['Read', { file_path: path }],
    ['Write', { file_path: path, content: `export const part${file} = ${round};\n` }],
    ['Edit', { file_path: path, old_string: 'const', new_string: 'let' }],
    ['Bash', { command: `cat ${path} && npm test -- part-${round % 50}` }],
  ][call];
  return callOf(`k${at}`, `c${round}-${call}`, tool, given);
}

/** One of each, on a file that the sessions know. */
function newEntries(round) {
  const path = `src/part-7/file-7.ts`;
  return {
    prompt: promptOf(`p${round}`, `And now part ${round}.`),
    call: callOf(`e${round}`, `e${round}`, 'Write', { file_path: path, content: `${round}\n` }),
    result: resultOf(`r${round}`, `e${round}`, false),
    'call of a command': callOf(`b${round}`, `b${round}`, 'Bash', { command: 'mkdir -p src/new' }),
    'result of a command': resultOf(`s${round}`, `b${round}`, false),
  };
}

function promptOf(sourceKey, content) {
  return { ...COMMON, sourceKey, kind: 'user', author: 'human', content };
}

function callOf(sourceKey, callId, toolName, given) {
  const call = { kind: 'tool_call', author: 'agent', callId, toolName, arguments: given };
  return { ...COMMON, ...call, sourceKey, effect: 'changes', spawn: null };
}

function resultOf(sourceKey, callId, isError) {
  const content = isError ? 'src/part.ts(3,1): error TS2304: Cannot find name x.' : 'done';
  const result = { kind: 'tool_result', author: 'tool', callId, content, isError };
  return { ...COMMON, ...result, sourceKey, exitCode: isError ? 1 : null, ruling: null };
}
