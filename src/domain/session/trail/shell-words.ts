/** A shell script taken apart into words, operators and redirections; nothing is expanded or run. */

export interface ShellWord {
  readonly text: string;
  /** Its value depends on an expansion, so it is not known from the script. */
  readonly expands: boolean;
}

export interface Redirection {
  /** `<` reads, `>` writes, `>>` appends, `<<` is a heredoc or here-string. */
  readonly operator: '<' | '>' | '>>' | '<<';
  readonly target: ShellWord;
  /** The text of a heredoc, null where it depends on an expansion or is none. */
  readonly body: string | null;
}

export type ShellPart =
  | {
      readonly part: 'command';
      readonly words: readonly ShellWord[];
      readonly redirections: readonly Redirection[];
    }
  /** `&&`, `||`, `;`, `|`, `&`, a line end as `;`, and both parentheses. */
  | { readonly part: 'operator'; readonly operator: string };

/** UTF-16 units of a script that are looked at. */
const MAX_SCRIPT = 1_000_000;

const OPERATORS = ['&&', '||', ';;', '|&', ';', '|', '&', '(', ')'];
const REDIRECTIONS = ['<<<', '<<-', '<<', '&>>', '&>', '>>', '>|', '>&', '<&', '<>', '>', '<'];
const BLANK = /[ \t\r]/;

/** The parts in order, or null where quotes or parentheses do not close. */
export function shellParts(script: string): readonly ShellPart[] | null {
  if (script.length > MAX_SCRIPT) return null;
  return new ShellReader(script.replaceAll('\\\n', '')).read();
}

interface PendingHeredoc {
  readonly delimiter: string;
  readonly isLiteral: boolean;
  readonly stripsTabs: boolean;
  readonly settle: (body: string | null) => void;
}

class ShellReader {
  #at = 0;
  readonly #parts: ShellPart[] = [];
  #words: ShellWord[] = [];
  #redirections: Redirection[] = [];
  #heredocs: PendingHeredoc[] = [];

  constructor(private readonly script: string) {}

  read(): readonly ShellPart[] | null {
    while (this.#at < this.script.length) {
      const character = this.script.charAt(this.#at);
      if (BLANK.test(character)) this.#at += 1;
      else if (character === '\n') this.#endLine();
      else if (character === '#' && this.#startsWord()) this.#skipComment();
      else if (!this.#readRedirection() && !this.#readOperator() && !this.#takeWord()) return null;
    }
    this.#endCommand();
    return this.#parts;
  }

  #startsWord(): boolean {
    return this.#at === 0 || /[\s;&|(]/.test(this.script.charAt(this.#at - 1));
  }

  #skipComment(): void {
    const end = this.script.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.script.length : end;
  }

  #endLine(): void {
    this.#at += 1;
    for (const heredoc of this.#heredocs.splice(0)) this.#readHeredoc(heredoc);
    this.#endCommand();
    this.#parts.push({ part: 'operator', operator: ';' });
  }

  #endCommand(): void {
    if (this.#words.length === 0 && this.#redirections.length === 0) return;
    this.#parts.push({
      part: 'command',
      words: this.#words,
      redirections: this.#redirections,
    });
    this.#words = [];
    this.#redirections = [];
  }

  #readOperator(): boolean {
    const operator = OPERATORS.find((sign) => this.script.startsWith(sign, this.#at));
    if (operator === undefined) return false;
    this.#at += operator.length;
    this.#endCommand();
    this.#parts.push({ part: 'operator', operator });
    return true;
  }

  #takeWord(): boolean {
    const word = this.#readWord();
    if (word === null) return false;
    this.#words.push(word);
    return true;
  }

  #readRedirection(): boolean {
    const digits = /^\d{1,2}(?=[<>])/.exec(this.script.slice(this.#at, this.#at + 3))?.[0] ?? '';
    const start = this.#at + digits.length;
    const sign = REDIRECTIONS.find((candidate) => this.script.startsWith(candidate, start));
    if (sign === undefined) return false;
    // `<(…)` and `>(…)` are words that name a pipe.
    if (this.script.charAt(start + sign.length) === '(' && sign.length === 1) return false;
    this.#at = start + sign.length;
    while (BLANK.test(this.script.charAt(this.#at))) this.#at += 1;
    const from = this.#at;
    const target = this.#readWord();
    if (target === null) return true;
    if (sign === '<<' || sign === '<<-') {
      const index = this.#redirections.push({ operator: '<<', target, body: null }) - 1;
      const held = this.#redirections;
      this.#heredocs.push({
        delimiter: target.text,
        isLiteral: /['"\\]/.test(this.script.slice(from, this.#at)),
        stripsTabs: sign === '<<-',
        settle: (body) => (held[index] = { operator: '<<', target, body }),
      });
    } else if (sign === '<<<') {
      const body = target.expands ? null : `${target.text}\n`;
      this.#redirections.push({ operator: '<<', target, body });
    } else if (sign !== '<&' && !(sign === '>&' && /^(?:\d+|-)$/.test(target.text))) {
      const operator = sign.includes('>>') ? '>>' : sign === '<' ? '<' : '>';
      this.#redirections.push({ operator, target, body: null });
    }
    return true;
  }

  #readHeredoc({ delimiter, isLiteral, stripsTabs, settle }: PendingHeredoc): void {
    const lines: string[] = [];
    while (this.#at < this.script.length) {
      const newline = this.script.indexOf('\n', this.#at);
      const end = newline === -1 ? this.script.length : newline;
      const line = this.script.slice(this.#at, end);
      this.#at = end + 1;
      const plain = stripsTabs ? line.replace(/^\t+/, '') : line;
      if (plain === delimiter) break;
      lines.push(`${plain}\n`);
    }
    const body = lines.join('');
    settle(isLiteral || !/[$`\\]/.test(body) ? body : null);
  }

  /** One word, or null where a quote does not close. */
  #readWord(): ShellWord | null {
    let text = '';
    let expands = false;
    const start = this.#at;
    while (this.#at < this.script.length) {
      const character = this.script.charAt(this.#at);
      if (/[\s;|&<>()]/.test(character)) {
        const isPipeName = /[<>]/.test(character) && this.script.charAt(this.#at + 1) === '(';
        if (!isPipeName) break;
        this.#at += 1;
        if (!this.#skipParentheses()) return null;
        expands = true;
        continue;
      }
      if (character === "'") {
        const end = this.script.indexOf("'", this.#at + 1);
        if (end === -1) return null;
        text += this.script.slice(this.#at + 1, end);
        this.#at = end + 1;
      } else if (character === '"') {
        const quoted = this.#readDoubleQuotes();
        if (quoted === null) return null;
        text += quoted.text;
        expands ||= quoted.expands;
      } else if (character === '\\') {
        text += this.script.charAt(this.#at + 1);
        this.#at += 2;
      } else if (character === '$' || character === '`') {
        if (!this.#skipExpansion()) return null;
        expands = true;
      } else {
        if (/[*?[]/.test(character) || (character === '~' && this.#at === start)) expands = true;
        if (
          character === '{' &&
          /^\{[^{}\s]*(?:,|\.\.)/.test(this.script.slice(this.#at, this.#at + 200))
        )
          expands = true;
        text += character;
        this.#at += 1;
      }
    }
    return { text, expands };
  }

  #readDoubleQuotes(): ShellWord | null {
    let text = '';
    let expands = false;
    this.#at += 1;
    while (this.#at < this.script.length) {
      const character = this.script.charAt(this.#at);
      if (character === '"') {
        this.#at += 1;
        return { text, expands };
      }
      if (character === '\\') {
        const next = this.script.charAt(this.#at + 1);
        text += /["$`\\]/.test(next) ? next : `\\${next}`;
        this.#at += 2;
      } else if (character === '$' || character === '`') {
        if (!this.#skipExpansion()) return null;
        expands = true;
      } else {
        text += character;
        this.#at += 1;
      }
    }
    return null;
  }

  /** Behind `$name`, `${…}`, `$(…)`, or a pair of backquotes. */
  #skipExpansion(): boolean {
    const next = this.script.charAt(this.#at + 1);
    if (this.script.charAt(this.#at) === '`') {
      const end = this.script.indexOf('`', this.#at + 1);
      this.#at = end + 1;
      return end !== -1;
    }
    this.#at += 1;
    if (next === '(') return this.#skipParentheses();
    if (next === '{') {
      const end = this.script.indexOf('}', this.#at);
      this.#at = end + 1;
      return end !== -1;
    }
    return true;
  }

  /** Behind the parenthesis that closes the one at hand; quotes and heredocs inside may hold others. */
  #skipParentheses(): boolean {
    let depth = 0;
    while (this.#at < this.script.length) {
      const character = this.script.charAt(this.#at);
      if (character === '\\') this.#at += 1;
      else if (character === "'") {
        const end = this.script.indexOf("'", this.#at + 1);
        if (end === -1) return false;
        this.#at = end;
      } else if (character === '"') {
        if (this.#readDoubleQuotes() === null) return false;
        continue;
      } else if (character === '<' && this.script.startsWith('<<', this.#at)) {
        if (this.#skipInnerHeredoc()) continue;
      } else if (character === '(') depth += 1;
      else if (character === ')') {
        depth -= 1;
        if (depth === 0) {
          this.#at += 1;
          return true;
        }
      }
      this.#at += 1;
    }
    return false;
  }

  #skipInnerHeredoc(): boolean {
    const head = /^<<-?\s*(['"]?)([\w.-]+)\1[^\n]*\n/.exec(
      this.script.slice(this.#at, this.#at + 400),
    );
    const [whole, , delimiter] = head ?? [];
    if (whole === undefined || delimiter === undefined) return false;
    const from = this.#at + whole.length;
    let at = from;
    while (at < this.script.length) {
      const newline = this.script.indexOf('\n', at);
      const end = newline === -1 ? this.script.length : newline;
      const isEnd = this.script.slice(at, end).trim() === delimiter;
      at = end + 1;
      if (isEnd) break;
    }
    this.#at = Math.min(at, this.script.length);
    return true;
  }
}
