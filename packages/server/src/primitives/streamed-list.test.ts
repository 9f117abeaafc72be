import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { newWork } from "../../test/support/work.ts";
import type { RuntimeCaller } from "./primitive.ts";
import { type ReadSlice, splitPage, streamList } from "./streamed-list.ts";

/** A call whose `readmit` always succeeds. */
const call = { readmit: async () => call } as RuntimeCaller;

/**
 * Creates a list of the numbers from 0 to `count - 1`. `read` returns a slice of the list. `asked` contains the `limit` of each call of
 * `read`.
 */
function numbers(count: number) {
  const asked: number[] = [];
  const read: ReadSlice<number> = async (_call, limit, after) => {
    asked.push(limit);
    const from = after === null ? 0 : Number(after) + 1;
    const entries = Array.from({ length: Math.min(limit, count - from) }, (_, index) => from + index);
    return { entries, nextCursor: from + limit < count ? String(entries.at(-1)) : null };
  };
  return { asked, read };
}

const work = newWork();

const whole = async (page: Awaited<ReturnType<typeof streamList>>) =>
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
      assert.deepEqual(await whole(await streamList(call, limit, list.read, String, work)), {
        entries,
        nextCursor,
      });
      assert.deepEqual(list.asked, asked);
    });
  }

  for (const cursor of [null, "k", 'a],"nextCursor":null}', '\\],"nextCursor":"'])
    it(`is split into its entries and the cursor ${JSON.stringify(cursor)}`, async () => {
      const entries = [{ text: '],"nextCursor":' }, cursor];
      const read: ReadSlice<unknown> = async () => ({ entries, nextCursor: cursor });
      const page = await streamList(
        call,
        entries.length,
        read,
        (each) => JSON.stringify(each),
        work,
        "files",
      );
      const split = splitPage(String(page), "files");
      assert.deepEqual(split, { entries: JSON.stringify(entries).slice(1, -1), nextCursor: cursor });
    });

  it("slices may have no entries before the list goes on, at its begin, in between and at its end", async () => {
    const slices: Record<string, { entries: number[]; nextCursor: string | null }> = {
      begin: { entries: [], nextCursor: "a" },
      a: { entries: [], nextCursor: "b" },
      b: { entries: [1, 2], nextCursor: "c" },
      c: { entries: [], nextCursor: "d" },
      d: { entries: [3], nextCursor: "e" },
      e: { entries: [], nextCursor: null },
    };
    const read: ReadSlice<number> = async (_, __, after) =>
      slices[after ?? "begin"] ?? assert.fail(String(after));
    const page = await whole(await streamList(call, 1_000, read, String, work));
    assert.deepEqual(page, { entries: [1, 2, 3], nextCursor: null });
  });

  it("it ends where the remaining entries are deleted meanwhile", async () => {
    const list = numbers(500);
    const read: typeof list.read = async (now, limit, after) =>
      after === "199" ? { entries: [], nextCursor: null } : list.read(now, limit, after);
    const { entries, nextCursor } = await whole(await streamList(call, 1_000, read, String, work));
    assert.deepEqual([entries.length, nextCursor], [200, null]);
  });

  it("no slice is read before the client takes the last one", async () => {
    const list = numbers(1_000);
    const page = await streamList(call, 1_000, list.read, (each) => `"${String(each).padEnd(10_000)}"`, work);
    assert.ok(typeof page === "object");
    for (let turns = 0; turns < 100; turns++) await turn();
    assert.equal(list.asked.length, 1);
    page.once("readable", () => page.read());
    for (let turns = 0; turns < 100; turns++) await turn();
    assert.ok(list.asked.length <= 3, String(list.asked));
    page.destroy();
  });

  it("an error of the first read is thrown; a later one fails the stream", async () => {
    const list = numbers(1_000);
    const failing =
      (at: string | null): typeof list.read =>
      async (now, limit, after) =>
        after === at ? Promise.reject(new Error("down")) : list.read(now, limit, after);
    await assert.rejects(streamList(call, 1_000, failing(null), String, work), /down/);
    const page = await streamList(call, 1_000, failing("299"), String, work);
    await assert.rejects(whole(page), /down/);
  });

  it("each slice is read with the current rights, and none once access is lost", async () => {
    const list = numbers(1_000);
    const roles: unknown[] = [];
    const read: typeof list.read = (now, ...rest) => {
      roles.push(now.role);
      return list.read(now, ...rest);
    };
    let admissions = 0;
    const leaving = {
      role: "owner",
      readmit: async () => {
        if (++admissions === 2) throw new Error("removed");
        return { ...leaving, role: "viewer" };
      },
    } as RuntimeCaller;
    await assert.rejects(whole(await streamList(leaving, 1_000, read, String, work)), /removed/);
    assert.deepEqual(roles, ["owner", "viewer"]);
  });

  it("a short slice is followed by another until the page is full", async () => {
    const list = numbers(1_000);
    const read: typeof list.read = (now, limit, after) => list.read(now, Math.min(limit, 7), after);
    const { entries, nextCursor } = await whole(await streamList(call, 100, read, String, work));
    assert.deepEqual([entries.length, nextCursor], [100, "99"]);
  });
});
