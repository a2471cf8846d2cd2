/** Sessions, entries and trails for the contracts: new ids, fixed everything else. */
import { createHash } from 'node:crypto';
import type { TrailUpdate } from '../../src/domain/session/repositories.js';
import type { StoredCapsule } from '../../src/domain/session/stored-capsule.js';
import type { Plan } from '../../src/domain/plan/plan.js';
import type { Session, SessionEntry, SessionUsage } from '../../src/domain/session/session.js';
import type {
  SessionAttempt,
  SessionCycle,
} from '../../src/domain/session/summary/session-cycle.js';
import type { SummaryItem } from '../../src/domain/session/summary/summary-item.js';
import type { Artifact } from '../../src/domain/session/trail/artifact.js';
import type { ArtifactEvent } from '../../src/domain/session/trail/artifact-event.js';
import type { SessionCommand } from '../../src/domain/session/trail/session-commands.js';
import type { SessionError } from '../../src/domain/session/trail/session-errors.js';
import type { SessionTodo } from '../../src/domain/session/trail/session-todos.js';
import type { TranscriptEntry } from '../../src/domain/session/transcript.js';
import { LATER, newPlanId, NOW } from './sample-values.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function aSession(given: Partial<Session> = {}): Session {
  const sessionId: string = newPlanId();
  return {
    sessionId,
    tenantId: `tenant of ${sessionId}`,
    projectId: null,
    planId: null,
    parentSessionId: null,
    parentEntryId: null,
    agentName: null,
    vendor: 'claude-code',
    vendorSessionId: `name of ${sessionId}`,
    model: null,
    projectRoot: null,
    counterName: 'words',
    counterVersion: '1',
    settings: {},
    cycle: 0,
    revision: 1,
    lastSeq: 0,
    lastTurn: 0,
    createdAt: NOW,
    updatedAt: NOW,
    ...given,
  };
}

/** The capsule that a session gave to a child, with an item of every section. */
export function aCapsule(
  { tenantId, sessionId, revision }: Session,
  { planId, parentPlanId }: Plan,
  given: Partial<StoredCapsule> = {},
): StoredCapsule {
  const origin = { sessionId, sourceId: 'a "source" \\' };
  return {
    tenantId,
    sessionId,
    sessionRevision: revision,
    childPlanId: planId,
    parentPlanId: parentPlanId ?? planId,
    capsuleTokens: Number.MAX_SAFE_INTEGER,
    tokens: 30,
    items: [
      { section: 'mission', text: 'go', tokens: 1, origin: { sessionId, sourceId: null } },
      { section: 'constraints', text: ' never "push" \\ \n🏗️', tokens: 9, origin },
      { section: 'decisions', text: 'which? → this', tokens: 10, origin },
      { section: 'errors', text: 'TypeError', tokens: 2, origin },
      { section: 'artifacts', text: 'src/a.ts – modified', tokens: 10, origin },
    ],
    createdAt: LATER,
    ...given,
  };
}

const COMMON = {
  content: 'the text',
  occurredAt: null,
  active: true,
  messageKey: null,
} as const;

/** One entry of every kind, each field of which has a value. */
export const EVERY_KIND: readonly Omit<TranscriptEntry, 'sourceKey'>[] = [
  { ...COMMON, kind: 'user', author: 'human', occurredAt: '2026-03-04T05:06:07.089Z' },
  { ...COMMON, kind: 'thinking', author: 'agent', messageKey: 'm1' },
  {
    ...COMMON,
    kind: 'assistant',
    author: 'agent',
    messageKey: 'm1',
    finishReason: 'end_turn',
    vendor: { z: ['sealed', null], a: 1 },
  },
  {
    ...COMMON,
    kind: 'tool_call',
    author: 'agent',
    content: '',
    callId: 'c1',
    toolName: 'Task',
    // In an order of its own, which a store must keep: an export gives it back.
    arguments: { z: [1, 0.1, null, true, 'é "\\\n'], a: { 'b"c': {} }, nothing: '\\u0000' },
    effect: 'changes',
    spawn: { brief: 'go', agentName: 'helper' },
  },
  {
    ...COMMON,
    kind: 'tool_call',
    author: 'agent',
    content: '',
    callId: 'c2',
    toolName: 'Ask',
    arguments: '{"not": json',
    effect: 'reads',
    spawn: null,
  },
  {
    ...COMMON,
    kind: 'tool_result',
    author: 'tool',
    callId: 'c1',
    isError: true,
    exitCode: 4_294_967_295,
    ruling: null,
    detail: { condensed: true, cwd: '/home' },
  },
  {
    ...COMMON,
    kind: 'tool_result',
    author: 'tool',
    callId: 'c2',
    isError: false,
    exitCode: null,
    ruling: {
      ruling: 'answered',
      answers: [{ question: 'which?', answer: 'this', notTaken: ['that'] }],
    },
  },
  { ...COMMON, kind: 'system', author: 'system', boundary: true },
  { ...COMMON, kind: 'summary', author: 'harness', origin: 'vendor' },
  {
    ...COMMON,
    kind: 'attachment',
    author: 'tool',
    content: '',
    mediaKind: 'image',
    mediaType: 'image/png',
    bytes: 12,
    width: 640,
    height: 480,
    pages: 2,
    durationMs: 1_500,
    callId: 'c1',
    active: false,
  },
  {
    ...COMMON,
    kind: 'attachment',
    author: 'human',
    mediaKind: 'file',
    mediaType: null,
    bytes: null,
    callId: null,
  },
] as readonly Omit<TranscriptEntry, 'sourceKey'>[];

/** Every kind, and fields that hold what looks like the sign of another entry. */
export const MARKS_AND_LOOKALIKES: readonly Omit<TranscriptEntry, 'sourceKey'>[] = [
  ...EVERY_KIND,
  ...[
    { effect: 'reads', model: 'a-model' },
    { effect: 'changes', model: 'a "model" \\' },
    { effect: 'other', arguments: { a: { effect: 'changes', spawn: null } } },
    { effect: 'other', arguments: ',"effect":"changes","spawn":null}' },
    { effect: 'reads', vendor: { effect: 'changes', spawn: null } },
    { effect: 'reads', vendor: { a: '"', effect: 'changes', spawn: null, model: 'm' } },
    { effect: 'changes', spawn: { brief: ',"effect":"reads","spawn":null}', agentName: 'x' } },
    { effect: 'reads', model: 'm'.repeat(400) },
    { effect: 'changes', arguments: { text: 'é🚢'.repeat(3_000), nothing: '\u0000' } },
  ].map((given, index) => ({
    ...COMMON,
    kind: 'tool_call',
    author: 'agent',
    content: '',
    callId: `look ${index}`,
    toolName: 'Look',
    arguments: {},
    spawn: null,
    ...given,
  })),
  ...[
    { ruling: { ruling: 'plan-approved', plan: '"ruling":null', remark: null } },
    { ruling: { ruling: 'plan-sent-back', remark: 'no' }, exitCode: -1.5e-9 },
    { isError: true, exitCode: 1e300, detail: { ruling: { ruling: 'answered' } } },
    { exitCode: 0, detail: 'x'.repeat(5_000) },
  ].map((given, index) => ({
    ...COMMON,
    kind: 'tool_result',
    author: 'tool',
    callId: `look ${index}`,
    isError: false,
    exitCode: null,
    ruling: null,
    ...given,
  })),
  { ...COMMON, kind: 'system', author: 'harness', boundary: false, vendor: { boundary: true } },
] as readonly Omit<TranscriptEntry, 'sourceKey'>[];

/** These entries as they go on behind `lastSeq`, each a unit and a turn of its own. */
export function placed(
  entries: readonly Omit<TranscriptEntry, 'sourceKey'>[],
  lastSeq = 0,
): readonly SessionEntry[] {
  return entries.map((entry, index) => {
    const seq = lastSeq + index + 1;
    return {
      ...entry,
      sourceKey: `k${seq}`,
      entryId: newPlanId(),
      seq,
      unitId: `unit ${seq}`,
      turn: 1,
      contentHash: sha256(entry.content),
      entryPrint: sha256(`print ${seq}`),
      tokenCount: seq,
    } as SessionEntry;
  });
}

export function aUsage(given: Partial<SessionUsage> = {}): SessionUsage {
  return {
    usageKey: 'request 1',
    model: 'a-model',
    uncachedInputTokens: Number.MAX_SAFE_INTEGER,
    cachedInputTokens: 2,
    outputTokens: 3,
    occurredAt: '2026-03-04T05:06:07.089Z',
    purpose: 'summarizer',
    seq: 3,
    ...given,
  };
}

export function anEvent(given: Partial<ArtifactEvent> = {}): ArtifactEvent {
  return {
    seq: 4,
    resultSeq: 6,
    ordinal: 0,
    action: 'modified',
    path: 'src/a.ts',
    oldPath: null,
    ok: true,
    linesAdded: 2,
    linesRemoved: 1,
    range: { from: 1, to: 20 },
    hashBefore: sha256('before'),
    hashAfter: sha256('after'),
    symbols: ['a', '"b"', 'NULL'],
    inferred: false,
    note: '+2 −1',
    active: true,
    occurredAt: '2026-03-04T05:06:07.089Z',
    ...given,
  };
}

export function anArtifact(given: Partial<Artifact> = {}): Artifact {
  return {
    path: 'src/a.ts',
    kind: 'file',
    state: 'modified',
    createdHere: false,
    netChange: 'some',
    counts: { created: 1, modified: 2, read: 3, deleted: 4, renamed: 5, listed: 6 },
    failedCalls: 7,
    linesAdded: 8,
    linesRemoved: 9,
    firstSeq: 4,
    lastSeq: 12,
    lastChangeSeq: 10,
    firstHash: sha256('first'),
    lastHash: sha256('last'),
    symbols: ['{a,"b"}', 'c'],
    renamedFrom: 'src/old.ts',
    ...given,
  };
}

export function aCommand(given: Partial<SessionCommand> = {}): SessionCommand {
  return {
    seq: 4,
    resultSeq: 6,
    command: 'npm test',
    directory: '/home',
    exitCode: 4_294_967_295,
    state: 'failed',
    outcome: { passed: 3, failed: 1 },
    effects: 'known',
    active: true,
    occurredAt: '2026-03-04T05:06:07.089Z',
    ...given,
  };
}

export function anError(given: Partial<SessionError> = {}): SessionError {
  return {
    signature: 'TypeError: <n>',
    key: '$ npm test',
    firstLine: 'TypeError: 3',
    file: 'src/a.ts',
    line: 3,
    seenAt: [4, 8],
    count: 2,
    state: 'resolved',
    resolvedBy: 12,
    ...given,
  };
}

export function aTodo(given: Partial<SessionTodo> = {}): SessionTodo {
  return {
    todoId: '1',
    text: 'mend it',
    state: 'in-progress',
    firstSeq: 4,
    changedSeq: 8,
    ...given,
  };
}

export function anItem(given: Partial<SummaryItem> = {}): SummaryItem {
  return {
    itemId: newPlanId(),
    itemNo: 1,
    section: 'constraints',
    text: 'never "this"\n\\ 🏗️',
    refs: [{ kind: 'path', text: 'src/a "b".ts' }],
    identityKey: 'pin:1',
    state: 'superseded',
    supersededBy: 2,
    archived: true,
    pinned: true,
    textHash: sha256('text'),
    cycleCreated: 1,
    cycleChanged: 1,
    version: 1,
    sourceEntryIds: [newPlanId(), newPlanId()],
    lastSourceSeq: 7,
    spanHash: sha256('span'),
    producer: 'offline',
    ...given,
  };
}

export function aCycle(given: Partial<SessionCycle> = {}): SessionCycle {
  return {
    cycle: 1,
    revision: 2,
    attemptId: newPlanId(),
    state: 'live',
    strategy: 'opaque',
    lastSeq: 9,
    cutSeq: 7,
    span: [
      { from: 1, to: 2 },
      { from: 4, to: 7 },
    ],
    spanHash: sha256('span'),
    previews: [{ seq: 8, characters: 2_000 }],
    stubs: [
      { seq: 9, lastSeq: 9, unitId: 'unit 9', turn: 2, kind: 'call', text: '[left out "here"]' },
    ],
    blob: {
      provider: 'somebody',
      format: 'text/plain',
      payload: '{"a": "\\u0000 🏗️"}',
      tokens: 12,
      expiresAt: '2027-03-04T05:06:07.089Z',
      inspectable: false,
      probeableOffline: false,
      portable: false,
    },
    replaces: [],
    promptAgainSeq: 4,
    tokensBefore: Number.MAX_SAFE_INTEGER,
    tokensAfter: 2,
    targetTokens: 3,
    floorTokens: 1,
    createdAt: NOW,
    ...given,
  };
}

export function anAttempt(given: Partial<SessionAttempt> = {}): SessionAttempt {
  return {
    attemptId: newPlanId(),
    fallbackOf: newPlanId(),
    fromRevision: 1,
    trigger: 'manual',
    strategy: 'offline',
    producer: 'offline',
    lastSeq: 9,
    span: [{ from: 1, to: 7 }],
    fingerprint: sha256('fingerprint'),
    tokensBefore: Number.MAX_SAFE_INTEGER,
    tokensAfter: null,
    targetTokens: 3,
    floorTokens: 1,
    modelCalls: [
      {
        window: 0,
        answer: 'invalid',
        usage: { uncachedInputTokens: 3, cachedInputTokens: 0, outputTokens: 1 },
        requestTokens: 4,
        elapsedMs: 0.5,
      },
      { window: 0, answer: 'failed', usage: null, requestTokens: 4, elapsedMs: 7 },
    ],
    leaseUntil: LATER,
    outcome: 'started',
    reasons: [],
    checks: null,
    startedAt: NOW,
    finishedAt: null,
    ...given,
  };
}

export function anUpdate(given: Partial<TrailUpdate> = {}): TrailUpdate {
  return {
    artifacts: [],
    vacatedPaths: [],
    commands: [],
    errors: [],
    todos: null,
    unmappedTools: null,
    events: [],
    open: null,
    ...given,
  };
}
/** Texts as prompts of a person, behind `lastSeq`. */
export function prompts(texts: readonly string[], lastSeq = 0): readonly SessionEntry[] {
  return placed(
    texts.map((content) => ({
      ...COMMON,
      content,
      kind: 'user' as const,
      author: 'human' as const,
    })),
    lastSeq,
  );
}
