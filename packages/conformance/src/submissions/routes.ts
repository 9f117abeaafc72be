import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Json } from "@easel/protocol/types";
import { type Stage, stage } from "../fixture.ts";
import type { Answer } from "../http.ts";
import { JSON_TYPE } from "../page.ts";
import { idOf } from "../person-id.ts";
import { answered, refused, unshared, wrongMethod } from "../refusal.ts";
import type { Target } from "../target.ts";
import { answerOf } from "./answer.ts";

const WRONG_METHODS: [method: string, path: string, allowed: string[]][] = [
  ["POST", "/submissions/poll", ["GET", "DELETE"]],
  ["PUT", "/submissions/poll", ["GET", "DELETE"]],
  ["PATCH", "/submissions/poll", ["GET", "DELETE"]],
  ["POST", "/submissions/poll/mine", ["GET", "PUT", "DELETE"]],
  ["PATCH", "/submissions/poll/mine", ["GET", "PUT", "DELETE"]],
  ["POST", "/submissions/poll/%6dine", ["GET", "PUT", "DELETE"]],
  ["GET", "/submissions/poll/u-1", ["DELETE"]],
  ["PUT", "/submissions/poll/u-1", ["DELETE"]],
  ["POST", "/submissions/poll/u-1", ["DELETE"]],
];

const UNKNOWN_PATHS = ["/submissions", "/submissions/poll/mine/more", "/submissions/poll/u-1/increment"];

/** Tests the six routes of submissions. */
export function routes(target: Target): void {
  describe("routes", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });

    for (const role of ["owner", "editor", "viewer"] as const) {
      it(`the ${role} creates, reads, replaces and deletes their submission`, async () => {
        const page = canvas.pages[role];
        const path = `/submissions/of-${role}/mine`;
        const userId = await idOf(page);
        refused(await page.get(path), 404, "NOT_FOUND");
        const began = Date.now();
        const first = answerOf(await page.put(path, { tea: 1 }));
        assert.deepEqual([first.userId, first.value], [userId, { tea: 1 }]);
        assert.ok(Math.abs(first.updatedAt - began) < 3_600_000, `${first.updatedAt} is about now`);
        answered(await page.get(path), first);
        const second = answerOf(await page.put(path, ["coffee"]));
        assert.deepEqual([second.userId, second.value], [userId, ["coffee"]]);
        assert.ok(second.updatedAt >= first.updatedAt);
        answered(await page.get(path), second);
        answered(await page.delete(path), { ok: true });
        refused(await page.get(path), 404, "NOT_FOUND");
        answered(await page.delete(path), { ok: true });
        assert.equal(answerOf(await page.put(path, 3)).value, 3);
      });
    }

    it("submitting the same value twice makes one submission", async () => {
      const { owner, viewer } = canvas.pages;
      await viewer.put("/submissions/twice/mine", "same");
      const last = answerOf(await viewer.put("/submissions/twice/mine", "same"));
      answered(await owner.get("/submissions/twice"), { entries: [last], nextCursor: null });
    });

    it("null is a valid value", async () => {
      const { owner, viewer } = canvas.pages;
      const stored = answerOf(await viewer.put("/submissions/null/mine", null));
      assert.equal(stored.value, null);
      answered(await viewer.get("/submissions/null/mine"), stored);
      answered(await owner.get("/submissions/null"), { entries: [stored], nextCursor: null });
    });

    it("a person has one submission in each collection", async () => {
      const { viewer } = canvas.pages;
      for (const name of ["one", "One", "one.", "one-"])
        answerOf(await viewer.put(`/submissions/${name}/mine`, name));
      await viewer.delete("/submissions/one/mine");
      refused(await viewer.get("/submissions/one/mine"), 404, "NOT_FOUND");
      for (const name of ["One", "one.", "one-"])
        assert.equal((await viewer.get(`/submissions/${name}/mine`)).json.value, name);
    });

    it("each canvas has its own submissions", async () => {
      const other = await stage(target, { people: canvas.people });
      const path = "/submissions/apart/mine";
      const here = answerOf(await canvas.pages.viewer.put(path, "here"));
      refused(await other.pages.viewer.get(path), 404, "NOT_FOUND");
      answered(await other.pages.owner.get("/submissions/apart"), { entries: [], nextCursor: null });
      answered(await other.pages.viewer.delete(path), { ok: true });
      answered(await other.pages.owner.delete("/submissions/apart"), { ok: true });
      answered(await canvas.pages.viewer.get(path), here);
    });

    it("the list: everyone's submissions, for owner and editors", async () => {
      const { owner, editor, viewer } = canvas.pages;
      const made = new Map<string, object>();
      for (const page of [owner, editor, viewer]) {
        const stored = answerOf(await page.put("/submissions/all/mine", await idOf(page)));
        made.set(stored.userId, stored);
      }
      for (const page of [owner, editor]) {
        const answer = await page.get("/submissions/all");
        const entries = answer.json.entries as { userId: string }[];
        answered(answer, { entries, nextCursor: null });
        assert.deepEqual(new Map(entries.map((entry) => [entry.userId, entry])), made);
        assert.equal(entries.length, 3);
      }
    });

    it("one submission is removed, the others stay; removing an absent one succeeds", async () => {
      const { owner, editor, viewer } = canvas.pages;
      for (const page of [owner, editor, viewer]) await page.put("/submissions/some/mine", 1);
      answered(await editor.delete(`/submissions/some/${await idOf(viewer)}`), { ok: true });
      refused(await viewer.get("/submissions/some/mine"), 404, "NOT_FOUND");
      answered(await editor.delete(`/submissions/some/${await idOf(viewer)}`), { ok: true });
      answered(await editor.delete("/submissions/some/nobody"), { ok: true });
      const left = (await owner.get("/submissions/some")).json.entries as Json[];
      assert.equal(left.length, 2);
      answerOf(await viewer.put("/submissions/some/mine", 2));
    });

    it("clearing a collection keeps the others, and an empty collection can be cleared", async () => {
      const { owner, editor, viewer } = canvas.pages;
      for (const page of [owner, editor, viewer]) await page.put("/submissions/cleared/mine", 1);
      await viewer.put("/submissions/cleared-not/mine", 1);
      for (const page of [editor, owner]) {
        answered(await page.delete("/submissions/cleared"), { ok: true });
        answered(await page.get("/submissions/cleared"), { entries: [], nextCursor: null });
      }
      refused(await viewer.get("/submissions/cleared/mine"), 404, "NOT_FOUND");
      assert.equal((await viewer.get("/submissions/cleared-not/mine")).status, 200);
      answered(await owner.delete("/submissions/never"), { ok: true });
    });

    it("submissions and keys of the same name are independent", async () => {
      const { owner } = canvas.pages;
      await owner.put("/kv/user/secret", "own");
      await owner.put("/kv/secret", "shared");
      refused(await owner.get("/submissions/secret/mine"), 404, "NOT_FOUND");
      for (const name of ["secret", "user", "kv"])
        answered(await owner.get(`/submissions/${name}`), { entries: [], nextCursor: null });
      answerOf(await owner.put("/submissions/secret/mine", "answer"));
      answered(await owner.delete("/submissions/secret"), { ok: true });
      answered(await owner.get("/kv/user/secret"), { value: "own" });
      answered(await owner.get("/kv/secret"), { value: "shared" });
    });

    it("every response, refusals included, is private, no-store", async () => {
      const { owner, viewer } = canvas.pages;
      const path = "/submissions/headers";
      const answers: Answer[] = [
        await viewer.put(`${path}/mine`, 1),
        await viewer.get(`${path}/mine`),
        await viewer.get(`${path}/absent`),
        await viewer.get(path),
        await owner.get(path),
        await owner.get(`${path}?limit=0`),
        await owner.delete(`${path}/u-1`),
        await owner.delete(path),
        await viewer.get(`${path}/mine`),
        await viewer.delete(`${path}/mine`),
        await viewer.putRaw(`${path}/mine`, "{"),
      ];
      for (const answer of answers) unshared(answer);
      assert.equal(new Set(answers.map(({ status }) => status)).size, 5);
    });

    it("HEAD is GET without the body", async () => {
      const { owner } = canvas.pages;
      await owner.put("/submissions/head/mine", 1);
      for (const [path, status] of [
        ["/submissions/head/mine", 200],
        ["/submissions/head", 200],
        ["/submissions/headless/mine", 404],
      ] as const) {
        const answer = await owner.send("HEAD", path);
        assert.deepEqual([answer.status, answer.text], [status, ""]);
      }
    });

    for (const [method, path, allowed] of WRONG_METHODS) {
      it(`${method} ${path}: 405 METHOD_NOT_ALLOWED, Allow: ${allowed}`, async () => {
        wrongMethod(await canvas.pages.owner.send(method, path, [JSON_TYPE], "1"), allowed);
        answered(await canvas.pages.owner.get("/submissions/poll"), { entries: [], nextCursor: null });
      });
    }

    for (const path of UNKNOWN_PATHS) {
      it(`${path}: 404 NOT_FOUND`, async () => {
        for (const method of ["GET", "DELETE"])
          refused(await canvas.pages.owner.send(method, path), 404, "NOT_FOUND");
      });
    }
  });
}
