/** What a host sends beside the session: given as texts or counted by itself, per call or kept with the session. */
import { OssatureError } from '../../../domain/kernel/errors.js';
import type { TokenCounter } from '../../../domain/kernel/measures.js';
import type { JsonValue } from '../../../domain/redaction/json-value.js';
import type { HostFrame } from '../../../domain/session/pass/request-state.js';
import type { PassSettings } from '../../../domain/session/pass/settings.js';
import { MESSAGE_OVERHEAD_TOKENS } from '../../../domain/session/pass/unit-mark.js';

/** Texts are counted by the session's counter; they are kept nowhere. */
export interface FrameTexts {
  readonly system?: string;
  /** Definitions of tools, as they are sent. */
  readonly tools?: readonly JsonValue[];
}

/** @throws OssatureError INVALID_INPUT for counts that are none. */
export function frameOf(
  given: HostFrame | FrameTexts | undefined,
  { systemTokens, toolTokens }: Pick<PassSettings, 'systemTokens' | 'toolTokens'>,
  counter: TokenCounter,
): HostFrame {
  if (given === undefined) return { systemTokens, toolTokens };
  if ('systemTokens' in given) {
    const { systemTokens: ofSystem, toolTokens: ofTools } = given;
    return {
      systemTokens: wholeTokens('frame.systemTokens', ofSystem),
      toolTokens: wholeTokens('frame.toolTokens', ofTools),
    };
  }
  const { system = '', tools = [] } = given;
  return {
    systemTokens: system === '' ? 0 : counter.count(system) + MESSAGE_OVERHEAD_TOKENS,
    toolTokens: tools.length === 0 ? 0 : counter.count(JSON.stringify(tools)),
  };
}

function wholeTokens(field: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new OssatureError(
    'INVALID_INPUT',
    `${field} must be a whole number from 0 on, got ${value}.`,
    {
      details: { field },
    },
  );
}
