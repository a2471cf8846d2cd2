/** Factors of counters as the store keeps them: one per tenant, model and counter. */
import { calibrate, calibrateByOverflow } from '../../../domain/session/pass/calibration.js';
import type { Session } from '../../../domain/session/session.js';
import type { PassNeeds } from '../summary-needs.js';

export interface CalibrationReport {
  /** Null: no model is named, so nothing was kept. */
  readonly model: string | null;
  readonly counter: string;
  readonly factor: number;
  /** Reports that made it. */
  readonly reports: number;
}

/** What a provider said of a request that our counter counted. */
export type Reported =
  | { readonly kind: 'usage'; readonly inputTokens: number }
  | {
      readonly kind: 'overflow';
      /** Null: it gave no number. */
      readonly inputTokens: number | null;
      readonly windowTokens: number;
    };

export async function readCalibration(
  { repositories: { summaries } }: Pick<PassNeeds, 'repositories'>,
  { tenantId, model, counterName, counterVersion }: Session,
): Promise<CalibrationReport> {
  const stored =
    model === null
      ? null
      : await summaries.findCalibration({ tenantId, model, counterName, counterVersion });
  return {
    model,
    counter: `${counterName}@${counterVersion}`,
    factor: stored?.factor ?? 1,
    reports: stored?.reports ?? 0,
  };
}

/** @param countedTokens the request by our counter, without any factor. */
export async function calibrateSession(
  needs: Pick<PassNeeds, 'clock' | 'unitOfWork' | 'repositories'>,
  session: Session,
  countedTokens: number,
  reported: Reported,
): Promise<CalibrationReport> {
  const { tenantId, model, counterName, counterVersion } = session;
  if (model === null) return readCalibration(needs, session);
  const key = { tenantId, model, counterName, counterVersion };
  return needs.unitOfWork(async ({ summaries }) => {
    const before = await summaries.findCalibration(key);
    const known = before?.factor ?? 1;
    const factor =
      reported.kind === 'usage'
        ? calibrate(known, countedTokens, reported.inputTokens)
        : calibrateByOverflow(known, countedTokens, reported.inputTokens, reported.windowTokens);
    const reports = (before?.reports ?? 0) + 1;
    await summaries.saveCalibration(key, { factor, reports, updatedAt: needs.clock() });
    return { model, counter: `${counterName}@${counterVersion}`, factor, reports };
  });
}
