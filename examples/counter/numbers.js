/**
 * Returns an object that reads and changes the shared number, to which everyone may add. The number is a record of the collection `counts`,
 * because a policy can let everyone increment the records of a collection.
 */
export function sharedNumber() {
  const counts = easel.kv.collection("counts");
  /**
   * The id of the record that clicks increment: the oldest one. If two people make the first click at the same time, each creates a record.
   * The number shown is therefore the sum of all records.
   */
  let id;
  let others = 0;

  const sumOf = (records) => {
    const numbers = records.map(({ value }) => (typeof value === "number" ? value : 0));
    id = records[0]?.id;
    others = numbers.slice(1).reduce((sum, number) => sum + number, 0);
    return numbers.length === 0 ? undefined : numbers[0] + others;
  };

  return {
    live: (show, onError) => counts.live({}, (records) => show(sumOf(records)), onError),
    async add(by) {
      id ??= (await counts.create(0)).id;
      return others + (await counts.increment(id, by));
    },
    async reset() {
      const { entries } = await counts.list();
      await Promise.all(entries.map((record) => counts.update(record.id, 0)));
      others = 0;
    },
    resettable: async () => (await counts.permissions()).update.any,
  };
}

/**
 * Returns an object that reads and changes the viewer's own number, which nobody else can read. The number is stored under the key `count`
 * in `easel.kv.user`.
 */
export function privateNumber() {
  const KEY = "count";
  const { user } = easel.kv;
  const numberOf = (value) => (value === undefined || typeof value === "number" ? value : 0);
  return {
    live: (show, onError) => user.live(KEY, (values) => show(numberOf(values.get(KEY))), onError),
    add: (by) => user.increment(KEY, by),
    reset: () => user.set(KEY, 0),
    resettable: async () => true,
  };
}
