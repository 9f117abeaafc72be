/** Runs `work` for every item, `width` at a time. Returns the results in the order of the items. */
export async function parallel<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
  width = 32,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
