/**
 * Returns the entry `name` of `table`, for example of the collections in a policy document. Returns undefined if there is no such entry.
 */
export const entryOf = <Entry>(table: Record<string, Entry> | undefined, name: string): Entry | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
