/** What is wrong with a setting, a ratio or a file is said in our words: name, bounds, what to do. */
import { describe, expect, it } from '@jest/globals';
import {
  parseCompressionRatio,
  parseReserveRatio,
} from '../../src/domain/context/compression-ratio.js';
import { configFromEnv, parseConfig } from '../../src/infrastructure/config/config.js';
import { answer } from '../interfaces/cli/cli-support.js';
import { createTestDatabase } from '../support/postgres.js';

/** Fails where a validator's own words come through. */
const OUR_WORDS = /^(?!.*(Invalid input|expected|received|Too |Unrecognized))/;

describe('a variable of the environment', () => {
  // prettier-ignore
  it.each([
    { env: { OSSATURE_MAX_DEPTH: 'abc' },     says: 'OSSATURE_MAX_DEPTH must be a whole number from 1 to 100, such as 5, not "abc".' },
    { env: { OSSATURE_MAX_DEPTH: '101' },     says: 'OSSATURE_MAX_DEPTH must be a whole number from 1 to 100, such as 5, not "101".' },
    { env: { OSSATURE_MAX_DEPTH: '0' },       says: 'OSSATURE_MAX_DEPTH must be a whole number from 1 to 100, such as 5, not "0".' },
    { env: { OSSATURE_MAX_DEPTH: '2.5' },     says: 'OSSATURE_MAX_DEPTH must be a whole number from 1 to 100, such as 5, not "2.5".' },
    { env: { OSSATURE_SCHEMA: 'Of Mine' },    says: 'OSSATURE_SCHEMA must be a lower-case Postgres name of at most 40 characters, such as ossature, not "Of Mine".' },
    { env: { OSSATURE_LOG_LEVEL: 'loud' },    says: 'OSSATURE_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud".' },
    { env: { DATABASE_URL: 'mysql://u:pw@h' }, says: 'DATABASE_URL must be an address such as postgres://user@host:5432/name.' },
  ])('that breaks its rule is named with the rule and an example: $env', ({ env, says }) => {
    expect(() => configFromEnv(env)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', message: says }));
  });

  it('that is fine is read', () => {
    expect(configFromEnv({ OSSATURE_MAX_DEPTH: '7' }).config).toMatchObject({ maxDepth: 7 });
  });
});

describe('a setting of the library', () => {
  // prettier-ignore
  it.each([
    { config: { poolSize: 0 },     says: 'config.poolSize must be a whole number from 1 to 500, such as 10, not 0.' },
    { config: { maxDepth: '5' },   says: 'config.maxDepth must be a whole number from 1 to 100, such as 5, not "5".' },
    { config: { maxdepth: 5 },     says: 'config.maxdepth is not known; known are schema, maxDepth, poolSize, model, maxAttachmentBytes, maxFragmentTokens, thinking.' },
    { config: 'ossature',          says: 'config must be an object with schema, maxDepth, poolSize, model, maxAttachmentBytes, maxFragmentTokens, thinking.' },
  ])('that breaks its rule is named: $config', ({ config, says }) => {
    expect(() => parseConfig(config as never)).toThrow(says);
    expect(says).toMatch(OUR_WORDS);
  });
});

describe('a ratio out of range', () => {
  it.each([
    {
      parse: parseCompressionRatio,
      says: /got 15\. Give the share of the tokens to remove, such as 0\.15\.$/,
    },
    {
      parse: parseReserveRatio,
      says: /got 15\. Give the share of the tokens to reserve, such as 0\.15\.$/,
    },
  ])('says what to give: $says', ({ parse, says }) => {
    expect(() => parse(15)).toThrow(says);
  });
});

describe('a database import', () => {
  it('of an empty file says that it is empty', async () => {
    const database = await createTestDatabase();
    const env = { DATABASE_URL: database.url };
    await answer(['database', 'migrate'], { env });
    const { exit_code, messages } = await answer(['database', 'import', '-'], { env, stdin: '' });
    expect(exit_code).toBe(1);
    expect(messages[0]).toMatchObject({
      code: 'INVALID_INPUT',
      text: expect.stringMatching(/^The file is empty/),
    });
    await database.drop();
  });
});
