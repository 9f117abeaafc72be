import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Json } from "@easel/protocol/types";
import type { Stage } from "../fixture.ts";
import type { Answer } from "../http.ts";
import { JSON_TYPE, type Page } from "../page.ts";
import { collecting } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, type Entry, entryOf } from "./entry.ts";

const at = ({ id }: Entry, name = "board") => `/collections/${name}/${id}`;

/** Replaces a record on the condition that `If-Match` names it. */
const put = (page: Page, path: string, tag: string, value: Json) =>
  page.send("PUT", path, [JSON_TYPE, ["If-Match", tag]], JSON.stringify(value));

/** Deletes a record on the condition that `If-Match` names it. */
const remove = (page: Page, path: string, tag: string) => page.send("DELETE", path, [["If-Match", tag]]);

const tagOf = ({ updatedAt }: Entry) => `"${updatedAt}"`;

/** Asserts that a response is 412 and contains the record as it is now. */
function changed(answer: Answer, record: Entry): void {
  refused(answer, 412, "RECORD_CHANGED");
  assert.deepEqual(answer.json.record, record);
}

/** Tests writes of records that happen only if the record is still what the client has read. */
export function conditional(target: Target): void {
  describe("conditional writes", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await collecting(target, {
        board: { preset: "collaborative" },
        own: { preset: "personal" },
        managed: { preset: "managed" },
      });
    });

    it("writes with the `updatedAt` that was read; a stale one is 412 with the record, and changes nothing", async () => {
      const { viewer, owner } = canvas.pages;
      const read = await add(viewer, "board", { text: "first" });
      const second = entryOf(await put(viewer, at(read), tagOf(read), { text: "second" }));
      assert.ok(second.updatedAt > read.updatedAt);
      changed(await put(owner, at(read), tagOf(read), { text: "stale" }), second);
      changed(await remove(owner, at(read), tagOf(read)), second);
      answered(await owner.get(at(read)), second);
      answered(await remove(owner, at(read), tagOf(second)), { ok: true, attachmentCleanupFailed: 0 });
      refused(await owner.get(at(read)), 404, "NOT_FOUND");
    });

    it("every change makes `updatedAt` greater, so that none is overlooked", async () => {
      const { viewer } = canvas.pages;
      const read = await add(viewer, "board", 0);
      const answers = await Promise.all([
        ...[1, 2, 3, 4].map((value) => viewer.put(at(read), value)),
        ...[1, 2, 3, 4].map((by) => viewer.post(`${at(read)}/increment`, { by })),
      ]);
      const times = answers.map((each) => entryOf(each).updatedAt);
      assert.equal(new Set([read.updatedAt, ...times]).size, 9);
      assert.ok(Math.min(...times) > read.updatedAt);
      const last = answers
        .map((each) => entryOf(each))
        .find(({ updatedAt }) => updatedAt === Math.max(...times));
      answered(await viewer.get(at(read)), { ...last });
    });

    it("of several at once exactly one wins", async () => {
      const { viewer, owner, editor } = canvas.pages;
      const read = await add(viewer, "board", 0);
      const answers = await Promise.all(
        [viewer, owner, editor, viewer, owner, editor].map((page, index) =>
          index === 5 ? remove(page, at(read), tagOf(read)) : put(page, at(read), tagOf(read), index),
        ),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      const isGone = answers[5]?.status === 200;
      for (const answer of answers) {
        if (answer.status === 200) continue;
        // A write that comes after the removal finds no record.
        if (isGone) assert.ok([404, 412].includes(answer.status), answer.text);
        else refused(answer, 412, "RECORD_CHANGED");
      }
    });

    it("`*` names any record, a list several states, a weak tag none; the quotes may be missing", async () => {
      const { viewer } = canvas.pages;
      let read = await add(viewer, "board", 0);
      const write = async (tag: string, value: Json) => {
        read = entryOf(await put(viewer, at(read), tag, value));
      };
      await write("*", 1);
      await write(`"1", ${tagOf(read)}`, 2);
      await write(String(read.updatedAt), 3);
      changed(await put(viewer, at(read), `W/${tagOf(read)}`, 4), read);
      changed(await put(viewer, at(read), '"1", "2"', 4), read);
      changed(await put(viewer, at(read), '"other"', 4), read);
      answered(await viewer.get(at(read)), read);
    });

    it("what is no list of tags is 400, and nothing is written", async () => {
      const { viewer } = canvas.pages;
      const read = await add(viewer, "board", 0);
      for (const tag of ["", '"', "abc", `"${read.updatedAt}`, `"1" ${tagOf(read)}`, `*, ${tagOf(read)}`]) {
        refused(await put(viewer, at(read), tag, 1), 400, "INVALID_BODY");
        refused(await remove(viewer, at(read), tag), 400, "INVALID_BODY");
      }
      answered(await viewer.get(at(read)), read);
    });

    it("who may not read or change the record gets the same answer as without the header", async () => {
      const { viewer, owner } = canvas.pages;
      const hidden = await add(viewer, "own", { secret: 1 });
      const shown = await add(owner, "managed", 1);
      for (const tag of [tagOf(hidden), '"1"', "*", "no tag"]) {
        refused(await put(owner, at(hidden, "own"), tag, 2), 404, "NOT_FOUND");
        refused(await remove(owner, at(hidden, "own"), tag), 404, "NOT_FOUND");
        refused(await put(owner, `/collections/own/${shown.id}`, tag, 2), 404, "NOT_FOUND");
        refused(await put(viewer, at(shown, "managed"), tag, 2), 403, "PERMISSION_DENIED");
        refused(await remove(viewer, at(shown, "managed"), tag), 403, "PERMISSION_DENIED");
      }
      answered(await viewer.get(at(hidden, "own")), hidden);
    });

    it("a body that would be refused is refused first", async () => {
      const { viewer } = canvas.pages;
      const read = await add(viewer, "board", 0);
      const send = (body: string) => viewer.send("PUT", at(read), [JSON_TYPE, ["If-Match", '"1"']], body);
      refused(await send("{"), 400, "INVALID_BODY");
      refused(await send(JSON.stringify("x".repeat(400_000))), 413, "VALUE_TOO_LARGE");
      answered(await viewer.get(at(read)), read);
    });
  });
}
