/** The architecture rules fail on a deliberate violation of each: a rule that cannot fail guards nothing. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../..', import.meta.url));
const violations = join(root, 'test/architecture/violations');

function brokenRules(): ReadonlySet<string> {
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      '--config',
      join(root, '.dependency-cruiser.cjs'),
      '--output-type',
      'json',
      'src',
    ],
    { cwd: violations, encoding: 'utf8' },
  );
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { rule: { name: string }; from: string }[] };
  };
  return new Set(summary.violations.map(({ rule, from }) => `${rule.name} ${from}`));
}

function sourcesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path));
}

/** The code of a file without its comments, so that a word in a sentence is not taken for a call. */
function codeOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '');
}

describe('the dependency rules', () => {
  const broken = brokenRules();

  it.each([
    ['domain-imports-nothing', 'src/domain/context/reads-a-file.ts'],
    ['domain-imports-nothing', 'src/domain/context/knows-a-package-as-a-type.ts'],
    ['kernel-knows-no-feature', 'src/domain/kernel/knows-a-feature.ts'],
    ['domain-skeleton-looks-left', 'src/domain/skeleton/looks-right.ts'],
    ['application-skeleton-looks-left', 'src/application/skeleton/looks-right.ts'],
    ['application-imports-domain-only', 'src/application/plan/knows-an-adapter.ts'],
    ['inversify-stays-in-the-container', 'src/infrastructure/system/knows-inversify.ts'],
    ['infrastructure-knows-no-interface', 'src/infrastructure/system/knows-an-interface.ts'],
    ['interfaces-enter-by-the-container', 'src/interfaces/cli/goes-round-the-container.ts'],
    ['only-infrastructure-knows-the-database', 'src/interfaces/cli/knows-the-database.ts'],
    ['adapters-stand-apart', 'src/infrastructure/persistence/in-memory/knows-the-other.ts'],
    ['no-cycles', 'src/application/plan/one.ts'],
    ['everything-resolves', 'src/application/plan/unresolved.ts'],
  ])('%s catches %s', (rule, file) => {
    expect(broken).toContain(`${rule} ${file}`);
  });
});

describe('what no import shows', () => {
  it.each([
    ['waits', /\basync (function|\(|\w+ *=>)|\bawait /],
    ['reads the clock', /\bnew Date\(\)|\bDate\.now\b|\bperformance\./],
    ['throws dice', /\bMath\.random\b|\bcrypto\b/],
    ['compares by locale', /\blocaleCompare\b|\bIntl\.(?!Segmenter)|toLocale/],
    ['touches the process', /\bprocess\.|\bconsole\.|\bsetTimeout\b|\bsetInterval\b/],
  ])('nothing in the domain %s', (_, forbidden) => {
    const offenders = sourcesBelow('src/domain').filter((path) => forbidden.test(codeOf(path)));

    expect(offenders).toEqual([]);
  });

  it('there is no barrel but the public entry and the list of migrations', () => {
    const barrels = [...sourcesBelow('src'), ...sourcesBelow('migrations')].filter((path) =>
      path.endsWith('/index.ts'),
    );

    expect(barrels).toEqual(['src/index.ts', 'migrations/index.ts']);
  });

  it('no aggregate is saved over what somebody else changed', () => {
    const offenders = sourcesBelow('src').filter((path) => /\.save\(/.test(codeOf(path)));

    expect(offenders).toEqual([]);
  });
});
