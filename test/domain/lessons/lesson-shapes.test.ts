/** What lessons lose beside the finds of the core: in doubt it goes, and an exemption opens no neighbour. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redactLesson } from '../../../src/domain/lessons/lesson-shapes.js';
import { redactWith } from '../../../src/domain/redaction/redact.js';

const redact = redactLesson(redactWith((text) => createHash('sha256').update(text).digest('hex')));

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Joined here, so that no line of this file looks like a secret. */
const joined = (...parts: readonly string[]): string => parts.join('');

describe('a lesson loses', () => {
  it.each([
    ['a card number', 'Pay by 4111 1111 1111 1111 today', 'Pay by [redacted:card-number] today'],
    ['one of 15 digits', 'amex 378282246310005.', 'amex [redacted:card-number].'],
    ['one of 13 digits', '4222222222222', '[redacted:card-number]'],
    ['one of 19 digits', '6304000000000000000', '[redacted:card-number]'],
    ['one with dashes', '5555-5555-5555-4444', '[redacted:card-number]'],
    [
      'who an address belongs to',
      'Ask bob.b+x@corp.example.com, soon',
      'Ask corp.example.com, soon',
    ],
    ['two of them', 'a@b.io b@c.io', 'b.io c.io'],
    ['a password of six characters', 'password=hunter', 'password=[redacted:assignment]'],
    ['a token that is letters alone', `token: ${LETTERS}`, 'token: [redacted:assignment]'],
    [
      'a bearer of twenty characters',
      `Send bearer ${LETTERS.slice(0, 20)}`,
      'Send bearer [redacted:authorization]',
    ],
    ['a key of maps', joined('pk.', 'eyJ1IjoiYSJ9abc.', LETTERS), '[redacted:mapbox-token]'],
    ['a key of payments', joined('sq0', 'atp-', LETTERS), '[redacted:square-token]'],
    [
      'a bot of a chat',
      joined('123456789:', 'AA', LETTERS, LETTERS.slice(0, 7)),
      '[redacted:telegram-token]',
    ],
    [
      'a secret beside a reference',
      'password=$PASSWORD secret=hunter',
      'password=$PASSWORD secret=[redacted:assignment]',
    ],
  ])('%s', (_case, text, expected) => {
    expect(redact(text).text).toBe(expected);
  });
});

it('what stands beside a find is looked at again', () => {
  const once = redact('bearer bob@corp.compassword.7').text;
  expect(once).toMatch(/^bearer \[redacted:authorization:\w{8}\]$/);
});

describe('a lesson keeps', () => {
  it.each([
    ['a number whose check digit is wrong', '4111 1111 1111 1112'],
    ['a number of 12 digits', '411111111111'],
    ['zeros', '0000000000000000'],
    ['a long fraction', '3.1415926535897932'],
    ['an address that nobody reads', 'noreply@corp.com and bot+no-reply@github.com'],
    ['the account of a code host', 'git clone git@github.com:a/b.git'],
    ['a package with its version', 'left-pad@1.3.0 and @scope/name@2.0.0'],
    ['a fact of the offline world', 'Mind @idem and @body200.'],
    ['a password of five characters', 'password=abcde'],
    ['a reference', 'password=${DB_PASSWORD} token=process.env.TOKEN'],
    [
      'the name of a resource',
      'secret=app-db-secret, token: authToken, password_file: api_key_path',
    ],
    ['a call', 'token = readToken(), secret = decrypt(it)'],
    ['a word of a language', 'token: string; password: required'],
    ['a bearer of a few letters', 'The bearer token is sent'],
  ])('%s', (_case, text) => {
    expect(redact(text)).toEqual({ text, redactions: {} });
  });
});

it('what it found is counted by type', () => {
  expect(redact('a@b.io 4111111111111111 c@d.io').redactions).toEqual({
    'card-number': 1,
    email: 2,
  });
});

it('applied again it changes nothing', () => {
  const piece = fc.constantFrom(
    'password',
    '=',
    ': ',
    '"',
    'hunter22',
    '4111 1111 1111 1111',
    'bob@corp.com',
    'bearer ',
    LETTERS,
    ' ',
    '@',
    '.',
    'token',
    '$',
    '7',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
      const once = redact(pieces.join('')).text;
      expect(redact(once).text).toBe(once);
    }),
    { numRuns: 1_000 },
  );
});
