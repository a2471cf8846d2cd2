/** The providers that a session can be exported for, each with its validator. */
import type { JsonObject } from '../../redaction/json-value.js';
import { checkAnthropic } from './check-anthropic.js';
import { checkLangchain } from './check-langchain.js';
import { checkOpenaiChat } from './check-openai-chat.js';
import { checkOpenaiResponses } from './check-openai-responses.js';
import type { Exported, ExportOptions } from './exported.js';
import type { OutgoingContext } from './outgoing-context.js';
import type { RuleBreach } from './rule-breach.js';
import { type AnthropicMessage, toAnthropic } from './to-anthropic.js';
import { toLangchain } from './to-langchain.js';
import { type OpenaiChatMessage, toOpenaiChat } from './to-openai-chat.js';
import { type OpenaiResponsesItem, toOpenaiResponses } from './to-openai-responses.js';

/** What each provider's messages are made of. */
export interface ProviderMessages {
  readonly anthropic: AnthropicMessage;
  readonly 'openai-chat': OpenaiChatMessage;
  readonly 'openai-responses': OpenaiResponsesItem;
  /** `{ type, data }`, as `messagesToDict` writes them. */
  readonly langchain: JsonObject;
  /** `{ lc, type, id, kwargs }`, as `dumpd` writes them. */
  readonly 'langchain-constructor': JsonObject;
}

export type ExportProvider = keyof ProviderMessages;

export const EXPORT_PROVIDERS: readonly ExportProvider[] = [
  'anthropic',
  'openai-chat',
  'openai-responses',
  'langchain',
  'langchain-constructor',
];

interface ProviderForm<Message> {
  readonly write: (context: OutgoingContext, options: ExportOptions) => Exported<Message>;
  /** No breaches for messages that the provider accepts. */
  readonly check: (messages: unknown) => readonly RuleBreach[];
}

export const PROVIDER_FORMS: {
  readonly [Provider in ExportProvider]: ProviderForm<ProviderMessages[Provider]>;
} = {
  anthropic: { write: toAnthropic, check: checkAnthropic },
  'openai-chat': { write: toOpenaiChat, check: checkOpenaiChat },
  'openai-responses': { write: toOpenaiResponses, check: checkOpenaiResponses },
  langchain: {
    write: (context, options) => toLangchain(context, 'dict', options),
    check: checkLangchain,
  },
  'langchain-constructor': {
    write: (context, options) => toLangchain(context, 'constructor', options),
    check: checkLangchain,
  },
};
