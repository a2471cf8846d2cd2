/**
 * The value, with everything plain below it, made unchangeable in place: what stages and strategies
 * of a host look at is shared, and one must not change what the next one sees. Below what is frozen
 * already, and inside objects of classes, nothing is touched.
 */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) frozen(member);
  return value;
}
