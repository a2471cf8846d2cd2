/** `semantic`: the fragments whose vectors lie nearest to the query's. Bound where a host brings an `Embed`. */
import { type AssemblyFragment, keyOf } from '../../domain/assembly/assembly-fragment.js';
import { OssatureError } from '../../domain/kernel/errors.js';
import type {
  ContextStrategy,
  StrategyRequest,
  StrategyRoom,
} from '../assembly/context-strategy.js';
import { offerWithinRoom } from './offer-within-room.js';

/**
 * Port: vectors of texts, one each, in the order of the texts and all of one length. Called with the
 * query and every fragment that it was not asked for before, several times at once. A rejection fails
 * the strategy and not the assembly; the signal says that nobody waits any longer.
 */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<readonly Vector[]>;

export type Vector = Float32Array | Float64Array | readonly number[];

/** Vectors that are remembered; at 1,536 numbers each, about 120 MB. */
const MOST_VECTORS = 10_000;

export class SemanticStrategy implements ContextStrategy {
  readonly name = 'semantic';
  readonly quality = 0.6;
  /** By plan and fragment, whose text never changes; the oldest goes first. */
  private readonly vectors = new Map<string, Vector>();

  constructor(private readonly embed: Embed) {}

  canHandle({ query, context }: StrategyRequest): number {
    return query.trim() !== '' && context.length > 0 ? 0.6 : 0;
  }

  async assemble(
    { query, context }: StrategyRequest,
    room: StrategyRoom,
  ): Promise<readonly AssemblyFragment[]> {
    const unknown = context.filter((fragment) => !this.vectors.has(keyOf(fragment)));
    const texts = [query, ...unknown.map(({ content }) => content)];
    const [wanted, ...made] = requireVectors(await this.embed(texts, room.signal), texts.length);
    const fresh = new Map(unknown.map((fragment, at) => [keyOf(fragment), made[at]]));
    this.requireOneLength(wanted);
    const likenesses = context.map((fragment) => {
      const key = keyOf(fragment);
      return likeness(wanted, fresh.get(key) ?? this.vectors.get(key));
    });
    this.remember(fresh);
    return offerWithinRoom(ranked(context, likenesses), room);
  }

  /** Vectors of another model are worth nothing: they are forgotten, and asked for anew the next time. */
  private requireOneLength(wanted: Vector | undefined): void {
    const [remembered] = this.vectors.values();
    if (remembered === undefined || remembered.length === wanted?.length) return;
    this.vectors.clear();
    throw unsound(
      `answered ${wanted?.length} numbers for a text and ${remembered.length} before; what was remembered is forgotten`,
    );
  }

  private remember(fresh: ReadonlyMap<string, Vector | undefined>): void {
    for (const [key, vector] of fresh) {
      if (vector !== undefined) this.vectors.set(key, vector);
    }
    for (const key of this.vectors.keys()) {
      if (this.vectors.size <= MOST_VECTORS) break;
      this.vectors.delete(key);
    }
  }
}

/** Best first, with the likeness as relevance: the nearest 1, the farthest 0, since angles alone say little. */
function ranked(
  context: readonly AssemblyFragment[],
  likenesses: readonly number[],
): readonly AssemblyFragment[] {
  let least = Infinity;
  let most = -Infinity;
  for (const one of likenesses) {
    if (one < least) least = one;
    if (one > most) most = one;
  }
  const span = most - least;
  return context
    .map((fragment, at): AssemblyFragment => {
      const relevance = span > 0 ? ((likenesses[at] ?? least) - least) / span : 1;
      return { ...fragment, relevance, relevanceTo: 'query' };
    })
    .sort((a, b) => b.relevance - a.relevance || (a.position ?? 0) - (b.position ?? 0));
}

/** The cosine of two vectors; −1 where one is missing, of another length, or of no length. */
function likeness(one: Vector | undefined, other: Vector | undefined): number {
  if (one === undefined || other === undefined || one.length !== other.length) return -1;
  let product = 0;
  let oneSquared = 0;
  let otherSquared = 0;
  for (let at = 0; at < one.length; at += 1) {
    const a = one[at] ?? 0;
    const b = other[at] ?? 0;
    product += a * b;
    oneSquared += a * a;
    otherSquared += b * b;
  }
  const cosine = product / Math.sqrt(oneSquared * otherSquared);
  return Number.isFinite(cosine) ? cosine : -1;
}

/** @throws OssatureError INVALID_INPUT unless there is one sound vector for each text, all of one length. */
function requireVectors(answer: unknown, count: number): readonly Vector[] {
  if (!Array.isArray(answer) || answer.length !== count) {
    const got = Array.isArray(answer) ? `${answer.length} vectors` : typeof answer;
    throw unsound(`answered ${got} for ${count} texts`);
  }
  const vectors: readonly unknown[] = answer;
  const length = (vectors[0] as Partial<Vector> | null | undefined)?.length;
  return vectors.map((vector, at) => {
    if (!isVector(vector)) throw unsound(`answered no list of numbers for text ${at}`);
    if (vector.length === 0 || vector.length !== length) {
      throw unsound(`answered ${vector.length} numbers for text ${at} and ${length} for text 0`);
    }
    if (vector.every((value) => Number.isFinite(value))) return vector;
    throw unsound(`answered a vector for text ${at} that holds no finite numbers throughout`);
  });
}

function isVector(value: unknown): value is Vector {
  return Array.isArray(value) || value instanceof Float32Array || value instanceof Float64Array;
}

function unsound(broken: string): OssatureError {
  return new OssatureError('INVALID_INPUT', `The embedding ${broken}.`, {
    details: { field: 'embed' },
  });
}
