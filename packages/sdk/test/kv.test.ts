import assert from "node:assert/strict";
import { test } from "node:test";
import { codePoint } from "@easel/conformance/code-point";
import fc from "fast-check";
import { createEasel, type Json, NotFoundError } from "../src/index.ts";
import { fakeFetch, fakeService, page } from "./support.ts";

/** Creates an SDK whose requests all get the same response. Returns it with the list of requests. */
function answered(body: Json, status = 200) {
  const { fetch, calls } = fakeFetch(() => Response.json(body, { status }));
  return { ...createEasel({ ...page, fetch }), calls };
}

const invalid = { name: "EaselError", code: "INVALID_BODY", status: 400 };

test("each call sends one request of the contract, in both scopes", async () => {
  const page = { value: 3, entries: [], nextCursor: null };
  for (const scope of ["kv", "kv/user"]) {
    const { kv, calls } = answered(page);
    const store = scope === "kv" ? kv : kv.user;
    assert.equal(await store.get<number>("a/b"), 3);
    assert.equal(await store.set("a/b", { c: [null] }), undefined);
    assert.equal(await store.delete("a/b"), undefined);
    assert.deepEqual(await store.list(), page);
    await store.list({ prefix: "a/", cursor: "a/b", limit: 2 });
    await store.list({ cursor: null });
    assert.equal(await store.increment("a/b"), 3);
    await store.increment("a/b", -2.5);
    assert.deepEqual(
      calls.map(({ path, init }) => [init.method, path, init.body]),
      [
        ["GET", `/${scope}/a%2Fb?optional=true`, undefined],
        ["PUT", `/${scope}/a%2Fb`, '{"c":[null]}'],
        ["DELETE", `/${scope}/a%2Fb`, undefined],
        ["GET", `/${scope}`, undefined],
        ["GET", `/${scope}?prefix=a%2F&cursor=a%2Fb&limit=2`, undefined],
        ["GET", `/${scope}`, undefined],
        ["POST", `/${scope}/a%2Fb/increment`, '{"by":1}'],
        ["POST", `/${scope}/a%2Fb/increment`, '{"by":-2.5}'],
      ],
    );
  }
});

test("`get` resolves with undefined for an absent key, and with null for a stored null", async () => {
  assert.equal(await answered({ code: "NOT_FOUND", message: "m" }, 404).kv.get("a"), undefined);
  assert.equal(await answered({ value: null }).kv.get("a"), null);
});

test("`get` throws for every other 404", async () => {
  for (const body of [{ code: "OWNER_ONLY" }, { code: "ARCHIVED" }, { code: "SHARE_EXPIRED" }, {}, null]) {
    await assert.rejects(answered(body, 404).kv.get("a"), NotFoundError);
  }
});

test("only `get` accepts a 404", async () => {
  const { kv } = answered({ code: "NOT_FOUND", message: "m" }, 404);
  await assert.rejects(kv.set("a", 1), NotFoundError);
  await assert.rejects(kv.delete("a"), NotFoundError);
  await assert.rejects(kv.list(), NotFoundError);
  await assert.rejects(kv.increment("a"), NotFoundError);
});

test("a key is encoded as one path segment", async () => {
  const { kv, calls } = answered({ value: 1, ok: true });
  const keys = fc
    .string({ unit: codePoint, minLength: 1 })
    .filter((key) => ![".", "..", "user"].includes(key));
  await fc.assert(
    fc.asyncProperty(keys, async (key) => {
      calls.length = 0;
      for (const store of [kv, kv.user]) {
        await store.get(key);
        await store.set(key, true);
        await store.delete(key);
        await store.increment(key);
      }
      const scopes = [["kv"], ["kv", "user"]];
      const expected = scopes.flatMap((scope) => [
        ...Array(3).fill([...scope, key]),
        [...scope, key, "increment"],
      ]);
      assert.deepEqual(
        calls.map(({ segments }) => segments),
        expected,
      );
    }),
    {
      examples: [
        ["%2e"],
        ["%2E%2e"],
        ["..."],
        ["/"],
        ["../x"],
        ["a/../b"],
        ["?"],
        ["#"],
        ["\\"],
        ["\0"],
        [" "],
        ["ключ"],
      ],
    },
  );
});

test("a key that no URL can hold is refused, and nothing is sent", async () => {
  const { kv, calls } = answered({ value: 1 });
  const nothing = [undefined, null, 1] as unknown as string[];
  for (const store of [kv, kv.user]) {
    for (const key of ["", ".", "..", "\ud800", "a\udc00", ...nothing, ...(store === kv ? ["user"] : [])]) {
      await assert.rejects(store.get(key), invalid);
      await assert.rejects(store.set(key, 1), invalid);
      await assert.rejects(store.delete(key), invalid);
      await assert.rejects(store.increment(key), invalid);
    }
  }
  assert.equal(calls.length, 0);
  assert.equal(await kv.user.get("user"), 1);
});

test("`set` refuses null and values that JSON cannot hold, and nothing is sent", async () => {
  const { kv, calls } = answered({ ok: true });
  for (const value of [undefined, null, Number.NaN, Number.POSITIVE_INFINITY, () => 1, Symbol("s"), 1n]) {
    await assert.rejects(kv.set("a", value as Json & object), invalid);
  }
  assert.equal(calls.length, 0);
});

test("`set` sends every other JSON value unchanged", async () => {
  const { kv, calls } = answered({ ok: true });
  for (const value of [0, false, "", [], {}, [null], { a: null }, "\ud800", "ä"]) {
    await kv.set("a", value);
    assert.deepEqual(JSON.parse(String(calls.at(-1)?.init.body)), value);
  }
});

test("`increment` refuses anything but a finite number, and nothing is sent", async () => {
  const { kv, calls } = answered({ value: 1 });
  for (const by of [Number.NaN, Number.NEGATIVE_INFINITY, "1", null]) {
    await assert.rejects(kv.increment("a", by as number), invalid);
  }
  assert.equal(calls.length, 0);
});

test("`get` reads what `set` wrote, in separate scopes", async () => {
  const { kv } = createEasel({ ...page, ...fakeService() });
  await kv.set("a", { b: 1 });
  await kv.user.set("a", "mine");
  assert.deepEqual(await kv.get("a"), { b: 1 });
  assert.equal(await kv.user.get("a"), "mine");
  assert.equal(await kv.increment("n", 2), 2);
  assert.deepEqual((await kv.list({ prefix: "n" })).entries, [{ key: "n", value: 2 }]);
  await kv.delete("a");
  assert.equal(await kv.get("a"), undefined);
  assert.equal(await kv.user.get("a"), "mine");
});

test("a key that does not exist is undefined: as the service says it, and as an older service does", async () => {
  for (const { kv } of [
    answered({ absent: true }),
    {
      kv: createEasel({ ...page, ...fakeFetch(() => Response.json({ code: "NOT_FOUND" }, { status: 404 })) })
        .kv,
    },
  ])
    assert.equal(await kv.get("a"), undefined);
});
