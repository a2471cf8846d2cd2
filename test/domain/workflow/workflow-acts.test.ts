/** A workflow told in words: each word is an act, and what comes of it is where the workflow stands. */
import { describe, expect, it } from '@jest/globals';
import { array, assert, constantFrom, property } from 'fast-check';
import { OssatureError } from '../../../src/domain/kernel/errors.js';
import type { WorkflowStep } from '../../../src/domain/workflow/repositories.js';
import {
  approvalInForce,
  approveArtifact,
  isStanding,
  latestArtifact,
  putArtifact,
  rejectArtifact,
  requireStartable,
  type WorkflowHistory,
} from '../../../src/domain/workflow/workflow-acts.js';
import {
  phasesBefore,
  WORKFLOW_PHASES,
  type WorkflowPhase,
} from '../../../src/domain/workflow/workflow-phase.js';
import { LATER, newProjectId } from '../../contracts/sample-values.js';
import { anArtifactVersion, aWorkflow } from '../../contracts/workflow-values.js';

const SEED = 20_260_101;
const SPEAKING = { by: 'bob', comment: 'because', now: LATER };
const PHASES: Readonly<Record<string, WorkflowPhase>> = {
  R: 'research',
  S: 'planning',
  I: 'implementation',
};

const start = (): WorkflowHistory => ({
  workflow: aWorkflow(newProjectId()),
  artifacts: [],
  approvals: [],
});

/** `put:R:1` puts text 1 of the research, `ok:R` approves it, `no:R` rejects it. */
function stepFor(history: WorkflowHistory, act: string): WorkflowStep {
  const [verb, letter = '', text = ''] = act.split(':');
  const phase = PHASES[letter] ?? 'research';
  const hash = latestArtifact(history, phase)?.hash ?? '';
  if (verb === 'ok') return approveArtifact(history, phase, text || hash, [], SPEAKING);
  if (verb === 'no') return rejectArtifact(history, phase, SPEAKING);
  const { version: _, ...made } = anArtifactVersion({ phase, hash: `${letter}${text}` });
  return putArtifact(history, made, []);
}

function after(history: WorkflowHistory, step: WorkflowStep): WorkflowHistory {
  const { workflow, artifact, approval, voided, voidedBecause } = step;
  const said = history.approvals.map((one) =>
    voided.includes(one.approvalNo) ? { ...one, voidedAt: workflow.updatedAt, voidedBecause } : one,
  );
  return {
    workflow,
    artifacts: artifact === null ? history.artifacts : [...history.artifacts, artifact],
    approvals: approval === null ? said : [...said, approval],
  };
}

const play = (acts: string): WorkflowHistory =>
  acts
    .split(' ')
    .filter((act) => act !== '')
    .reduce((history, act) => after(history, stepFor(history, act)), start());

/** Phase, state, and the phases whose approval counts. */
function standing(history: WorkflowHistory): string {
  const { phase, state } = history.workflow;
  const approved = Object.entries(PHASES).flatMap(([letter, one]) =>
    approvalInForce(history, one) === null ? [] : [letter],
  );
  return `${phase} ${state} ${approved.join('')}`.trim();
}

describe('acts of a workflow', () => {
  // prettier-ignore
  it.each([
    { rule: 'a workflow begins with research',                       acts: '',                                        stands: 'research working' },
    { rule: 'what is put waits for approval',                        acts: 'put:R:1',                                 stands: 'research in-review' },
    { rule: 'an approval starts the next phase',                     acts: 'put:R:1 ok:R',                            stands: 'planning working R' },
    { rule: 'the last approval completes it',                        acts: 'put:R:1 ok:R put:S:1 ok:S put:I:1 ok:I',  stands: 'implementation completed RSI' },
    { rule: 'a rejection returns to work',                           acts: 'put:R:1 no:R',                            stands: 'research working' },
    { rule: 'a later edit voids its approval and those after',       acts: 'put:R:1 ok:R put:S:1 ok:S put:R:2',       stands: 'research in-review' },
    { rule: 'a later edit leaves the approvals before',              acts: 'put:R:1 ok:R put:S:1 ok:S put:S:2',       stands: 'planning in-review R' },
    { rule: 'what was voided after waits for a new approval',        acts: 'put:R:1 ok:R put:S:1 ok:S put:R:2 ok:R',  stands: 'planning in-review R' },
    { rule: 'a rejection of an approved phase voids those after',    acts: 'put:R:1 ok:R put:S:1 ok:S no:R',          stands: 'research working' },
    { rule: 'going back to the first text does not revive approvals', acts: 'put:R:1 ok:R put:R:2 put:R:1',           stands: 'research in-review' },
    { rule: 'what was rejected may be put again as it is',           acts: 'put:R:1 no:R put:R:1 ok:R',               stands: 'planning working R' },
    { rule: 'a rejected spec waits for work once research is approved', acts: 'put:R:1 ok:R put:S:1 no:S put:R:2 ok:R', stands: 'planning working R' },
    { rule: 'a completed workflow goes back by an edit',             acts: 'put:R:1 ok:R put:S:1 ok:S put:I:1 ok:I put:S:2', stands: 'planning in-review R' },
  ])('$rule', ({ acts, stands }) => {
    expect(standing(play(acts))).toBe(stands);
  });

  // prettier-ignore
  it.each([
    { rule: 'planning cannot start without research',             acts: '',                            refused: 'put:S:1',  code: 'ILLEGAL_MOVE' },
    { rule: 'planning cannot start on research that waits',       acts: 'put:R:1',                     refused: 'put:S:1',  code: 'ILLEGAL_MOVE' },
    { rule: 'planning cannot go on once research was edited',     acts: 'put:R:1 ok:R put:S:1 put:R:2', refused: 'put:S:2', code: 'ILLEGAL_MOVE' },
    { rule: 'a spec is not approved on research that was edited', acts: 'put:R:1 ok:R put:S:1 put:R:2', refused: 'ok:S',    code: 'ILLEGAL_MOVE' },
    { rule: 'nothing cannot be approved',                         acts: '',                            refused: 'ok:R',     code: 'ILLEGAL_MOVE' },
    { rule: 'nothing cannot be rejected',                         acts: 'put:R:1 ok:R',                refused: 'no:S',     code: 'ILLEGAL_MOVE' },
    { rule: 'what was rejected cannot be approved',               acts: 'put:R:1 no:R',                refused: 'ok:R',     code: 'ILLEGAL_MOVE' },
    { rule: 'what was rejected cannot be rejected again',         acts: 'put:R:1 no:R',                refused: 'no:R',     code: 'ILLEGAL_MOVE' },
    { rule: 'another hash than the latest cannot be approved',    acts: 'put:R:1 put:R:2',             refused: 'ok:R:R1',  code: 'STALE' },
  ])('$rule', ({ acts, refused, code }) => {
    const history = play(acts);

    expect(() => stepFor(history, refused)).toThrow(expect.objectContaining({ code }));
  });

  it('says why an approval does not count any more', () => {
    const { approvals } = play('put:R:1 ok:R put:S:1 ok:S put:R:2');

    expect(approvals.map(({ voidedBecause }) => voidedBecause)).toEqual([
      'version 2 of the research artifact was put',
      'version 2 of the research artifact was put',
    ]);
  });

  it('tells the artifact that stands there from one that was rejected', () => {
    expect(isStanding(play('put:R:1'), 'research', 'R1')).toBe(true);
    expect(isStanding(play('put:R:1 put:R:2'), 'research', 'R1')).toBe(false);
    expect(isStanding(play('put:R:1 no:R'), 'research', 'R1')).toBe(false);
  });

  it('keeps, whatever is done, one approval a phase, of the latest artifact, on approved phases', () => {
    const verb = constantFrom('put:R:1', 'put:R:2', 'put:S:1', 'put:S:2', 'put:I:1');
    const act = constantFrom('ok:R', 'ok:S', 'ok:I', 'no:R', 'no:S', 'no:I');
    assert(
      property(
        array(
          constantFrom(verb, act).chain((one) => one),
          { maxLength: 40 },
        ),
        (acts) => {
          let history = start();
          for (const one of acts) {
            try {
              const isApproved = one.startsWith('ok:') && approvalInForce(history, phaseOf(one));
              if (!isApproved) history = after(history, stepFor(history, one));
            } catch (error) {
              if (!OssatureError.is(error)) throw error;
            }
          }
          for (const phase of WORKFLOW_PHASES) {
            const inForce = history.approvals.filter(
              (given) =>
                given.phase === phase && given.verdict === 'approved' && given.voidedAt === null,
            );
            expect(inForce.length).toBeLessThanOrEqual(1);
            if (inForce.length === 0) continue;
            expect(inForce[0]?.artifactVersion).toBe(latestArtifact(history, phase)?.version);
            expect(() => requireStartable(history, phase)).not.toThrow();
            expect(phasesBefore(phase).every((one) => approvalInForce(history, one))).toBe(true);
          }
        },
      ),
      { seed: SEED, numRuns: 300 },
    );
  });

  const phaseOf = (act: string): WorkflowPhase => PHASES[act.split(':')[1] ?? ''] ?? 'research';
});
