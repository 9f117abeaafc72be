import assert from "node:assert/strict";
import { test } from "node:test";
import { createEasel } from "../../sdk/src/easel.ts";
import { fakeService, page } from "../../sdk/test/support.ts";
import { createCache } from "../src/cache.ts";
import { storesOf } from "../src/stores.ts";

test("stores that are used are kept, and the newest 100 of the others", () => {
  const cache = createCache();
  const used = { isUsed: () => true };
  const create = () => ({ isUsed: () => false });
  cache.get("used", () => used);
  const first = cache.get("first", create);
  for (let at = 0; at < 99; at++) cache.get(`${at}`, create);
  assert.equal(cache.get("first", create), first);
  for (let at = 99; at < 200; at++) cache.get(`${at}`, create);
  assert.notEqual(cache.get("first", create), first);
  assert.equal(cache.get("used", create), used);
});

test("components with the same key, query or channel share a store; other canvases have their own", () => {
  const [one, other] = [1, 2].map(() => createEasel({ ...page, fetch: fakeService().fetch }));
  assert.ok(one && other);
  const stores = storesOf(one);
  assert.equal(storesOf(one), stores);
  assert.notEqual(storesOf(other), stores);
  const same = [
    [stores.value("a", "user"), stores.value("a", "user"), stores.value("a", "shared")],
    [stores.records("a", { limit: 1 }), stores.records("a", { limit: 1 }), stores.records("a", {})],
    [stores.channel("a"), stores.channel("a"), stores.channel("b")],
  ] as const;
  for (const [first, again, another] of same) {
    assert.equal(first, again);
    assert.notEqual(first, another);
  }
});
