const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/**
 * Returns a copy of `next` that reuses each object and array of `previous` whose content has not changed, so that React sees by identity
 * what is new. Both values are JSON or undefined.
 */
export function share<Value>(previous: unknown, next: Value): Value {
  if (Object.is(previous, next)) return next;
  if (!isObject(previous) || !isObject(next) || Array.isArray(previous) !== Array.isArray(next)) return next;
  const entries = Object.entries(next).map(([name, value]) => [name, share(previous[name], value)] as const);
  const isEqual =
    entries.length === Object.keys(previous).length &&
    entries.every(([name, value]) => Object.hasOwn(previous, name) && Object.is(previous[name], value));
  if (isEqual) return previous as Value;
  return (Array.isArray(next) ? entries.map(([, value]) => value) : Object.fromEntries(entries)) as Value;
}
