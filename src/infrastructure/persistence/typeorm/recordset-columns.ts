/** Columns of a table as `json_to_recordset` reads them: many rows in one parameter, whatever their number. */

type Row = Readonly<Record<string, unknown>>;

/** Columns with their types and the fields they hold. */
export type Columns<Value> = Readonly<Record<string, readonly [type: string, field: keyof Value]>>;

export function namesIn<Value>(columns: Columns<Value>): string {
  return Object.keys(columns).join(', ');
}

export function typesIn<Value>(columns: Columns<Value>): string {
  return Object.entries(columns)
    .map(([column, [type]]) => `${column} ${type}`)
    .join(', ');
}

/** @param alias of the table, where names alone are ambiguous. */
export function fieldsIn<Value>(columns: Columns<Value>, alias?: string): string {
  const of = alias === undefined ? '' : `${alias}.`;
  return Object.entries(columns)
    .map(([column, [, field]]) => `${of}${column} as "${String(field)}"`)
    .join(', ');
}

export function rowIn<Value>(columns: Columns<Value>, value: Value): Row {
  return Object.fromEntries(
    Object.entries(columns).map(([column, [, field]]) => [column, value[field]]),
  );
}
