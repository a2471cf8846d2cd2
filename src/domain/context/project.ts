/** A project: the owner of plans and of one context policy. Known by its name, which is unique in a store. */
import { OssatureError } from '../kernel/errors.js';
import type { ProjectId } from '../kernel/ids.js';
import { requireText } from '../kernel/text.js';

export interface Project {
  readonly projectId: ProjectId;
  readonly name: string;
  readonly createdAt: Date;
}

/** Characters. Long enough for any path-like name, short enough for one line of a table. */
export const MAX_NAME_LENGTH = 200;

const CONTROL_CHARACTER = /\p{Cc}/u;

/** A name as it may be typed and printed on one line. INVALID_INPUT names the field. */
export function parseName(value: unknown, field: string): string {
  const name = requireText(value, field, { maxLength: MAX_NAME_LENGTH }).trim();
  if (!CONTROL_CHARACTER.test(name)) return name;
  throw new OssatureError('INVALID_INPUT', `${field} must not contain control characters.`, {
    details: { field },
  });
}
