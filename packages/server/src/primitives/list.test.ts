import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { listed } from "./list.ts";

/** A list of numbers, and how many of them were asked for each time. */
function numbers(count: number) {
  const asked: number[] = [];
  const read = async (limit: number, after: string | null) => {
    asked.push(limit);
    const from = after === null ? 0 : Number(after) + 1;
    const entries = Array.from({ length: Math.min(limit, count - from) }, (_, index) => from + index);
    return { entries, nextCursor: from + limit < count ? String(entries.at(-1)) : null };
  };
  return { asked, read };
}

const whole = async (page: Awaited<ReturnType<typeof listed>>) =>
  JSON.parse(typeof page === "string" ? page : await text(page));

describe("a page of a list", () => {
  for (const [count, limit, asked] of [
    [0, 1_000, [100]],
    [7, 5, [5]],
    [99, 100, [100]],
    [101, 100, [100]],
    [100, 1_000, [100]],
    [101, 1_000, [100, 100]],
    [101, 101, [100, 1]],
    [350, 250, [100, 100, 50]],
    [1_500, 1_000, Array(10).fill(100)],
  ] as const) {
    it(`${limit} of ${count}, read ${asked.join(", ")} at a time`, async () => {
      const list = numbers(count);
      const entries = Array.from({ length: Math.min(count, limit) }, (_, index) => index);
      const nextCursor = count > limit ? String(limit - 1) : null;
      assert.deepEqual(await whole(await listed(limit, list.read, String)), { entries, nextCursor });
      assert.deepEqual(list.asked, asked);
    });
  }

  it("where the rest is removed meanwhile it ends", async () => {
    const list = numbers(500);
    const read: typeof list.read = async (limit, after) =>
      after === "199" ? { entries: [], nextCursor: null } : list.read(limit, after);
    const { entries, nextCursor } = await whole(await listed(1_000, read, String));
    assert.deepEqual([entries.length, nextCursor], [200, null]);
  });

  it("nothing is read that nobody takes", async () => {
    const list = numbers(1_000);
    const page = await listed(1_000, list.read, (each) => `"${String(each).padEnd(10_000)}"`);
    assert.ok(typeof page === "object");
    for (let turns = 0; turns < 100; turns++) await turn();
    assert.equal(list.asked.length, 1);
    page.once("readable", () => page.read());
    for (let turns = 0; turns < 100; turns++) await turn();
    assert.ok(list.asked.length <= 3, String(list.asked));
    page.destroy();
  });

  it("what goes wrong at first is thrown, and later ends the text before its end", async () => {
    const list = numbers(1_000);
    const failing =
      (at: string | null): typeof list.read =>
      async (limit, after) =>
        after === at ? Promise.reject(new Error("down")) : list.read(limit, after);
    await assert.rejects(listed(1_000, failing(null), String), /down/);
    const page = await listed(1_000, failing("299"), String);
    await assert.rejects(whole(page), /down/);
  });
});
