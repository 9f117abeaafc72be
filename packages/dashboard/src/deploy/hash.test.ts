import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { hashFiles, inParallel, manifestOf, sha256Of } from "./hash.ts";

const { signal } = new AbortController();

test("the hash is that of the bytes, with and without a secure context", async (t) => {
  const bytes = Buffer.alloc(2_500_000, "easel");
  const expected = hash("sha256", bytes, "hex");
  assert.equal(await sha256Of(new Blob([bytes]), signal), expected);
  t.mock.getter(globalThis, "crypto", () => ({}));
  assert.equal(await sha256Of(new Blob([bytes]), signal), expected);
});

test("the same files are recognized in any order; another name or content is another manifest", async () => {
  const hashed = (files: Record<string, string>) =>
    hashFiles(
      Object.entries(files).map(([path, text]) => ({ path, size: text.length, file: new Blob([text]) })),
      signal,
      () => undefined,
    );
  const manifest = async (files: Record<string, string>) => manifestOf(await hashed(files), signal);
  const first = await manifest({ a: "1", b: "2" });
  assert.equal(await manifest({ b: "2", a: "1" }), first);
  assert.notEqual(await manifest({ a: "1", c: "2" }), first);
  assert.notEqual(await manifest({ a: "1", b: "3" }), first);
});

test("tasks run side by side, and none begins after an error", async () => {
  let running = 0;
  let most = 0;
  const begun: number[] = [];
  const run = inParallel([1, 2, 3, 4, 5, 6, 7], 3, async (entry) => {
    begun.push(entry);
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve));
    running -= 1;
    if (entry === 2) throw new Error("two");
  });
  await assert.rejects(run, /two/);
  assert.equal(most, 3);
  assert.ok(!begun.includes(7));
});
