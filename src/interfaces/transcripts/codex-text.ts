/** Which text in a rollout of Codex its client wrote, by how it begins. */

/** A tag at the start, such as `<environment_context>` or `<permissions instructions>`. */
const TAGGED = /^\s*<[A-Za-z][\w-]*(?: instructions)?>/;

const HARNESS_STARTS = [
  '# AGENTS.md instructions',
  'Warning: ',
  'Another language model started to',
];

export function isInjected(text: string): boolean {
  return TAGGED.test(text) || HARNESS_STARTS.some((start) => text.startsWith(start));
}
