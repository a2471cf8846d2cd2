/**
 * Which parts of a text are secrets. A rule finds spans; `redact` replaces them.
 *
 * Texts come from strangers, so every pattern is linear: it starts only where a run of its own
 * characters starts (look-behind), consumes what it has scanned, or looks a bounded distance ahead.
 */
import { MARK } from './secret-marks.js';

export interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

export interface RedactionRule {
  /** Shown in the placeholder and in receipts, kebab-case. */
  readonly type: string;
  /** Bit of `secretMarks` without which a text holds nothing to find; left out: every text is searched. */
  readonly mark?: number;
  /** Spans in ascending order that do not overlap. */
  readonly find: (text: string) => readonly SecretSpan[];
}

/** Longest user or password in a URL that is looked for, in UTF-16 units; bounds the look-ahead. */
const CREDENTIAL_LIMIT = 512;

/** Shortest value taken for a secret where only the name before it says so, in UTF-16 units. */
const SHORTEST_ASSIGNED = 6;

export const REDACTION_RULES: readonly RedactionRule[] = [
  { type: 'private-key', mark: MARK.privateKey, find: findPrivateKeys },
  token('anthropic-key', MARK.sk, 'sk-ant-[A-Za-z0-9_-]{16,}'),
  token('stripe-key', MARK.stripe, '[sr]k_(?:live|test)_[A-Za-z0-9]{16,}'),
  token('openai-key', MARK.sk, 'sk-[A-Za-z0-9_-]{20,}'),
  token('github-token', MARK.github, '(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})'),
  token('gitlab-token', MARK.gitlab, 'glpat-[A-Za-z0-9_-]{20,}'),
  token('aws-key', MARK.aws, '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  token('google-key', MARK.google, 'AIza[A-Za-z0-9_-]{35,}'),
  token('slack-token', MARK.slack, '(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}'),
  token('npm-token', MARK.npm, 'npm_[A-Za-z0-9]{36}'),
  token('huggingface-token', MARK.huggingface, 'hf_[A-Za-z0-9]{30,}'),
  token('sendgrid-key', MARK.sendgrid, 'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}'),
  token('pypi-token', MARK.pypi, 'pypi-[A-Za-z0-9_-]{32,}'),
  token('jwt', MARK.webToken, 'eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*'),
  pattern(
    'url-password',
    MARK.urlPassword,
    new RegExp(
      `(?<before>://[^\\s:@/"'<>]{0,${CREDENTIAL_LIMIT}}:)(?<secret>[^\\s@/"'<>]{1,${CREDENTIAL_LIMIT}})@`,
      'g',
    ),
    (secret) => !NO_SECRET.test(secret),
  ),
  pattern(
    'authorization',
    MARK.authorization,
    /(?<before>\b(?:proxy-)?authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:(?:bearer|basic|token|digest)\s{1,4})?)(?<secret>[A-Za-z0-9._~+/=-]{8,})/gi,
  ),
  pattern(
    'authorization',
    MARK.bearer,
    /(?<before>\bbearer\s{1,4})(?<secret>[A-Za-z0-9._~+/=-]{16,})/gi,
    (secret) => /\d/.test(secret),
  ),
  pattern(
    'assignment',
    MARK.assignment,
    /(?<before>(?:password|passwd|pwd|passphrase|secret|credentials?|(?:(?<![a-z])|access|auth|bearer|refresh|session|api)token|(?:api|access|account|auth|private|secret)[_-]?key)(?:\\?["'])?\s{0,4}(?::=|=>|=|:)\s{0,4})(?<secret>\\?"[^"\\\s]+|\\?'[^'\\\s]+|[A-Za-z0-9+/=_.~!@#%^&*$-]+)/gi,
    looksAssigned,
  ),
];

/** Whether a value of this field or variable name is a secret, whatever it looks like. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

const SECRET_NAME =
  /(?:password|passwd|pwd|passphrase|secret|credentials?|(?:api|access|account|auth|private|secret)[_-]?key|(?:^|[_-]|access|auth|bearer|refresh|session|id|api)token)$/i;

/** Words that begin a key of a vendor: a run of its characters, taken only at the run's start. */
function token(type: string, mark: number, source: string): RedactionRule {
  return pattern(type, mark, new RegExp(`(?<![A-Za-z0-9_-])(?<secret>${source})`, 'g'));
}

function pattern(
  type: string,
  mark: number,
  expression: RegExp,
  accepts: (secret: string, before: string, following: string) => boolean = () => true,
): RedactionRule {
  const find = (text: string): readonly SecretSpan[] => {
    const spans: SecretSpan[] = [];
    for (const match of text.matchAll(expression)) {
      const before = match.groups?.['before'] ?? '';
      const raw = match.groups?.['secret'] ?? '';
      const secret = raw.replace(/^\\?["']/, '');
      const start = match.index + before.length + (raw.length - secret.length);
      const end = start + secret.length;
      const following = text.slice(end, end + 1);
      if (secret.startsWith('[redacted:') || !accepts(secret, before, following)) continue;
      spans.push({ start, end });
    }
    return spans;
  };
  return { type, mark, find };
}

/**
 * A name such as `token` stands before code far more often than before a secret. A value counts as
 * one when it is quoted, or when it is written as a shell or an environment file writes it
 * (upper-case name, no blank around the sign), or when it holds a digit and no call follows.
 */
function looksAssigned(secret: string, before: string, following: string): boolean {
  if (secret.length < SHORTEST_ASSIGNED || following === '(' || NO_SECRET.test(secret)) {
    return false;
  }
  if (following === '"' || following === "'" || following === '\\') return true;
  return (
    /[A-Z]=$/.test(before) ||
    (/\d/.test(secret) && /[:=]\s*$/.test(before) && !/^[a-z]+\./i.test(secret))
  );
}

/** References to a secret, masks, words of languages, and versions of packages that have such a name. */
const NO_SECRET =
  /^(?:[$<{%]|process\.|\*+$|(?:include|omit|same-origin|undefined|string|number|boolean)$|[\^~]?\d+(?:\.\d+)+)/;

const KEY_BEGIN = '-----BEGIN ';
const KEY_HEADER = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_BODY = /[A-Za-z0-9+/=\s\\:,.-]*/y;

/** A key whose end is missing (cut output) is taken as far as its alphabet goes. */
function findPrivateKeys(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  let endsAhead = true;
  let start = text.indexOf(KEY_BEGIN);
  while (start !== -1) {
    const header = KEY_HEADER.exec(text.slice(start, start + 100))?.[0];
    if (header === undefined) {
      start = text.indexOf(KEY_BEGIN, start + KEY_BEGIN.length);
      continue;
    }
    KEY_END.lastIndex = start + header.length;
    const closing: RegExpExecArray | null = endsAhead ? KEY_END.exec(text) : null;
    endsAhead = closing !== null;
    KEY_BODY.lastIndex = start + header.length;
    const end =
      closing === null
        ? start + header.length + (KEY_BODY.exec(text)?.[0].length ?? 0)
        : closing.index + closing[0].length;
    spans.push({ start, end });
    start = text.indexOf(KEY_BEGIN, end);
  }
  return spans;
}
