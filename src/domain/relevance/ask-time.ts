/** Questions for a time, and the fragments that could tell it. English, as far as words go. */

const ASKS_TIME =
  /^\s*(?:and |so )?(?:(?:since |until |by )?when\b|how long\b|how (?:many|much) (?:days|weeks|months|years|time)\b|(?:(?:on|in|by|until|since|at) )?(?:what|which) (?:date|day|time|week|month|year)\b)/i;

const TELLS_TIME =
  /\p{N}|\b(?:yesterday|today|tonight|tomorrow|ago|since|until|last|next|(?:week|month|year|day)s?|weekends?|mornings?|evenings?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter)\b/iu;

/** Characters of a fragment in which a time is looked for. */
const LONGEST_HEAD = 2000;

export function asksForTime(goal: string): boolean {
  return ASKS_TIME.test(goal.slice(0, LONGEST_HEAD));
}

export function tellsTime(text: string): boolean {
  return TELLS_TIME.test(text.length > LONGEST_HEAD ? text.slice(0, LONGEST_HEAD) : text);
}
