/** Transcripts of agents that have no reader yet, told by their heads, so that a refusal can name them. */
import type { TranscriptHead } from '../../application/session/transcript-reader.js';

interface ForeignFormat {
  readonly name: string;
  /** All of them stand in the head. */
  readonly marks: readonly RegExp[];
}

const FOREIGN: readonly ForeignFormat[] = [
  { name: 'Gemini CLI', marks: [/^\s*\{/, /"projectHash"\s*:/, /"messages"\s*:/] },
  { name: 'Kimi CLI', marks: [/^\s*\{"type":\s*"metadata"/, /"protocol_version"\s*:/] },
  { name: 'opencode', marks: [/^\s*\{/, /"sessionID"\s*:/] },
  { name: 'opencode', marks: [/^\s*\{/, /"projectID"\s*:/, /"directory"\s*:/] },
  { name: 'opencode', marks: [/^\s*\{/, /"messageID"\s*:/] },
  { name: 'Google ADK', marks: [/^\s*\{/, /"events"\s*:/, /"invocation_id"\s*:/] },
  { name: 'OpenHands', marks: [/^\s*\[/, /"source"\s*:/, /"(?:observation|action)"\s*:/] },
  { name: 'OpenHands', marks: [/^\s*\{/, /"instance_id"\s*:/, /"agent_class"\s*:/] },
  { name: 'aider', marks: [/^(?:# aider chat started|#### )/m, /^> /m, /\baider\b/] },
  { name: 'Who&When', marks: [/^\s*\{/, /"history"\s*:/, /"(?:ground_truth|mistake_agent)"\s*:/] },
  { name: 'Who&When', marks: [/^\s*\{/, /"history"\s*:/, /"role"\s*:\s*"Orchestrator/] },
];

/** The agent whose transcript this seems to be, or null. */
export function foreignFormat({ text }: TranscriptHead): string | null {
  const found = FOREIGN.find(({ marks }) => marks.every((mark) => mark.test(text)));
  return found?.name ?? null;
}
