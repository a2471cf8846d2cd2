/** Values for the contracts: new ids, fixed everything else, and texts that a careless store changes. */
import { createHash } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { ContextEntry, StoredFragment } from '../../src/domain/context/accumulated-context.js';
import { parseCompressionRatio } from '../../src/domain/context/compression-ratio.js';
import type { Project } from '../../src/domain/context/project.js';
import type { DecisionId, PlanId, ProjectId, RecordId } from '../../src/domain/kernel/ids.js';
import type { Decision } from '../../src/domain/plan/decision.js';
import { childOf, type Plan, startPlan } from '../../src/domain/plan/plan.js';
import type { Spawn } from '../../src/domain/plan/spawn.js';
import type {
  CompressionRecord,
  RecordedFragment,
} from '../../src/domain/skeleton/compression-record.js';
import type { StoreUnderTest } from './contract.js';

const nextUlid = monotonicFactory();
export const newPlanId = (): PlanId => nextUlid() as PlanId;
export const newProjectId = (): ProjectId => nextUlid() as ProjectId;
export const newDecisionId = (): DecisionId => nextUlid() as DecisionId;
export const newRecordId = (): RecordId => nextUlid() as RecordId;

/** Milliseconds that a store of whole seconds would lose. */
export const NOW = new Date('2026-03-04T05:06:07.089Z');
export const LATER = new Date('2026-03-04T05:06:08.901Z');

/** Texts that come back word for word: quoting, escapes, words of SQL, Unicode, blanks, length. */
export const HARD_TEXTS: Readonly<Record<string, string>> = {
  'nothing at all': '',
  'blanks only': ' \t ',
  'every kind of quote': `'one' "two" \`three\` $$four$$ $1 %s :name ?`,
  backslashes: 'C:\\new\\table \\\\ \\x41 \\u0041 \\',
  'line ends': 'a\nb\r\nc\rd\u2028e\u2029f\n',
  'words of SQL': 'NULL',
  'an array in braces': '{a,"b",NULL}',
  JSON: '{"a":[1,null,"\\"" ]}',
  'emoji with joiners': '👩‍👩‍👧 🏗️ 🇪🇺',
  'combining marks, not normalised': 'e\u0301 is not \u00e9',
  'the last code point': '\u{10ffff}\uffff\ufeff',
  'control characters': '\u0001\u0007\u001b[31m\u007f',
  'both directions': 'abc \u05d0\u05d1\u05d2 \u202edef',
  'a megabyte': 'héllo 🎈\n'.repeat(87_000),
};

/** Ids that differ, each from each: by case, by normal form, by blanks; and words of other languages. */
// prettier-ignore
export const HARD_IDS: readonly string[] = [
  'a', 'A', ' a', 'a ', '\u00e9', 'e\u0301', 'NULL', 'null', '{}', '{a,b}', 'a,b', 'a"b', "a'b",
  'a\\b', 'a\\', '"', '""', '\n', '0', '-0', '1e3', '__proto__', 'constructor', 'a/b', '🏗️',
  'x'.repeat(1_000),
];

export function aProject(given: Partial<Project> = {}): Project {
  const projectId = newProjectId();
  return { projectId, name: `project ${projectId}`, createdAt: NOW, ...given };
}

export function aRoot(project: Project, given: Partial<Plan> = {}): Plan {
  const plan = startPlan({
    planId: newPlanId(),
    projectId: project.projectId,
    name: null,
    goal: 'fix login',
    skeletonRatio: null,
    now: NOW,
  });
  return { ...plan, ...given };
}

export function aChild(parent: Plan, given: Partial<Plan> = {}): Plan {
  const child = childOf(parent, {
    planId: newPlanId(),
    goal: 'fix the tests',
    skeletonMetadata: {
      ratio: 0.1,
      originalTokens: 30,
      compressedTokens: 20,
      sourceDecisionIds: [],
    },
    idempotencyKey: null,
    now: NOW,
  });
  return { ...child, ...given };
}

export function aFragment(planId: PlanId, given: Partial<StoredFragment> = {}): StoredFragment {
  const content = given.content ?? 'the text';
  return {
    planId,
    fragmentId: 'f',
    content,
    contentHash: createHash('sha256').update(content).digest('hex'),
    tokenCount: 10,
    tokenCounter: 'words@1',
    relevance: 0.5,
    decisionId: null,
    metadata: null,
    createdAt: null,
    ...given,
  };
}

export function aDecision(planId: PlanId, given: Partial<Decision> = {}): Decision {
  return {
    decisionId: newDecisionId(),
    planId,
    parentDecisionId: null,
    type: 'strategy_choice',
    question: null,
    choice: 'rotate the token',
    rationale: null,
    supersededBy: null,
    createdAt: NOW,
    ...given,
  };
}

export function aRecord(
  parent: Pick<Plan, 'planId'>,
  child: Plan,
  given: Partial<CompressionRecord> = {},
): CompressionRecord {
  return {
    recordId: newRecordId(),
    pass: 'spawn',
    childPlanId: child.planId,
    parentPlanId: parent.planId,
    ratio: 0.1,
    ratioOrigin: 'call',
    relevanceSource: 'stored',
    skeletonBudget: 27,
    originalTokens: 30,
    compressedTokens: 20,
    kept: [],
    skipped: [],
    capsuleLeftOut: null,
    createdAt: NOW,
    ...given,
  };
}

export function recorded(fragment: StoredFragment): RecordedFragment {
  const { planId, fragmentId, tokenCount, relevance } = fragment;
  return { planId, fragmentId, tokenCount, relevance };
}

export function entryOf(fragment: StoredFragment, given: Partial<ContextEntry> = {}): ContextEntry {
  return {
    ...recorded(fragment),
    decisionId: fragment.decisionId,
    superseded: false,
    recalls: 0,
    ...given,
  };
}

export const ratioOf = parseCompressionRatio;

/** A stored project with a stored root. */
export async function aStoredRoot(
  { repositories }: StoreUnderTest,
  given: Partial<Plan> = {},
): Promise<{ readonly project: Project; readonly root: Plan }> {
  const project = aProject();
  await repositories.projects.insert(project);
  const root = aRoot(project, given);
  await repositories.plans.insert(root);
  return { project, root };
}

/** A child with its record, which inherited nothing unless the record says so. */
export function aSpawn(child: Plan, given: Partial<CompressionRecord> = {}): Spawn {
  const parentPlanId = child.parentPlanId ?? child.planId;
  return {
    child,
    decisions: [],
    record: { ...aRecord({ planId: parentPlanId }, child), ...given },
  };
}

/** A stored child of a stored plan, which inherited these fragments. */
export async function aStoredChild(
  { repositories }: StoreUnderTest,
  parent: Plan,
  inherited: readonly StoredFragment[],
  given: Partial<CompressionRecord> = {},
): Promise<Plan> {
  const child = aChild(parent);
  const spawn = aSpawn(child, { kept: inherited.map(recorded), ...given });
  await repositories.spawns.insert(spawn, parent.version);
  return child;
}
