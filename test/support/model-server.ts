/**
 * A server on loopback that speaks Chat Completions, and misbehaves when it is told to: each request
 * takes the next behaviour, the last one again and again.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Behaviour = (response: ServerResponse, request: ModelServerRequest) => void;

export interface ModelServerRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Parsed JSON. */
  readonly body: {
    readonly model?: string;
    readonly messages?: readonly { readonly role: string; readonly content: string }[];
    readonly response_format?: unknown;
    readonly max_tokens?: number;
  };
}

export interface ModelServer {
  /** For `base_url`. */
  readonly baseUrl: string;
  readonly requests: readonly ModelServerRequest[];
  /** From now on, with the requests so far forgotten. */
  behave(...behaviours: readonly Behaviour[]): void;
  close(): Promise<void>;
}

export async function startModelServer(...first: readonly Behaviour[]): Promise<ModelServer> {
  const requests: ModelServerRequest[] = [];
  let script = first;
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const request = {
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: (text === '' ? {} : JSON.parse(text)) as ModelServerRequest['body'],
      };
      requests.push(request);
      const behaviour = script[Math.min(requests.length, script.length) - 1];
      (behaviour ?? fails(500))(response, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    behave: (...behaviours) => {
      script = behaviours;
      requests.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Content = string | Readonly<Record<string, unknown>>;

/** A completion of 100 tokens in, of them 60 cached, and 20 out. */
export function answers(
  content: Content | ((request: ModelServerRequest) => Content),
  finishReason: string | null = 'stop',
): Behaviour {
  return (response, request) => {
    const given = typeof content === 'function' ? content(request) : content;
    sendJson(response, 200, completion(asText(given), finishReason));
  };
}

/** An error as OpenAI writes them. */
export function fails(status: number, headers: Readonly<Record<string, string>> = {}): Behaviour {
  const error = { message: 'It went wrong.', type: 'server_error', code: null };
  return (response) => sendJson(response, status, { error }, headers);
}

export function sends(
  body: string,
  {
    status = 200,
    type = 'application/json',
    headers = {},
  }: {
    readonly status?: number;
    readonly type?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  };
}

/** Never answers. */
export const hangs: Behaviour = () => {};

/** Sends headers and the beginning of a completion, then nothing more. */
export const hangsMidBody: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"choices":[{"message":{"content":"');
};

/** Closes the connection without an answer. */
export const resets: Behaviour = (response) => {
  response.socket?.resetAndDestroy();
};

/** Closes the connection in the middle of a completion. */
export const resetsMidBody: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
  response.write('{"choices":[{"message":', () => response.socket?.resetAndDestroy());
};

/** A body that ends in the middle, as if it were whole. */
export const cutOffJson: Behaviour = sends('{"choices":[{"message":{"content":"{\\"opera');

/** Goes on sending a completion until the other side has had enough. */
export const sendsWithoutEnd: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"choices":[{"message":{"content":"');
  const block = 'x'.repeat(64_000);
  const more = (): void => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', more);
  response.on('error', () => {});
  more();
};

function completion(content: string, finishReason: string | null): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'served',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finishReason }],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 60 },
    },
  };
}

function asText(content: Content): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));
}
