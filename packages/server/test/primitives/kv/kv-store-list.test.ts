import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { KvStore } from "../../../src/primitives/kv/store.ts";
import { times } from "../../drivers/databases.ts";
import { LIMIT, one, onStores } from "./kv-stores.ts";

/** Characters that are in another order by their UTF-8 bytes than alphabetically or by their UTF-16 code units. */
const PIECES = [..."abA%_é🦊", "\u0000", "\u007f", "\ud7ff", "\uffff", "\u{10ffff}"];
const text = (maxLength: number) =>
  fc.array(fc.constantFrom(...PIECES), { maxLength }).map((pieces) => pieces.join(""));

const inBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Generates the keys of a scope, and a list query. If `from` is a number, the key at that index is the cursor. */
const asked = fc.record({
  keys: fc.uniqueArray(text(4), { maxLength: 12 }),
  prefix: text(2),
  from: fc.option(fc.oneof(text(3), fc.nat(11))),
  limit: fc.integer({ min: 1, max: 5 }),
});

await onStores("lists of the key-value store", (open) => {
  test("a list has the keys of a prefix, after a cursor, in the order of their bytes", async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ keys, prefix, from, limit }) => {
        const { store } = open();
        await Promise.all(keys.map((key) => store.put(key, one, LIMIT)));
        const cursor = typeof from === "number" ? (keys[from] ?? null) : from;
        const expected = keys
          .filter((key) => key.startsWith(prefix) && (cursor === null || inBytes(key, cursor) > 0))
          .sort(inBytes);
        const { entries, nextCursor } = await store.list({ prefix, cursor, limit });
        const found = entries.map(({ key }) => key);
        assert.deepEqual(found, expected.slice(0, limit));
        assert.equal(nextCursor, expected.length > limit ? expected[limit - 1] : null);
      }),
      { numRuns: 100 },
    );
  });

  test("pages in sequence contain every key once", async () => {
    const { store } = open();
    await times(25, (index) => store.put(`key ${index}`, one, LIMIT));
    const seen: string[] = [];
    for (let cursor: string | null = null, pages = 0; pages < 4; pages++) {
      const page: Awaited<ReturnType<KvStore["list"]>> = await store.list({
        prefix: "key",
        cursor,
        limit: 7,
      });
      seen.push(...page.entries.map(({ key }) => key));
      cursor = page.nextCursor;
      assert.equal(cursor === null, pages === 3);
    }
    assert.deepEqual([seen.length, new Set(seen).size], [25, 25]);
  });
});
