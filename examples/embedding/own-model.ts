import {
  type AiSdkModel,
  aiSdkLanguageModel,
  createOssature,
  httpLanguageModel,
  type LanguageModel,
  type Ossature,
} from 'ossature';

/** An endpoint that speaks Chat Completions: a vendor's, a gateway's, or a server of your own. */
export function withEndpoint(baseUrl: string, apiKey: string): Promise<Ossature> {
  const languageModel = httpLanguageModel({
    baseUrl,
    model: 'gpt-5-mini',
    apiKey, // goes to this host and nowhere else, and stands in no error and no log
    retries: { timeoutMs: 60_000 }, // of all tries of one call
  });
  return createOssature({ store: { kind: 'in-memory' }, languageModel });
}

/** What a provider of the Vercel AI SDK returns: `openai('gpt-5-mini')`, `anthropic('claude-haiku-4-5')`. */
export function withAiSdk(model: AiSdkModel): Promise<Ossature> {
  return createOssature({
    store: { kind: 'in-memory' },
    languageModel: aiSdkLanguageModel(model),
  });
}

/** Any other client. What it throws is told as MODEL_UNAVAILABLE, without its words. */
export function withOwnClient(
  ask: (prompt: string, signal: AbortSignal) => Promise<string>,
): Promise<Ossature> {
  const languageModel: LanguageModel = {
    name: 'house-model', // recorded as the producer of what it writes: model:house-model
    complete: async ({ system, messages }, signal) => ({
      text: await ask([system, ...messages.map(({ text }) => text)].join('\n\n'), signal),
      usage: { inputTokens: null, cachedInputTokens: null, outputTokens: null },
      finishReason: 'stop', // say `length` or `filtered` where you know it: such answers are not used
    }),
  };
  return createOssature({ store: { kind: 'in-memory' }, languageModel });
}
