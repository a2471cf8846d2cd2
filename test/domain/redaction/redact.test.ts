import { describe, expect, it } from '@jest/globals';
import { array, assert as assertProperty, constantFrom, integer, property } from 'fast-check';
import { placeholder, redactWith } from '../../../src/domain/redaction/redact.js';
import { REDACTION_RULES } from '../../../src/domain/redaction/redaction-rules.js';
import { TextCleaner } from '../../../src/domain/redaction/text-cleaner.js';
import { makeWellFormed } from '../../../src/domain/redaction/well-formed.js';

/** A digest for tests: eight hexadecimal digits of a sum, equal for equal texts. */
const keyed = (text: string): string =>
  Array.from(text)
    .reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 0xffffffff, 7)
    .toString(16)
    .padStart(8, '0');

const redact = redactWith(keyed);

/** Parts are joined here so that no line of this file looks like a secret to a scanner. */
const made = (...parts: readonly string[]): string => parts.join('');
const letters = 'abcDEF123456ghiJKL7890';
const key = made(
  '-----BEGIN RSA PRIVATE ',
  'KEY-----\nMIIEow\nIBAAK==\n-----END RSA PRIVATE ',
  'KEY-----',
);

/** What the patterns are made of, and what separates it. */
// prettier-ignore
const PIECES = [
  'sk-', 'ant-', 'k_live_', 'sk_test_', 'rk_', 'ghp_', 'gho_', 'github_pat_', 'glpat-', 'AKIA', 'ASIA', 'AIza',
  'xoxb-', 'xapp-', 'npm_', 'hf_', 'SG.', 'pypi-', 'eyJ', '://', 'user', ':', '@', '=', ':=', '=>', '"', "'", '\\"',
  "\\'", '\\', ' ', '\n', '\u00a0', '    ', '.', '-', '_', '/', 'Authorization', 'PROXY-AUTHORIZATION', 'bearer ',
  'Bearer\t', 'BEARER', 'basic ', 'password', 'PASSWD', 'pwd', 'passphrase', 'Secret', 'credential', 'credentials',
  'token', 'accessToken', 'API_TOKEN', 'api_key', 'apiKey', 'PRIVATE-KEY', 'hunter22', 'correcthorse', 'ABCDEFGHIJ123456',
  'abcdefghijklmnopqrstuvwxyz', '0123456789', '[redacted:openai-key:0123abcd]', '[redacted:url-password:', '(', '日', '😀',
];

describe('redact', () => {
  // prettier-ignore
  it.each([
    { type: 'anthropic-key',  secret: made('sk-', 'ant-api03-', letters) },
    { type: 'openai-key',     secret: made('sk-', 'proj-', letters) },
    { type: 'github-token',   secret: made('gh', 'p_', letters, letters) },
    { type: 'aws-key',        secret: made('AK', 'IA', 'ABCDEFGHIJ123456') },
    { type: 'google-key',     secret: made('AI', 'za', letters, 'abcdefghijklm') },
    { type: 'slack-token',    secret: made('xo', 'xb-', '1234567890-abc') },
    { type: 'stripe-key',     secret: made('sk_', 'live_', letters) },
    { type: 'npm-token',      secret: made('np', 'm_', letters, 'abcdefghijklmn') },
    { type: 'jwt',            secret: made('ey', 'JhbGciOiJI.', 'ey', 'JzdWIiOiIx.', 'c2lnbmF0dXJl') },
    { type: 'private-key',    secret: key },
    { type: 'private-key',    secret: key.slice(0, 48) },
  ])('a secret of type $type is replaced wherever it stands', ({ type, secret }) => {
    const shown = placeholder(type, secret, keyed);
    expect(redact(`before ${secret}`)).toEqual({ text: `before ${shown}`, redactions: { [type]: 1 } });
    expect(redact(`"${secret}"`).text).toBe(`"${shown}"`);
  });

  // prettier-ignore
  it.each([
    { type: 'url-password',  before: 'postgres://app:',           secret: 'hunter2',        after: '@db:5432/x' },
    { type: 'url-password',  before: 'redis://:',                 secret: 'p4ss',           after: '@cache' },
    { type: 'authorization', before: 'Authorization: Bearer ',    secret: 'abcdef123456',   after: '' },
    { type: 'authorization', before: '"authorization": "Basic ',  secret: 'dXNlcjpwYXNz',   after: '"' },
    { type: 'assignment',    before: 'DB_PASSWORD=',              secret: 'correcthorse',   after: '\n' },
    { type: 'assignment',    before: '"client_secret": "',        secret: 'correct-horse',  after: '"' },
    { type: 'assignment',    before: "const apiKey = '",          secret: 'correct-horse',  after: "'" },
    { type: 'assignment',    before: '\\"password\\": \\"',       secret: 'hunter22',       after: '\\"' },
    { type: 'assignment',    before: 'access_token: ',            secret: 'f00ba4bar',      after: '' },
  ])('only the secret of `$before…` is replaced', ({ type, before, secret, after }) => {
    expect(redact(`${before}${secret}${after}`).text).toBe(
      `${before}${placeholder(type, secret, keyed)}${after}`,
    );
  });

  it.each([
    'const token = readToken(request);',
    'function check(token: string, secret: Buffer): boolean',
    'password: process.env.DB_PASSWORD',
    'api_key=${API_KEY}',
    '"jsonwebtoken": "^9.0.2"',
    'the token: it rotates every hour',
    'https://example.com:8080/path@2x.png',
    'sk-short',
    'tokens: 1200',
    "fetch(url, { credentials: 'include' })",
  ])('`%s` is no secret', (text) => {
    expect(redact(text)).toEqual({ text, redactions: {} });
  });

  it('gives equal secrets equal placeholders, and different ones different', () => {
    const [first, second, third] = ['alpha1', 'alpha1', 'beta22'].map(
      (secret) => redact(`PASSWORD=${secret}`).text,
    );
    expect(first).toBe(second);
    expect(first).not.toBe(third);
  });

  it('leaves a text that was redacted as it is', () => {
    const once = redact(`TOKEN="${letters}" Authorization: Bearer ${letters}`).text;
    expect(redact(once)).toEqual({ text: once, redactions: {} });
  });

  it('finds the same whether or not a first pass tells which rules may match', () => {
    const unmarked = redactWith(
      keyed,
      REDACTION_RULES.map(({ type, find }) => ({ type, find })),
    );
    const piece = constantFrom(...PIECES, letters, key, key.slice(0, 48));
    assertProperty(
      property(array(piece, { minLength: 2, maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        expect(redact(text)).toEqual(unmarked(text));
      }),
      { seed: 20261130, numRuns: 5_000 },
    );
  });

  it.each([
    'a',
    'eyJ-',
    'eyJaaaaaaaa.',
    'sk-',
    'token=',
    'token="',
    '://a:',
    'bearer ',
    'password = ',
    '-----BEGIN RSA PRIVATE KEY-----',
  ])('takes time in proportion to the length of a hostile text of `%s`', (piece) => {
    const [short, long] = [250_000, 1_000_000].map((length) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      const start = performance.now();
      redact(text);
      return performance.now() - start;
    });
    // Four times the text; a quadratic pattern takes sixteen times as long, and minutes in all.
    expect(long).toBeLessThan((short ?? 0) * 12 + 400);
  });
});

describe('makeWellFormed', () => {
  // prettier-ignore
  it.each([
    { rule: 'a lone high surrogate',    given: 'a\ud83d',        text: 'a\ufffd',    repaired: 1 },
    { rule: 'a lone low surrogate',     given: '\ude00a',        text: '\ufffda',    repaired: 1 },
    { rule: 'the character zero',       given: 'a\0b\0',         text: 'a\ufffdb\ufffd', repaired: 2 },
    { rule: 'nothing in a whole emoji', given: 'a😀👩‍👩‍👧',     text: 'a😀👩‍👩‍👧',  repaired: 0 },
  ])('replaces $rule', ({ given, text, repaired }) => {
    expect(makeWellFormed(given)).toEqual({ text, repaired });
  });

  it('makes every text well-formed and is done after one pass', () => {
    assertProperty(
      property(array(integer({ min: 0, max: 0xffff })), (codes) => {
        const { text } = makeWellFormed(String.fromCharCode(...codes));
        expect(text).not.toMatch(/\p{Surrogate}/u);
        expect(makeWellFormed(text)).toEqual({ text, repaired: 0 });
      }),
      { seed: 20260131 },
    );
  });
});

describe('TextCleaner', () => {
  it('cleans names and values of JSON, and takes a value as secret by its name', () => {
    const cleaner = new TextCleaner(redact);
    const cleaned = cleaner.cleanJson({
      note: 'a\ud83d',
      list: [{ password: 'two words here' }, 'DB_PASSWORD=correcthorse'],
      limit: 3,
    });
    expect(JSON.stringify(cleaned)).not.toMatch(/correcthorse|\\ud83d/);
    expect(cleaner.repaired).toBe(1);
    expect(cleaner.redactions).toEqual({ assignment: 1 });
  });

  it('adds up over all texts', () => {
    const cleaner = new TextCleaner(redact);
    cleaner.clean('PASSWORD=correcthorse');
    cleaner.clean('TOKEN=correcthorse \0');
    expect(cleaner.redactions).toEqual({ assignment: 2 });
    expect(cleaner.repaired).toBe(1);
  });
});
