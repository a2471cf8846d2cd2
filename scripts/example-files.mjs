/**
 * The files of `harbor`, an invented web service, as they are before the session of
 * `examples/session.jsonl`. Written for this purpose; nobody runs them.
 */
export const FILES = {
  'package.json': `{
  "name": "harbor",
  "private": true,
  "type": "module",
  "scripts": {
    "dev": "tsx watch src/main.ts",
    "test": "vitest run",
    "typecheck": "tsc --noEmit",
    "migrate": "tsx scripts/migrate.ts"
  },
  "dependencies": {
    "fastify": "5.2.1",
    "jose": "5.9.6",
    "pg": "8.13.1",
    "ioredis": "5.4.2"
  },
  "devDependencies": {
    "tsx": "4.19.2",
    "typescript": "5.7.2",
    "vitest": "2.1.8"
  }
}
`,
  '.env.example': `# Copy to .env and fill in. Nothing in this file is a working value.
PORT=8080
DATABASE_URL=postgres://harbor:fake-password@localhost:5432/harbor
ACCESS_TOKEN_TTL_SECONDS=900
REFRESH_TOKEN_TTL_SECONDS=1209600
MAIL_API_KEY=sk-fake-0000-this-is-not-a-real-key-0000
LOG_LEVEL=info
`,
  'docs/auth.md': `# Authentication

A login gives two tokens. The access token is a signed JWT that lives for fifteen minutes; it is sent
as a bearer token. The refresh token is opaque, lives for two weeks and is kept in the cookie
\`harbor_refresh\` (HttpOnly, SameSite=Strict, path /v1/session).

## Refreshing

POST /v1/session/refresh exchanges the refresh token for a new pair. Since #412 each refresh token can
be used once: the exchange marks it as rotated and issues a successor of the same family. When a
rotated token is presented again the whole family is revoked, because a copy must have leaked.

## Errors

| status | code              | when                                                    |
| ------ | ----------------- | ------------------------------------------------------- |
| 401    | token_expired     | the access token is past its lifetime                   |
| 401    | token_reused      | a rotated refresh token was presented again             |
| 401    | session_unknown   | no session belongs to the token                         |
| 403    | account_locked    | an operator locked the account                          |

Clients depend on these codes. They are part of the public API and never change within v1.
`,
  'docs/operations.md': `# Operations

Harbor runs as three replicas behind a load balancer without sticky sessions. A client may therefore
reach another replica with every request. Replicas share Postgres and nothing else; the Redis instance
of the staging cluster belongs to the search team and may be flushed at any time.

Deployments are rolling: for up to ten minutes the old and the new release serve requests side by
side, so a migration has to suit both. The rule of thumb: first add, then write both, then read the
new, then remove, each in a release of its own.

Migrations run once, before the first new replica starts. A migration may lock a table for at most two
seconds; the deployment is aborted when lock_timeout strikes.
`,
  'src/main.ts': `import { buildServer } from './server.js';
import { readConfig } from './config.js';

const config = readConfig(process.env);
const server = await buildServer(config);

await server.listen({ host: '0.0.0.0', port: config.port });
`,
  'src/config.ts': `export interface Config {
  readonly port: number;
  readonly databaseUrl: string;
  /** Lifetime of an access token, in seconds. */
  readonly accessTokenTtl: number;
  /** Lifetime of a refresh token, in seconds. */
  readonly refreshTokenTtl: number;
  readonly signingKey: Uint8Array;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

type Env = Readonly<Record<string, string | undefined>>;

export function readConfig(env: Env): Config {
  return {
    port: readInteger(env, 'PORT', 8080),
    databaseUrl: require(env, 'DATABASE_URL'),
    accessTokenTtl: readInteger(env, 'ACCESS_TOKEN_TTL_SECONDS', 900),
    refreshTokenTtl: readInteger(env, 'REFRESH_TOKEN_TTL_SECONDS', 1_209_600),
    signingKey: new TextEncoder().encode(require(env, 'SIGNING_KEY')),
    logLevel: readLevel(env['LOG_LEVEL']),
  };
}

function require(env: Env, name: string): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Error(name + ' is not set');
  return value;
}

function readInteger(env: Env, name: string, fallback: number): number {
  const value = env[name];
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!Number.isInteger(number) || number <= 0) throw new Error(name + ' must be a positive integer');
  return number;
}

function readLevel(value: string | undefined): Config['logLevel'] {
  if (value === 'debug' || value === 'warn' || value === 'error') return value;
  return 'info';
}
`,
  'src/server.ts': `import Fastify, { type FastifyInstance } from 'fastify';
import { Pool } from 'pg';
import type { Config } from './config.js';
import { AuthService } from './auth/auth-service.js';
import { TokenService } from './auth/token-service.js';
import { RefreshService } from './auth/refresh-service.js';
import { PostgresSessionStore } from './session/postgres-session-store.js';
import { sessionRoutes } from './api/session-routes.js';
import { profileRoutes } from './api/profile-routes.js';
import { requireSession } from './auth/require-session.js';

export async function buildServer(config: Config): Promise<FastifyInstance> {
  const pool = new Pool({ connectionString: config.databaseUrl, max: 20 });
  const sessions = new PostgresSessionStore(pool);
  const tokens = new TokenService(config);
  const refresh = new RefreshService(sessions, tokens, config);
  const auth = new AuthService(pool, sessions, tokens, refresh);

  const server = Fastify({ logger: { level: config.logLevel }, trustProxy: true });
  server.decorate('requireSession', requireSession(tokens, sessions));
  await server.register(sessionRoutes(auth, refresh), { prefix: '/v1/session' });
  await server.register(profileRoutes(pool), { prefix: '/v1/profile' });
  server.addHook('onClose', async () => pool.end());
  return server;
}
`,
  'src/auth/token-service.ts': `import { SignJWT, jwtVerify, errors } from 'jose';
import type { Config } from '../config.js';

export interface AccessClaims {
  readonly accountId: string;
  readonly sessionId: string;
}

export type Verified =
  | { readonly ok: true; readonly claims: AccessClaims }
  | { readonly ok: false; readonly code: 'token_expired' | 'token_invalid' };

const ISSUER = 'harbor';

/** Issues and checks access tokens. Holds no state, so every replica can check every token. */
export class TokenService {
  constructor(private readonly config: Pick<Config, 'signingKey' | 'accessTokenTtl'>) {}

  async issue(claims: AccessClaims, now: Date): Promise<string> {
    const issuedAt = Math.floor(now.getTime() / 1000);
    return new SignJWT({ sid: claims.sessionId })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(claims.accountId)
      .setIssuer(ISSUER)
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt)
      .setExpirationTime(issuedAt + this.config.accessTokenTtl)
      .sign(this.config.signingKey);
  }

  async verify(token: string, now: Date): Promise<Verified> {
    try {
      const { payload } = await jwtVerify(token, this.config.signingKey, {
        issuer: ISSUER,
        currentDate: now,
      });
      return {
        ok: true,
        claims: { accountId: String(payload.sub), sessionId: String(payload['sid']) },
      };
    } catch (error) {
      const expired = error instanceof errors.JWTExpired;
      return { ok: false, code: expired ? 'token_expired' : 'token_invalid' };
    }
  }
}
`,
  'src/auth/refresh-service.ts': `import { randomBytes, createHash } from 'node:crypto';
import type { Config } from '../config.js';
import type { RefreshToken, SessionStore } from '../session/session-store.js';
import type { TokenService } from './token-service.js';
import { AuthError } from './auth-error.js';

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds until the access token expires. */
  readonly expiresIn: number;
}

/** Exchanges refresh tokens. Each may be used once; a second use revokes its family. */
export class RefreshService {
  constructor(
    private readonly sessions: SessionStore,
    private readonly tokens: TokenService,
    private readonly config: Pick<Config, 'accessTokenTtl' | 'refreshTokenTtl'>,
  ) {}

  async start(accountId: string, sessionId: string, now: Date): Promise<TokenPair> {
    return this.issue(accountId, sessionId, now);
  }

  async exchange(presented: string, now: Date): Promise<TokenPair> {
    const token = await this.sessions.findRefreshToken(hash(presented));
    if (token === null) throw new AuthError('session_unknown');
    if (token.expiresAt <= now) throw new AuthError('token_expired');
    if (token.rotatedAt !== null) {
      await this.sessions.revokeFamily(token.familyId, now);
      throw new AuthError('token_reused');
    }
    await this.sessions.markRotated(token.id, now);
    return this.issue(token.accountId, token.sessionId, now, token);
  }

  private async issue(
    accountId: string,
    sessionId: string,
    now: Date,
    predecessor?: RefreshToken,
  ): Promise<TokenPair> {
    const refreshToken = randomBytes(32).toString('base64url');
    await this.sessions.insertRefreshToken({
      id: hash(refreshToken),
      familyId: predecessor?.familyId ?? sessionId,
      predecessorId: predecessor?.id ?? null,
      accountId,
      sessionId,
      issuedAt: now,
      expiresAt: new Date(now.getTime() + this.config.refreshTokenTtl * 1000),
      rotatedAt: null,
    });
    const accessToken = await this.tokens.issue({ accountId, sessionId }, now);
    return { accessToken, refreshToken, expiresIn: this.config.accessTokenTtl };
  }
}

export function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
`,
  'src/auth/auth-error.ts': `export type AuthErrorCode =
  | 'credentials_wrong'
  | 'token_expired'
  | 'token_invalid'
  | 'token_reused'
  | 'session_unknown'
  | 'account_locked';

const STATUS: Readonly<Record<AuthErrorCode, number>> = {
  credentials_wrong: 401,
  token_expired: 401,
  token_invalid: 401,
  token_reused: 401,
  session_unknown: 401,
  account_locked: 403,
};

export class AuthError extends Error {
  readonly statusCode: number;

  constructor(readonly code: AuthErrorCode) {
    super(code);
    this.statusCode = STATUS[code];
  }
}
`,
  'src/auth/auth-service.ts': `import { scrypt, timingSafeEqual, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import type { SessionStore } from '../session/session-store.js';
import type { RefreshService, TokenPair } from './refresh-service.js';
import type { TokenService } from './token-service.js';
import { AuthError } from './auth-error.js';

const derive = promisify(scrypt);

interface AccountRow {
  readonly id: string;
  readonly salt: Buffer;
  readonly verifier: Buffer;
  readonly locked_at: Date | null;
}

export class AuthService {
  constructor(
    private readonly pool: Pool,
    private readonly sessions: SessionStore,
    private readonly tokens: TokenService,
    private readonly refresh: RefreshService,
  ) {}

  async login(email: string, phrase: string, now: Date): Promise<TokenPair> {
    const account = await this.findAccount(email);
    // The verifier is derived for unknown accounts too, so that timing does not tell them apart.
    const derived = (await derive(phrase, account?.salt ?? Buffer.alloc(16), 64)) as Buffer;
    if (account === null || !timingSafeEqual(derived, account.verifier)) {
      throw new AuthError('credentials_wrong');
    }
    if (account.locked_at !== null) throw new AuthError('account_locked');

    const sessionId = randomUUID();
    await this.sessions.insertSession({ id: sessionId, accountId: account.id, startedAt: now });
    return this.refresh.start(account.id, sessionId, now);
  }

  async logout(sessionId: string, now: Date): Promise<void> {
    await this.sessions.endSession(sessionId, now);
    await this.sessions.revokeFamily(sessionId, now);
  }

  private async findAccount(email: string): Promise<AccountRow | null> {
    const { rows } = await this.pool.query<AccountRow>(
      'select id, salt, verifier, locked_at from accounts where lower(email) = lower($1)',
      [email],
    );
    return rows[0] ?? null;
  }
}
`,
  'src/auth/require-session.ts': `import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionStore } from '../session/session-store.js';
import type { TokenService } from './token-service.js';
import { AuthError } from './auth-error.js';

/** A hook for routes that need a session. Sets request.session or answers with 401. */
export function requireSession(tokens: TokenService, sessions: SessionStore) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const header = request.headers.authorization ?? '';
    const [scheme, token] = header.split(' ');
    if (scheme?.toLowerCase() !== 'bearer' || token === undefined) {
      throw new AuthError('token_invalid');
    }
    const verified = await tokens.verify(token, new Date());
    if (!verified.ok) throw new AuthError(verified.code);

    const session = await sessions.findSession(verified.claims.sessionId);
    if (session === null || session.endedAt !== null) {
      request.log.warn({ sessionId: verified.claims.sessionId }, 'session.unknown');
      throw new AuthError('session_unknown');
    }
    request.session = session;
    void reply.header('cache-control', 'no-store');
  };
}
`,
  'src/session/session-store.ts': `export interface Session {
  readonly id: string;
  readonly accountId: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export interface RefreshToken {
  /** SHA-256 of the token; the token itself is never stored. */
  readonly id: string;
  readonly familyId: string;
  readonly predecessorId: string | null;
  readonly accountId: string;
  readonly sessionId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly rotatedAt: Date | null;
}

export interface SessionStore {
  insertSession(session: Omit<Session, 'endedAt'>): Promise<void>;
  findSession(id: string): Promise<Session | null>;
  endSession(id: string, now: Date): Promise<void>;
  insertRefreshToken(token: RefreshToken): Promise<void>;
  findRefreshToken(id: string): Promise<RefreshToken | null>;
  markRotated(id: string, now: Date): Promise<void>;
  revokeFamily(familyId: string, now: Date): Promise<void>;
}
`,
  'src/session/postgres-session-store.ts': `import type { Pool } from 'pg';
import type { RefreshToken, Session, SessionStore } from './session-store.js';

interface TokenRow {
  readonly id: string;
  readonly family_id: string;
  readonly predecessor_id: string | null;
  readonly account_id: string;
  readonly session_id: string;
  readonly issued_at: Date;
  readonly expires_at: Date;
  readonly rotated_at: Date | null;
}

export class PostgresSessionStore implements SessionStore {
  constructor(private readonly pool: Pool) {}

  async insertSession({ id, accountId, startedAt }: Omit<Session, 'endedAt'>): Promise<void> {
    await this.pool.query(
      'insert into sessions (id, account_id, started_at) values ($1, $2, $3)',
      [id, accountId, startedAt],
    );
  }

  async findSession(id: string): Promise<Session | null> {
    const { rows } = await this.pool.query(
      'select id, account_id, started_at, ended_at from sessions where id = $1',
      [id],
    );
    const row = rows[0];
    if (row === undefined) return null;
    return { id: row.id, accountId: row.account_id, startedAt: row.started_at, endedAt: row.ended_at };
  }

  async endSession(id: string, now: Date): Promise<void> {
    await this.pool.query('update sessions set ended_at = $2 where id = $1 and ended_at is null', [id, now]);
  }

  async insertRefreshToken(token: RefreshToken): Promise<void> {
    await this.pool.query(
      'insert into refresh_tokens (id, family_id, predecessor_id, account_id, session_id, issued_at, expires_at)' +
        ' values ($1, $2, $3, $4, $5, $6, $7)',
      [token.id, token.familyId, token.predecessorId, token.accountId, token.sessionId, token.issuedAt, token.expiresAt],
    );
  }

  async findRefreshToken(id: string): Promise<RefreshToken | null> {
    const { rows } = await this.pool.query<TokenRow>('select * from refresh_tokens where id = $1', [id]);
    return rows[0] === undefined ? null : fromRow(rows[0]);
  }

  async markRotated(id: string, now: Date): Promise<void> {
    await this.pool.query('update refresh_tokens set rotated_at = $2 where id = $1', [id, now]);
  }

  async revokeFamily(familyId: string, now: Date): Promise<void> {
    await this.pool.query('delete from refresh_tokens where family_id = $1', [familyId]);
    await this.pool.query('update sessions set ended_at = $2 where id = $1', [familyId, now]);
  }
}

function fromRow(row: TokenRow): RefreshToken {
  return {
    id: row.id,
    familyId: row.family_id,
    predecessorId: row.predecessor_id,
    accountId: row.account_id,
    sessionId: row.session_id,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    rotatedAt: row.rotated_at,
  };
}
`,
  'src/session/memory-session-store.ts': `import type { RefreshToken, Session, SessionStore } from './session-store.js';

/** For tests. Behaves like the store in Postgres, one statement at a time. */
export class MemorySessionStore implements SessionStore {
  readonly sessions = new Map<string, Session>();
  readonly tokens = new Map<string, RefreshToken>();

  async insertSession(session: Omit<Session, 'endedAt'>): Promise<void> {
    this.sessions.set(session.id, { ...session, endedAt: null });
  }

  async findSession(id: string): Promise<Session | null> {
    return this.sessions.get(id) ?? null;
  }

  async endSession(id: string, now: Date): Promise<void> {
    const session = this.sessions.get(id);
    if (session?.endedAt === null) this.sessions.set(id, { ...session, endedAt: now });
  }

  async insertRefreshToken(token: RefreshToken): Promise<void> {
    this.tokens.set(token.id, token);
  }

  async findRefreshToken(id: string): Promise<RefreshToken | null> {
    return this.tokens.get(id) ?? null;
  }

  async markRotated(id: string, now: Date): Promise<void> {
    const token = this.tokens.get(id);
    if (token !== undefined) this.tokens.set(id, { ...token, rotatedAt: now });
  }

  async revokeFamily(familyId: string, now: Date): Promise<void> {
    for (const token of this.tokens.values()) {
      if (token.familyId === familyId) this.tokens.delete(token.id);
    }
    await this.endSession(familyId, now);
  }
}
`,
  'src/api/session-routes.ts': `import type { FastifyPluginAsync } from 'fastify';
import type { AuthService } from '../auth/auth-service.js';
import type { RefreshService, TokenPair } from '../auth/refresh-service.js';
import { AuthError } from '../auth/auth-error.js';

const COOKIE = 'harbor_refresh';

/** Public API, version 1. Response shapes are frozen: mobile clients cannot be updated at once. */
export function sessionRoutes(auth: AuthService, refresh: RefreshService): FastifyPluginAsync {
  return async (server) => {
    server.post<{ Body: { email: string; phrase: string } }>('/', async (request, reply) => {
      const pair = await auth.login(request.body.email, request.body.phrase, new Date());
      void reply.header('set-cookie', cookie(pair)).code(201);
      return body(pair);
    });

    server.post('/refresh', async (request, reply) => {
      const presented = readCookie(request.headers.cookie ?? '');
      if (presented === null) throw new AuthError('session_unknown');
      const pair = await refresh.exchange(presented, new Date());
      void reply.header('set-cookie', cookie(pair));
      return body(pair);
    });

    server.delete('/', { onRequest: server.requireSession }, async (request, reply) => {
      await auth.logout(request.session.id, new Date());
      return reply.code(204).send();
    });
  };
}

function body({ accessToken, expiresIn }: TokenPair) {
  return { access_token: accessToken, token_type: 'bearer', expires_in: expiresIn };
}

function cookie({ refreshToken }: TokenPair): string {
  return COOKIE + '=' + refreshToken + '; Path=/v1/session; HttpOnly; Secure; SameSite=Strict';
}

function readCookie(header: string): string | null {
  const pairs = header.split(';').map((part) => part.trim().split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? null;
}
`,
  'src/api/profile-routes.ts': `import type { FastifyPluginAsync } from 'fastify';
import type { Pool } from 'pg';

export function profileRoutes(pool: Pool): FastifyPluginAsync {
  return async (server) => {
    server.addHook('onRequest', server.requireSession);

    server.get('/', async (request) => {
      const { rows } = await pool.query(
        'select display_name, locale, created_at from profiles where account_id = $1',
        [request.session.accountId],
      );
      return rows[0] ?? { display_name: null, locale: 'en', created_at: null };
    });

    server.put<{ Body: { display_name: string } }>('/', async (request, reply) => {
      await pool.query(
        'insert into profiles (account_id, display_name) values ($1, $2)' +
          ' on conflict (account_id) do update set display_name = excluded.display_name',
        [request.session.accountId, request.body.display_name],
      );
      return reply.code(204).send();
    });
  };
}
`,
  'src/web/api-client.ts': `/** The browser's client: adds the access token and refreshes it when it has expired. */
export class ApiClient {
  private accessToken: string | null = null;

  constructor(private readonly baseUrl: string, private readonly fetchImpl = fetch) {}

  async get(path: string): Promise<unknown> {
    const response = await this.send(path);
    if (response.status !== 401) return response.json();
    // Every request that fails starts a refresh of its own.
    await this.refresh();
    const second = await this.send(path);
    if (second.status === 401) throw new Error('signed out');
    return second.json();
  }

  private async send(path: string): Promise<Response> {
    const headers = this.accessToken === null ? {} : { authorization: 'Bearer ' + this.accessToken };
    return this.fetchImpl(this.baseUrl + path, { headers, credentials: 'include' });
  }

  private async refresh(): Promise<void> {
    const response = await this.fetchImpl(this.baseUrl + '/v1/session/refresh', {
      method: 'POST',
      credentials: 'include',
    });
    if (!response.ok) throw new Error('signed out');
    const body = (await response.json()) as { access_token: string };
    this.accessToken = body.access_token;
  }
}
`,
  'migrations/0005_sessions.sql': `create table sessions (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  started_at timestamptz not null,
  ended_at timestamptz
);

create index sessions_account on sessions (account_id) where ended_at is null;
`,
  'migrations/0006_refresh_tokens.sql': `create table refresh_tokens (
  id text primary key,
  family_id uuid not null references sessions (id),
  predecessor_id text,
  account_id uuid not null references accounts (id),
  session_id uuid not null references sessions (id),
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  rotated_at timestamptz
);
`,
  'scripts/migrate.ts': `import { readdir, readFile } from 'node:fs/promises';
import { Client } from 'pg';

/** Applies the migrations that are missing, each in a transaction of its own, in order of name. */
const client = new Client({ connectionString: process.env['DATABASE_URL'] });
await client.connect();
await client.query("set lock_timeout = '2s'");
await client.query('create table if not exists applied_migrations (name text primary key, applied_at timestamptz)');

const { rows } = await client.query('select name from applied_migrations');
const applied = new Set(rows.map(({ name }) => name));
for (const name of (await readdir('migrations')).sort()) {
  if (applied.has(name)) continue;
  await client.query('begin');
  try {
    await client.query(await readFile('migrations/' + name, 'utf8'));
    await client.query('insert into applied_migrations values ($1, now())', [name]);
    await client.query('commit');
    console.log('applied', name);
  } catch (error) {
    await client.query('rollback');
    console.error('failed', name, error);
    process.exitCode = 1;
    break;
  }
}
await client.end();
`,
  'tests/auth/token-service.test.ts': `import { describe, expect, it } from 'vitest';
import { TokenService } from '../../src/auth/token-service.js';

const config = { signingKey: new TextEncoder().encode('k'.repeat(32)), accessTokenTtl: 900 };
const claims = { accountId: 'account-1', sessionId: 'session-1' };
const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000);

describe('TokenService', () => {
  const tokens = new TokenService(config);

  it('accepts a token it issued', async () => {
    const token = await tokens.issue(claims, at(0));
    expect(await tokens.verify(token, at(10))).toEqual({ ok: true, claims });
  });

  it('names an expired token as expired', async () => {
    const token = await tokens.issue(claims, at(0));
    expect(await tokens.verify(token, at(901))).toEqual({ ok: false, code: 'token_expired' });
  });

  it('refuses a token signed with another key', async () => {
    const other = new TokenService({ ...config, signingKey: new TextEncoder().encode('x'.repeat(32)) });
    expect((await tokens.verify(await other.issue(claims, at(0)), at(1))).ok).toBe(false);
  });
});
`,
  'tests/auth/refresh-service.test.ts': `import { beforeEach, describe, expect, it } from 'vitest';
import { RefreshService } from '../../src/auth/refresh-service.js';
import { TokenService } from '../../src/auth/token-service.js';
import { MemorySessionStore } from '../../src/session/memory-session-store.js';

const config = {
  signingKey: new TextEncoder().encode('k'.repeat(32)),
  accessTokenTtl: 900,
  refreshTokenTtl: 1_209_600,
};
const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000);

describe('RefreshService', () => {
  let store: MemorySessionStore;
  let service: RefreshService;

  beforeEach(async () => {
    store = new MemorySessionStore();
    service = new RefreshService(store, new TokenService(config), config);
    await store.insertSession({ id: 's1', accountId: 'a1', startedAt: at(0) });
  });

  it('exchanges a refresh token for a new pair', async () => {
    const first = await service.start('a1', 's1', at(0));
    const second = await service.exchange(first.refreshToken, at(600));
    expect(second.refreshToken).not.toBe(first.refreshToken);
  });

  it('refuses an expired refresh token', async () => {
    const first = await service.start('a1', 's1', at(0));
    await expect(service.exchange(first.refreshToken, at(1_300_000))).rejects.toThrow('token_expired');
  });

  it('revokes the family when a rotated token comes back', async () => {
    const first = await service.start('a1', 's1', at(0));
    const second = await service.exchange(first.refreshToken, at(600));
    await expect(service.exchange(first.refreshToken, at(700))).rejects.toThrow('token_reused');
    await expect(service.exchange(second.refreshToken, at(800))).rejects.toThrow('session_unknown');
  });
});
`,
  'tests/auth/require-session.test.ts': `import { describe, expect, it } from 'vitest';
import { serverWith, signedIn } from '../support/server.js';

describe('requireSession', () => {
  it('lets a valid session pass', async () => {
    const { server, header } = await signedIn();
    expect((await server.inject({ url: '/v1/profile', headers: header })).statusCode).toBe(200);
  });

  it('answers 401 without a header', async () => {
    const server = await serverWith();
    expect((await server.inject({ url: '/v1/profile' })).json()).toMatchObject({ code: 'token_invalid' });
  });

  it('answers 401 after logout', async () => {
    const { server, header } = await signedIn();
    await server.inject({ method: 'DELETE', url: '/v1/session', headers: header });
    const response = await server.inject({ url: '/v1/profile', headers: header });
    expect(response.json()).toMatchObject({ code: 'session_unknown' });
  });
});
`,
  'tests/api/session-routes.test.ts': `import { describe, expect, it } from 'vitest';
import { serverWith, cookieOf } from '../support/server.js';

const credentials = { email: 'ada@harbor.test', phrase: 'a long phrase for tests' };

describe('POST /v1/session', () => {
  it('answers 201 with a token and a cookie', async () => {
    const server = await serverWith(credentials);
    const response = await server.inject({ method: 'POST', url: '/v1/session', payload: credentials });
    expect(response.statusCode).toBe(201);
    expect(Object.keys(response.json())).toEqual(['access_token', 'token_type', 'expires_in']);
  });

  it('answers 401 for a wrong phrase', async () => {
    const server = await serverWith(credentials);
    const payload = { ...credentials, phrase: 'another phrase' };
    const response = await server.inject({ method: 'POST', url: '/v1/session', payload });
    expect(response.json()).toMatchObject({ code: 'credentials_wrong' });
  });
});

describe('POST /v1/session/refresh', () => {
  it('keeps a client signed in that refreshes from two tabs at once', async () => {
    const server = await serverWith(credentials);
    const login = await server.inject({ method: 'POST', url: '/v1/session', payload: credentials });
    const refresh = () =>
      server.inject({ method: 'POST', url: '/v1/session/refresh', headers: { cookie: cookieOf(login) } });
    const [first, second] = await Promise.all([refresh(), refresh()]);
    expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
  });
});
`,
  'api/openapi.yaml': openapi(),
  'docs/runbook.md': `# Runbook

What to do when harbor is unwell. Keep each entry short: whoever reads this has been woken up.

## Many 401

1. Split them by code. token_expired alone is normal: each client shows one every fifteen minutes.
2. token_reused on the rise means that clients exchange a refresh token twice. Look at the last release
   of the web client first, then at the distance between the two exchanges of one family.
3. session_unknown follows token_reused, because a revoked family ends its session. It is a symptom.
4. token_invalid in small numbers is a clock. Compare the clocks of the replicas and of the nodes.

## Many 429

Somebody is guessing, or an office behind one address has a script that logs in. The limiter's table
says which: few keys with high counts are a guesser, one address with many accounts is an office.

## Slow logins

Deriving a verifier takes about 80 ms of one core on purpose. Above 200 logins a second the three
replicas run out of cores; more replicas help, a faster derivation does not come into question.

## The pool is exhausted

Twenty connections a replica. Look for a transaction that waits for a lock: a migration that forgot
lock_timeout, or revokeFamily on a family with thousands of tokens, which a broken client can make.

## A migration was aborted

The script stops at the first failure and the deployment is called off; the old release goes on. Read
the message, correct the file if it was never applied anywhere, and deploy again. Never edit a file
that any environment has applied.

## Restoring a session by hand

Do not. Ask the person to log in again.
`,
};

/** A description of the public API, one path after the other. */
function openapi() {
  const paths = [
    {
      path: '/v1/session',
      method: 'post',
      summary: 'Log in',
      status: '201',
      schema: 'TokenAnswer',
      errors: ['401', '403', '429'],
    },
    {
      path: '/v1/session',
      method: 'delete',
      summary: 'Log out',
      status: '204',
      schema: null,
      errors: ['401'],
    },
    {
      path: '/v1/session/refresh',
      method: 'post',
      summary: 'Exchange the refresh token',
      status: '200',
      schema: 'TokenAnswer',
      errors: ['401'],
    },
    {
      path: '/v1/profile',
      method: 'get',
      summary: 'Read the own profile',
      status: '200',
      schema: 'Profile',
      errors: ['401'],
    },
    {
      path: '/v1/profile',
      method: 'put',
      summary: 'Change the own profile',
      status: '204',
      schema: null,
      errors: ['401', '422'],
    },
    {
      path: '/v1/devices',
      method: 'get',
      summary: 'List devices that are signed in',
      status: '200',
      schema: 'DeviceList',
      errors: ['401'],
    },
    {
      path: '/v1/devices/{device_id}',
      method: 'delete',
      summary: 'Sign a device out',
      status: '204',
      schema: null,
      errors: ['401', '404'],
    },
    {
      path: '/v1/berths',
      method: 'get',
      summary: 'List berths of the own marina',
      status: '200',
      schema: 'BerthList',
      errors: ['401', '403'],
    },
    {
      path: '/v1/berths/{berth_id}',
      method: 'get',
      summary: 'Read one berth',
      status: '200',
      schema: 'Berth',
      errors: ['401', '404'],
    },
    {
      path: '/v1/berths/{berth_id}/bookings',
      method: 'post',
      summary: 'Book a berth',
      status: '201',
      schema: 'Booking',
      errors: ['401', '404', '409'],
    },
    {
      path: '/v1/bookings/{booking_id}',
      method: 'delete',
      summary: 'Cancel a booking',
      status: '204',
      schema: null,
      errors: ['401', '404', '409'],
    },
    {
      path: '/v1/tides',
      method: 'get',
      summary: 'Tides of the next three days',
      status: '200',
      schema: 'TideTable',
      errors: ['401'],
    },
  ];
  const head = ['openapi: 3.1.0', 'info:', '  title: harbor', '  version: 1.0.0', 'paths:'];
  const body = paths.flatMap(({ path, method, summary, status, schema, errors }) => [
    `  ${path}:`,
    `    ${method}:`,
    `      summary: ${summary}`,
    ...[...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => [
      '      parameters:',
      `        - name: ${name}`,
      '          in: path',
      '          required: true',
      '          schema: { type: string, format: uuid }',
    ]),
    '      responses:',
    `        '${status}':`,
    `          description: ${schema === null ? 'done' : `a ${schema}`}`,
    ...(schema === null
      ? []
      : [
          '          content:',
          '            application/json:',
          `              schema: { $ref: '#/components/schemas/${schema}' }`,
        ]),
    ...errors.map(
      (error) => `        '${error}': { $ref: '#/components/responses/Error${error}' }`,
    ),
  ]);
  return [...head, ...body, ''].join('\n');
}
