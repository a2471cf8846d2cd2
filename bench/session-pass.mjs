/**
 * `npm run build && node bench/session-pass.mjs`: a pass without a model, the check between two steps,
 * the status, the expansion of an item and the rendering of a summary, on a session of 100,000 entries in
 * Postgres.
 *
 * The reference of the pass is a loop that only fetches the rows of the span with their contents, as
 * any pass must. Numbers of the processor are those of this process alone: on a machine that others use,
 * they tell more than the clock. The limits in milliseconds are those of the specification of sessions, §16; the ratio
 * says how far away from them we are. Exits 1 when one is broken.
 */
import { load, median, numberArgument, report, short, times } from './measure.mjs';
import { connect, withPostgres } from './postgres.mjs';

const ENTRIES = numberArgument('--entries', 100_000);
const ROUNDS = numberArgument('--rounds', 3);

const PASS_MS = 1_000;
const CHECK_MS = 20;
const STATUS_MS = 200;
const EXPAND_MS = 50;
const RENDER_MS = 20;
const PASS_BYTES = 200 * 1024 * 1024;

await withPostgres(async (url) => {
  const { createOssature, TOKENS } = await load('src/index.js');
  const { newSession } = await load('src/domain/session/new-session.js');
  const core = await createOssature({ store: { kind: 'url', url }, checkSchema: false });
  await core.migrate();
  const client = await connect(url);
  const { sessions } = core.resolve(TOKENS.repositories);
  const { summaries, ingestion } = core.sessions;

  const fill = async (key, from, count) => {
    for (let at = from; at < from + count; at += 5_000) {
      const entries = times(Math.min(5_000, from + count - at), (index) => entryOf(at + index));
      await ingestion.append({ ...key, entries, redact: null });
    }
  };
  const create = async (count) => {
    const named = {
      tenantId: 'bench',
      sessionId: core.resolve(TOKENS.newId)(),
      vendor: 'claude-code',
    };
    const session = newSession(named, core.resolve(TOKENS.tokenCounter), new Date());
    await sessions.insert(session);
    const key = { tenantId: session.tenantId, sessionId: session.sessionId };
    await fill(key, 0, count);
    return key;
  };
  const timed = async (work) => {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const result = await work();
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    return { ms, cpuMs: (user + system) / 1_000, result };
  };

  const settings = { windowTokens: 200_000 };
  const quiet = { windowTokens: 200_000_000, slideTurns: 10_000 };
  const rates = {
    pass: [],
    fetch: [],
    check: [],
    compactCheck: [],
    expand: [],
    status: [],
    statusCpu: [],
    marks: [],
    passCpu: [],
    later: [],
    laterCpu: [],
    afterCheck: [],
    afterCompact: [],
    afterStatus: [],
    bytes: [],
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const key = await create(ENTRIES);
    const everything = { from: 1, to: null };
    const marks = await timed(() => sessions.listMarks(key, everything));
    rates.marks.push(marks.ms);
    const status = await timed(() => summaries.status({ ...key, settings: quiet }));
    rates.status.push(status.ms);
    rates.statusCpu.push(status.cpuMs);
    rates.check.push((await timed(() => summaries.check({ ...key, settings: quiet }))).ms);
    const asked = await timed(() => summaries.compact({ ...key, settings: quiet }));
    if (asked.result.outcome !== 'not_due') throw new Error(asked.result.outcome);
    rates.compactCheck.push(asked.ms);
    rates.fetch.push((await timed(() => fetchAll(client, key))).ms);
    global.gc?.();
    const idle = process.memoryUsage().rss;
    let peak = idle;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    const { ms, cpuMs, result } = await timed(() =>
      summaries.compact({ ...key, settings, now: true }),
    );
    clearInterval(watch);
    if (result.outcome !== 'adopted') throw new Error(JSON.stringify(result.reasons));
    rates.pass.push(ms);
    rates.passCpu.push(cpuMs);
    rates.bytes.push(Math.max(peak, process.memoryUsage().rss) - idle);
    const checked = await timed(() => summaries.check({ ...key, settings }));
    if (checked.result.outcome !== 'not_due') throw new Error(checked.result.outcome);
    rates.afterCheck.push(checked.ms);
    const idleCompact = await timed(() => summaries.compact({ ...key, settings }));
    if (idleCompact.result.outcome !== 'not_due') throw new Error(idleCompact.result.outcome);
    rates.afterCompact.push(idleCompact.ms);
    rates.afterStatus.push((await timed(() => summaries.status({ ...key, settings }))).ms);
    rates.expand.push(...(await expandItems(summaries, key, timed)));
    await fill(key, ENTRIES, 2_000);
    const later = await timed(() => summaries.compact({ ...key, settings, now: true }));
    if (later.result.outcome !== 'adopted') throw new Error(JSON.stringify(later.result.reasons));
    rates.later.push(later.ms);
    rates.laterCpu.push(later.cpuMs);
  }
  const { rendering, tokens, ceiling } = await manyCycles(core, create, fill);
  await client.end();
  await core.close();

  const within = (question, values, limit, unit = 'ms') => ({
    question,
    reference: `${limit} ${unit}`,
    ours: `${short(median(values))} ${unit}`,
    ratios: values.map((value) => value / limit),
    must: 'atMost',
    limit: 1,
  });
  const megabytes = rates.bytes.map((bytes) => bytes / 1024 / 1024);
  const holds = report(`Passes on ${ENTRIES} entries, without a model`, [
    within('the first pass, all entries in its span', rates.pass, PASS_MS),
    {
      question: 'the same, against fetching the rows of the span',
      reference: `${short(median(rates.fetch))} ms`,
      ours: `${short(median(rates.pass))} ms`,
      ratios: rates.pass.map((ms, round) => ms / rates.fetch[round]),
    },
    within('memory above idle of that pass', megabytes, PASS_BYTES / 1024 / 1024, 'MB'),
    within('a later pass, 2,000 new entries', rates.later, PASS_MS),
    within('the first pass, processor time', rates.passCpu, PASS_MS),
    within('the later pass, processor time', rates.laterCpu, PASS_MS),
    within('not_due, nothing compacted before', rates.check, CHECK_MS),
    within('not_due, nothing compacted before, asked of compact', rates.compactCheck, CHECK_MS),
    within('not_due after a pass', rates.afterCheck, CHECK_MS),
    within('not_due after a pass, asked of compact', rates.afterCompact, CHECK_MS),
    within('status, nothing compacted before', rates.status, STATUS_MS),
    within('the same, processor time', rates.statusCpu, STATUS_MS),
    within('status after a pass', rates.afterStatus, STATUS_MS),
    within('expand of one item', rates.expand, EXPAND_MS),
    {
      question: 'the marks of all entries, against fetching their rows',
      reference: `${short(median(rates.fetch))} ms`,
      ours: `${short(median(rates.marks))} ms`,
      ratios: rates.marks.map((ms, round) => ms / rates.fetch[round]),
    },
    within('rendering a summary after 100 cycles', [rendering], RENDER_MS),
    within('tokens of that summary without pins', [tokens], ceiling, 'tokens'),
  ]);
  process.exitCode = holds ? 0 : 1;
});

/** Items of every section, first and later ones, each once. */
async function expandItems(summaries, key, timed) {
  const { summary } = await summaries.read(key);
  const step = Math.max(1, Math.floor(summary.items.length / 10));
  const rates = [];
  for (const { itemNo } of summary.items.filter((_, at) => at % step === 0)) {
    const { ms, result } = await timed(() => summaries.expand({ ...key, handle: `#${itemNo}` }));
    if (result.entries.length === 0) throw new Error(`#${itemNo} stands for nothing`);
    rates.push(ms);
  }
  return rates;
}

/** A summary after a hundred passes. */
async function manyCycles(core, create, fill) {
  const { summaries } = core.sessions;
  const key = await create(60);
  const settings = { windowTokens: 6_000, outputReserveTokens: 0, summaryTokens: 1_000 };
  let cycles = 0;
  for (let round = 0; cycles < 100 && round < 400; round += 1) {
    const { outcome } = await summaries.compact({ ...key, settings, now: true });
    if (outcome === 'adopted') cycles += 1;
    await fill(key, 60 + round * 40, 40);
  }
  if (cycles < 100) throw new Error(`${cycles} cycles`);
  const { renderSummary } = await load('src/domain/session/summary/render-summary.js');
  const { tokensWithoutPins } = await load('src/domain/session/summary/archive-items.js');
  const { TOKENS } = await load('src/index.js');
  const { summary } = await summaries.read(key);
  renderSummary(summary);
  const start = performance.now();
  renderSummary(summary);
  const rendering = performance.now() - start;
  const tokens = tokensWithoutPins(summary, core.resolve(TOKENS.tokenCounter));
  return { rendering, tokens, ceiling: settings.summaryTokens };
}

async function fetchAll(client, { tenantId, sessionId }) {
  const { rows } = await client.query(
    `select e.*, c.content from ossature.session_entries e
     join ossature.contents c on c.tenant_id = e.tenant_id and c.content_hash = e.content_hash
     where e.tenant_id = $1 and e.session_id = $2 order by e.seq`,
    [tenantId, sessionId],
  );
  return rows.length;
}

/** Four entries a turn of an agent, and a person's word every fiftieth entry. */
function entryOf(at) {
  const common = { occurredAt: null, active: true, messageKey: null, sourceKey: `k${at}` };
  const words = `step ${at} of the work, which goes on as it should and says so at some length`;
  if (at % 50 === 0) {
    return { ...common, kind: 'user', author: 'human', content: `Please do part ${at}. ${words}` };
  }
  const unit = Math.floor(at / 3);
  // The agent has the last word of a turn, so that what was asked for counts as done.
  if (at % 50 === 49) return { ...common, kind: 'assistant', author: 'agent', content: words };
  if (at % 3 === 1) {
    return {
      ...common,
      messageKey: `m${unit}`,
      kind: 'tool_call',
      author: 'agent',
      content: '',
      callId: `c${unit}`,
      toolName: 'Read',
      arguments: { file_path: `src/part-${unit % 500}.ts` },
      effect: 'reads',
      spawn: null,
    };
  }
  if (at % 3 === 2 && (at - 1) % 50 !== 0) {
    return {
      ...common,
      kind: 'tool_result',
      author: 'tool',
      content: words,
      callId: `c${unit}`,
      isError: false,
      exitCode: null,
      ruling: null,
    };
  }
  return { ...common, kind: 'assistant', author: 'agent', content: words };
}
