/** The number of unused stores that are kept: a view that is shown again shows its old data while it reads. The newest are kept. */
const MAX_UNUSED = 100;

/** Stores by key. */
export interface Cache {
  /** Returns the store with a key. Creates it if there is none. */
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
