/**
 * Every column of every table is written by an insert, read back, and kept or changed by an update as
 * meant. A new column fails the first test until it is stated here.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import type { StoredFragment } from '../../../src/domain/context/accumulated-context.js';
import type { Decision } from '../../../src/domain/plan/decision.js';
import type { Plan } from '../../../src/domain/plan/plan.js';
import { errorId } from '../../../src/domain/session/trail/session-errors.js';
import { EMPTY_TRAIL } from '../../../src/domain/session/trail/trail.js';
import { LESSON_TABLES } from './lesson-tables.js';
import type { KnownSource } from '../../../src/domain/session/known-source.js';
import type { CompressionRecord } from '../../../src/domain/skeleton/compression-record.js';
import {
  aChild,
  aDecision,
  aFragment,
  aProject,
  aRecord,
  aRoot,
  LATER,
  newDecisionId,
  NOW,
  ratioOf,
  recorded,
} from '../../contracts/sample-values.js';
import {
  aCapsule,
  aCommand,
  aCycle,
  anAttempt,
  anArtifact,
  anError,
  anEvent,
  anItem,
  anUpdate,
  aSession,
  aTodo,
  aUsage,
  EVERY_KIND,
  placed,
} from '../../contracts/session-values.js';
import type { StoreUnderTest } from '../../contracts/testing.js';
import { evaluationRows, writeEvaluation } from './evaluation-rows.js';
import { VOIDED, workflowRows } from './workflow-rows.js';
import { connect, rowsOf, storeOf } from '../../support/builders.js';
import { openOnPostgres } from '../../support/stores.js';

type Columns = Readonly<Record<string, unknown>>;

const MAX = Number.MAX_SAFE_INTEGER;

const planColumns = (plan: Plan): Columns => ({
  plan_id: plan.planId,
  project_id: plan.projectId,
  parent_plan_id: plan.parentPlanId,
  root_plan_id: plan.rootPlanId,
  depth: plan.depth,
  name: plan.name,
  goal: plan.goal,
  phase: plan.phase,
  state: plan.state,
  reversions: plan.reversions,
  skeleton_ratio: plan.skeletonRatio,
  skeleton_metadata: plan.skeletonMetadata && {
    ratio: plan.skeletonMetadata.ratio,
    original_tokens: plan.skeletonMetadata.originalTokens,
    compressed_tokens: plan.skeletonMetadata.compressedTokens,
    source_decision_ids: plan.skeletonMetadata.sourceDecisionIds,
  },
  idempotency_key: plan.idempotencyKey,
  version: plan.version,
  created_at: plan.createdAt,
  updated_at: plan.updatedAt,
});

const decisionColumns = (decision: Decision): Columns => ({
  decision_id: decision.decisionId,
  plan_id: decision.planId,
  parent_decision_id: decision.parentDecisionId,
  type: decision.type,
  question: decision.question,
  choice: decision.choice,
  rationale: decision.rationale,
  superseded_by: decision.supersededBy,
  created_at: decision.createdAt,
});

const fragmentColumns = (fragment: StoredFragment): Columns => ({
  plan_id: fragment.planId,
  fragment_id: fragment.fragmentId,
  position: expect.any(Number),
  content: fragment.content,
  content_hash: fragment.contentHash,
  token_count: fragment.tokenCount,
  token_counter: fragment.tokenCounter,
  relevance: fragment.relevance,
  decision_id: fragment.decisionId,
  metadata: fragment.metadata,
  created_at: fragment.createdAt,
});

const recordColumns = (record: CompressionRecord): Columns => ({
  record_id: record.recordId,
  pass: record.pass,
  child_plan_id: record.childPlanId,
  parent_plan_id: record.parentPlanId,
  ratio: record.ratio,
  ratio_origin: record.ratioOrigin,
  relevance_source: record.relevanceSource,
  skeleton_budget: record.skeletonBudget,
  original_tokens: record.originalTokens,
  compressed_tokens: record.compressedTokens,
  kept_plan_ids: record.kept.map(({ planId }) => planId),
  kept_fragment_ids: record.kept.map(({ fragmentId }) => fragmentId),
  kept_relevances: record.kept.map(({ relevance }) => relevance),
  skipped_plan_ids: record.skipped.map(({ planId }) => planId),
  skipped_fragment_ids: record.skipped.map(({ fragmentId }) => fragmentId),
  skipped_relevances: record.skipped.map(({ relevance }) => relevance),
  skipped_reasons: record.skipped.map(({ reason }) => reason),
  capsule_left_out:
    record.capsuleLeftOut &&
    record.capsuleLeftOut.map(({ section, sourceId, tokens, reason }) => ({
      section,
      source_id: sourceId,
      tokens,
      reason,
    })),
  created_at: record.createdAt,
});

const project = aProject({ name: `p "q" 'r' \\ 🏗️` });
const root = aRoot(project, { name: 'root', skeletonRatio: ratioOf(0.1), updatedAt: LATER });
const decision = aDecision(root.planId);
const second = aDecision(root.planId, {
  parentDecisionId: decision.decisionId,
  question: 'which?\n',
  rationale: '"because"',
  createdAt: LATER,
});
const child = aChild(root, {
  idempotencyKey: 'NULL',
  skeletonMetadata: {
    ratio: 5e-324,
    originalTokens: MAX,
    compressedTokens: MAX,
    sourceDecisionIds: [newDecisionId()],
  },
});
const fragment = aFragment(root.planId, {
  fragmentId: `{a,"b"}\\NULL`,
  content: 'é\u0301 "\\\n',
  tokenCount: MAX,
  relevance: 5e-324,
  decisionId: decision.decisionId,
  metadata: { nested: [{ 'a"b': null }, 0.1, true], emoji: '🏗️' },
  createdAt: LATER,
});
const others = ['NULL', 'b,c'].map((fragmentId) => aFragment(root.planId, { fragmentId }));
const record = aRecord(root, child, {
  ratio: 0.1,
  relevanceSource: 'goal',
  skeletonBudget: MAX,
  originalTokens: MAX,
  compressedTokens: MAX,
  kept: [{ ...recorded(fragment), relevance: 1 / 3 }],
  skipped: others.map((one, index) => ({
    ...recorded(one),
    relevance: index,
    reason: index === 0 ? ('superseded' as const) : ('over-budget' as const),
  })),
  capsuleLeftOut: [
    { section: 'artifacts', sourceId: 'src/"a"\\.ts', tokens: 7, reason: 'not-named-by-goal' },
  ],
  createdAt: LATER,
});

const session = aSession({
  projectId: project.projectId,
  planId: root.planId,
  agentName: 'lead',
  model: 'a-model',
  projectRoot: '/home',
  settings: { keep_turns: 8 },
  cycle: 3,
  revision: 4,
  updatedAt: LATER,
});
const entries = placed(EVERY_KIND).map((entry, index, { length }) =>
  entry.kind === 'attachment' && index === length - 1
    ? { ...entry, mediaHash: 'd'.repeat(64) }
    : entry,
);
const [, , , spawnCall, , spawnResult] = entries;
const subSession = aSession({
  tenantId: session.tenantId,
  parentSessionId: session.sessionId,
  parentEntryId: spawnCall?.entryId ?? null,
});
const summarised = aSession();
const usage = aUsage();
const event = anEvent({ action: 'renamed', oldPath: 'src/old.ts' });
const artifact = anArtifact();
const command = aCommand();
const failure = anError();
const todo = aTodo();
const item = anItem();
const cycle = aCycle();
const attempt = anAttempt({ attemptId: cycle.attemptId });
const settled = {
  ...attempt,
  tokensAfter: 2,
  outcome: 'rejected' as const,
  reasons: [{ code: 'size' as const, itemNo: 1, reason: 'too "large"' }],
  checks: {
    pairing: 'passed' as const,
    size: 'failed' as const,
    identifiers: 'passed' as const,
    pins: 'passed' as const,
    sections: 'passed' as const,
    sources: 'passed' as const,
    tail: 'passed' as const,
    text: 'not-applicable' as const,
  },
  finishedAt: LATER,
};
const expansion = {
  expansionId: item.itemId,
  handle: '#1 "x"',
  cycle: 1,
  entries: 2,
  tokens: MAX,
  expandedAt: LATER,
};
const calibrated = {
  tenantId: summarised.tenantId,
  model: `a "model" of ${summarised.sessionId}`,
  counterName: 'words',
  counterVersion: '1',
};
const calibration = { factor: 1.25, reports: 3, updatedAt: LATER };
const capsule = aCapsule(session, child);
const owner = { tenant_id: session.tenantId, session_id: session.sessionId };

const medium = { mediaHash: 'd'.repeat(64), data: Buffer.from('bytes').toString('base64') };
const source: KnownSource = {
  sessionId: session.sessionId,
  headPrint: 'a'.repeat(64),
  sourcePrint: 'b'.repeat(64),
  position: 1,
  sessions: 2,
  lastSeq: entries.length,
  receipt: { 'a"b': ['NULL', null, '🏗️'] },
};
const count = { name: 'letters', version: '2', seq: 1, tokenCount: Number.MAX_SAFE_INTEGER };
const content = { path: 'src/a.ts', content: 'text', touched: 7 };

const sessionColumns = (one: typeof session, lastSeq: number, unmapped: object): Columns => ({
  tenant_id: one.tenantId,
  session_id: one.sessionId,
  project_id: one.projectId,
  plan_id: one.planId,
  parent_session_id: one.parentSessionId,
  parent_entry_id: one.parentEntryId,
  agent_name: one.agentName,
  vendor: one.vendor,
  vendor_session_id: one.vendorSessionId,
  model: one.model,
  project_root: one.projectRoot,
  counter_name: one.counterName,
  counter_version: one.counterVersion,
  settings: one.settings,
  cycle: one.cycle,
  revision: one.revision,
  last_seq: lastSeq,
  last_turn: lastSeq === 0 ? 0 : 1,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
  unmapped_tools: unmapped,
  trail_seq: 0,
  trail_running: '[]',
});

const entryColumns = (entry: (typeof entries)[number] | undefined, fields: object): Columns => ({
  ...owner,
  seq: entry?.seq,
  entry_id: entry?.entryId,
  kind: entry?.kind,
  author: entry?.author,
  unit_id: entry?.unitId,
  turn: entry?.turn,
  content_hash: entry?.contentHash,
  entry_print: entry?.entryPrint,
  token_count: entry?.tokenCount,
  source_key: entry?.sourceKey,
  message_key: entry?.messageKey,
  call_id: entry !== undefined && 'callId' in entry ? entry.callId : null,
  active: entry?.active,
  occurred_at: entry?.occurredAt ? new Date(entry.occurredAt) : null,
  media_hash: entry?.kind === 'attachment' ? (entry.mediaHash ?? null) : null,
  fields: JSON.stringify(fields),
});

const packed = aSession({ tenantId: 'of a long session' });
const packedEntries = placed(
  Array.from({ length: 512 }, (_, index) => ({
    kind: 'system' as const,
    author: 'system' as const,
    boundary: index > 0,
    content: 'text',
    occurredAt: null,
    active: index > 0,
    messageKey: null,
  })),
).map((entry) => ({ ...entry, turn: Math.ceil(entry.seq / 256) }));

const packedColumns: Columns = {
  tenant_id: packed.tenantId,
  session_id: packed.sessionId,
  block: 0,
  letters: `ss---${'ss++-'.repeat(511)}`,
  unit_ids: packedEntries.map(({ unitId }) => unitId),
  turns: packedEntries.map(({ turn }) => turn),
  tokens: packedEntries.map(({ tokenCount }) => tokenCount),
  hashes: packedEntries.map(({ contentHash }) => contentHash).join(''),
  active_entries: 511,
  active_tokens: (512 * 513) / 2 - 1,
  largest_tokens: 512,
  active_turns: 2,
  first_turn: 1,
  last_turn: 2,
};

describe('the columns of the store', () => {
  let close: () => Promise<void>;
  let client: Client;
  let store: StoreUnderTest;

  beforeAll(async () => {
    const opened = await openOnPostgres();
    client = await connect(opened.url);
    close = async () => {
      await client.end();
      await opened.close();
    };
    store = storeOf(opened.core);
    const { projects, policies, plans, spawns, decisions, fragments } = store.repositories;
    await projects.insert(project);
    await policies.setSkeletonRatio(project.projectId, 'execute', ratioOf(5e-324), NOW);
    await plans.insert(root);
    await decisions.insert([decision, second]);
    await fragments.add(root.planId, [fragment, ...others]);
    await spawns.insert({ child, decisions: [], record }, root.version);
    const { sessions, trails } = store.repositories;
    await sessions.insert(session);
    await sessions.addMedia(session, [medium]);
    await sessions.append(session, entries, LATER);
    const { name, version, seq, tokenCount } = count;
    await sessions.addCounts(session, { name, version }, [{ seq, tokenCount }]);
    await sessions.keepSource(session, source);
    await client.query(
      `insert into ossature.session_known_contents (tenant_id, session_id, path, content, touched)
       values ($1, $2, $3, $4, $5)`,
      [session.tenantId, session.sessionId, content.path, content.content, content.touched],
    );
    await sessions.insert(subSession);
    await sessions.insert(summarised);
    await sessions.insert(packed);
    await sessions.append(packed, packedEntries, LATER);
    await sessions.addUsage(session, [usage]);
    await trails.write(
      session,
      anUpdate({
        artifacts: [artifact],
        commands: [command],
        errors: [failure],
        todos: [todo],
        unmappedTools: new Map([['Odd', 2]]),
        events: [event],
      }),
    );
    const { summaries } = store.repositories;
    await summaries.startAttempt(summarised, attempt);
    await store.unitOfWork((bound) =>
      bound.summaries.apply(
        summarised,
        { fromRevision: 1, sessionCycle: 1, items: [item], adopted: cycle, rolledBack: [] },
        LATER,
      ),
    );
    await summaries.settleAttempt(summarised, settled);
    await summaries.addPreviews(session, [{ seq: 1, characters: 2_000 }]);
    await summaries.addExpansion(summarised, expansion);
    await summaries.saveCalibration(calibrated, calibration);
    await store.repositories.capsules.insert(capsule);
    const { workflows } = store.repositories;
    await projects.insert(VOIDED.project);
    await workflows.insert(VOIDED.workflow);
    await sessions.insert(VOIDED.session);
    for (const step of VOIDED.steps) await workflows.apply(step);
    await writeEvaluation(store.repositories);
  });
  afterAll(() => close());

  /** The row as JSON, with its times as dates. */
  async function storedRow(table: string, key: string, id: string): Promise<Columns> {
    const [row] = await rowsOf<{ readonly row: Columns }>(
      client,
      `select to_jsonb(t) as row from ossature.${table} t where ${key} = $1`,
      [id],
    );
    return Object.fromEntries(
      Object.entries(row?.row ?? {}).map(([column, value]) => [
        column,
        /_(?:at|until)$/.test(column) && typeof value === 'string' ? new Date(value) : value,
      ]),
    );
  }

  const INSERTED: readonly (readonly [string, string, string, Columns])[] = [
    [
      'projects',
      'project_id',
      project.projectId,
      { project_id: project.projectId, name: project.name, created_at: project.createdAt },
    ],
    [
      'context_policies',
      'project_id',
      project.projectId,
      { project_id: project.projectId, view: 'execute', skeleton_ratio: 5e-324, updated_at: NOW },
    ],
    ['plans', 'plan_id', root.planId, planColumns(root)],
    ['plans', 'plan_id', child.planId, planColumns(child)],
    ['decisions', 'decision_id', second.decisionId, decisionColumns(second)],
    ['fragments', 'fragment_id', fragment.fragmentId, fragmentColumns(fragment)],
    ['compression_records', 'record_id', record.recordId, recordColumns(record)],
    [
      'capsules',
      'child_plan_id',
      child.planId,
      {
        tenant_id: session.tenantId,
        child_plan_id: child.planId,
        parent_plan_id: root.planId,
        session_id: session.sessionId,
        session_revision: session.revision,
        capsule_tokens: MAX,
        tokens: 30,
        items: capsule.items.map(({ origin, ...one }) => ({
          ...one,
          origin: { session_id: origin.sessionId, source_id: origin.sourceId },
        })),
        created_at: LATER,
      },
    ],
    [
      'sessions',
      'session_id',
      session.sessionId,
      sessionColumns(session, entries.length, { Odd: 2 }),
    ],
    ['sessions', 'session_id', subSession.sessionId, sessionColumns(subSession, 0, {})],
    [
      'contents',
      'content_hash',
      entries[0]?.contentHash ?? '',
      {
        tenant_id: session.tenantId,
        content_hash: entries[0]?.contentHash,
        content: entries[0]?.content,
      },
    ],
    ['session_entries', 'entry_id', entries[0]?.entryId ?? '', entryColumns(entries[0], {})],
    ['session_entries', 'entry_id', entries[1]?.entryId ?? '', entryColumns(entries[1], {})],
    [
      'session_entries',
      'entry_id',
      spawnResult?.entryId ?? '',
      entryColumns(spawnResult, {
        isError: true,
        exitCode: 4_294_967_295,
        ruling: null,
        detail: { condensed: true, cwd: '/home' },
      }),
    ],
    [
      'session_entries',
      'entry_id',
      entries.at(-1)?.entryId ?? '',
      entryColumns(entries.at(-1), { mediaKind: 'file', mediaType: null, bytes: null }),
    ],
    [
      'session_media',
      'media_hash',
      medium.mediaHash,
      {
        tenant_id: session.tenantId,
        media_hash: medium.mediaHash,
        media: String.raw`\x${Buffer.from('bytes').toString('hex')}`,
      },
    ],
    [
      'session_entry_counts',
      'session_id',
      session.sessionId,
      {
        ...owner,
        seq: count.seq,
        counter_name: count.name,
        counter_version: count.version,
        token_count: count.tokenCount,
      },
    ],
    [
      'session_sources',
      'session_id',
      session.sessionId,
      {
        ...owner,
        head_print: source.headPrint,
        source_print: source.sourcePrint,
        position: source.position,
        sessions: source.sessions,
        last_seq: source.lastSeq,
        receipt: JSON.stringify(source.receipt),
      },
    ],
    ['session_mark_blocks', 'session_id', packed.sessionId, packedColumns],
    ['session_known_contents', 'session_id', session.sessionId, { ...owner, ...content }],
    [
      'session_usage',
      'session_id',
      session.sessionId,
      {
        ...owner,
        usage_key: usage.usageKey,
        model: usage.model,
        uncached_input_tokens: usage.uncachedInputTokens,
        cached_input_tokens: usage.cachedInputTokens,
        output_tokens: usage.outputTokens,
        occurred_at: new Date(usage.occurredAt ?? ''),
        purpose: usage.purpose,
        seq: usage.seq,
      },
    ],
    [
      'artifact_events',
      'session_id',
      session.sessionId,
      {
        ...owner,
        seq: event.seq,
        ordinal: event.ordinal,
        result_seq: event.resultSeq,
        action: event.action,
        path: event.path,
        old_path: event.oldPath,
        ok: event.ok,
        lines_added: event.linesAdded,
        lines_removed: event.linesRemoved,
        range_from: event.range?.from,
        range_to: event.range?.to,
        hash_before: event.hashBefore,
        hash_after: event.hashAfter,
        symbols: event.symbols,
        inferred: event.inferred,
        note: event.note,
        active: event.active,
        occurred_at: new Date(event.occurredAt ?? ''),
      },
    ],
    [
      'artifacts',
      'session_id',
      session.sessionId,
      {
        ...owner,
        path: artifact.path,
        kind: artifact.kind,
        state: artifact.state,
        created_here: artifact.createdHere,
        net_change: artifact.netChange,
        times_created: artifact.counts.created,
        times_modified: artifact.counts.modified,
        times_read: artifact.counts.read,
        times_deleted: artifact.counts.deleted,
        times_renamed: artifact.counts.renamed,
        times_listed: artifact.counts.listed,
        failed_calls: artifact.failedCalls,
        lines_added: artifact.linesAdded,
        lines_removed: artifact.linesRemoved,
        first_seq: artifact.firstSeq,
        last_seq: artifact.lastSeq,
        last_change_seq: artifact.lastChangeSeq,
        first_hash: artifact.firstHash,
        last_hash: artifact.lastHash,
        symbols: artifact.symbols,
        renamed_from: artifact.renamedFrom,
      },
    ],
    [
      'session_commands',
      'session_id',
      session.sessionId,
      {
        ...owner,
        seq: command.seq,
        result_seq: command.resultSeq,
        command: command.command,
        directory: command.directory,
        exit_code: command.exitCode,
        state: command.state,
        tests_passed: command.outcome?.passed,
        tests_failed: command.outcome?.failed,
        effects: command.effects,
        active: command.active,
        occurred_at: new Date(command.occurredAt ?? ''),
      },
    ],
    [
      'session_errors',
      'session_id',
      session.sessionId,
      {
        ...owner,
        key: failure.key,
        signature: failure.signature,
        first_line: failure.firstLine,
        file: failure.file,
        line: failure.line,
        seen_at: failure.seenAt,
        count: failure.count,
        state: failure.state,
        resolved_by: failure.resolvedBy,
      },
    ],
    [
      'session_todos',
      'session_id',
      session.sessionId,
      {
        ...owner,
        place: 0,
        todo_id: todo.todoId,
        text: todo.text,
        state: todo.state,
        first_seq: todo.firstSeq,
        changed_seq: todo.changedSeq,
      },
    ],
    [
      'session_items',
      'session_id',
      summarised.sessionId,
      {
        tenant_id: summarised.tenantId,
        session_id: summarised.sessionId,
        item_no: item.itemNo,
        revision: 2,
        item_id: item.itemId,
        section: item.section,
        text: item.text,
        refs: item.refs,
        identity_key: item.identityKey,
        state: item.state,
        superseded_by: item.supersededBy,
        archived: item.archived,
        pinned: item.pinned,
        text_hash: item.textHash,
        cycle_created: item.cycleCreated,
        cycle_changed: item.cycleChanged,
        version: item.version,
        source_entry_ids: item.sourceEntryIds,
        last_source_seq: item.lastSourceSeq,
        span_hash: item.spanHash,
        producer: item.producer,
      },
    ],
    [
      'session_cycles',
      'session_id',
      summarised.sessionId,
      {
        tenant_id: summarised.tenantId,
        session_id: summarised.sessionId,
        cycle: cycle.cycle,
        revision: cycle.revision,
        attempt_id: cycle.attemptId,
        state: cycle.state,
        last_seq: cycle.lastSeq,
        cut_seq: cycle.cutSeq,
        span: cycle.span,
        span_hash: cycle.spanHash,
        previews: cycle.previews,
        strategy: cycle.strategy,
        stubs: cycle.stubs,
        blob: cycle.blob,
        replaces: cycle.replaces,
        prompt_again_seq: cycle.promptAgainSeq,
        tokens_before: cycle.tokensBefore,
        tokens_after: cycle.tokensAfter,
        target_tokens: cycle.targetTokens,
        floor_tokens: cycle.floorTokens,
        created_at: cycle.createdAt,
      },
    ],
    [
      'session_attempts',
      'session_id',
      summarised.sessionId,
      {
        tenant_id: summarised.tenantId,
        session_id: summarised.sessionId,
        attempt_id: settled.attemptId,
        fallback_of: settled.fallbackOf,
        from_revision: settled.fromRevision,
        trigger: settled.trigger,
        strategy: settled.strategy,
        producer: settled.producer,
        last_seq: settled.lastSeq,
        span: settled.span,
        fingerprint: settled.fingerprint,
        tokens_before: settled.tokensBefore,
        tokens_after: settled.tokensAfter,
        target_tokens: settled.targetTokens,
        floor_tokens: settled.floorTokens,
        model_calls: settled.modelCalls,
        lease_until: settled.leaseUntil,
        outcome: settled.outcome,
        reasons: settled.reasons,
        checks: settled.checks,
        started_at: settled.startedAt,
        finished_at: settled.finishedAt,
      },
    ],
    ['session_previews', 'session_id', session.sessionId, { ...owner, seq: 1, characters: 2_000 }],
    [
      'session_expansions',
      'session_id',
      summarised.sessionId,
      {
        tenant_id: summarised.tenantId,
        session_id: summarised.sessionId,
        expansion_id: expansion.expansionId,
        handle: expansion.handle,
        cycle: expansion.cycle,
        entries: expansion.entries,
        tokens: expansion.tokens,
        expanded_at: expansion.expandedAt,
      },
    ],
    [
      'counter_calibrations',
      'model',
      calibrated.model,
      {
        tenant_id: calibrated.tenantId,
        model: calibrated.model,
        counter_name: calibrated.counterName,
        counter_version: calibrated.counterVersion,
        factor: calibration.factor,
        reports: calibration.reports,
        updated_at: calibration.updatedAt,
      },
    ],
    ...workflowRows(),
    ...evaluationRows(),
  ];

  it('are all stated here', async () => {
    const found = await rowsOf<{ readonly column: string }>(
      client,
      // The migrations table is not ours to read or write but by the migrator.
      `select table_name || '.' || column_name as column from information_schema.columns
       where table_schema = 'ossature' and table_name <> 'migrations'`,
    );
    const ofLessons = new Set(LESSON_TABLES);
    const stated = new Set(
      INSERTED.flatMap(([table, , , columns]) =>
        Object.keys(columns).map((column) => `${table}.${column}`),
      ),
    );
    const ours = found
      .map(({ column }) => column)
      .filter((column) => !ofLessons.has(column.slice(0, column.indexOf('.'))));
    expect(ours.sort()).toEqual([...stated].sort());
  });

  it('are each given a value that is not null at least once', () => {
    const filled = new Set<string>();
    for (const [table, , , columns] of INSERTED) {
      for (const [column, value] of Object.entries(columns)) {
        if (value !== null) filled.add(`${table}.${column}`);
      }
    }
    const stated = INSERTED.flatMap(([table, , , columns]) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    );
    // Written by the update below; an insert of a superseded decision does not occur.
    expect(stated.filter((column) => !filled.has(column))).toEqual(['decisions.superseded_by']);
  });

  it.each(INSERTED)('of %s hold what was inserted, by %s %s', async (table, key, id, columns) => {
    expect(await storedRow(table, key, id)).toEqual(columns);
  });

  it('come back through the repositories', async () => {
    const { projects, policies, plans, decisions, fragments, records } = store.repositories;
    expect(await projects.get(project.projectId)).toEqual(project);
    expect((await policies.get(project.projectId)).skeletonRatios).toEqual({ execute: 5e-324 });
    expect(await plans.get(root.planId)).toEqual(root);
    expect(await plans.get(child.planId)).toEqual(child);
    expect(await decisions.get(second.decisionId)).toEqual(second);
    expect(await fragments.getMany([fragment])).toEqual([fragment]);
    expect(await records.listByChild(child.planId)).toEqual([record]);
    const { sessions, trails } = store.repositories;
    expect(await sessions.get(session)).toEqual({
      ...session,
      lastSeq: entries.length,
      lastTurn: 1,
    });
    expect(await sessions.get(subSession)).toEqual(subSession);
    expect(await sessions.listEntries(session, { from: 1, to: null })).toEqual(entries);
    expect(await sessions.listUsage(session)).toEqual([usage]);
    expect(await trails.listEvents(session)).toEqual([event]);
    const { summaries } = store.repositories;
    expect(await summaries.listItems(summarised)).toEqual([item]);
    expect(await summaries.listCycles(summarised)).toEqual([cycle]);
    expect(await summaries.listAttempts(summarised, 5)).toEqual([settled]);
    expect(await trails.read(session)).toEqual({
      ...EMPTY_TRAIL,
      artifacts: new Map([[artifact.path, artifact]]),
      renames: new Map([['src/old.ts', event.path]]),
      commands: new Map([[command.seq, command]]),
      errors: new Map([[errorId(failure), failure]]),
      todos: [todo],
      unmappedTools: new Map([['Odd', 2]]),
    });
  });

  it('of a plan change by an update where they may, and stay where they must', async () => {
    const moved: Plan = {
      ...child,
      phase: 'apply',
      state: 'applied',
      reversions: 3,
      skeletonRatio: ratioOf(0.1),
      version: child.version + 1,
      updatedAt: LATER,
    };
    await store.repositories.plans.update({
      ...moved,
      goal: 'not written',
      createdAt: LATER,
      skeletonMetadata: null,
      idempotencyKey: null,
    });

    expect(await storedRow('plans', 'plan_id', child.planId)).toEqual(planColumns(moved));
    expect(await store.repositories.plans.get(child.planId)).toEqual(moved);
  });

  it('of a plan but its version and time stay through touches', async () => {
    await store.repositories.plans.touch(root.planId, NOW);
    await store.repositories.plans.touchSubtree(root.planId, NOW);

    expect(await storedRow('plans', 'plan_id', root.planId)).toEqual(
      planColumns({ ...root, version: root.version + 2, updatedAt: NOW }),
    );
  });

  it('of a decision but the one that supersedes it stay through superseding', async () => {
    await store.repositories.decisions.markSuperseded(second.decisionId, decision.decisionId);

    expect(await storedRow('decisions', 'decision_id', second.decisionId)).toEqual(
      decisionColumns({ ...second, supersededBy: decision.decisionId }),
    );
  });

  it('of a policy change by setting it again', async () => {
    await store.repositories.policies.setSkeletonRatio(
      project.projectId,
      'execute',
      ratioOf(0.1),
      LATER,
    );

    expect(await storedRow('context_policies', 'project_id', project.projectId)).toEqual({
      project_id: project.projectId,
      view: 'execute',
      skeleton_ratio: 0.1,
      updated_at: LATER,
    });
  });
});
