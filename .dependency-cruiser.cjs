/** The layers, as rules that fail. `test/architecture` runs them on deliberate violations too. */
const FEATURES_LEFT_OF = {
  redaction: ['kernel'],
  context: ['kernel'],
  relevance: ['kernel', 'context'],
  skeleton: ['kernel', 'context'],
  assembly: ['kernel', 'context', 'relevance', 'skeleton'],
  session: ['kernel', 'redaction'],
  evaluation: ['kernel', 'redaction', 'relevance', 'session'],
  workflow: ['kernel', 'context', 'redaction', 'session'],
  lessons: ['kernel', 'redaction', 'relevance'],
  plan: ['kernel', 'context', 'relevance', 'skeleton', 'assembly', 'session'],
};

/** Features whose recipes give context: their strategies implement the port of the assembly. */
const GIVES_CONTEXT = ['session', 'lessons'];

const portsOf = (layer, feature) =>
  layer === 'application' && GIVES_CONTEXT.includes(feature) ? ['assembly'] : [];

const featureRules = ['domain', 'application'].flatMap((layer) =>
  Object.entries(FEATURES_LEFT_OF).map(([feature, allowed]) => ({
    name: `${layer}-${feature}-looks-left`,
    comment: 'A feature knows only the features to its left: see ARCHITECTURE.md.',
    severity: 'error',
    from: { path: `^src/${layer}/${feature}/` },
    to: {
      path: `^src/${layer}/`,
      pathNot: `^src/${layer}/(${[feature, 'ports', ...portsOf(layer, feature), ...allowed].join('|')})/`,
    },
  })),
);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'domain-imports-nothing',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { pathNot: '^src/domain/' },
    },
    {
      name: 'kernel-knows-no-feature',
      severity: 'error',
      from: { path: '^src/domain/kernel/' },
      to: { path: '^src/domain/', pathNot: '^src/domain/kernel/' },
    },
    {
      name: 'application-imports-domain-only',
      severity: 'error',
      from: { path: '^src/application/' },
      to: { pathNot: '^src/(domain|application)/' },
    },
    {
      name: 'infrastructure-knows-no-interface',
      severity: 'error',
      from: { path: '^src/infrastructure/' },
      to: { path: '^src/interfaces/' },
    },
    {
      name: 'inversify-stays-in-the-container',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/infrastructure/container/' },
      to: { path: 'node_modules/(inversify|@inversifyjs|reflect-metadata)' },
    },
    {
      name: 'interfaces-enter-by-the-container',
      comment: 'A command translates; what it needs of infrastructure it gets from the façade.',
      severity: 'error',
      from: { path: '^src/interfaces/' },
      to: {
        path: '^src/infrastructure/',
        pathNot:
          '^src/infrastructure/(container/(create-ossature|open-store)|config/config|system/pino-logger|persistence/embedded/(local-server|local-server-place|ossature-home))\\.ts$',
      },
    },
    {
      name: 'only-infrastructure-knows-the-database',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/infrastructure/' },
      to: { path: 'node_modules/(typeorm|pg|@electric-sql)/' },
    },
    {
      name: 'adapters-stand-apart',
      comment: 'One persistence technology knows nothing of the other.',
      severity: 'error',
      from: { path: '^src/infrastructure/persistence/([^/]+)/' },
      to: {
        path: '^src/infrastructure/persistence/',
        pathNot: '^src/infrastructure/persistence/$1/',
      },
    },
    {
      name: 'migrations-import-typeorm-only',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { pathNot: '^(migrations/|node_modules/typeorm/)' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-cycles-between-features',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/(domain|application)/[^/]+$' },
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/' },
      to: {},
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    ...featureRules,
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'test/architecture/violations' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
