/** The library's settings and the command line's environment, each checked once and in one place. */
import { z } from 'zod';
import { OssatureError } from '../../domain/kernel/errors.js';
import { DEFAULT_MAX_DEPTH } from '../../domain/plan/plan.js';

const settings = z.strictObject({
  /** The Postgres schema that holds everything of ours; letters, digits and underscores. */
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,39}$/, 'must be a lower-case Postgres name of at most 40 characters')
    .default('ossature'),
  /** Generations below a root; a plan at this depth cannot spawn. */
  maxDepth: z.int().min(1).max(100).default(DEFAULT_MAX_DEPTH),
  /** Connections of a pool that the core opens itself. */
  poolSize: z.int().min(1).max(500).default(10),
});

export type OssatureConfig = z.infer<typeof settings>;
export type OssatureConfigInput = z.input<typeof settings>;

export function parseConfig(input: OssatureConfigInput = {}): OssatureConfig {
  return checked(settings, input, 'config');
}

const environment = z.object({
  /** A Postgres server to use instead of the store in the home folder. */
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres:// or postgresql://')
    .exactOptional(),
  /** Log lines on stderr from this level up. */
  OSSATURE_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('error'),
  OSSATURE_SCHEMA: settings.shape.schema,
  OSSATURE_MAX_DEPTH: z.coerce.number().pipe(z.int().min(1).max(100)).default(DEFAULT_MAX_DEPTH),
});

export interface EnvironmentConfig {
  readonly databaseUrl: string | null;
  readonly logLevel: z.infer<typeof environment>['OSSATURE_LOG_LEVEL'];
  readonly config: OssatureConfigInput;
}

/** What the command line reads from its environment. The library itself never looks there. */
export function configFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): EnvironmentConfig {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = checked(environment, present, 'environment');
  return {
    databaseUrl: parsed.DATABASE_URL ?? null,
    logLevel: parsed.OSSATURE_LOG_LEVEL,
    config: { schema: parsed.OSSATURE_SCHEMA, maxDepth: parsed.OSSATURE_MAX_DEPTH },
  };
}

function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new OssatureError(
    'INVALID_CONFIG',
    `${what}${field === '' ? '' : ` ${field}`}: ${issue?.message ?? 'is invalid'}.`,
    { details: { field }, cause: parsed.error },
  );
}
