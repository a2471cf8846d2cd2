/** Time and identity, asked for once at the top of a recipe. */

/** The current time. Stored in UTC. */
export type Clock = () => Date;

/** A new ULID, greater than every one that this process made before. */
export type NewId = () => string;
