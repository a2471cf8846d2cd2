/** A result as a person reads it, said once and shown in two ways: rich and plain. */

export type Field = readonly [label: string, value: string];

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Narrowed first where the terminal is too small; ids are not. */
  readonly isElastic?: boolean;
  /** Where it is too narrow: what stands before the last colon of an id goes first. */
  readonly isId?: boolean;
}

export type Block =
  /** One thing: a panel in rich, `label: value` lines in plain. */
  | {
      readonly block: 'fields';
      readonly title: string;
      readonly isPart?: boolean;
      readonly fields: readonly Field[];
    }
  | {
      readonly block: 'table';
      readonly title: string;
      /** Of the block before: plain then names it and sets it in. */
      readonly isPart?: boolean;
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly string[])[];
      /** Said instead of a table without rows. */
      readonly none: string;
    }
  /** Text as it is, line ends included. */
  | { readonly block: 'text'; readonly text: string };

export interface Message {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  /** Only with errors: the stable code that programs act on. */
  readonly code?: string;
  /** Only with errors: facts that programs act on. */
  readonly details?: unknown;
}

export interface CommandResult {
  /** What JSON and YAML show under `data`, in the names of the code. */
  readonly data: unknown;
  readonly view: readonly Block[];
  readonly messages?: readonly Message[];
  /** 1 where the answer itself is bad news. */
  readonly exitCode?: 0 | 1;
  /** The result went to stdout already, as it came. */
  readonly isWritten?: boolean;
}

/** 1234567 → 1,234,567; the same on every machine. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}
