/** From an opened attempt to its end: every check in its order, and the first reason met is the reason. */
import type { AttemptReason, CompressionProposal } from '../../domain/lessons/attempt.js';
import type { Audit } from '../../domain/lessons/audit-candidate.js';
import { checkCandidate } from '../../domain/lessons/check-candidate.js';
import type { Claim } from '../../domain/lessons/claim.js';
import { isAtLeastShare } from '../../domain/lessons/exact-share.js';
import type { ProvisionalReason } from '../../domain/lessons/lesson.js';
import { numberClaims, type SourceClaim } from '../../domain/lessons/loss-manifest.js';
import { cutAt, SpokenText } from '../../domain/lessons/normal-text.js';
import { readProposal } from '../../domain/lessons/read-proposal.js';
import { Aborted, askModel } from './ask-model.js';
import type { AttemptRun } from './attempt-run.js';
import type { AttemptEnd } from './close-attempt.js';
import { claimsIn, cleanerOf } from './lesson-needs.js';
import type { AuditClaims, CompressionRequest, ProposeCompression } from './ports.js';
import { faultOf } from './replay-episode.js';
import { runGate } from './run-gate.js';

/** Time of a compressor or an auditor. */
const COMPRESSOR_TIMEOUT_MS = 180_000;

export interface CandidateModels {
  readonly propose: ProposeCompression;
  readonly audit: AuditClaims | null;
}

export interface GateLimits {
  readonly maxRatio: number;
  readonly threshold: number;
}

export async function judgeCandidate(
  run: AttemptRun,
  models: CandidateModels,
  limits: GateLimits,
): Promise<AttemptEnd> {
  const { needs, settings, opened } = run;
  if (opened.plan.inSample.length === 0) return ended('rejected', 'no-episodes');
  const ruledOut = await ruledOutByControl(run);
  if (ruledOut !== null) return ended('rejected', 'insufficient-evidence', ruledOut);

  const deaf = await noticesTooLittle(run);
  if (deaf !== null) return ended('rejected', 'insufficient-evidence', deaf);
  const source = numberClaims(
    opened.sources.map(({ lesson: { lessonId }, ledger: { claims } }) => ({ lessonId, claims })),
  );
  const proposed = await propose(run, models.propose, source);
  if (typeof proposed === 'string')
    return ended('failed', 'compressor-failed', { fault: proposed });
  const { body } = proposed;
  if (body === '') return ended('failed', 'empty');
  const tokens = needs.tokenCounter.count(body);
  const bodyDigest = needs.digest(body);
  const [failedBefore] = await Promise.all([
    needs.repositories.attempts.listFailedCandidates(opened.attempt.lessonId),
    run.step({ candidate: { proposal: proposed, tokens, digest: bodyDigest } }),
  ]);
  const ledger = claimsIn(needs, body);
  const checked = checkCandidate(
    {
      proposal: proposed,
      tokens,
      bodyDigest,
      ledger,
      source,
      settings,
      sourceTokens: opened.attempt.sourceTokens,
      sourceBodies: opened.sources.map(({ lesson }) => lesson.body),
      subtreeBodies: opened.subtreeBodies,
      knownDigests: new Set(opened.lineage.lessons.map((lesson) => lesson.bodyDigest)),
      failedBefore,
      episodeIds: opened.setIds,
      maxRatio: limits.maxRatio,
    },
    needs.digest,
  );
  if (checked.outcome === 'rejected') return ended('rejected', checked.reason, checked.details);
  const audited = await audit(run, models.audit, source, ledger, checked.audit);
  if (audited.reason !== null) {
    const reason =
      audited.reason === 'uncovered'
        ? checked.lossless
          ? ('false-lossless' as const)
          : ('under-reported' as const)
        : audited.reason;
    return ended(reason === 'audit-unreadable' ? 'failed' : 'rejected', reason, audited.details);
  }

  const sourceText = opened.sources.map(({ lesson }) => lesson.body).join('\n\n');
  const gate = await runGate(run, body, sourceText, limits.threshold);
  if (gate.outcome !== 'passed') {
    const details = { ...gate.details, failed: gate.failures.map((one) => one.episodeId) };
    return { outcome: gate.outcome, reason: gate.reason, details, gate, accepted: null };
  }
  const isUnaudited = settings['compression.audit'] && audited.audit.unaudited.length > 0;
  const provisionalBecause: readonly ProvisionalReason[] = [
    ...gate.provisionalBecause,
    ...(isUnaudited ? (['unaudited'] as const) : []),
  ];
  return {
    outcome: 'accepted',
    reason: null,
    details: {},
    gate,
    accepted: { losses: checked.losses, audit: audited.audit, provisionalBecause, ledger },
  };
}

/** Stored results of the control arm may show, before any call, that too few episodes would prove anything. */
async function ruledOutByControl(run: AttemptRun) {
  const { settings, opened } = run;
  if (!settings['compression.control']) return null;
  const { inSample } = opened.plan;
  const stored = await run.storedArms(inSample, null);
  const possible = inSample.filter(
    (id) => stored.get(run.keyOf(id, null))?.outcome !== 'passed',
  ).length;
  const needed = Math.min(settings['compression.min_discriminating'], inSample.length);
  return possible < needed ? { discriminating: possible, needed } : null;
}

/**
 * The share of single deletions that the sample notices, where that is asked and too low: a set that does
 * not miss a claim cannot vouch for a text without it.
 */
async function noticesTooLittle(run: AttemptRun) {
  const floor = run.settings['compression.mutation_floor'];
  if (floor === null) return null;
  const episodes = await run.episodes(run.opened.plan.inSample);
  let deletions = 0;
  let noticed = 0;
  for (const { lesson, ledger } of run.opened.sources) {
    for (const { text } of ledger.claims) {
      const shortened = without(lesson.body, text);
      deletions += 1;
      for (const episode of episodes) {
        const ask = { episode, arm: 'candidate', phase: 'sample', lesson: shortened } as const;
        if ((await run.probe(ask)) !== 'failed') continue;
        noticed += 1;
        break;
      }
    }
  }
  const isEnough = deletions > 0 && isAtLeastShare(noticed, deletions, floor);
  return isEnough ? null : { deletions, noticed, mutationFloor: floor };
}

/** The body without one claim: as it stands there, or line by line where it was joined of lines. */
function without(body: string, claim: string): string {
  if (body.includes(claim)) return body.replace(claim, () => '');
  const lines = new Set(claim.split('\n').map((line) => line.trim()));
  return body
    .split('\n')
    .filter((line) => !lines.has(line.trim()))
    .join('\n');
}

/** The proposal, or what was wrong with it. */
async function propose(
  run: AttemptRun,
  port: ProposeCompression,
  source: readonly SourceClaim[],
): Promise<CompressionProposal | string> {
  const { needs, settings, opened } = run;
  const shown = opened.plan.inSample.filter((id) => !opened.plan.unshown.has(id));
  const episodes = await run.episodes(shown);
  const spans = opened.sources.flatMap(({ evidence }) => evidence.spans.map(({ text }) => text));
  const request: CompressionRequest = {
    sources: opened.sources.map(({ lesson: { lessonId, title, gist, body, tokens } }) => ({
      lessonId,
      title,
      gist,
      body,
      tokens,
    })),
    claims: source.map(({ number, lessonId, claim: { claimId, text, values } }) => ({
      number,
      lessonId,
      claimId,
      text,
      values,
    })),
    targetTokens: opened.attempt.targetTokens,
    prompts: episodes.map(({ prompt }) =>
      cutAt(prompt, settings['compression.prompt_excerpt_chars']),
    ),
    hints: opened.sources.flatMap(({ evidence }) => evidence.hints.map(({ text }) => text)),
    spans,
  };
  run.compressorCalls += 1;
  await run.step({
    toldSpans: spans.length > 0 ? 'observed' : 'none-observed',
    requestDigest: needs.digest(JSON.stringify(request)),
  });
  const cleaner = cleanerOf(needs, settings['privacy.redact']);
  try {
    const { proposal, usage } = await askModel(
      (signal) => port.propose(request, signal),
      COMPRESSOR_TIMEOUT_MS,
      needs.startTimer,
      run.signal,
    );
    run.spent.inputTokens += usage?.inputTokens ?? 0;
    run.spent.outputTokens += usage?.outputTokens ?? 0;
    const read = readProposal(proposal, (text) => cleaner.clean(text));
    return read.outcome === 'read' ? read.proposal : read.fault;
  } catch (error) {
    if (error instanceof Aborted) throw error;
    return cleaner.clean(faultOf(error));
  }
}

interface ModelAudit {
  readonly reason: 'uncovered' | Extract<AttemptReason, 'invented' | 'audit-unreadable'> | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly audit: Audit;
}

/** Asks a model, where one is bound, about what text and values cannot settle. It can only add rejections. */
async function audit(
  run: AttemptRun,
  port: AuditClaims | null,
  source: readonly SourceClaim[],
  ledger: readonly Claim[],
  known: Audit,
): Promise<ModelAudit> {
  const { needs, settings, opened } = run;
  const below = new SpokenText(opened.subtreeBodies.join('\n\n'));
  const reworded = source.filter(({ number }) => known.reworded.includes(number));
  const fresh = ledger.filter(({ text }) => !below.says(text));
  const isSettled = reworded.length === 0 && fresh.length === 0;
  if (port === null || !settings['compression.audit'] || isSettled) {
    return { reason: null, details: {}, audit: known };
  }
  run.auditCalls += 1;
  await run.prolong();
  try {
    const answer = await askModel(
      (signal) =>
        port.audit(
          {
            sourceClaims: source.map(({ number, claim }) => ({ number, text: claim.text })),
            candidateClaims: ledger.map(({ claimId, text }) => ({ number: claimId, text })),
          },
          signal,
        ),
      COMPRESSOR_TIMEOUT_MS,
      needs.startTimer,
      run.signal,
    );
    run.spent.inputTokens += answer.usage?.inputTokens ?? 0;
    run.spent.outputTokens += answer.usage?.outputTokens ?? 0;
    const uncovered = reworded.filter(({ number }) => answer.uncovered.includes(number));
    const invented = fresh.filter(({ claimId }) => answer.invented.includes(claimId));
    if (uncovered.length > 0) {
      const claims = uncovered.map(({ lessonId, claim }) => ({ lessonId, claimId: claim.claimId }));
      return { reason: 'uncovered', details: { uncovered: claims, by: 'model' }, audit: known };
    }
    if (invented.length > 0) {
      const claims = invented.map(({ text }) => cutAt(text, 200));
      return { reason: 'invented', details: { claims, by: 'model' }, audit: known };
    }
    const covers = known.covers.map((cover) => ({ ...cover, audited: true }));
    return { reason: null, details: {}, audit: { ...known, unaudited: [], covers } };
  } catch (error) {
    if (error instanceof Aborted) throw error;
    const fault = cleanerOf(needs, settings['privacy.redact']).clean(faultOf(error));
    return { reason: 'audit-unreadable', details: { fault }, audit: known };
  }
}

function ended(
  outcome: 'rejected' | 'failed',
  reason: AttemptReason,
  details: Readonly<Record<string, unknown>> = {},
): AttemptEnd {
  return { outcome, reason, details, gate: null, accepted: null };
}
