/** What every EvaluationRepository promises. */
import { deepEqual, equal } from 'node:assert/strict';
import { type Contract, failsWith } from './contract.js';
import { aJudgement, aMark, anAnswer, aProbeSet, aReport, aRun } from './evaluation-values.js';
import { HARD_TEXTS, LATER, NOW } from './sample-values.js';

export const EVALUATIONS_CONTRACT: Contract = {
  port: 'EvaluationRepository',
  rules: [
    {
      rule: 'a set of probes comes back as it was written, and is listed without its probes',
      async check({ repositories: { evaluations } }) {
        const set = aProbeSet({ tenantId: 'probing' });
        const later = aProbeSet({ tenantId: 'probing', createdAt: LATER, probes: [] });
        await evaluations.addProbeSet(set);
        await evaluations.addProbeSet(later);
        deepEqual(await evaluations.getProbeSet('probing', set.probeSetId), set);
        deepEqual(await evaluations.listProbeSets('probing'), [later, { ...set, probes: [] }]);
        await failsWith('ALREADY_EXISTS', () => evaluations.addProbeSet(set));
      },
    },
    {
      rule: 'a run begins, is found while it is unfinished, and is finished once',
      async check({ repositories: { evaluations } }) {
        const hash = 'b'.repeat(64);
        const run = aRun({ tenantId: 'running', settingsHash: hash });
        const newer = aRun({ tenantId: 'running', settingsHash: hash, startedAt: LATER });
        await evaluations.startRun(run);
        await evaluations.startRun(newer);
        deepEqual(await evaluations.getRun('running', run.runId), { ...run, finished: null });
        equal((await evaluations.findUnfinished('running', hash))?.runId, newer.runId);
        const finished = { report: aReport(), timing: { total_ms: 7 }, finishedAt: LATER };
        await evaluations.finishRun('running', newer.runId, finished);
        const stored = await evaluations.getRun('running', newer.runId);
        deepEqual(stored, { ...newer, finished });
        equal(JSON.stringify(stored.finished?.report), JSON.stringify(finished.report));
        equal((await evaluations.findUnfinished('running', hash))?.runId, run.runId);
        deepEqual(await evaluations.findFinished('running', hash), stored);
        equal(await evaluations.findFinished('running', 'c'.repeat(64)), null);
        equal(await evaluations.findFinished('somebody else', hash), null);
        equal(await evaluations.findUnfinished('running', 'c'.repeat(64)), null);
        const listed = (await evaluations.listRuns('running')).map(({ runId }) => runId);
        deepEqual(listed, [newer.runId, run.runId]);
        await failsWith('STALE', () => evaluations.finishRun('running', newer.runId, finished));
        await failsWith('ALREADY_EXISTS', () => evaluations.startRun(run));
      },
    },
    {
      rule: 'answers and marks come back in their order, nulls included, and are added once',
      async check({ repositories: { evaluations }, unitOfWork }) {
        const { runId, tenantId } = await started(evaluations);
        const second = anAnswer({
          probeId: 'probe-2',
          text: null,
          reason: 'timed out',
          survival: null,
          findings: [],
          answerer: null,
          promptVersion: null,
          usage: {},
          answeredAt: NOW,
        });
        const first = anAnswer();
        const marks = [
          aMark(),
          aMark({ judgeRun: 1, origin: 'judge', score: null, reason: 'not assessed' }),
          aMark({ probeId: 'probe-2', criterionId: 'instruction_format', score: 5 }),
        ];
        await evaluations.addAnswers(tenantId, runId, [second, first], [...marks].reverse());
        deepEqual(await evaluations.listAnswers(tenantId, runId), [first, second]);
        deepEqual(await evaluations.listMarks(tenantId, runId), marks);
        const again = [anAnswer({ probeId: 'probe-3' }), first];
        await failsWith('STALE', () =>
          unitOfWork((bound) => bound.evaluations.addAnswers(tenantId, runId, again, [])),
        );
        equal((await evaluations.listAnswers(tenantId, runId)).length, 2);
      },
    },
    {
      rule: 'a judgement comes with its marks, once, and only of an answer that is there',
      async check({ repositories: { evaluations }, unitOfWork }) {
        const { runId, tenantId } = await started(evaluations);
        await evaluations.addAnswers(tenantId, runId, [anAnswer()], []);
        const judged = aJudgement();
        const silent = aJudgement({ judgeRun: 2, outcome: 'unreadable', reason: 'no JSON' });
        const mark = aMark({ judgeRun: 1, origin: 'judge' });
        await evaluations.addJudgement(tenantId, runId, silent, []);
        await evaluations.addJudgement(tenantId, runId, judged, [mark]);
        deepEqual(await evaluations.listJudgements(tenantId, runId), [judged, silent]);
        deepEqual(await evaluations.listMarks(tenantId, runId), [mark]);
        await failsWith('STALE', () =>
          unitOfWork((bound) => bound.evaluations.addJudgement(tenantId, runId, judged, [])),
        );
        const unasked = aJudgement({ probeId: 'nobody' });
        await failsWith('STORE_FAILED', () =>
          unitOfWork((bound) => bound.evaluations.addJudgement(tenantId, runId, unasked, [])),
        );
        deepEqual(await evaluations.listJudgements('somebody else', runId), []);
      },
    },
    {
      rule: 'the answer of a summarizer is kept once for its request, byte for byte',
      async check({ repositories: { evaluations }, unitOfWork }) {
        const { runId, tenantId } = await started(evaluations);
        const requestHash = 'd'.repeat(64);
        const answer = JSON.stringify({ b: 1, a: Object.values(HARD_TEXTS), c: '\u0000' });
        await evaluations.addSummary(tenantId, runId, { requestHash, answer, answeredAt: NOW });
        equal(await evaluations.findSummary(tenantId, runId, requestHash), answer);
        equal(await evaluations.findSummary(tenantId, runId, 'e'.repeat(64)), null);
        equal(await evaluations.findSummary('somebody else', runId, requestHash), null);
        await failsWith('STALE', () =>
          unitOfWork((bound) =>
            bound.evaluations.addSummary(tenantId, runId, { requestHash, answer, answeredAt: NOW }),
          ),
        );
      },
    },
    {
      rule: 'another tenant sees nothing',
      async check({ repositories: { evaluations } }) {
        const { runId } = await started(evaluations);
        const set = aProbeSet();
        await evaluations.addProbeSet(set);
        await failsWith('NOT_FOUND', () => evaluations.getRun('somebody else', runId));
        await failsWith('NOT_FOUND', () => evaluations.getProbeSet('other', set.probeSetId));
        deepEqual(await evaluations.listRuns('somebody else'), []);
        deepEqual(await evaluations.listAnswers('somebody else', runId), []);
        deepEqual(await evaluations.listMarks('somebody else', runId), []);
      },
    },
  ],
};

async function started(evaluations: {
  startRun: (run: ReturnType<typeof aRun>) => Promise<void>;
}): Promise<ReturnType<typeof aRun>> {
  const run = aRun();
  await evaluations.startRun(run);
  return run;
}
