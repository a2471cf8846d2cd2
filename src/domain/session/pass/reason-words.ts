/** Why there is no pass, in words for people, each with what would change it. */

const WORDS: Readonly<Record<string, string>> = {
  'no-trigger': 'no trigger is due yet',
  suspended: 'three passes in a row failed; a manual pass that succeeds lifts it',
  'no-new-entry': 'nothing was appended since the last pass',
  hysteresis: 'too little was appended since the last pass (hysteresis_tokens)',
  'floor-over-budget':
    'what no pass can remove is over the budget: enlarge the window or shorten the fixed parts',
  'empty-span':
    'nothing may leave: what remains is the latest turn or within keep_turns and keep_tokens',
  'frees-too-little': 'what may leave would free less than min_freed_tokens',
  'known-fingerprint':
    'the same state was rejected or stopped before; append something, change a setting or ask by hand',
};

/** The code itself where there are no words for it. */
export function reasonWords(code: string): string {
  return WORDS[code] ?? code.replaceAll('-', ' ');
}
