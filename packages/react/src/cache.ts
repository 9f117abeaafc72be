/**
 * The maximum number of stores without a subscriber that the cache keeps. It deletes those that it created first. A view that is opened
 * again shows the data of its kept store until new data is read.
 */
const MAX_UNUSED = 100;

/** Keeps the stores of the hooks, each under a key such as `channel pens`. A store without subscribers may be deleted. */
export interface Cache {
  /** Returns the store with the given key. If there is none, calls `create` and keeps the store that it returns. */
  get<Kept extends { isUsed(): boolean }>(key: string, create: () => Kept): Kept;
}

export function createCache(): Cache {
  const kept = new Map<string, { isUsed(): boolean }>();

  return {
    get<Kept extends { isUsed(): boolean }>(key: string, create: () => Kept): Kept {
      const found = kept.get(key) as Kept | undefined;
      if (found) return found;
      const unused = [...kept].filter(([, store]) => !store.isUsed());
      for (const [each] of unused.slice(0, -MAX_UNUSED)) kept.delete(each);
      const created = create();
      kept.set(key, created);
      return created;
    },
  };
}
