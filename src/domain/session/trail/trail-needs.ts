/**
 * What a fold looks for in a trail of which only parts are at hand. It notes what it did not find;
 * whoever holds the store reads that, and the fold begins again with more. Told apart from asking
 * beforehand, as what one call touches depends on what stood there: a move into a directory, say.
 */

export const TRAIL_NEEDS = [
  /** By call id: calls that may wait for their result. */
  'calls',
  /** By path. */
  'artifacts',
  'contents',
  /** By `seq` of the call, in digits. */
  'commands',
  /** By `errorId`. */
  'errors',
  /** By key: every open error of what failed. */
  'openErrors',
  /** By beginning of the key: every open error of what failed, for runs of tests that hold others. */
  'openErrorsFrom',
  /** By directory: some living artifact below it, or all of them. */
  'anyBelow',
  'allBelow',
  /** `todos`: the whole list. */
  'lists',
] as const;

export type TrailNeed = (typeof TRAIL_NEEDS)[number];

export type TrailNeeds = Readonly<Record<TrailNeed, ReadonlySet<string>>>;

export function needsOf(given: Partial<Record<TrailNeed, Iterable<string>>> = {}): TrailNeeds {
  return Object.fromEntries(
    TRAIL_NEEDS.map((need) => [need, new Set(given[need] ?? [])]),
  ) as unknown as TrailNeeds;
}

export function joinedNeeds(one: TrailNeeds, other: TrailNeeds): TrailNeeds {
  return Object.fromEntries(
    TRAIL_NEEDS.map((need) => [need, new Set([...one[need], ...other[need]])]),
  ) as unknown as TrailNeeds;
}

/** How far a trail reaches, and what was missing. */
export class TrailReach {
  readonly #missing = new Map<TrailNeed, Set<string>>();

  /** @param read what was read, found or not; null: the whole trail is at hand. */
  constructor(private readonly read: TrailNeeds | null) {}

  /** @returns whether what stands there, or that nothing does, is known. */
  look(need: TrailNeed, key: string): boolean {
    if (this.read === null || this.read[need].has(key)) return true;
    const missing = this.#missing.get(need);
    if (missing === undefined) this.#missing.set(need, new Set([key]));
    else missing.add(key);
    return false;
  }

  /** Everything below the directory. What was read below one above it is read as well. */
  lookBelow(directory: string): boolean {
    const all = this.read?.allBelow;
    if (all === undefined || directoriesAbove(directory).some((above) => all.has(above))) {
      return true;
    }
    return this.look('allBelow', directory);
  }

  /** Whether anything stands below the directory, where nothing that is at hand does. */
  lookForAnyBelow(directory: string): void {
    if (this.read === null) return;
    // One that was found may be gone by now, and others may still be there.
    if (directory === '.' || this.read.anyBelow.has(directory)) this.lookBelow(directory);
    else if (!directoriesAbove(directory).some((above) => this.read?.allBelow.has(above))) {
      this.look('anyBelow', directory);
    }
  }

  /** Null: nothing was missing, so the fold is what it would be over the whole trail. */
  get missing(): TrailNeeds | null {
    return this.#missing.size === 0 ? null : needsOf(Object.fromEntries(this.#missing));
  }
}

/** The directory itself and those above it, but for the root of relative paths. */
function directoriesAbove(directory: string): readonly string[] {
  const above = [directory];
  for (let at = directory.indexOf('/', 1); at !== -1; at = directory.indexOf('/', at + 1)) {
    above.push(directory.slice(0, at));
  }
  return above;
}
