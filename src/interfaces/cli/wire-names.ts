/** From the names of the code to the names of the wire, in this one place: camelCase becomes snake_case. */

/** Keys that are somebody else's data, such as the metadata of a fragment, are passed on as they are. */
export class Verbatim {
  constructor(readonly value: unknown) {}
}

/** A value as JSON and YAML show it: snake_case keys, dates as ISO 8601, no undefined. */
export function toWire(value: unknown): unknown {
  if (value instanceof Verbatim) return value.value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [toSnakeCase(name), toWire(member)]),
  );
}

export function toSnakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
