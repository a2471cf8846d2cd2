/**
 * Context windows of known models, in tokens of input and output together, as their vendors publish
 * them. The longest beginning that fits a model's name decides; a model that is not here must be
 * given its window by the host, for a guessed one either overflows or wastes half the context.
 */
const K = 1_000;

const MODEL_WINDOWS: Readonly<Record<string, number>> = {
  'claude-': 200 * K,
  'gpt-3.5-turbo': 16_385,
  'gpt-4': 8_192,
  'gpt-4-32k': 32_768,
  'gpt-4-turbo': 128 * K,
  'gpt-4o': 128 * K,
  'gpt-4.1': 1_047_576,
  'gpt-4.5': 128 * K,
  'gpt-5': 400 * K,
  'gpt-5-chat': 128 * K,
  'gpt-oss-': 131_072,
  'chatgpt-4o': 128 * K,
  'codex-mini': 200 * K,
  o1: 200 * K,
  'o1-mini': 128 * K,
  'o1-preview': 128 * K,
  o3: 200 * K,
  'o4-mini': 200 * K,
  'gemini-1.5-flash': 1_048_576,
  'gemini-1.5-pro': 2_097_152,
  'gemini-2': 1_048_576,
  'gemini-3': 1_048_576,
  'deepseek-': 128 * K,
  'mistral-large': 128 * K,
  'mistral-medium': 128 * K,
  'mistral-small': 128 * K,
  codestral: 256 * K,
  devstral: 128 * K,
  'llama-3.1': 131_072,
  'llama-3.2': 131_072,
  'llama-3.3': 131_072,
  'kimi-k2': 131_072,
  'kimi-k2-0905': 262_144,
  'glm-4.5': 131_072,
  'glm-4.6': 200 * K,
  'qwen3-coder': 262_144,
  'grok-3': 131_072,
  'grok-4': 256 * K,
  'grok-code-fast': 256 * K,
};

/** Window of a name that says so itself, such as `claude-sonnet-4-5[1m]`. */
const MILLION = /\[1m\]$/;

/** The model's window in tokens, or null where the table does not know it. */
export function windowOfModel(model: string): number | null {
  const name = model.trim().toLowerCase();
  if (MILLION.test(name)) return 1_000 * K;
  // Routers put the vendor and a region before the name: `us.anthropic.claude-…`, `openai/gpt-5`.
  const bare = (name.split('/').at(-1) ?? name).replace(/^(?:[a-z]+\.)*anthropic\./, '');
  const known = Object.keys(MODEL_WINDOWS)
    .filter((beginning) => isBeginning(beginning, bare))
    .sort((a, b) => b.length - a.length)[0];
  return known === undefined ? null : (MODEL_WINDOWS[known] ?? null);
}

/** `o1` begins `o1-2024-12-17` but not `o10`. */
function isBeginning(beginning: string, name: string): boolean {
  if (!name.startsWith(beginning)) return false;
  return beginning.endsWith('-') || !/^\d/.test(name.slice(beginning.length));
}
