/**
 * The floor: tokens of a request that no pass can remove. It is measured before anything is decided,
 * for a session whose fixed parts alone are over the line is not helped by passes without end.
 */
import { calibrated } from './calibration.js';

/** Tokens of the parts of a request, counted by the session's counter, overheads included. */
export interface RequestParts {
  readonly systemTokens: number;
  /** Definitions of tools as they are sent; never part of what can be compressed. */
  readonly toolTokens: number;
  readonly pinTokens: number;
  /** The rendered summary without pins. */
  readonly summaryTokens: number;
  /** Open asks inside the summary. */
  readonly openAskTokens: number;
  /** The rendered schema without any item. */
  readonly emptySchemaTokens: number;
}

export interface FloorParts {
  readonly systemTokens: number;
  readonly toolTokens: number;
  readonly pinTokens: number;
  readonly openAskTokens: number;
  readonly emptySchemaTokens: number;
  readonly latestPromptTokens: number;
}

/** The size of every part, for a stop that says why. */
export interface BudgetBreakdown extends FloorParts {
  readonly floorTokens: number;
  /** Room that the summary may take. */
  readonly summaryTokens: number;
  /** The last unit, which always stays. */
  readonly lastUnitTokens: number;
  readonly targetTokens: number;
  readonly fillTokens: number;
  readonly usableTokens: number;
}

export function floorParts(
  parts: RequestParts,
  latestPromptTokens: number,
  factor: number,
): FloorParts {
  return {
    systemTokens: calibrated(parts.systemTokens, factor),
    toolTokens: calibrated(parts.toolTokens, factor),
    pinTokens: calibrated(parts.pinTokens, factor),
    openAskTokens: calibrated(parts.openAskTokens, factor),
    emptySchemaTokens: calibrated(parts.emptySchemaTokens, factor),
    latestPromptTokens: calibrated(latestPromptTokens, factor),
  };
}

export function floorTokens(floor: FloorParts): number {
  return (
    floor.systemTokens +
    floor.toolTokens +
    floor.pinTokens +
    floor.openAskTokens +
    floor.emptySchemaTokens +
    floor.latestPromptTokens
  );
}
