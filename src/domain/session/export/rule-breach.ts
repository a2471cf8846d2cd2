/** A place where a request breaks a published rule of its provider. */
import { jsonFault } from '../../kernel/text.js';
import { isJsonObject, type JsonObject } from '../../redaction/json-value.js';

export interface RuleBreach {
  /** The rule, kebab-case. */
  readonly rule: string;
  /** Index of the message or item; null for the request as a whole. */
  readonly message: number | null;
  /** What was found, with ids but never with contents. */
  readonly found: string;
}

/** Longest part of an id that a breach repeats, in UTF-16 units. */
const TOLD_LENGTH = 80;

/** Takes breaches as a validator finds them. */
export class BreachList {
  readonly breaches: RuleBreach[] = [];

  /** @param found an id or a name; of anything else only its type is told. */
  add(rule: string, message: number | null, found: unknown = ''): void {
    const told = typeof found === 'string' ? found.slice(0, TOLD_LENGTH) : typeof found;
    this.breaches.push({ rule, message, found: told });
  }
}

/** Messages as objects; what is no list, empty, no object or ill-formed text is a breach. */
export function readMessages(messages: unknown, list: BreachList): readonly JsonObject[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    list.add('at-least-one-message', null);
    return [];
  }
  return messages.flatMap((message: unknown, index) => {
    if (!isJsonObject(message)) {
      list.add('message-is-an-object', index);
      return [];
    }
    const fault = jsonFault(message);
    if (fault !== null) list.add('well-formed-text', index, fault);
    return [message];
  });
}

export function isVisibleText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Ids and names of the form that the large providers publish. */
export function isName(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength && /^[A-Za-z0-9_-]+$/.test(value);
}
