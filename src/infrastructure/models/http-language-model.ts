/**
 * Any endpoint that speaks OpenAI's Chat Completions: the vendors', gateways, servers of one's own. The
 * key goes to the host of `baseUrl` and nowhere else, and stands in no error and no log.
 */
import type { Clock } from '../../application/ports/system.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import { systemClock } from '../system/node-system.js';
import {
  callWithRetries,
  DEFAULT_RETRIES,
  type RetryPolicy,
  type Try,
} from './call-with-retries.js';
import { type ChatDialect, chatRequest, otherDialect, readCompletion } from './chat-completion.js';
import type { LanguageModel, ModelAnswer, ModelRequest } from './language-model.js';
import { modelUnavailable, modelUnreadable, providerCodeIn } from './model-failure.js';
import { discardBody, readBounded } from './read-bounded.js';
import { failedTry, refusedCall } from './refused-call.js';

export interface HttpModelOptions {
  /** With or without `/chat/completions` at its end; a query of its own is kept. `https://api.example.com/v1` */
  readonly baseUrl: string;
  /** As the endpoint names it. */
  readonly model: string;
  /** Sent as a bearer token. Left out: none is sent, as servers of one's own want it. */
  readonly apiKey?: string;
  /** What is recorded as producer. Left out: `model`. */
  readonly name?: string;
  /** Whether the endpoint is asked to hold the model to JSON. Left out: yes, until it refuses that. */
  readonly jsonMode?: boolean;
  readonly retries?: Partial<RetryPolicy>;
  /** Of an answer, decompressed. Left out: 8 MB. */
  readonly maxAnswerBytes?: number;
  readonly clock?: Clock;
}

const MAX_ANSWER_BYTES = 8_000_000;

/** Of the body of a refusal, which is read for one word. */
const MAX_REFUSAL_BYTES = 64_000;

/** @throws OssatureError INVALID_CONFIG for an address or a key that cannot be sent to. */
export function httpLanguageModel(options: HttpModelOptions): LanguageModel {
  const client = new ChatClient(options);
  return {
    name: client.name,
    complete: (request, signal) => client.complete(request, signal),
  };
}

class ChatClient {
  readonly name: string;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  #dialect: ChatDialect;

  constructor(private readonly options: HttpModelOptions) {
    this.name = options.name ?? options.model;
    this.#url = completionsUrl(options.baseUrl);
    this.#headers = headersOf(options.apiKey);
    this.#dialect = { jsonMode: options.jsonMode ?? true, maxTokensField: 'max_tokens' };
  }

  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    const clock = this.options.clock ?? systemClock;
    const policy = { ...DEFAULT_RETRIES, ...this.options.retries };
    return callWithRetries({ model: this.name, signal, policy, clock }, (inTime) =>
      this.#try(request, inTime, clock),
    );
  }

  async #try(request: ModelRequest, signal: AbortSignal, clock: Clock): Promise<Try<ModelAnswer>> {
    const dialect = this.#dialect;
    let response: Response;
    let text: string | null;
    try {
      response = await fetch(this.#url, {
        method: 'POST',
        headers: this.#headers,
        body: chatRequest(this.options.model, request, dialect),
        redirect: 'manual',
        signal,
      });
      if (isRedirect(response)) return await this.#redirected(response);
      const maxBytes = this.options.maxAnswerBytes ?? MAX_ANSWER_BYTES;
      text = await readBounded(response, response.ok ? maxBytes : MAX_REFUSAL_BYTES);
    } catch (error) {
      const message = `${this.name} at ${this.#url.origin} could not be reached: ${networkFault(error)}. Check the address and that it is running.`;
      return failedTry(modelUnavailable('network', message, { model: this.name }, error), true);
    }
    if (!response.ok) {
      const other = otherDialect(dialect, response.status, text ?? '');
      if (other !== null) {
        this.#dialect = other;
        return this.#try(request, signal, clock);
      }
      return this.#refused(response.status, parse(text), response.headers, clock);
    }
    return this.#read(text, response, clock);
  }

  #read(text: string | null, response: Response, clock: Clock): Try<ModelAnswer> {
    const facts = { model: this.name, status: response.status };
    const at = `${this.name} at ${this.#url.origin}`;
    const unreadable = (reason: Parameters<typeof modelUnreadable>[0], what: string) =>
      failedTry(modelUnreadable(reason, `${at} ${what}`, facts), false);
    if (text === null) return unreadable('too-large', 'sent an answer without end.');
    if (text.trim() === '') return unreadable('empty', 'sent an empty answer.');
    const body = parse(text);
    if (body === undefined) {
      return unreadable('not-json', 'sent no JSON. Is it the address of a chat endpoint?');
    }
    const answer = readCompletion(body);
    if (answer !== null) return { outcome: 'answered', value: answer };
    const status = statusOfError(body);
    return status === null
      ? unreadable('wrong-shape', 'sent JSON that is no chat completion.')
      : this.#refused(status, body, response.headers, clock);
  }

  #refused(status: number, body: unknown, headers: Headers, clock: Clock): Try<ModelAnswer> {
    const providerCode = providerCodeIn(body);
    const { apiKey } = this.options;
    return refusedCall({
      model: this.name,
      place: this.#url.origin,
      status,
      // A server may echo the key in any field.
      providerCode:
        apiKey !== undefined && providerCode?.includes(apiKey) === true ? undefined : providerCode,
      header: (name) => headers.get(name),
      now: clock(),
    });
  }

  async #redirected(response: Response): Promise<Try<ModelAnswer>> {
    await discardBody(response);
    const message = `${this.name} at ${this.#url.origin} answered ${response.status}, a redirect, which is not followed, so that the key goes to no other place. Give the address where the endpoint is.`;
    const facts = { model: this.name, status: response.status };
    return failedTry(modelUnavailable('redirected', message, facts), false);
  }
}

function completionsUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (
    url === null ||
    !/^https?:$/u.test(url.protocol) ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw new OssatureError(
      'INVALID_CONFIG',
      'baseUrl must be an http or https address without a user or password, such as https://api.example.com/v1.',
      { details: { field: 'baseUrl' } },
    );
  }
  const path = url.pathname.replace(/\/+$/u, '');
  url.pathname = path.endsWith('/chat/completions') ? path : `${path}/chat/completions`;
  url.hash = '';
  return url;
}

function headersOf(apiKey: string | undefined): Readonly<Record<string, string>> {
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/u.test(apiKey)) {
    throw new OssatureError(
      'INVALID_CONFIG',
      'apiKey must be printable ASCII without spaces; perhaps a line end was copied with it.',
      { details: { field: 'apiKey' } },
    );
  }
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
}

function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

/** Gateways report the fault of the server behind them in a body under status 200. */
function statusOfError(body: unknown): number | null {
  const error = (body as { error?: unknown } | null)?.error;
  if (error === undefined || error === null) return null;
  const code = Number((error as { code?: unknown }).code);
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : 200;
}

/** The system's own word, such as ECONNREFUSED; never an address or a header. */
function networkFault(error: unknown): string {
  const cause = (error as { cause?: { code?: unknown } } | null)?.cause?.code;
  return typeof cause === 'string' ? cause : 'the connection broke';
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
}
