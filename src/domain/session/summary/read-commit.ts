/** What `git commit` says it has made. */

/** UTF-16 units of a command that are looked at. */
const COMMAND_LOOKED_AT = 4_000;

/** UTF-16 units of an output that are looked at; hooks may print before the commit reports. */
const LOOKED_AT = 20_000;

const REPORT = /^\[([^\]\s]{1,200})(?: \([a-z -]+\))? ([0-9a-f]{7,40})\] (.{1,500})$/gm;

export function mayCommit(command: string): boolean {
  const looked = command.slice(0, COMMAND_LOOKED_AT);
  return /\bgit\b[^|;&]*\b(?:commit|cherry-pick|revert)\b/.test(looked);
}

/** The last commit that an output reports, as "branch hash subject"; null: none. */
export function readCommit(output: string): string | null {
  const report = [...output.slice(-LOOKED_AT).matchAll(REPORT)].at(-1);
  return report === undefined ? null : `${report[1]} ${report[2]} ${report[3]?.trim()}`;
}
