import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { add, entryOf } from "../collections/entry.ts";
import type { Stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { segment } from "../kv/scope.ts";
import { open, type Page } from "../page.ts";
import { collecting } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { are, gets } from "./frame.ts";
import { line } from "./line.ts";
import type { Socket } from "./socket.ts";
import { keyChange, keys, recordChange, recordDeletion, records, watch } from "./watching.ts";

/** Prefixes, with keys that have them and similar keys that do not. */
const PREFIXES: [prefix: string, within: string[], without: string[]][] = [
  ["", ["a", "\0", "😀", "__proto__"], []],
  ["a/", ["a/", "a/b", "a/\0"], ["a", "A/", "b/a/"]],
  ["a%", ["a%", "a%b"], ["ab", "a"]],
  ["a_", ["a_b"], ["abc", "a"]],
  ["a*", ["a*", "a*b"], ["ab", "a"]],
  ["[ab]", ["[ab]c"], ["a", "ab"]],
  ["\u00e9", ["\u00e91"], ["e\u0301", "e"]],
  ["😀", ["😀", "😀x"], ["😁", "\ufffd"]],
  ["a\0", ["a\0", "a\0b"], ["a", "ab"]],
  ["__proto__", ["__proto__", "__proto__.x"], ["__proto_", "constructor"]],
];

/** Tests change frames for keys and records, which are sent to the watching connections of people who may read them. */
export function changes(target: Target): void {
  describe("changes", () => {
    const dial = line(target);
    let canvas: Stage;
    before(async () => {
      canvas = await collecting(target, { board: { preset: "collaborative" } });
    });
    const viewerWatches = async (...all: Parameters<typeof watch>[1][]) => {
      const socket = await dial(canvas, canvas.people.viewer);
      for (const watched of all) await watch(socket, watched);
      return socket;
    };
    /**
     * Writes the key `last` through `page`. Asserts that `socket` receives the frames in `expected` and then the change of `last`, and
     * nothing else.
     */
    const last = async (page: Page, socket: Socket, expected: ReturnType<typeof keyChange>[]) => {
      answered(await page.put("/kv/last", 1), { ok: true });
      await gets(socket, [...expected, keyChange("kv", "last", 1)]);
    };

    for (const resource of ["kv", "kv.user"] as const) {
      it(`${resource}: set, changed, incremented, deleted`, async () => {
        const page = resource === "kv" ? canvas.pages.editor : canvas.pages.viewer;
        const root = resource === "kv" ? "/kv" : "/kv/user";
        const socket = await viewerWatches(keys(resource));
        answered(await page.put(`${root}/k`, { a: 1 }), { ok: true });
        same(await socket.next(), keyChange(resource, "k", { a: 1 }));
        answered(await page.put(`${root}/k`, 1), { ok: true });
        same(await socket.next(), keyChange(resource, "k", 1));
        answered(await page.post(`${root}/k/increment`, { by: 2 }), { value: 3 });
        same(await socket.next(), keyChange(resource, "k", 3));
        answered(await page.post(`${root}/new/increment`, {}), { value: 1 });
        same(await socket.next(), keyChange(resource, "new", 1));
        for (const key of ["k", "new"]) {
          answered(await page.delete(`${root}/${key}`), { ok: true });
          same(await socket.next(), keyChange(resource, key));
        }
        are(await socket.settled(), []);
      });
    }

    it("collection: made, changed, incremented, deleted", async () => {
      const socket = await viewerWatches(records("board"));
      const { owner } = canvas.pages;
      const made = await add(owner, "board", { a: ["\n", 1] });
      const { id } = made;
      same(await socket.next(), recordChange("board", made));
      const changed = entryOf(await owner.put(`/collections/board/${id}`, 2));
      same(await socket.next(), recordChange("board", changed));
      const incremented = entryOf(await owner.post(`/collections/board/${id}/increment`, { by: 1 }));
      same(await socket.next(), recordChange("board", incremented));
      await owner.delete(`/collections/board/${id}`);
      same(await socket.next(), recordDeletion("board", id));
      are(await socket.settled(), []);
    });

    it("a value or record of at most 4 KiB is in its change, a larger one is not", async () => {
      const socket = await viewerWatches(keys("kv"), records("board"));
      const { owner } = canvas.pages;
      for (const value of ["é".repeat(2_047), '\u0000\n"\\😀']) {
        answered(await owner.put("/kv/size", value), { ok: true });
        same(await socket.next(), keyChange("kv", "size", value));
      }
      answered(await owner.put("/kv/size", `${"é".repeat(2_047)}e`), { ok: true });
      same(await socket.next(), { type: "change", resource: "kv", key: "size", op: "set" });
      const { id } = await add(owner, "board", "e".repeat(4_094));
      same(await socket.next(), { type: "change", ...records("board"), id, op: "set" });
      const small = entryOf(await owner.put(`/collections/board/${id}`, "e".repeat(3_800)));
      same(await socket.next(), recordChange("board", small));
    });

    it("a collection cleared: a change for each record, or a resync", async () => {
      const socket = await viewerWatches(records("board"));
      const { owner } = canvas.pages;
      const ids = [];
      for (const value of [1, 2, 3]) ids.push((await add(owner, "board", value)).id);
      await socket.take(3);
      await owner.delete("/collections/board");
      const first = await socket.next();
      if (first.type === "resync") return same(first, { type: "resync", ...records("board") });
      const gone = [first, ...(await socket.take(2))];
      const expected = new Set(ids.map((id) => JSON.stringify(recordDeletion("board", id))));
      assert.deepEqual(new Set(gone.map((frame) => JSON.stringify(frame))), expected);
      are(await socket.settled(), []);
    });

    it("nothing without a watch, nothing after unwatch", async () => {
      const { owner } = canvas.pages;
      const socket = await viewerWatches(keys("kv", "last"), keys("kv", "unwatched"), records("board"));
      socket.send({ type: "unwatch", ...keys("kv", "unwatched") });
      socket.send({ type: "unwatch", ...records("board") });
      await socket.settled();
      for (const key of ["unwatched", "never", "user-less"]) await owner.put(`/kv/${key}`, 1);
      await owner.put("/kv/user/last", 1);
      await canvas.pages.viewer.put("/kv/user/last", 1);
      await canvas.pages.viewer.put("/submissions/board/mine", 1);
      await add(owner, "board", 1);
      await last(owner, socket, []);
    });

    for (const resource of ["kv", "kv.user"] as const) {
      it(`${resource}: a prefix matches as plain text, not as a pattern`, async () => {
        const page = resource === "kv" ? canvas.pages.editor : canvas.pages.viewer;
        const root = resource === "kv" ? "/kv" : "/kv/user";
        for (const [prefix, within, without] of PREFIXES) {
          const socket = await viewerWatches(keys(resource, prefix));
          for (const key of [...without, ...within])
            answered(await page.put(`${root}/${segment(key)}`, 1), { ok: true });
          await gets(
            socket,
            within.map((key) => keyChange(resource, key, 1)),
          );
        }
      });
    }

    it("keys of the user scope: sent to each connection of their person, and to no other role", async () => {
      const guest = await guestOf(target, canvas);
      const guestPage = open(target, canvas.slug, guest);
      const { owner, editor, viewer } = canvas.people;
      const everyone = [owner, editor, viewer, viewer, guest];
      const sockets = await Promise.all(everyone.map((person) => dial(canvas, person)));
      for (const socket of sockets) await watch(socket, keys("kv.user"));
      const pages = [canvas.pages.owner, canvas.pages.editor, canvas.pages.viewer, guestPage];
      for (const [index, page] of pages.entries())
        answered(await page.put(`/kv/user/of-${index}`, 1), { ok: true });
      for (const page of pages.toReversed()) answered(await page.put("/kv/user/end", 1), { ok: true });
      for (const [index, socket] of sockets.entries()) {
        const person = [0, 1, 2, 2, 3][index];
        await gets(socket, [keyChange("kv.user", `of-${person}`, 1), keyChange("kv.user", "end", 1)]);
      }
    });

    it("refused requests send no change", async () => {
      const { owner, viewer } = canvas.pages;
      const socket = await viewerWatches(keys("kv"), records("board"));
      refused(await viewer.put("/kv/k", 1), 403, "PERMISSION_DENIED");
      refused(await owner.putRaw("/kv/k", "{"), 400, "INVALID_BODY");
      refused(await owner.put(`/kv/${"k".repeat(513)}`, 1), 413, "KEY_TOO_LARGE");
      answered(await owner.put("/kv/text", "text"), { ok: true });
      refused(await owner.post("/kv/text/increment", {}), 409, "NOT_NUMERIC");
      refused(await owner.put("/collections/board/none", 1), 404, "NOT_FOUND");
      await last(owner, socket, [keyChange("kv", "text", "text")]);
    });

    it("changes on another canvas are not sent", async () => {
      const other = await collecting(target, { board: { preset: "collaborative" } }, canvas.people);
      const socket = await viewerWatches(keys("kv"), keys("kv.user"), records("board"));
      await other.pages.owner.put("/kv/k", 1);
      await other.pages.viewer.put("/kv/user/k", 1);
      await add(other.pages.owner, "board", 1);
      await last(canvas.pages.owner, socket, []);
    });

    it("fifty writes at once are fifty changes", async () => {
      const socket = await viewerWatches(keys("kv", "many-"));
      const names = Array.from({ length: 50 }, (_, index) => `many-${index}`);
      await Promise.all(names.map((key) => canvas.pages.owner.put(`/kv/${key}`, 1)));
      const frames = await socket.take(names.length);
      assert.deepEqual(new Set(frames.map(({ key }) => key)), new Set(names));
      are(await socket.settled(), []);
    });
  });
}
