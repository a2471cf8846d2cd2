/** Words by which texts tell a state; the closed lists of `state` facts are made of the keys. */

export const STATE_WORDS: Readonly<Record<string, readonly string[]>> = {
  created: ['created', 'newly made', 'added'],
  modified: ['modified', 'changed', 'edited', 'updated'],
  'read only': ['read only', 'only read', 'read-only', 'read'],
  deleted: ['deleted', 'removed'],
  renamed: ['renamed', 'moved'],
  open: ['open', 'pending', 'in progress', 'in-progress', 'not done'],
  done: ['done', 'completed', 'finished', 'resolved', 'closed'],
};

export const FILE_STATES = ['created', 'modified', 'read only', 'deleted', 'renamed'] as const;
export const WORK_STATES = ['open', 'done'] as const;

/** The option first, then what counts as it. */
export function wordsOf(option: string): readonly string[] {
  return STATE_WORDS[option] ?? [option];
}
