/** The schema of the store that the environment names. */
import { withCore } from '../open-core.js';
import type { Terminal } from '../terminal.js';
import type { CommandResult, Field, Message } from '../view.js';

const WHATEVER_ITS_SCHEMA = { checkSchema: false };

export function migrate(terminal: Terminal): Promise<CommandResult> {
  return withCore(
    terminal,
    async (core) => {
      const applied = await core.migrate();
      return {
        data: { store: core.storeDescription, applied },
        view: [
          {
            block: 'fields',
            title: 'Migrated',
            fields: [
              ['store', core.storeDescription],
              ['applied', applied.length === 0 ? 'none, it is up to date' : applied.join(', ')],
            ],
          },
        ],
      };
    },
    WHATEVER_ITS_SCHEMA,
  );
}

export function checkSchema(terminal: Terminal): Promise<CommandResult> {
  return withCore(
    terminal,
    async (core) => {
      const { schema, applied, pending, unknown } = await core.checkSchema();
      const state = unknown.length > 0 ? 'newer' : pending.length > 0 ? 'outdated' : 'current';
      return {
        data: { store: core.storeDescription, schema, state, applied, pending, unknown },
        view: [
          {
            block: 'fields',
            title: 'Schema',
            fields: [
              ['store', core.storeDescription],
              ['schema', schema],
              ['state', state],
              ['applied', String(applied.length)],
              ...listed('pending', pending),
              ...listed('unknown', unknown),
            ],
          },
        ],
        ...VERDICTS[state],
      };
    },
    WHATEVER_ITS_SCHEMA,
  );
}

const VERDICTS: Readonly<
  Record<'current' | 'outdated' | 'newer', Pick<CommandResult, 'exitCode' | 'messages'>>
> = {
  current: {},
  outdated: {
    exitCode: 1,
    messages: [
      {
        level: 'error',
        code: 'SCHEMA_OUTDATED',
        text: 'The schema is older than this version. Run `agents database migrate`.',
      },
    ],
  },
  newer: {
    exitCode: 1,
    messages: [
      {
        level: 'error',
        code: 'SCHEMA_TOO_NEW',
        text: 'The schema is newer than this version. Install the version that migrated it, or a later one.',
      },
    ],
  },
};

function listed(label: string, names: readonly string[]): readonly Field[] {
  return names.length === 0 ? [] : [[label, names.join(', ')]];
}

export interface RevertWishes {
  readonly force?: boolean;
}

export function revert(
  terminal: Terminal,
  { force = false }: RevertWishes,
): Promise<CommandResult> {
  return withCore(
    terminal,
    async (core) => {
      const reverted = await core.revert({ force });
      const comesBack = reverted !== null && (terminal.env['DATABASE_URL'] ?? '') === '';
      return {
        data: { store: core.storeDescription, reverted },
        view: [
          {
            block: 'fields',
            title: 'Reverted',
            fields: [
              ['store', core.storeDescription],
              ['reverted', reverted ?? 'nothing, no migration is applied'],
            ],
          },
        ],
        messages: comesBack ? [NEXT_COMMAND_MIGRATES] : [],
      };
    },
    WHATEVER_ITS_SCHEMA,
  );
}

const NEXT_COMMAND_MIGRATES: Message = {
  level: 'info',
  text: 'The next command other than `database check` and `database revert` brings this store up to date again: go back to the older version before you run one.',
};
