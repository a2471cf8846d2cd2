/** The one JSON object of an answer: bare, or in a fenced block with words around it. */

export type JsonInAnswer =
  | { readonly outcome: 'found'; readonly value: Readonly<Record<string, unknown>> }
  /** In words that a model can act on. */
  | { readonly outcome: 'none'; readonly complaint: string };

/** Two objects, a list, or an object with text outside a fence are refused: none of it is guessed at. */
export function jsonInAnswer(text: string): JsonInAnswer {
  const bare = text.trim();
  if (bare === '') return none('the answer was empty');
  const whole = parse(bare);
  if (whole.parsed) return asObject(whole.value);
  const blocks = fencedBlocks(bare);
  const objects = blocks.flatMap((block) => {
    const { parsed, value } = parse(block);
    return parsed ? [value] : [];
  });
  if (objects.length > 1) return none('the answer held more than one JSON value');
  const [only] = objects;
  if (objects.length === 1) return asObject(only);
  return none(
    bare.startsWith('{') || blocks.length > 0
      ? 'the JSON could not be parsed: it is cut short, ill-formed, or followed by other text'
      : 'the answer was not JSON',
  );
}

/** By lines and not by one expression, so that no answer takes long. A block without its end is none. */
function fencedBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let open: { readonly fence: string; readonly lines: string[] } | null = null;
  for (const line of text.split('\n')) {
    const fence = /^\s*(`{3,}|~{3,})/u.exec(line)?.[1];
    if (open === null) {
      if (fence !== undefined) open = { fence, lines: [] };
    } else if (fence?.startsWith(open.fence) === true && line.trim() === fence) {
      blocks.push(open.lines.join('\n'));
      open = null;
    } else open.lines.push(line);
  }
  return blocks;
}

function asObject(value: unknown): JsonInAnswer {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { outcome: 'found', value: value as Readonly<Record<string, unknown>> }
    : none('the JSON must be one object');
}

function parse(text: string): { readonly parsed: boolean; readonly value?: unknown } {
  try {
    return { parsed: true, value: JSON.parse(text) as unknown };
  } catch {
    return { parsed: false };
  }
}

function none(complaint: string): JsonInAnswer {
  return { outcome: 'none', complaint };
}
