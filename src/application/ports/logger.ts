/** Outcomes of recipes. An event is a noun and a verb (`plan.spawned`); fields are ids, counts and reasons, never contents. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
