/** Facts: what an answer must hold, taken from what stands in the span. */

export const FACT_KINDS = [
  'exact',
  'path',
  'number',
  'state',
  'set',
  'ordered',
  'choice',
  'free',
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** What a fact is about; decides which criterion it counts for. */
export const FACT_TOPICS = [
  'value',
  'constraint',
  'files-created',
  'files-modified',
  'files-read',
  'files-deleted',
  'files-renamed',
  'file-state',
  'key-details',
  'todos',
  'tests',
  'errors',
  'ask',
  'decision',
  'rejected',
] as const;
export type FactTopic = (typeof FACT_TOPICS)[number];

export interface Fact {
  /** Unique in its probe. */
  readonly factId: string;
  readonly kind: FactKind;
  readonly topic: FactTopic;
  /** What the value belongs to where a text may speak of several: a path, a todo, `exit code`. */
  readonly subject: string | null;
  /** Of `set` and `ordered` a list, else one text. */
  readonly value: string | readonly string[];
  /** Other ways to write the value that count as it. */
  readonly aliases: readonly string[];
  /**
   * The closed list that the value is from. Of `state` and `choice` every member; of a set what could
   * be named by mistake, such as finished todos beside the open ones.
   */
  readonly options: readonly string[];
  readonly required: boolean;
  /** Entries of the span that prove it; never empty. */
  readonly sourceEntryIds: readonly string[];
}

export function valuesOf({ value }: Pick<Fact, 'value'>): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

/** Facts whose members are paths. */
export function isOfPaths({ kind, topic }: Pick<Fact, 'kind' | 'topic'>): boolean {
  return kind === 'path' || topic.startsWith('files-');
}
