/** Names declared in lines of source, by rules per file extension. Unknown languages give none. */

/** Names of one event (specification of sessions, §6.1). */
export const MAX_EVENT_SYMBOLS = 20;

/** UTF-16 units of a line that are looked at; minified lines declare nothing worth naming. */
const LOOKED_AT = 400;

const SCRIPT = [
  /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|class|interface|enum|namespace|type)\s+([A-Za-z_$][\w$]*)/,
  /^(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)/,
  /^\s+(?:(?:public|private|protected|static|async|override|get|set)\s+)*(#?[A-Za-z_$][\w$]*)\s*(?:<[^>]*>)?\([^;]*\)\s*(?::[^;{]+)?\{\s*$/,
];
const C_LIKE = [
  /^\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|export|template)\s+)*(?:class|interface|enum|record|struct|union|namespace|trait|object)\s+([A-Za-z_]\w*)/,
  /^\s*(?:(?:public|private|protected|internal|static|final|override|virtual|async|inline|const|synchronized)\s+)*[A-Za-z_][\w<>[\],.:*& ]*\s[*&]?([A-Za-z_][\w:]*)\s*\([^;]*\)\s*(?:const\s*)?(?:throws\s+[\w., ]+)?\{\s*$/,
];

const RULES: readonly (readonly [extensions: string, patterns: readonly RegExp[]])[] = [
  ['ts tsx mts cts js jsx mjs cjs vue svelte', SCRIPT],
  ['py pyi', [/^\s*(?:async\s+)?(?:def|class)\s+([A-Za-z_]\w*)/]],
  ['go', [/^func\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*)/, /^(?:type|var|const)\s+([A-Za-z_]\w*)/]],
  [
    'rs',
    [
      /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|const\s+|unsafe\s+)*(?:fn|struct|enum|trait|mod|type|static|union)\s+([A-Za-z_]\w*)/,
      /^\s*impl(?:<[^>]*>)?\s+(?:[\w:<>, ]+\s+for\s+)?([A-Za-z_]\w*)/,
    ],
  ],
  ['rb', [/^\s*(?:def|class|module)\s+(?:self\.)?([A-Za-z_][\w:?!]*)/]],
  [
    'php',
    [
      /^\s*(?:(?:public|private|protected|static|final|abstract)\s+)*(?:function|class|interface|trait|enum)\s+&?([A-Za-z_]\w*)/,
    ],
  ],
  ['java kt scala cs c h cc cpp cxx hpp hh m mm swift dart', C_LIKE],
  ['kt swift scala', [/^\s*(?:\w+\s+)*(?:fun|func|def|val|protocol|extension)\s+([A-Za-z_]\w*)/]],
  ['sh bash zsh', [/^\s*(?:function\s+)?([A-Za-z_][\w-]*)\s*\(\)\s*\{?/, /^function\s+([\w-]+)/]],
  [
    'sql',
    [
      /^\s*create\s+(?:or\s+replace\s+)?(?:unique\s+)?(?:table|view|index|function|procedure|trigger|type)\s+(?:if\s+not\s+exists\s+)?["`]?([\w.]+)/i,
    ],
  ],
  ['md markdown', [/^#{1,3}\s+(\S.{0,60}?)\s*#*$/]],
];

/** Words that open a block and look like a method to a pattern. */
const KEYWORDS = new Set(
  'if for while switch catch return else do try with function constructor new await'.split(' '),
);

/**
 * Distinct names in order of appearance, at most 20.
 *
 * @param lines changed lines and those around them, without marks of a diff.
 */
export function declaredSymbols(path: string, lines: Iterable<string>): readonly string[] {
  const extension = /\.([A-Za-z\d]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const patterns = RULES.flatMap(([extensions, rules]) =>
    extensions.split(' ').includes(extension) ? rules : [],
  );
  const names = new Set<string>();
  if (patterns.length === 0) return [];
  for (const line of lines) {
    if (line.length > LOOKED_AT) continue;
    for (const pattern of patterns) {
      const name = pattern.exec(line)?.[1];
      if (name === undefined || KEYWORDS.has(name)) continue;
      names.add(name);
      break;
    }
    if (names.size >= MAX_EVENT_SYMBOLS) break;
  }
  return [...names];
}
