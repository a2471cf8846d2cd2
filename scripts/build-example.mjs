/**
 * Writes `examples/session.jsonl`: an agent mends logins of an invented service and is given two
 * further tasks. The session shows what an import has to cope with: constraints in prompts, a plan
 * sent back, one approved and superseded, an answer that is changed later, failures, a sub-agent, a
 * secret that is none. Run again after a change: `node scripts/build-example.mjs [FILE]`.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FILES } from './example-files.mjs';
import { Recorder } from './example-recorder.mjs';

const recorder = new Recorder(FILES);
const r = recorder;
const ALL_TESTS = [
  'tests/auth/token-service.test.ts',
  'tests/auth/refresh-service.test.ts',
  'tests/auth/require-session.test.ts',
  'tests/api/session-routes.test.ts',
];
const step = (text, ...calls) => r.act({ text, calls });
const think = (thought, text, ...calls) => r.act({ think: thought, text, calls });
const quiet = (...calls) => r.act({ calls });

/** Lines of a request log; `pick` decides route, status and code of each by its number. */
function requestLog(minute, count, pick) {
  return Array.from({ length: count }, (_, index) => {
    const { route, status, code, note } = pick(index);
    const second = String(Math.floor((index * 60) / count)).padStart(2, '0');
    const fields = {
      time: `2026-03-03T08:${minute}:${second}.${String(r.number(1000)).padStart(3, '0')}Z`,
      replica: `harbor-${r.number(3)}`,
      route,
      status,
      ms: 2 + r.number(90),
      ...(code && { code }),
      ...(note && { note }),
    };
    return JSON.stringify(fields);
  }).join('\n');
}

/** Latencies by minute and route; `release` 1 is the branch. */
function rehearsal(release) {
  const routes = [
    ['POST /v1/session', 82.5 + release * 1.1],
    ['POST /v1/session/refresh', 6.8 - release * 1.9],
    ['GET /v1/profile', 3.1],
  ];
  const lines = ['minute  route                        requests   p50 ms   p99 ms   401   429'];
  for (let minute = 1; minute <= 40; minute += 1) {
    for (const [route, base] of routes) {
      const spread = r.number(100) / 100;
      const refused = route.includes('refresh') && release === 0 ? 20 + r.number(30) : r.number(3);
      lines.push(
        [
          String(minute).padStart(6),
          route.padEnd(27),
          String(1800 + r.number(400)).padStart(9),
          (base + spread).toFixed(1).padStart(8),
          (base * 2.4 + spread * 20).toFixed(1).padStart(8),
          String(refused).padStart(5),
          String(release === 1 && route === 'POST /v1/session' ? r.number(9) : 0).padStart(5),
        ].join(' '),
      );
    }
  }
  return lines.join('\n');
}

function statements() {
  const queries = [
    'select * from refresh_tokens where id = $1',
    'update refresh_tokens set rotated_at = coalesce(rotated_at, $2) where id = $1 returning rotated_at',
    'insert into refresh_tokens (id, family_id, predecessor_id, account_id, session_id, issued_at, expires_at)',
    'insert into login_failures (key, minute, failures) values ($1, $2, 1) on conflict (key, minute) do up',
    'select id, account_id, started_at, ended_at from sessions where id = $1',
    'select id, salt, verifier, locked_at from accounts where lower(email) = lower($1)',
    'select display_name, locale, created_at from profiles where account_id = $1',
    'delete from login_failures where key = $1',
    'insert into sessions (id, account_id, started_at) values ($1, $2, $3)',
    'update refresh_tokens set revoked_at = $2 where family_id = $1 and revoked_at is null',
  ];
  const rows = queries.map(
    (query, index) =>
      ` ${String(91_000 - index * 7_300 + r.number(900)).padStart(6)} | ${(0.9 / (index + 1) + r.number(90) / 1000).toFixed(3).padStart(7)} | ${String(70_000 - index * 5_000 + r.number(500)).padStart(6)} | ${query}`,
  );
  return [
    ' calls  | mean_ms |  rows  | query',
    '--------+---------+--------+-----------',
    ...rows,
    `(${rows.length} rows)`,
  ].join('\n');
}

const tree = (under) => () =>
  [...r.files.keys()]
    .filter((path) => path.startsWith(under))
    .sort()
    .join('\n');

// 1. The fault: logins end with 401
r.prompt(`Since we deployed #412 (single-use refresh tokens) people are thrown out: they log in, work for a quarter of an hour and then get 401 token_reused or session_unknown. Support has about 200 tickets. Please find the cause and fix it.

Rules for this work:
- Never change the public API: the routes under /v1, their status codes, error codes and response bodies stay exactly as they are.
- Do not commit to main. Work on a branch fix/login-401.
- No new dependencies.
- The name and attributes of the cookie harbor_refresh stay as they are.`);
think(
  'The change that matters is the rotation. I should look at the state of the repository and at what #412 changed before I guess.',
  "I'll start with the state of the repository and the change in question.",
  r.bash('git status --short && git branch --show-current', 'Show state and branch', 'main'),
  r.bash(
    'git log --oneline -12',
    'Show recent commits',
    `e41c9d2 (HEAD -> main, origin/main) auth: use each refresh token once (#412)
7be0a15 profile: default locale is en
c02f3aa session: store only hashes of refresh tokens (#409)
90d1e7b server: trust the proxy for client addresses
4f7706e auth: derive a verifier for unknown accounts too
1d9b2c8 docs: how migrations are rolled out
ab3370f tests: in-memory session store
8c51f0e session: end sessions on logout
77f2b6d auth: access tokens are JWTs
3e0a9c4 config: lifetimes in seconds
f81d6aa api: version 1 of the session routes
02c7d13 harbor: first commit`,
  ),
);
quiet(
  r.bash(
    'git show --stat e41c9d2',
    'Files of the change',
    `commit e41c9d2
    auth: use each refresh token once (#412)

    A refresh token that was stolen could be used for two weeks. Each token is
    now exchanged once; when it is presented again the family is revoked.

 docs/auth.md                          | 14 ++++++++++++++
 migrations/0006_refresh_tokens.sql    | 10 ++++++++++
 src/auth/refresh-service.ts           | 41 +++++++++++++++++++++++++++++------------
 src/session/memory-session-store.ts   | 12 ++++++++++++
 src/session/postgres-session-store.ts | 34 ++++++++++++++++++++++++++++++----
 src/session/session-store.ts          |  9 ++++++++-
 tests/auth/refresh-service.test.ts    | 13 +++++++++++++
 7 files changed, 116 insertions(+), 17 deletions(-)`,
  ),
  r.bash(
    'git checkout -b fix/login-401',
    'Start the branch',
    "Switched to a new branch 'fix/login-401'",
  ),
);
r.branch = 'fix/login-401';
step(
  'On the branch. Now the code that exchanges tokens and the hook that answers 401.',
  r.read('src/auth/refresh-service.ts'),
  r.read('src/auth/require-session.ts'),
  r.read('src/session/session-store.ts'),
);
step(
  'And the two stores behind it.',
  r.read('src/session/postgres-session-store.ts'),
  r.read('src/session/memory-session-store.ts'),
);
step(undefined, r.grep("'(token_reused|session_unknown)'"), r.read('docs/auth.md'));
step(
  'You said that the public API stays as it is, so I read what it promises, and what the runbook knows of 401.',
  r.read('api/openapi.yaml'),
  r.read('docs/runbook.md'),
);
quiet(r.read('package.json'), r.read('src/config.ts'), r.read('src/auth/auth-error.ts'));
step(
  'The documentation agrees with the code. What do the tests say?',
  r.tests(ALL_TESTS, {
    'keeps a client signed in that refreshes from two tabs at once': `AssertionError: expected [ 200, 401 ] to deeply equal [ 200, 200 ]

- Expected
+ Received

  [
    200,
-   200,
+   401,
  ]

 ❯ tests/api/session-routes.test.ts:35:56
     33|       server.inject({ method: 'POST', url: '/v1/session/refresh', headers…
     34|     const [first, second] = await Promise.all([refresh(), refresh()]);
     35|     expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
       |                                                        ^
     36|   });
     37| });`,
  }),
);
step(
  'One test fails, about two refreshes at once. Before I take that for the cause I want to see what production says.',
  r.bash(
    'kubectl logs -l app=harbor --since=60m | grep -E \'"status":401\' | tail -90',
    'Recent 401 answers',
    () =>
      requestLog('41', 90, (index) =>
        index % 5 === 4
          ? { route: 'GET /v1/profile', status: 401, code: 'session_unknown' }
          : index % 3 === 0
            ? { route: 'GET /v1/profile', status: 401, code: 'token_expired' }
            : {
                route: 'POST /v1/session/refresh',
                status: 401,
                code: 'token_reused',
                note: `family ${(0x3a10 + r.number(900)).toString(16)}`,
              },
      ),
  ),
);
think(
  'Many token_expired on profile, which is normal every 15 minutes. token_reused is the sore. Clock skew between replicas would give token_expired or not-before failures: token_invalid. Let me check the token service.',
  'Many `token_reused`. There are also `token_expired` answers, so I check the access token and the clocks of the replicas too.',
  r.read('src/auth/token-service.ts'),
  r.bash(
    'for p in 0 1 2; do kubectl exec harbor-$p -- date -u +%H:%M:%S.%N; done',
    'Clocks of the replicas',
    '08:52:03.104882013\n08:52:05.871103227\n08:52:03.377120945',
  ),
);
step(
  'Replica harbor-1 is 2.7 seconds ahead. A token that it issues is not valid yet for the others (`setNotBefore`). I sketch a plan on that ground.',
  r.plan(
    `# Plan: tolerate clock skew

1. TokenService.verify accepts tokens up to 5 seconds before their not-before time.
2. Rename the cookie to harbor_refresh_v2 so that tokens of the faulty release are dropped.
3. Use the package ms for readable durations in config.
4. Tests for skew in both directions.`,
    'The cookie keeps its name, as I said, and no new package for durations. The tolerance alone is fine, try that.',
  ),
);
step(
  'Understood: only the tolerance, nothing else.',
  r.plan(
    `# Plan: tolerate clock skew

1. TokenService.verify accepts tokens up to 5 seconds before their not-before time (clockTolerance of jose).
2. Tests for skew in both directions.
3. Nothing else changes: cookie, routes and dependencies stay.`,
    true,
  ),
);
quiet(
  r.todos([
    ['Tolerate five seconds of clock skew', 'in_progress'],
    ['Test skew in both directions', 'pending'],
    ['Check against the logs', 'pending'],
  ]),
);
quiet(
  r.edit(
    'src/auth/token-service.ts',
    `        currentDate: now,
      });`,
    `        currentDate: now,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });`,
  ),
);
quiet(
  r.edit(
    'src/auth/token-service.ts',
    `const ISSUER = 'harbor';
`,
    `const ISSUER = 'harbor';

/** Replicas were seen 2.7 seconds apart. A token lives 900 seconds, so five more do no harm. */
const CLOCK_TOLERANCE_SECONDS = 5;
`,
  ),
);
quiet(
  r.edit(
    'tests/auth/token-service.test.ts',
    `  it('refuses a token signed with another key'`,
    `  it('accepts a token of a replica whose clock is three seconds ahead', async () => {
    const token = await tokens.issue(claims, at(3));
    expect((await tokens.verify(token, at(0))).ok).toBe(true);
  });

  it('refuses a token from more than five seconds ahead', async () => {
    const token = await tokens.issue(claims, at(8));
    expect(await tokens.verify(token, at(0))).toEqual({ ok: false, code: 'token_invalid' });
  });

  it('refuses a token signed with another key'`,
  ),
);
quiet(
  r.tests(['tests/auth/token-service.test.ts'], {
    'names an expired token as expired': `AssertionError: expected { ok: true, claims: { …(2) } } to deeply equal { ok: false, code: 'token_expired' }

 ❯ tests/auth/token-service.test.ts:18:50
     16|   it('names an expired token as expired', async () => {
     17|     const token = await tokens.issue(claims, at(0));
     18|     expect(await tokens.verify(token, at(901))).toEqual({ ok: false, code: 'token_expired' });
       |                                                  ^`,
  }),
);
step(
  'The tolerance stretches the lifetime as well, and the old test is right to object: 905 seconds is the new end. I move the test to the new bound.',
  r.edit(
    'tests/auth/token-service.test.ts',
    'tokens.verify(token, at(901))',
    'tokens.verify(token, at(906))',
  ),
);
quiet(r.tests(['tests/auth/token-service.test.ts']));
step(
  'Green. Does it explain the tickets? If skew were the cause, most failures would come right after a refresh on harbor-1. I count.',
  r.bash(
    "kubectl logs -l app=harbor --since=24h | jq -r 'select(.status==401) | [.code,.replica] | @tsv' | sort | uniq -c | sort -rn",
    'Count 401 by code and replica',
    `   8112 token_reused	harbor-0
   8046 token_reused	harbor-2
   7990 token_reused	harbor-1
   2231 token_expired	harbor-2
   2199 token_expired	harbor-1
   2174 token_expired	harbor-0
   1904 session_unknown	harbor-0
   1871 session_unknown	harbor-1
   1866 session_unknown	harbor-2
     41 token_invalid	harbor-0
     38 token_invalid	harbor-2`,
  ),
);
think(
  'token_invalid is 79 out of 36,000. Skew is a real but tiny part. token_reused evenly spread: it is the concurrent refresh. Each family revocation then yields session_unknown. So the failing test was the cause after all.',
  `Skew accounts for 79 of some 36,000 failures, so my first explanation was wrong. \`token_reused\` is spread evenly over the replicas, and each one is followed by \`session_unknown\` because the family is revoked. That points to honest clients that refresh twice at once. I look at the client.`,
  r.read('src/web/api-client.ts'),
  r.grep('refresh\\(', 'src'),
);
step(
  'There it is: every request that meets a 401 starts its own refresh with the same cookie. The first exchange rotates the token, the second presents a rotated one, and we revoke the family. A page that loads four resources after fifteen minutes signs its user out.',
  r.bash(
    'kubectl logs harbor-0 --since=10m | jq -c \'select(.route=="POST /v1/session/refresh")\' | head -44',
    'Refreshes of one replica in order',
    () =>
      requestLog('55', 44, (index) => ({
        route: 'POST /v1/session/refresh',
        status: index % 4 === 0 ? 200 : 401,
        ...(index % 4 !== 0 && { code: 'token_reused' }),
        note: `family ${(0x51c0 + Math.floor(index / 4)).toString(16)}`,
      })),
  ),
);
step(
  'The pattern in the log is one 200 and three `token_reused` per family, within a second. I propose another plan.',
  r.plan(
    `# Plan: let honest clients refresh at once

Cause: several requests of one client exchange the same refresh token within a second. Since #412 the second exchange counts as theft.

1. Grace: a rotated token that comes back within 10 seconds of its rotation gets a new pair of the same family and revokes nothing. After that it is theft, as now.
2. The exchange becomes atomic: UPDATE … WHERE rotated_at IS NULL RETURNING, so two replicas cannot both be first.
3. revokeFamily marks rows as revoked in one transaction instead of deleting them, so that an operator can see what happened.
4. The web client shares one refresh among all requests that wait for it.
5. The clock tolerance stays, it is harmless and tested.

Not touched: routes, codes, bodies, cookie, dependencies.`,
    true,
  ),
);
quiet(
  r.todos([
    ['Grace period for rotated tokens', 'in_progress'],
    ['Atomic exchange in Postgres', 'pending'],
    ['Revoke in one transaction', 'pending'],
    ['Share one refresh in the web client', 'pending'],
    ['Document the grace period', 'pending'],
  ]),
);

r.reminder(
  'The file docs/auth.md was modified by a linter. This change was intentional, so take it into account as you proceed.',
);
step(
  'First the rule, as a test.',
  r.edit(
    'tests/auth/refresh-service.test.ts',
    `  it('revokes the family when a rotated token comes back'`,
    `  it('gives a second pair when a rotated token comes back within ten seconds', async () => {
    const first = await service.start('a1', 's1', at(0));
    const second = await service.exchange(first.refreshToken, at(600));
    const third = await service.exchange(first.refreshToken, at(609));
    expect(new Set([first, second, third].map((pair) => pair.refreshToken)).size).toBe(3);
    await expect(service.exchange(second.refreshToken, at(1200))).resolves.toBeDefined();
  });

  it('takes the eleventh second for theft', async () => {
    const first = await service.start('a1', 's1', at(0));
    await service.exchange(first.refreshToken, at(600));
    await expect(service.exchange(first.refreshToken, at(611))).rejects.toThrow('token_reused');
  });

  it('revokes the family when a rotated token comes back'`,
  ),
);
quiet(
  r.tests(['tests/auth/refresh-service.test.ts'], {
    'gives a second pair when a rotated token comes back within ten seconds': `AuthError: token_reused
 ❯ RefreshService.exchange src/auth/refresh-service.ts:34:13
     32|     if (token.rotatedAt !== null) {
     33|       await this.sessions.revokeFamily(token.familyId, now);
     34|       throw new AuthError('token_reused');
       |             ^
 ❯ tests/auth/refresh-service.test.ts:38:19`,
  }),
);
step(
  'It fails for the right reason. Now the service.',
  r.edit(
    'src/auth/refresh-service.ts',
    `    if (token.rotatedAt !== null) {
      await this.sessions.revokeFamily(token.familyId, now);
      throw new AuthError('token_reused');
    }
    await this.sessions.markRotated(token.id, now);
    return this.issue(token.accountId, token.sessionId, now, token);`,
    `    if (token.revokedAt !== null) throw new AuthError('session_unknown');

    const rotatedAt = await this.sessions.rotate(token.id, now);
    if (now.getTime() - rotatedAt.getTime() > GRACE_SECONDS * 1000) {
      await this.sessions.revokeFamily(token.familyId, now);
      throw new AuthError('token_reused');
    }
    return this.issue(token.accountId, token.sessionId, now, token);`,
  ),
);
quiet(
  r.edit(
    'src/auth/refresh-service.ts',
    `/** Exchanges refresh tokens. Each may be used once; a second use revokes its family. */`,
    `/**
 * Requests of one client that meet the end of their access token exchange the same refresh token
 * almost at once. Production shows them within one second; ten leave room for slow networks and are
 * too few for a thief who has to find the token first.
 */
const GRACE_SECONDS = 10;

/** Exchanges refresh tokens. A second use after the grace period revokes the family. */`,
  ),
);
quiet(
  r.edit(
    'src/auth/refresh-service.ts',
    `      rotatedAt: null,
    });`,
    `      rotatedAt: null,
      revokedAt: null,
    });`,
  ),
);
step(
  'The port of the store follows: `rotate` answers when the token was first rotated.',
  r.edit(
    'src/session/session-store.ts',
    `  markRotated(id: string, now: Date): Promise<void>;
  revokeFamily(familyId: string, now: Date): Promise<void>;`,
    `  /**
   * Marks the token as rotated unless it is already. Atomic: of several callers one is first.
   * @returns when it was rotated first, which is \`now\` for that one caller.
   */
  rotate(id: string, now: Date): Promise<Date>;
  /** Revokes every token of the family and ends its session, all or nothing. */
  revokeFamily(familyId: string, now: Date): Promise<void>;`,
  ),
  r.edit(
    'src/session/session-store.ts',
    `  readonly rotatedAt: Date | null;
}`,
    `  readonly rotatedAt: Date | null;
  readonly revokedAt: Date | null;
}`,
  ),
);
quiet(
  r.edit(
    'src/session/memory-session-store.ts',
    `  async markRotated(id: string, now: Date): Promise<void> {
    const token = this.tokens.get(id);
    if (token !== undefined) this.tokens.set(id, { ...token, rotatedAt: now });
  }`,
    `  async rotate(id: string, now: Date): Promise<Date> {
    const token = this.tokens.get(id);
    if (token === undefined) throw new Error('no token ' + id.slice(0, 8));
    const rotatedAt = token.rotatedAt ?? now;
    this.tokens.set(id, { ...token, rotatedAt });
    return rotatedAt;
  }`,
  ),
  r.edit(
    'src/session/memory-session-store.ts',
    `      if (token.familyId === familyId) this.tokens.delete(token.id);`,
    `      if (token.familyId === familyId) this.tokens.set(token.id, { ...token, revokedAt: now });`,
  ),
);
quiet(r.tests(['tests/auth/refresh-service.test.ts']));
step(
  'The in-memory side is green. In Postgres the exchange has to be one statement, so that two replicas agree who was first.',
  r.edit(
    'src/session/postgres-session-store.ts',
    `  async markRotated(id: string, now: Date): Promise<void> {
    await this.pool.query('update refresh_tokens set rotated_at = $2 where id = $1', [id, now]);
  }

  async revokeFamily(familyId: string, now: Date): Promise<void> {
    await this.pool.query('delete from refresh_tokens where family_id = $1', [familyId]);
    await this.pool.query('update sessions set ended_at = $2 where id = $1', [familyId, now]);
  }`,
    `  async rotate(id: string, now: Date): Promise<Date> {
    const { rows } = await this.pool.query<{ rotated_at: Date }>(
      'update refresh_tokens set rotated_at = coalesce(rotated_at, $2) where id = $1 returning rotated_at',
      [id, now],
    );
    const row = rows[0];
    if (row === undefined) throw new Error('no token ' + id.slice(0, 8));
    return row.rotated_at;
  }

  async revokeFamily(familyId: string, now: Date): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      await client.query(
        'update refresh_tokens set revoked_at = $2 where family_id = $1 and revoked_at is null',
        [familyId, now],
      );
      await client.query('update sessions set ended_at = $2 where id = $1 and ended_at is null', [familyId, now]);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }`,
  ),
);
quiet(
  r.edit(
    'src/session/postgres-session-store.ts',
    `  readonly rotated_at: Date | null;
}`,
    `  readonly rotated_at: Date | null;
  readonly revoked_at: Date | null;
}`,
  ),
  r.edit(
    'src/session/postgres-session-store.ts',
    `    rotatedAt: row.rotated_at,
  };`,
    `    rotatedAt: row.rotated_at,
    revokedAt: row.revoked_at,
  };`,
  ),
);
quiet(
  r.bash(
    'npm run typecheck',
    'Check the types',
    `> harbor@ typecheck
> tsc --noEmit

src/auth/require-session.ts(21,47): error TS2339: Property 'endedAt' does not exist on type 'never'.
tests/support/server.ts(44,7): error TS2741: Property 'revokedAt' is missing in type '{ id: string; familyId: string; predecessorId: null; accountId: string; sessionId: string; issuedAt: Date; expiresAt: Date; rotatedAt: null; }' but required in type 'RefreshToken'.`,
    2,
  ),
);
step(
  'Two complaints. The first is an old one that hides behind the second; I look at the support file.',
  r.read('tests/support/server.ts'),
);
step(
  'That file is not in what I can see under `tests/support`. I list it.',
  r.bash(
    'git ls-files tests',
    'List the tests',
    () => `${tree('tests')()}\ntests/support/server.ts\ntests/support/clock.ts`,
  ),
);
quiet(
  r.bash(
    "sed -n '30,60p' tests/support/server.ts",
    'Show the part concerned',
    `export async function signedIn() {
  const store = new MemorySessionStore();
  const now = new Date();
  await store.insertSession({ id: 's1', accountId: 'a1', startedAt: now });
  const tokens = new TokenService(testConfig);
  const server = await buildTestServer({ store, tokens });
  const accessToken = await tokens.issue({ accountId: 'a1', sessionId: 's1' }, now);
  return { server, store, header: { authorization: 'Bearer ' + accessToken } };
}

export async function withRotatedToken(store: MemorySessionStore, at: Date) {
  const id = hash('rotated');
  await store.insertRefreshToken(
    { id, familyId: 's1', predecessorId: null, accountId: 'a1', sessionId: 's1', issuedAt: at, expiresAt: at, rotatedAt: null },
  );
  return id;
}`,
  ),
);
quiet(
  r.bash(
    "sed -i 's/rotatedAt: null },/rotatedAt: null, revokedAt: null },/' tests/support/server.ts && npm run typecheck",
    'Add the field and check again',
    `> harbor@ typecheck
> tsc --noEmit
`,
  ),
);
step(
  'Types are clean. Next the client: one refresh for all who wait.',
  r.edit(
    'src/web/api-client.ts',
    `  private accessToken: string | null = null;
`,
    `  private accessToken: string | null = null;
  private refreshing: Promise<void> | null = null;
`,
  ),
  r.edit(
    'src/web/api-client.ts',
    `    // Every request that fails starts a refresh of its own.
    await this.refresh();`,
    `    await this.refreshOnce();`,
  ),
  r.edit(
    'src/web/api-client.ts',
    `  private async refresh(): Promise<void> {`,
    `  /** Requests that fail together share one refresh; a failed one is not kept. */
  private refreshOnce(): Promise<void> {
    this.refreshing ??= this.refresh().finally(() => {
      this.refreshing = null;
    });
    return this.refreshing;
  }

  private async refresh(): Promise<void> {`,
  ),
);
quiet(
  r.write(
    'tests/web/api-client.test.ts',
    `import { describe, expect, it } from 'vitest';
import { ApiClient } from '../../src/web/api-client.js';

function fakeServer() {
  const seen: string[] = [];
  let valid = false;
  const fetchImpl = async (url: string): Promise<Response> => {
    seen.push(new URL(url).pathname);
    if (url.endsWith('/refresh')) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      valid = true;
      return Response.json({ access_token: 'fresh' });
    }
    return valid ? Response.json({ ok: true }) : new Response(null, { status: 401 });
  };
  return { seen, fetchImpl };
}

describe('ApiClient', () => {
  it('shares one refresh among requests that fail together', async () => {
    const { seen, fetchImpl } = fakeServer();
    const client = new ApiClient('https://harbor.test', fetchImpl as typeof fetch);
    await Promise.all(['/v1/a', '/v1/b', '/v1/c', '/v1/d'].map((path) => client.get(path)));
    expect(seen.filter((path) => path.endsWith('/refresh'))).toHaveLength(1);
  });

  it('refreshes anew after a refresh that failed', async () => {
    let calls = 0;
    const fetchImpl = async (url: string) => {
      if (!url.endsWith('/refresh')) return new Response(null, { status: 401 });
      calls += 1;
      return new Response(null, { status: 503 });
    };
    const client = new ApiClient('https://harbor.test', fetchImpl as typeof fetch);
    await expect(client.get('/v1/a')).rejects.toThrow('signed out');
    await expect(client.get('/v1/a')).rejects.toThrow('signed out');
    expect(calls).toBe(2);
  });
});
`,
  ),
);
const WITH_CLIENT = [...ALL_TESTS, 'tests/web/api-client.test.ts'];
quiet(r.tests(WITH_CLIENT));
step(
  'All green, the test with two tabs among them. The documentation gets the rule.',
  r.edit(
    'docs/auth.md',
    `be used once: the exchange marks it as rotated and issues a successor of the same family. When a
rotated token is presented again the whole family is revoked, because a copy must have leaked.`,
    `be used once: the exchange marks it as rotated and issues a successor of the same family. Requests of
one client often exchange the same token at the same moment, so a rotated token is honoured for ten
seconds after its rotation. When it is presented later the whole family is revoked, because a copy
must have leaked. Revoked rows stay in refresh_tokens until they expire.`,
  ),
);
quiet(
  r.todos([
    ['Grace period for rotated tokens', 'completed'],
    ['Atomic exchange in Postgres', 'completed'],
    ['Revoke in one transaction', 'completed'],
    ['Share one refresh in the web client', 'completed'],
    ['Document the grace period', 'completed'],
  ]),
);
quiet(
  r.bash(
    'git add -A && git commit -qm "auth: honour a rotated refresh token for ten seconds" && git log --oneline -1',
    'Commit on the branch',
    '9a7d310 auth: honour a rotated refresh token for ten seconds',
  ),
);
r.say(`The sign-outs are fixed on branch \`fix/login-401\` (commit 9a7d310), nothing is on main.

**Cause.** After fifteen minutes a page sends several requests at once. Each met 401 and exchanged the same refresh token; since #412 the second exchange counted as theft and revoked the family.

**Changes**
- a rotated token is honoured for ten seconds (\`GRACE_SECONDS\` in \`src/auth/refresh-service.ts\`);
- the exchange is one UPDATE, so two replicas agree who was first;
- revoking is one transaction and keeps the rows;
- the web client shares one refresh among waiting requests;
- five seconds of clock tolerance, for the 79 \`token_invalid\` a day.

The column \`revoked_at\` needs a migration before this can be deployed; I have not written it yet. Routes, codes, bodies and the cookie are unchanged.`);
r.turnEnds(1_480);

// 2. Rate limits
r.prompt(
  `Good. Second task, same branch: /v1/session has no rate limit, somebody tried 40,000 phrases for one account last night. Limit failed logins to 5 a minute per account and 30 a minute per address. An answer above the limit is 429 — that status is already promised in the API description, so it is no change of the public API. A successful login resets the account's count. Do not log e-mail addresses.`,
);
think(
  'Where to keep the counts? Three replicas without sticky sessions: memory per replica is wrong by factor three. Options Redis, Postgres. docs/operations.md says something about Redis.',
  'I look at the route and at what the replicas share, because the counts have to hold across all three.',
  r.read('src/api/session-routes.ts'),
  r.read('src/auth/auth-service.ts'),
  r.read('src/server.ts'),
);
quiet(r.grep('ioredis|Redis'), r.grep('429|rate', 'docs'));
quiet(
  r.task(
    'a51c7e02',
    'Find login callers',
    'Find every place in harbor that calls AuthService.login or posts to /v1/session, tests included. For each say whether it may send several failed logins within a minute on purpose. Report file and line.',
    `Three places:
1. src/api/session-routes.ts:14 is the only caller of AuthService.login in the service.
2. tests/api/session-routes.test.ts:8 and :15 post to /v1/session, one failed login in total.
3. scripts/ holds no caller.
No place sends more than one failed login a minute on purpose, so a limit of five breaks nothing.`,
    () => {
      step('I search for the calls first.', r.grep('\\.login\\('), r.grep("url: '/v1/session'"));
      quiet(r.read('tests/api/session-routes.test.ts'));
      quiet(r.bash('ls scripts', 'List scripts', 'migrate.ts'));
      r.say(
        'Three places: the route itself and two tests; no place sends more than one failed login a minute on purpose.',
      );
    },
  ),
);
const STORES = [
  ['Redis', 'Fast, counts expire by themselves; ioredis is in package.json already'],
  ['Postgres', 'One more table and one more statement a login'],
  ['Memory', 'No shared state, each replica counts for itself'],
];
step(
  'The limit touches nothing else. One question before I build it:',
  r.ask('Where should the counts of failed logins be kept?', 'Store', STORES, 'Redis'),
);
quiet(
  r.todos([
    ['Limiter with a port for its counts', 'in_progress'],
    ['Counts in Redis', 'pending'],
    ['429 on the login route', 'pending'],
    ['Tests for both limits', 'pending'],
  ]),
);
quiet(
  r.write(
    'src/auth/login-limiter.ts',
    `/** Counts of failed logins per key within the current minute. Shared by all replicas. */
export interface FailureCounts {
  /** Adds one failure and answers how many there are in this minute. */
  add(key: string, now: Date): Promise<number>;
  /** How many there are in this minute. */
  read(key: string, now: Date): Promise<number>;
  reset(key: string): Promise<void>;
}

/** Failed logins a minute. Five are enough for a person who mistypes; an office shares an address. */
export const ACCOUNT_LIMIT = 5;
export const ADDRESS_LIMIT = 30;

export class LoginLimiter {
  constructor(private readonly counts: FailureCounts) {}

  async isOpen(account: string, address: string, now: Date): Promise<boolean> {
    const [byAccount, byAddress] = await Promise.all([
      this.counts.read(accountKey(account), now),
      this.counts.read(addressKey(address), now),
    ]);
    return byAccount < ACCOUNT_LIMIT && byAddress < ADDRESS_LIMIT;
  }

  async failed(account: string, address: string, now: Date): Promise<void> {
    await Promise.all([this.counts.add(accountKey(account), now), this.counts.add(addressKey(address), now)]);
  }

  async succeeded(account: string): Promise<void> {
    await this.counts.reset(accountKey(account));
  }
}

const accountKey = (account: string) => 'account:' + account;
const addressKey = (address: string) => 'address:' + address;
`,
  ),
);
quiet(
  r.write(
    'src/auth/redis-failure-counts.ts',
    `import type { Redis } from 'ioredis';
import type { FailureCounts } from './login-limiter.js';

/** Two minutes, so that a count outlives its own minute on every replica's clock. */
const EXPIRY_SECONDS = 120;

export class RedisFailureCounts implements FailureCounts {
  constructor(private readonly redis: Redis) {}

  async add(key: string, now: Date): Promise<number> {
    const name = nameOf(key, now);
    const count = await this.redis.incr(name);
    if (count === 1) await this.redis.expire(name, EXPIRY_SECONDS);
    return count;
  }

  async read(key: string, now: Date): Promise<number> {
    return Number((await this.redis.get(nameOf(key, now))) ?? 0);
  }

  async reset(key: string): Promise<void> {
    await this.redis.del(nameOf(key, new Date()));
  }
}

function nameOf(key: string, now: Date): string {
  return 'harbor:failed:' + key + ':' + Math.floor(now.getTime() / 60_000);
}
`,
  ),
);
quiet(
  r.write(
    'tests/auth/login-limiter.test.ts',
    `import { beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT_LIMIT, ADDRESS_LIMIT, LoginLimiter, type FailureCounts } from '../../src/auth/login-limiter.js';

class MemoryCounts implements FailureCounts {
  private readonly counts = new Map<string, number>();
  async add(key: string, now: Date) {
    const count = (await this.read(key, now)) + 1;
    this.counts.set(name(key, now), count);
    return count;
  }
  async read(key: string, now: Date) {
    return this.counts.get(name(key, now)) ?? 0;
  }
  async reset(key: string) {
    for (const entry of this.counts.keys()) if (entry.startsWith(key + '@')) this.counts.delete(entry);
  }
}

const name = (key: string, now: Date) => key + '@' + Math.floor(now.getTime() / 60_000);
const at = (seconds: number) => new Date(1_700_000_040_000 + seconds * 1000);

describe('LoginLimiter', () => {
  let limiter: LoginLimiter;
  beforeEach(() => {
    limiter = new LoginLimiter(new MemoryCounts());
  });
  const fail = async (times: number, account: string, address: string, seconds = 0) => {
    for (let time = 0; time < times; time += 1) await limiter.failed(account, address, at(seconds));
  };

  it('closes an account after five failures', async () => {
    await fail(ACCOUNT_LIMIT - 1, 'ada', '192.0.2.1');
    expect(await limiter.isOpen('ada', '192.0.2.1', at(1))).toBe(true);
    await fail(1, 'ada', '192.0.2.1');
    expect(await limiter.isOpen('ada', '192.0.2.9', at(1))).toBe(false);
  });

  it('closes an address after thirty failures over many accounts', async () => {
    for (let index = 0; index < ADDRESS_LIMIT; index += 1) await fail(1, 'account-' + index, '192.0.2.1');
    expect(await limiter.isOpen('another', '192.0.2.1', at(1))).toBe(false);
    expect(await limiter.isOpen('another', '192.0.2.2', at(1))).toBe(true);
  });

  it('opens again in the next minute', async () => {
    await fail(ACCOUNT_LIMIT, 'ada', '192.0.2.1');
    expect(await limiter.isOpen('ada', '192.0.2.1', at(60))).toBe(true);
  });

  it('forgets the failures of an account that logs in', async () => {
    await fail(ACCOUNT_LIMIT, 'ada', '192.0.2.1');
    await limiter.succeeded('ada');
    expect(await limiter.isOpen('ada', '192.0.2.1', at(1))).toBe(true);
  });
});
`,
  ),
);
quiet(r.tests(['tests/auth/login-limiter.test.ts']));
step(
  'The rules hold. Is a Redis reachable from where harbor runs? I read the operations notes and the example settings before I wire it.',
  r.read('docs/operations.md'),
  r.bash('cat .env.example', 'Show the settings', () => r.files.get('.env.example')),
);
quiet(
  r.bash(
    'kubectl exec harbor-0 -- node -e "new (require(\'ioredis\'))(process.env.REDIS_URL).ping().then(console.log)"',
    'Try the Redis of staging',
    `/app/node_modules/ioredis/built/Redis.js:319
                    reject(new Error(utils_1.CONNECTION_CLOSED_ERROR_MSG));
                           ^
Error: connect ETIMEDOUT
    at Socket.<anonymous> (/app/node_modules/ioredis/built/Redis.js:171:41)
    at Object.onceWrapper (node:events:638:28)
    at Socket.emit (node:events:524:28)
    at Socket._onTimeout (node:net:595:8)
    at listOnTimeout (node:internal/timers:581:17)
    at process.processTimers (node:internal/timers:519:7) {
  errorno: 'ETIMEDOUT',
  code: 'ETIMEDOUT',
  syscall: 'connect'
}`,
    1,
  ),
);
step(
  'That changes the ground of the answer: harbor cannot reach a Redis, and the notes say that the one of staging belongs to the search team and may be flushed at any time. A flushed count would open the gate to whoever is guessing. I ask again instead of deciding by myself.',
  r.ask('Where should the counts of failed logins be kept?', 'Store', STORES, 'Postgres'),
);
step(
  'Postgres then. The port stays, only the store behind it changes.',
  r.bash(
    'git rm -q --cached src/auth/redis-failure-counts.ts 2>/dev/null; rm src/auth/redis-failure-counts.ts',
    'Remove the store in Redis',
    '',
  ),
  r.write(
    'src/auth/postgres-failure-counts.ts',
    `import type { Pool } from 'pg';
import type { FailureCounts } from './login-limiter.js';

/** One row per key and minute. Keys are hashed by the caller: no address is stored in the clear. */
export class PostgresFailureCounts implements FailureCounts {
  constructor(private readonly pool: Pool) {}

  async add(key: string, now: Date): Promise<number> {
    const { rows } = await this.pool.query<{ failures: number }>(
      'insert into login_failures (key, minute, failures) values ($1, $2, 1)' +
        ' on conflict (key, minute) do update set failures = login_failures.failures + 1 returning failures',
      [key, minuteOf(now)],
    );
    return rows[0]?.failures ?? 0;
  }

  async read(key: string, now: Date): Promise<number> {
    const { rows } = await this.pool.query<{ failures: number }>(
      'select failures from login_failures where key = $1 and minute = $2',
      [key, minuteOf(now)],
    );
    return rows[0]?.failures ?? 0;
  }

  async reset(key: string): Promise<void> {
    await this.pool.query('delete from login_failures where key = $1', [key]);
  }
}

function minuteOf(now: Date): Date {
  return new Date(Math.floor(now.getTime() / 60_000) * 60_000);
}
`,
  ),
);
r.files.delete('src/auth/redis-failure-counts.ts');
quiet(
  r.edit(
    'src/auth/login-limiter.ts',
    `const accountKey = (account: string) => 'account:' + account;
const addressKey = (address: string) => 'address:' + address;`,
    `/** Hashed, so that neither the table nor a log holds an e-mail address. */
const accountKey = (account: string) => 'account:' + digest(account.toLowerCase());
const addressKey = (address: string) => 'address:' + digest(address);

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}`,
  ),
  r.edit(
    'src/auth/login-limiter.ts',
    `/** Counts of failed logins per key`,
    `import { createHash } from 'node:crypto';

/** Counts of failed logins per key`,
  ),
);
step(
  'Now the service and the route: 429 before the phrase is looked at, so that a closed account costs no derivation.',
  r.edit(
    'src/auth/auth-error.ts',
    `  | 'account_locked';`,
    `  | 'account_locked'
  | 'too_many_attempts';`,
  ),
  r.edit(
    'src/auth/auth-error.ts',
    `  account_locked: 403,`,
    `  account_locked: 403,
  too_many_attempts: 429,`,
  ),
  r.edit(
    'src/auth/auth-service.ts',
    `  async login(email: string, phrase: string, now: Date): Promise<TokenPair> {
    const account = await this.findAccount(email);`,
    `  async login(email: string, phrase: string, address: string, now: Date): Promise<TokenPair> {
    if (!(await this.limiter.isOpen(email, address, now))) throw new AuthError('too_many_attempts');
    const account = await this.findAccount(email);`,
  ),
);
quiet(
  r.edit(
    'src/auth/auth-service.ts',
    `      throw new AuthError('credentials_wrong');
    }`,
    `      await this.limiter.failed(email, address, now);
      throw new AuthError('credentials_wrong');
    }
    await this.limiter.succeeded(email);`,
  ),
  r.edit(
    'src/auth/auth-service.ts',
    `    private readonly refresh: RefreshService,
  ) {}`,
    `    private readonly refresh: RefreshService,
    private readonly limiter: LoginLimiter,
  ) {}`,
  ),
  r.edit(
    'src/auth/auth-service.ts',
    `import { AuthError } from './auth-error.js';`,
    `import type { LoginLimiter } from './login-limiter.js';
import { AuthError } from './auth-error.js';`,
  ),
);
quiet(
  r.edit(
    'src/api/session-routes.ts',
    `request.body.phrase, new Date());`,
    `request.body.phrase, request.ip, new Date());`,
  ),
  r.edit(
    'src/server.ts',
    `  const auth = new AuthService(pool, sessions, tokens, refresh);`,
    `  const limiter = new LoginLimiter(new PostgresFailureCounts(pool));
  const auth = new AuthService(pool, sessions, tokens, refresh, limiter);`,
  ),
  r.edit(
    'src/server.ts',
    `import { requireSession } from './auth/require-session.js';`,
    `import { requireSession } from './auth/require-session.js';
import { LoginLimiter } from './auth/login-limiter.js';
import { PostgresFailureCounts } from './auth/postgres-failure-counts.js';`,
  ),
);
quiet(
  r.edit(
    'tests/api/session-routes.test.ts',
    `describe('POST /v1/session/refresh'`,
    `describe('POST /v1/session above the limit', () => {
  it('answers 429 to the sixth wrong phrase of a minute', async () => {
    const server = await serverWith(credentials);
    const payload = { ...credentials, phrase: 'another phrase' };
    const statuses: number[] = [];
    for (let time = 0; time < 6; time += 1) {
      statuses.push((await server.inject({ method: 'POST', url: '/v1/session', payload })).statusCode);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('answers 429 even to the right phrase once an account is closed', async () => {
    const server = await serverWith(credentials, { failures: 5 });
    const response = await server.inject({ method: 'POST', url: '/v1/session', payload: credentials });
    expect(response.statusCode).toBe(429);
  });
});

describe('POST /v1/session/refresh'`,
  ),
);
const WITH_LIMITS = [...WITH_CLIENT, 'tests/auth/login-limiter.test.ts'];
quiet(
  r.tests(WITH_LIMITS, {
    'answers 429 to the sixth wrong phrase of a minute': `AssertionError: expected [ 401, 401, 401, 401, 401, 401 ] to deeply equal [ 401, 401, 401, 401, 401, 429 ]

 ❯ tests/api/session-routes.test.ts:38:22
     36|       statuses.push((await server.inject({ method: 'POST', url: '/v1/sess…
     37|     }
     38|     expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
       |                      ^

stderr | tests/api/session-routes.test.ts > POST /v1/session above the limit
TypeError: Cannot read properties of undefined (reading 'isOpen')
    at AuthService.login (src/auth/auth-service.ts:32:29)
    at Object.<anonymous> (src/api/session-routes.ts:12:31)
    at preHandlerCallback (node_modules/fastify/lib/handleRequest.js:137:37)`,
  }),
);
step(
  'The test server builds `AuthService` itself and passes no limiter. The support file needs the counts in memory.',
  r.bash(
    "grep -n 'new AuthService' -r src tests",
    'Find constructions',
    'src/server.ts:22:  const auth = new AuthService(pool, sessions, tokens, refresh, limiter);\ntests/support/server.ts:18:  const auth = new AuthService(pool, store, tokens, refresh);',
  ),
);
quiet(
  r.bash(
    "sed -i '18s/refresh)/refresh, new LoginLimiter(countsWith(failures)))/' tests/support/server.ts && sed -n '10,24p' tests/support/server.ts",
    'Pass a limiter to the test server',
    `export async function buildTestServer({ store, tokens, failures = 0 }: Parts) {
  const pool = fakePool();
  const refresh = new RefreshService(store, tokens, testConfig);
  const sessions = store;
  const server = Fastify();
  server.decorate('requireSession', requireSession(tokens, sessions));
  server.setErrorHandler(answerWithCode);

  // Counts in memory, begun with the failures that a test asks for.
  const auth = new AuthService(pool, store, tokens, refresh, new LoginLimiter(countsWith(failures)));
  await server.register(sessionRoutes(auth, refresh), { prefix: '/v1/session' });
  await server.register(profileRoutes(pool), { prefix: '/v1/profile' });
  return server;
}`,
  ),
);
quiet(r.tests(WITH_LIMITS));
quiet(
  r.bash(
    'for i in $(seq 1 8); do curl -s -o /dev/null -w "%{http_code} %{time_total}s\\n" -X POST localhost:8080/v1/session -H "content-type: application/json" -d \'{"email":"ada@harbor.test","phrase":"wrong"}\'; done',
    'Try the limit by hand',
    `401 0.081s
401 0.079s
401 0.083s
401 0.078s
401 0.080s
429 0.004s
429 0.003s
429 0.004s`,
  ),
);
quiet(
  r.todos([
    ['Limiter with a port for its counts', 'completed'],
    ['Counts in Postgres instead of Redis', 'completed'],
    ['429 on the login route', 'completed'],
    ['Tests for both limits', 'completed'],
  ]),
);
quiet(
  r.bash(
    'git add -A && git commit -qm "auth: limit failed logins by account and address" && git log --oneline -1',
    'Commit on the branch',
    'c58e0b4 auth: limit failed logins by account and address',
  ),
);
r.say(`Failed logins are limited, commit c58e0b4 on \`fix/login-401\`.

- 5 a minute per account, 30 per address; the sixth answer is 429 and costs 4 ms because no phrase is derived any more.
- The counts are in Postgres, as you decided the second time: harbor cannot reach a Redis.
- Keys are hashed; no e-mail address is stored or logged.

The table \`login_failures\` needs a migration too, so two are due before a deployment.`);
r.turnEnds(1_905);

// 3. Migrations
r.prompt(
  `Third: write the migrations for both (revoked_at and login_failures) so that they can run while the old release still serves. Remember the two seconds of lock time from docs/operations.md; refresh_tokens has 61 million rows. Also, looking up tokens by family is slow, see if an index is missing. Do not touch 0005 and 0006, they are applied.`,
);
step(
  'I read what is there and measure on the copy of production data.',
  r.read('migrations/0006_refresh_tokens.sql'),
  r.read('migrations/0005_sessions.sql'),
  r.read('scripts/migrate.ts'),
);
quiet(
  r.bash(
    'psql $COPY_URL -c "explain (analyze, buffers) update refresh_tokens set revoked_at = now() where family_id = \'5a0c3f0e-94e1-4c8e-8a53-0f4f0c2d7b11\'"',
    'How slow is revoking',
    `ERROR:  column "revoked_at" of relation "refresh_tokens" does not exist
LINE 1: explain (analyze, buffers) update refresh_tokens set revoked_at...
                                                             ^`,
    1,
  ),
);
quiet(
  r.bash(
    'psql $COPY_URL -c "explain (analyze, buffers) select id from refresh_tokens where family_id = \'5a0c3f0e-94e1-4c8e-8a53-0f4f0c2d7b11\'"',
    'How slow is the search by family',
    `                                                               QUERY PLAN
-----------------------------------------------------------------------------------------------------------------------------------------
 Gather  (cost=1000.00..1439011.44 rows=24 width=65) (actual time=9120.317..14870.902 rows=9 loops=1)
   Workers Planned: 2
   Workers Launched: 2
   Buffers: shared hit=2112 read=1118420
   ->  Parallel Seq Scan on refresh_tokens  (cost=0.00..1438009.04 rows=10 width=65) (actual time=8312.551..14861.207 rows=3 loops=3)
         Filter: (family_id = '5a0c3f0e-94e1-4c8e-8a53-0f4f0c2d7b11'::uuid)
         Rows Removed by Filter: 20348117
 Planning Time: 0.161 ms
 Execution Time: 14870.977 ms
(9 rows)`,
  ),
);
think(
  '15 seconds seq scan. An index on family_id is missing. create index concurrently cannot run in a transaction, and migrate.ts wraps each in one. Need a marker for migrations outside of a transaction.',
  'Fifteen seconds for nine rows: the index on `family_id` is missing, as you suspected. Building it must not lock the table, so it has to be `create index concurrently`, and that cannot run inside the transaction which `scripts/migrate.ts` opens for each file. First the plain parts.',
  r.write(
    'migrations/0007_revoked_tokens.sql',
    `-- Adds a column without a default: a change of the catalogue only, no rewrite of 61 million rows.
-- The old release neither reads nor writes it.
alter table refresh_tokens add column revoked_at timestamptz;
`,
  ),
  r.write(
    'migrations/0008_login_failures.sql',
    `-- Counts of failed logins by minute. The old release does not know the table.
create table login_failures (
  key text not null,
  minute timestamptz not null,
  failures integer not null check (failures > 0),
  primary key (key, minute)
);

-- Rows of past minutes are worthless; a job deletes them by this index.
create index login_failures_minute on login_failures (minute);
`,
  ),
);
quiet(
  r.write(
    'migrations/0009_token_family_index.sql',
    `create index concurrently if not exists refresh_tokens_family on refresh_tokens (family_id);
`,
  ),
);
quiet(
  r.bash(
    'DATABASE_URL=$COPY_URL npm run migrate',
    'Apply on the copy',
    `> harbor@ migrate
> tsx scripts/migrate.ts

applied 0007_revoked_tokens.sql
applied 0008_login_failures.sql
failed 0009_token_family_index.sql error: CREATE INDEX CONCURRENTLY cannot run inside a transaction block
    at Parser.parseErrorMessage (/home/dev/harbor/node_modules/pg-protocol/dist/parser.js:283:98)
    at Parser.handlePacket (/home/dev/harbor/node_modules/pg-protocol/dist/parser.js:122:29)
    at Parser.parse (/home/dev/harbor/node_modules/pg-protocol/dist/parser.js:35:38)
    at Socket.<anonymous> (/home/dev/harbor/node_modules/pg-protocol/dist/index.js:11:42) {
  length: 127,
  severity: 'ERROR',
  code: '25001',
  routine: 'PreventInTransactionBlock'
}`,
    1,
  ),
);
step(
  'As expected. A first line in the file tells the script to run it outside of a transaction.',
  r.edit(
    'migrations/0009_token_family_index.sql',
    `create index concurrently`,
    `-- harbor: no transaction
-- Takes about six minutes on 61 million rows and locks nothing. When it is interrupted it leaves an
-- invalid index behind: drop it with drop index concurrently refresh_tokens_family, then run again.
create index concurrently`,
  ),
  r.edit(
    'scripts/migrate.ts',
    `  if (applied.has(name)) continue;
  await client.query('begin');
  try {
    await client.query(await readFile('migrations/' + name, 'utf8'));
    await client.query('insert into applied_migrations values ($1, now())', [name]);
    await client.query('commit');
    console.log('applied', name);
  } catch (error) {
    await client.query('rollback');`,
    `  if (applied.has(name)) continue;
  const statements = await readFile('migrations/' + name, 'utf8');
  const inTransaction = !statements.startsWith('-- harbor: no transaction');
  if (inTransaction) await client.query('begin');
  try {
    await client.query(statements);
    await client.query('insert into applied_migrations values ($1, now())', [name]);
    if (inTransaction) await client.query('commit');
    console.log('applied', name);
  } catch (error) {
    if (inTransaction) await client.query('rollback');`,
  ),
);
quiet(
  r.bash(
    'time DATABASE_URL=$COPY_URL npm run migrate',
    'Apply on the copy again',
    `> harbor@ migrate
> tsx scripts/migrate.ts

applied 0009_token_family_index.sql

real	5m48.311s
user	0m0.702s
sys	0m0.118s`,
  ),
);
quiet(
  r.bash(
    'psql $COPY_URL -c "explain (analyze, buffers) select id from refresh_tokens where family_id = \'5a0c3f0e-94e1-4c8e-8a53-0f4f0c2d7b11\'" && psql $COPY_URL -c "select indexrelid::regclass, indisvalid from pg_index where indrelid = \'refresh_tokens\'::regclass"',
    'Search by family with the index',
    `                                                               QUERY PLAN
-----------------------------------------------------------------------------------------------------------------------------------------
 Index Scan using refresh_tokens_family on refresh_tokens  (cost=0.57..28.94 rows=24 width=65) (actual time=0.031..0.058 rows=9 loops=1)
   Index Cond: (family_id = '5a0c3f0e-94e1-4c8e-8a53-0f4f0c2d7b11'::uuid)
   Buffers: shared hit=13
 Planning Time: 0.204 ms
 Execution Time: 0.081 ms
(5 rows)

      indexrelid       | indisvalid
-----------------------+------------
 refresh_tokens_pkey   | t
 refresh_tokens_family | t
(2 rows)`,
  ),
);
step(
  'From 14.9 seconds to 0.08 milliseconds. Two things remain to be tried: the old release on the new schema, and how long 0007 locks while the table is in use.',
  r.bash(
    'git stash list; git worktree add -q ../harbor-old e41c9d2 && cd ../harbor-old && DATABASE_URL=$COPY_URL npx vitest run --reporter=dot',
    'Run the old release against the new schema',
    ` RUN  v2.1.8 /home/dev/harbor-old

 ·········x

⎯⎯⎯⎯⎯⎯⎯ Failed Tests ⎯⎯⎯⎯⎯⎯⎯

 FAIL  tests/api/session-routes.test.ts > POST /v1/session/refresh > keeps a client signed in that refreshes from two tabs at once
AssertionError: expected [ 200, 401 ] to deeply equal [ 200, 200 ]

 Test Files  1 failed | 3 passed (4)
      Tests  1 failed | 9 passed (10)`,
    1,
  ),
);
step(
  'The one failure is the fault of task one, which the old release has with any schema; nothing new breaks. Now the lock.',
  r.bash(
    'pgbench -n -c 20 -T 20 -f bench/refresh.sql $COPY_URL & sleep 5; psql $COPY_URL -c "set lock_timeout = \'2s\'" -c "\\timing on" -c "alter table refresh_tokens add column if not exists revoked_probe timestamptz" -c "alter table refresh_tokens drop column revoked_probe"; wait',
    'Lock time under load',
    `SET
Timing is on.
ALTER TABLE
Time: 38.412 ms
ALTER TABLE
Time: 41.077 ms
transaction type: bench/refresh.sql
scaling factor: 1
query mode: simple
number of clients: 20
number of threads: 1
duration: 20 s
number of transactions actually processed: 41873
latency average = 9.551 ms
latency stddev = 6.204 ms
tps = 2093.118403 (without initial connection time)`,
  ),
);
quiet(
  r.bash(
    'git worktree remove ../harbor-old && git status --short',
    'Clean up',
    ` M scripts/migrate.ts
?? migrations/0007_revoked_tokens.sql
?? migrations/0008_login_failures.sql
?? migrations/0009_token_family_index.sql`,
  ),
);
quiet(
  r.edit(
    'docs/operations.md',
    `Migrations run once, before the first new replica starts.`,
    `Migrations run once, before the first new replica starts. A file whose first line is
\`-- harbor: no transaction\` runs outside of one; it must be safe to run twice.`,
  ),
);
quiet(
  r.bash(
    'git add -A && git commit -qm "migrations: revoked tokens, login failures, index by family" && git log --oneline -3',
    'Commit on the branch',
    `2f60b9e migrations: revoked tokens, login failures, index by family
c58e0b4 auth: limit failed logins by account and address
9a7d310 auth: honour a rotated refresh token for ten seconds`,
  ),
);
r.say(`Three migrations, commit 2f60b9e on \`fix/login-401\`; 0005 and 0006 are untouched.

| file | does | lock on the copy under load |
| --- | --- | --- |
| 0007 | column revoked_at, no default | 38 ms |
| 0008 | table login_failures | new table, none |
| 0009 | index refresh_tokens (family_id), concurrently | none; 5 min 48 s |

The search by family fell from 14.9 s to 0.08 ms. The old release passes its tests on the new schema, except for the known fault of two refreshes at once. \`scripts/migrate.ts\` learned to run a marked file outside of a transaction.`);
r.turnEnds(2_210);

// 4. A review of the own work, and the numbers of a rehearsal
r.prompt(
  `Before I look at it: review the whole diff yourself as if it came from somebody else. Then run the rehearsal on staging and tell me whether logins got slower. Do not deploy to production.`,
);
step(
  'I read the complete difference, layer by layer, and note what I would object to.',
  r.bash('git diff main -- src/auth', 'Diff of src/auth', () => r.diff('src/auth')),
);
quiet(
  r.bash(
    'git diff main -- src/session src/api src/web src/server.ts',
    'Diff of the rest of src',
    () =>
      [r.diff('src/session'), r.diff('src/api'), r.diff('src/web'), r.diff('src/server')].join(
        '\n',
      ),
  ),
);
quiet(
  r.bash('git diff main -- tests', 'Diff of the tests', () => r.diff('tests')),
  r.bash('git diff main -- migrations scripts docs', 'Diff of migrations and documents', () =>
    [r.diff('migrations'), r.diff('scripts'), r.diff('docs')].join('\n'),
  ),
);
think(
  'Objections: (1) reset in PostgresFailureCounts deletes by key, full minutes; primary key (key, minute) supports it: fine. (2) isOpen then failed is not atomic: parallel guesses pass the gate. (3) exchange: a revoked token answers session_unknown, as documented. (4) rotate on revoked row. (5) The limiter counts before derivation? failed is called after derivation, so 100 parallel requests pass isOpen.',
  'As a reviewer I object to one thing in earnest: `isOpen` reads and `failed` writes later, and between them 80 ms of derivation go by. A guesser who sends two hundred logins at once gets all of them through. I show it by a test before I change it.',
  r.edit(
    'tests/auth/login-limiter.test.ts',
    `  it('opens again in the next minute'`,
    `  it('lets no more than five of many attempts at once through', async () => {
    const attempts = Array.from({ length: 200 }, () => limiter.enter('ada', '192.0.2.1', at(0)));
    expect((await Promise.all(attempts)).filter((open) => open)).toHaveLength(ACCOUNT_LIMIT);
  });

  it('opens again in the next minute'`,
  ),
);
quiet(
  r.tests(['tests/auth/login-limiter.test.ts'], {
    'lets no more than five of many attempts at once through': `TypeError: limiter.enter is not a function
 ❯ tests/auth/login-limiter.test.ts:50:67
     48|
     49|   it('lets no more than five of many attempts at once through', async () => {
     50|     const attempts = Array.from({ length: 200 }, () => limiter.enter('ada…
       |                                                                ^`,
  }),
);
step(
  'The attempt is counted when it enters, and taken back when it succeeds. One statement per key, so it is atomic in Postgres too.',
  r.edit(
    'src/auth/login-limiter.ts',
    `  async isOpen(account: string, address: string, now: Date): Promise<boolean> {
    const [byAccount, byAddress] = await Promise.all([
      this.counts.read(accountKey(account), now),
      this.counts.read(addressKey(address), now),
    ]);
    return byAccount < ACCOUNT_LIMIT && byAddress < ADDRESS_LIMIT;
  }

  async failed(account: string, address: string, now: Date): Promise<void> {
    await Promise.all([this.counts.add(accountKey(account), now), this.counts.add(addressKey(address), now)]);
  }
`,
    `  /** Counts the attempt before anything is checked, so that attempts at once cannot slip through. */
  async enter(account: string, address: string, now: Date): Promise<boolean> {
    const [byAccount, byAddress] = await Promise.all([
      this.counts.add(accountKey(account), now),
      this.counts.add(addressKey(address), now),
    ]);
    return byAccount <= ACCOUNT_LIMIT && byAddress <= ADDRESS_LIMIT;
  }

  async isOpen(account: string, address: string, now: Date): Promise<boolean> {
    const [byAccount, byAddress] = await Promise.all([
      this.counts.read(accountKey(account), now),
      this.counts.read(addressKey(address), now),
    ]);
    return byAccount < ACCOUNT_LIMIT && byAddress < ADDRESS_LIMIT;
  }

  async failed(account: string, address: string, now: Date): Promise<void> {
    await this.enter(account, address, now);
  }
`,
  ),
  r.edit(
    'src/auth/auth-service.ts',
    `    if (!(await this.limiter.isOpen(email, address, now))) throw`,
    `    if (!(await this.limiter.enter(email, address, now))) throw`,
  ),
  r.edit(
    'src/auth/auth-service.ts',
    `      await this.limiter.failed(email, address, now);
      throw`,
    `      throw`,
  ),
);
quiet(r.read('src/auth/auth-service.ts'), r.read('src/auth/login-limiter.ts'));
quiet(r.tests(WITH_LIMITS));
step(
  'Green. The rehearsal on staging: the release of main first, then the branch, with the same load.',
  r.bash(
    'node bench/rehearse.mjs --target staging --release main --minutes 40',
    'Rehearse the release of main',
    () => rehearsal(0),
  ),
  r.bash(
    'node bench/rehearse.mjs --target staging --release fix/login-401 --minutes 40',
    'Rehearse the branch',
    () => rehearsal(1),
  ),
);
step(
  'Logins by themselves cost one statement more. Where does the time go? I look at the statements.',
  r.bash(
    'psql $STAGING_URL -c "select calls, round(mean_exec_time::numeric, 3) as mean_ms, rows, left(query, 96) as query from pg_stat_statements order by total_exec_time desc limit 14"',
    'Most expensive statements',
    () => statements(),
  ),
);
quiet(
  r.bash(
    'npm ls --depth=0 && npm run typecheck && npx vitest run --reporter=dot',
    'Check everything once more',
    `harbor@ /home/dev/harbor
├── fastify@5.2.1
├── ioredis@5.4.2
├── jose@5.9.6
├── pg@8.13.1
├── tsx@4.19.2
├── typescript@5.7.2
└── vitest@2.1.8

> harbor@ typecheck
> tsc --noEmit

 RUN  v2.1.8 /home/dev/harbor

 ···························

 Test Files  6 passed (6)
      Tests  27 passed (27)
   Duration  3.12s`,
  ),
  r.bash(
    'git add -A && git commit -qm "auth: count a login attempt before it is checked" && git log --oneline -1',
    'Commit on the branch',
    '64d0f7a auth: count a login attempt before it is checked',
  ),
);
r.say(`The review found one real fault, now mended (commit 64d0f7a): attempts sent at the same moment could pass the limit together, because they were counted only after the phrase had been derived. They are counted on entering now.

The rehearsal: logins take 1.1 ms longer at the median (83.6 against 82.5 ms), which is the one statement of the limiter; refreshes are faster, because the exchange is one statement instead of two. Staging only, nothing was deployed to production. \`ioredis\` is not used by the service any more; I left it in package.json since you asked for no change of dependencies.`);
r.turnEnds(2_730);

// 5. Closing
r.prompt(
  `Nice work. Last: security asks whether ten seconds of grace could be five. Check the log for how far apart honest double refreshes are, and change it if the numbers allow. Then write a changelog entry. Still nothing on main, I open the pull request myself.`,
);
quiet(
  r.bash(
    'kubectl logs -l app=harbor --since=24h | jq -r \'select(.route=="POST /v1/session/refresh") | [.note,.time] | @tsv\' | node scripts/gaps.mjs',
    'Distances between refreshes of one family',
    `families with more than one refresh within 60 s: 9214
distance between first and last, seconds
  p50    0.21
  p90    0.64
  p99    1.93
  p99.9  3.87
  max    4.62
above 5 s: 0
above 3 s: 31`,
  ),
);
step(
  'The longest distance in a day is 4.6 seconds, so five would do, though with little room. I change the number and its reason together.',
  r.edit(
    'src/auth/refresh-service.ts',
    ` * almost at once. Production shows them within one second; ten leave room for slow networks and are
 * too few for a thief who has to find the token first.
 */
const GRACE_SECONDS = 10;`,
    ` * almost at once. In a day of production (9,214 families) the last came 4.6 seconds after the first,
 * 99.9 % within 3.9. Five seconds cover them all and give a thief the least.
 */
const GRACE_SECONDS = 5;`,
  ),
  r.edit(
    'docs/auth.md',
    `is honoured for ten
seconds after its rotation`,
    `is honoured for five
seconds after its rotation`,
  ),
);
quiet(
  r.tests(['tests/auth/refresh-service.test.ts'], {
    'gives a second pair when a rotated token comes back within ten seconds': `AuthError: token_reused
 ❯ RefreshService.exchange src/auth/refresh-service.ts:44:13
     42|     if (now.getTime() - rotatedAt.getTime() > GRACE_SECONDS * 1000) {
     43|       await this.sessions.revokeFamily(token.familyId, now);
     44|       throw new AuthError('token_reused');
       |             ^
 ❯ tests/auth/refresh-service.test.ts:38:19`,
  }),
);
step(
  'The test states the old bound; it follows the decision.',
  r.edit(
    'tests/auth/refresh-service.test.ts',
    `within ten seconds', async () => {`,
    `within five seconds', async () => {`,
  ),
  r.edit('tests/auth/refresh-service.test.ts', `at(609)`, `at(604)`),
  r.edit(
    'tests/auth/refresh-service.test.ts',
    `takes the eleventh second for theft`,
    `takes the sixth second for theft`,
  ),
  r.edit('tests/auth/refresh-service.test.ts', `at(611)`, `at(606)`),
);
quiet(r.tests(WITH_LIMITS));
quiet(
  r.write(
    'CHANGELOG.md',
    `# Changelog

## Unreleased

### Fixed
- Clients that refresh from several requests at once are no longer signed out. A rotated refresh
  token is honoured for five seconds (#412 had revoked the family at once).
- Access tokens of a replica whose clock is up to five seconds ahead are accepted.

### Added
- Failed logins are limited to 5 a minute per account and 30 per address; above that the answer is 429.

### Operations
- Migrations 0007 to 0009. 0009 builds an index concurrently and takes about six minutes.
`,
  ),
  r.bash(
    'git add -A && git commit -qm "auth: five seconds of grace; changelog" && git status -sb',
    'Commit on the branch',
    '## fix/login-401',
  ),
);
r.say(`Done: five seconds of grace, commit on \`fix/login-401\`, main untouched.

- In 24 hours 9,214 families refreshed more than once within a minute; the longest distance was 4.62 s. If support sees \`token_reused\` again, this number is the first to look at.
- The changelog has the fix, the limit and the migrations with their duration.

Open for your pull request: the job that deletes old rows of \`login_failures\` does not exist yet, and the clock of harbor-1 should be corrected by whoever runs the nodes.`);
r.turnEnds(640);

const target =
  process.argv[2] ?? fileURLToPath(new URL('../examples/session.jsonl', import.meta.url));
writeFileSync(target, recorder.text());
