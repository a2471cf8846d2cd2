/** Which call started a sub-agent, as its first words tell. */

/** UTF-16 units of a brief that are compared. */
const COMPARED = 500;

/** Whether what a sub-agent was told first begins with the brief of a call; what follows it may be added. */
export function beginsWithBrief(text: string, brief: string): boolean {
  const start = brief.trim().slice(0, COMPARED);
  return start !== '' && text.trimStart().startsWith(start);
}
