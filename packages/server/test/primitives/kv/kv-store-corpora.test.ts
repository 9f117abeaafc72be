import assert from "node:assert/strict";
import { test } from "node:test";
import { ABSENT, samples } from "@easel/conformance/corpus";
import { same } from "@easel/conformance/same";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { parseJson } from "../../../src/http/body.ts";
import { Refusal } from "../../../src/http/refusal.ts";
import { storableValue } from "../../../src/primitives/kv/kv-scope.ts";
import { type Stored, toStored, toText } from "../../../src/primitives/value.ts";
import { LIMIT, onStores } from "./kv-stores.ts";

const [json, strings] = [samples("json/test_parsing"), samples("strings")];

/** Returns the value of a body as the routes store it, or null if they refuse the body. */
function storedOf(body: Buffer): Stored | null {
  try {
    return storableValue(parseJson(body));
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

const inBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

await onStores("corpora in the key-value store", (open) => {
  test("every JSON text that is accepted is read back", { skip: !json && ABSENT }, async () => {
    const { store } = open();
    let accepted = 0;
    for (const { name, bytes } of json ?? []) {
      const value = storedOf(bytes);
      if (value === null) continue;
      assert.equal(await store.put(name, value, LIMIT), true);
      const found = await store.get(name);
      same(JSON.parse(toText(found as Stored)), JSON.parse(bytes.toString("utf8")));
      accepted++;
    }
    assert.ok(accepted > 90, String(accepted));
  });

  const naughty = strings?.find(({ name }) => name === "blns.json");
  test("every string as a key and as its value: listed in order", { skip: !naughty && ABSENT }, async () => {
    const { store } = open();
    const texts: string[] = naughty ? JSON.parse(naughty.bytes.toString("utf8")) : [];
    const keys = [...new Set(texts)].filter(
      (text) => text !== "" && Buffer.byteLength(text) <= LIMITS.kvKeyBytes.value,
    );
    assert.ok(keys.length > 400, String(keys.length));
    for (const key of keys) assert.equal(await store.put(key, toStored(key as Json), LIMIT), true);
    const listed: [string, Json][] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof store.list>> = await store.list({
        prefix: "",
        cursor,
        limit: 500,
      });
      for (const entry of page.entries) listed.push([entry.key, JSON.parse(toText(entry))]);
      cursor = page.nextCursor;
    }
    const sorted = keys.toSorted(inBytes).map((key) => [key, key]);
    assert.ok(listed.length === sorted.length && JSON.stringify(listed) === JSON.stringify(sorted));
  });
});
