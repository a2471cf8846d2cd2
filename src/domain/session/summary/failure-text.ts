/** Texts that stand for a failure or for nothing, and must never become part of a summary. */
import type { KnownTexts } from './identifiers.js';

/** The whole text is a stand-in. */
const PLACEHOLDER =
  /^[\s"'`*_([{<-]*(?:n\/?a|none|null|nil|undefined|nan|\[?object object\]?|todo|tbd|tba|fixme|\.{2,}|…|-+|_+|x{3,}|placeholder|lorem ipsum.*|summary|summary (?:of (?:the )?(?:conversation|session|earlier work))?|(?:no|empty) (?:summary|content|response|output|text)(?: (?:available|provided|generated))?|(?:your|insert|add|some|the) (?:summary|text|content)(?: here)?|(?:summary|conversation|history|content|context)(?: (?:is|was|has been))? (?:unavailable|not available|omitted|truncated|removed|redacted|missing|empty|pending)|previous (?:conversation|messages?).{0,80}(?:too long|omitted|truncated|removed|unavailable).*)[\s"'`*_)\]}>.:!-]*$/iu;

/** A beginning as exceptions and error messages have it. */
const ERROR_START =
  /^[\s"'`*_([{<-]*(?:(?:fatal |internal |unknown |unexpected |uncaught |api |server |request |network |model |llm )*(?:error|exception|failure)\b(?: (?:code|generating|while|during|calling|in|from)\b.*?)?\s*[:(\-–—]|(?:[A-Za-z_.]+)?(?:Error|Exception|Timeout)\b\s*[:(]|traceback \(most recent|panic:|http (?:status )?[45]\d\d\b|[45]\d\d (?:too many|internal|bad|service|gateway|unauthorized|forbidden|not found|payload)|failed to (?:generate|summari[sz]e|compact|call|reach|connect to)|(?:could|can)(?:not|n't| not) (?:generate|summari[sz]e|compact))/iu;

/** What a model's service, or a model that declines, says of itself. */
const SERVICE_PHRASE =
  /\b(?:(?:error|failed|unable|failure) (?:to |in |while |during )?(?:generat|creat|produc|summari[sz]|compact)\w*|rate limit|too many requests|maximum context|context (?:length|window) (?:is |was )?exceed\w*|prompt is too long|too many tokens|insufficient[_ ]quota|overloaded(?:_error)?|(?:invalid|incorrect|missing) api[_ ]key|service unavailable|internal server error|content[_ ]filter\w*|as an ai\b|as a language model|i(?:'m| am) (?:sorry|unable|not able)|i (?:cannot|can't|can not|won't) (?:help|assist|summari[sz]e|provide|process|comply|do that|access))\b/iu;

/** Looked at, in UTF-16 units; a statement says what it is at its beginning. */
const LOOKED_AT = 2_000;

export type FailureText = 'placeholder' | 'error-text';

/**
 * Null: the text is a statement. An error that stands in the known texts is part of the story: word for
 * word, or with all of its own words, or in a section of errors with half of them.
 */
export function failureOf(
  text: string,
  known: KnownTexts,
  isErrorSection: boolean,
): FailureText | null {
  const bare = text.slice(0, LOOKED_AT).trim();
  if (PLACEHOLDER.test(bare) || !/[\p{L}\p{N}]/u.test(bare)) return 'placeholder';
  const phrase = SERVICE_PHRASE.exec(bare)?.[0];
  if (phrase !== undefined && !known.tells(phrase)) return 'error-text';
  if (!ERROR_START.test(bare)) return null;
  const firstLine = bare.split('\n', 1)[0] ?? '';
  if (known.includes(firstLine)) return null;
  return isToldBy(firstLine, known, isErrorSection ? HALF : 1) ? null : 'error-text';
}

const HALF = 0.5;

/** Words of any error message; they tell nothing of where it comes from. */
const ANY_ERROR =
  /^(?:error|exception|failed|failure|fatal|code|status|message|request|response|http|model|could|cannot|while|during)$/iu;

/** At least this share of the line's own longer words stands in the known texts. */
function isToldBy(line: string, known: KnownTexts, share: number): boolean {
  const words = (line.match(/[\p{L}\p{N}_]{4,}/gu) ?? []).filter((word) => !ANY_ERROR.test(word));
  const told = words.filter((word) => known.tells(word)).length;
  return words.length > 0 && told >= words.length * share;
}
