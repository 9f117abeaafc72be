/**
 * Calls `work` for every item, at most `width` at a time. Returns the results in the order of the items. After a failed call, starts no
 * other, waits for the running ones, and throws the first error.
 */
export async function inParallel<Item, Result>(
  items: Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const errors: unknown[] = [];
  const worker = async () => {
    for (const [index, item] of queue) {
      if (errors.length > 0) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  if (errors.length > 0) throw errors[0];
  return results;
}
