/** Lists in the docs are the lists in the code, and what ARCHITECTURE.md points at exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import * as api from '../../src/index.js';
import {
  DEFAULT_LESSON_SETTINGS,
  LESSON_SETTING_KEYS,
  settingRange,
} from '../../src/domain/lessons/lesson-settings.js';
import { configFromEnv, parseConfig } from '../../src/infrastructure/config/config.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const firstCells = (page: string): readonly string[] =>
  [...page.matchAll(/^\| `?([\w.]+)`? \|/gm)].map(([, cell = '']) => cell);

describe('the docs', () => {
  it('explain every error code, and no other', () => {
    const explained = firstCells(read('docs/errors.md')).filter((cell) => /^[A-Z_]+$/.test(cell));

    expect(explained).toEqual([...api.ERROR_CODES]);
  });

  it('explain every setting of the library, with its default', () => {
    const page = read('docs/configuration.md');
    const defaults = parseConfig();

    for (const [name, value] of Object.entries(defaults)) {
      expect(page).toMatch(
        new RegExp(`^\\| \`${name}\` \\| \`?${typeof value === 'object' ? '' : value}\`? \\|`, 'm'),
      );
    }
  });

  it('explain every variable that the command line reads', () => {
    const page = read('docs/configuration.md');
    const source = read('src/infrastructure/config/config.ts');
    const variables = [...source.matchAll(/^ {2}([A-Z_]{5,}):/gm)].map(([, name = '']) => name);

    expect(variables.length).toBeGreaterThan(2);
    for (const name of variables) expect(page).toContain(`| \`${name}\` |`);
    expect(configFromEnv({}).databaseUrl).toBeNull();
  });

  it('explain every setting of lessons, with its default and its bounds', () => {
    const page = read('docs/configuration.md');
    const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z_]+)` \|(.*)\|$/gm)].map(
      ([, key = '', cells = '']) => [key, cells.split(' | ').slice(0, 2).join(' | ').trim()],
    );
    const expected = LESSON_SETTING_KEYS.map((key) => [
      key,
      `\`${JSON.stringify(DEFAULT_LESSON_SETTINGS[key])}\` | ${settingRange(key)}`,
    ]);

    expect(rows).toEqual(expected);
  });

  it('number the decision records without a gap', () => {
    const numbers = readdirSync(`${root}docs/decisions`).map((name) => Number(name.slice(0, 4)));

    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
  });

  it.each([
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'README.md',
    'docs/ports.md',
    'docs/embedding.md',
  ])('%s points only at files that exist', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) => to);
    const paths = [
      ...read(page).matchAll(/`((?:src|test|bench|docs|examples|scripts|migrations)\/[\w./-]+)`/g),
    ].map(([, path = '']) => path);
    const folder = page.includes('/') ? page.slice(0, page.lastIndexOf('/') + 1) : '';
    const missing = [
      ...links.filter((to) => !existsSync(`${root}${folder}${to}`)),
      ...paths.filter((path) => !existsSync(`${root}${path}`)),
    ];

    expect(missing).toEqual([]);
  });
});

describe('the public API', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(api).sort()).toEqual(
      [
        'DECISION_TYPES',
        'DEFAULT_MAX_DEPTH',
        'DEFAULT_SKELETON_RATIO',
        'ERROR_CODES',
        'EXPAND_TOOL',
        'MAX_DEPTHS',
        'OssatureError',
        'STAGE_NAMES',
        'SkeletonCompressorService',
        'TOKENS',
        'TOOL_MAPPINGS',
        'aiSdkLanguageModel',
        'artifactsUnder',
        'detectFormat',
        'doneSince',
        'fileSource',
        'findArtifact',
        'lastCommands',
        'listArtifacts',
        'openErrors',
        'redactWith',
        'transcriptReaders',
        'availableInWindow',
        'compressSkeleton',
        'compressToBudget',
        'compressWeighed',
        'contentDomainOf',
        'createOssature',
        'createStrategyExecutor',
        'dropDuplicates',
        'httpLanguageModel',
        'isUlid',
        'orderFragments',
        'packFragments',
        'parseCompressionRatio',
        'parseContextBudget',
        'parseDecisionId',
        'parsePlanId',
        'parseReserveRatio',
        'promptedReviewer',
        'promptedSummarizer',
        'provide',
        'provideStrategy',
        'provideValue',
        'rankFragments',
        'renderAtDepth',
        'renderPayload',
        'replace',
        'requireLanguageModel',
        'resolveDepth',
        'scoreRelevance',
        'selectWithinBudget',
        'selectStrategies',
        'shareBudget',
        'tokensLeft',
        'tokensReserved',
        'writePreamble',
      ].sort(),
    );
  });
});
