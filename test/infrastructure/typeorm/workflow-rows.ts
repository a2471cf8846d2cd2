/** Rows of workflows: as repositories write them, and as nobody may. */
import type { WorkflowStep } from '../../../src/domain/workflow/repositories.js';
import { aProject, LATER } from '../../contracts/sample-values.js';
import { aSession } from '../../contracts/session-values.js';
import {
  anApproval,
  anArtifactVersion,
  aRegisteredSource,
  aStep,
  aWorkflow,
} from '../../contracts/workflow-values.js';

export type Row = Readonly<Record<string, unknown>>;

const HASH = 'a1'.repeat(32);
const project = aProject();
const workflow = aWorkflow(project.projectId);
const session = aSession({ tenantId: workflow.tenantId });
const pin = { sessionId: session.sessionId, itemNo: 4, artifactHash: 'd4'.repeat(32) };
const source = aRegisteredSource({ tokenCount: Number.MAX_SAFE_INTEGER });
const artifact = anArtifactVersion({ tokenCount: Number.MAX_SAFE_INTEGER });
const gap = { gap: 'changed-source', phase: 'research', itemId: 'R-1', reference: 'x' } as const;
const approval = anApproval({ comment: 'fine', acceptedGaps: [gap] });
const first = aStep(workflow, { sources: [source], artifact, approval });
const second = aStep(
  { ...first.workflow, pin, phase: 'planning', state: 'in-review' },
  { voided: [1], voidedBecause: 'version 2 was put' },
);
const last = second.workflow;

/** A workflow whose one approval was voided, with the steps that lead there. */
export const VOIDED = {
  project,
  workflow,
  session,
  steps: [first, second] as readonly WorkflowStep[],
};

type Inserted = readonly [table: string, key: string, id: string, columns: Row];

/** The columns of `VOIDED` as they lie in the tables. */
export function workflowRows(): readonly Inserted[] {
  const { workflowId, tenantId } = workflow;
  const owner = { tenant_id: tenantId, workflow_id: workflowId };
  const rows: readonly (readonly [table: string, columns: Row])[] = [
    [
      'workflows',
      {
        project_id: workflow.projectId,
        name: workflow.name,
        goal: workflow.goal,
        phase: last.phase,
        state: last.state,
        budgets: workflow.budgets,
        session_id: pin.sessionId,
        pin_item_no: pin.itemNo,
        pin_artifact_hash: pin.artifactHash,
        version: last.version,
        created_at: workflow.createdAt,
        updated_at: last.updatedAt,
      },
    ],
    [
      'workflow_sources',
      {
        source_no: source.sourceNo,
        reference: source.reference,
        hash: source.hash,
        token_count: source.tokenCount,
        counter_name: source.counterName,
        counter_version: source.counterVersion,
        content: source.content,
        added_at: source.addedAt,
      },
    ],
    [
      'workflow_artifacts',
      {
        phase: artifact.phase,
        version: artifact.version,
        kind: 'research_document',
        items: [
          {
            item_id: 'R-1',
            section: 'components',
            text: 'The clock.\n\nIt stands.',
            sources: [`document:notes.md@${HASH}`, 'url:https://example.org/'],
          },
        ],
        hash: artifact.hash,
        token_count: artifact.tokenCount,
        counter_name: artifact.counterName,
        counter_version: artifact.counterVersion,
        producer: artifact.producer,
        created_at: artifact.createdAt,
      },
    ],
    [
      'workflow_approvals',
      {
        approval_no: approval.approvalNo,
        phase: approval.phase,
        artifact_version: approval.artifactVersion,
        artifact_hash: approval.artifactHash,
        verdict: approval.verdict,
        decided_by: approval.by,
        comment: approval.comment,
        accepted_gaps: [gap],
        decided_at: approval.decidedAt,
        voided_at: LATER,
        voided_because: 'version 2 was put',
      },
    ],
  ];
  return rows.map(([table, columns]) => [
    table,
    'workflow_id',
    workflowId,
    { ...owner, ...columns },
  ]);
}

const ulid = (end: string): string => `01ARZ3NDEKTSV4RRFFQ69G5F${end}`;
/** The project that the other rows of these tests belong to. */
const [PROJECT, FLOW, NEW] = ['PA', 'WA', 'WB'].map(ulid);

const flow = (given: Row): Row => ({
  tenant_id: 't',
  workflow_id: NEW,
  project_id: PROJECT,
  name: 'other',
  goal: 'go',
  phase: 'research',
  state: 'working',
  budgets: '{}',
  version: 1,
  created_at: 'now',
  updated_at: 'now',
  ...given,
});
const OF_FLOW = { tenant_id: 't', workflow_id: FLOW };
const read = (given: Row): Row => ({
  ...OF_FLOW,
  source_no: 2,
  reference: 'file:a',
  token_count: 1,
  counter_name: 'c',
  counter_version: '1',
  added_at: 'now',
  ...given,
});
const put = (given: Row): Row => ({
  ...OF_FLOW,
  phase: 'research',
  version: 2,
  kind: 'research_document',
  items: '[{}]',
  hash: HASH,
  token_count: 1,
  counter_name: 'c',
  counter_version: '1',
  producer: 'person:ada',
  created_at: 'now',
  ...given,
});
const said = (given: Row): Row => ({
  ...OF_FLOW,
  approval_no: 2,
  phase: 'research',
  artifact_version: 1,
  artifact_hash: HASH,
  verdict: 'approved',
  decided_by: 'bob',
  accepted_gaps: '[]',
  decided_at: 'now',
  ...given,
});

/** In the order of their foreign keys. */
export const STORED_WORKFLOW_ROWS: readonly (readonly [table: string, row: Row])[] = [
  ['workflows', flow({ workflow_id: FLOW, name: 'login' })],
  ['workflow_sources', read({ source_no: 1 })],
  ['workflow_artifacts', put({ version: 1 })],
  ['workflow_approvals', said({ approval_no: 1 })],
];

const REJECTED = { verdict: 'rejected', comment: 'no' };
const [CHECK, FOREIGN, UNIQUE] = ['23514', '23503', '23505'];

// prettier-ignore
export const REFUSED_OF_WORKFLOWS: readonly (readonly [rule: string, table: string, row: Row, code: string])[] = ([
  ['a workflow of nobody',                       'workflows', flow({ tenant_id: '' }),                              CHECK],
  ['a workflow of an unknown project',           'workflows', flow({ project_id: NEW }),                            FOREIGN],
  ['a second workflow of a name',                'workflows', flow({ name: 'login' }),                              UNIQUE],
  ['a workflow phase that is not one',           'workflows', flow({ phase: 'testing' }),                           CHECK],
  ['a workflow state that is not one',           'workflows', flow({ state: 'stuck' }),                             CHECK],
  ['research that completes a workflow',         'workflows', flow({ state: 'completed' }),                         CHECK],
  ['a session of another tenant',                'workflows', flow({ session_id: NEW }),                            FOREIGN],
  ['half a pin',                                 'workflows', flow({ pin_item_no: 1 }),                             CHECK],
  ['a source of an unknown workflow',            'workflow_sources', read({ workflow_id: NEW }),                    FOREIGN],
  ['a source of another tenant’s workflow',      'workflow_sources', read({ tenant_id: 'x' }),                      FOREIGN],
  ['a second source of a number',                'workflow_sources', read({ source_no: 1 }),                        UNIQUE],
  ['a reference that is none',                   'workflow_sources', read({ reference: 'memory:x' }),               CHECK],
  ['a kept text without its hash',               'workflow_sources', read({ content: 'x' }),                        CHECK],
  ['an artifact of another tenant’s workflow',   'workflow_artifacts', put({ tenant_id: 'x' }),                     FOREIGN],
  ['a second artifact of a version',             'workflow_artifacts', put({ version: 1 }),                         UNIQUE],
  ['an artifact of another phase',               'workflow_artifacts', put({ kind: 'implementation_spec' }),        CHECK],
  ['an artifact of nothing',                     'workflow_artifacts', put({ items: '[]' }),                        CHECK],
  ['a producer of no kind',                      'workflow_artifacts', put({ producer: 'ada' }),                    CHECK],
  ['an approval of another hash',                'workflow_approvals', said({ ...REJECTED, artifact_hash: 'b'.repeat(64) }), FOREIGN],
  ['an approval of a version that is not there', 'workflow_approvals', said({ ...REJECTED, artifact_version: 9 }), FOREIGN],
  ['a second approval in force',                 'workflow_approvals', said({}),                                    UNIQUE],
  ['a verdict that is not one',                  'workflow_approvals', said({ verdict: 'maybe' }),                  CHECK],
  ['a rejection without reasons',                'workflow_approvals', said({ verdict: 'rejected' }),               CHECK],
  ['an approval voided for nothing',             'workflow_approvals', said({ voided_at: 'now' }),                  CHECK],
] as const).map(([rule, table, row, code]) => [rule, table, row, code ?? '']);

// prettier-ignore
export const IMMUTABLE_OF_WORKFLOWS: readonly (readonly [rule: string, statement: string])[] = [
  ['a source of a workflow cannot be changed', `update ossature.workflow_sources set hash = null`],
  ['an artifact cannot be changed',            `update ossature.workflow_artifacts set items = '[1]'`],
  ['an artifact cannot be deleted',            `delete from ossature.workflow_artifacts`],
  ['an approval cannot be given to another',   `update ossature.workflow_approvals set decided_by = 'eve'`],
  ['an approval cannot be deleted',            `delete from ossature.workflow_approvals`],
  ['all approvals cannot be deleted at once',  `truncate ossature.workflow_approvals`],
];
