import assert from "node:assert/strict";
import { before, it } from "node:test";
import { disable } from "@easel/conformance/admin";
import { upload } from "@easel/conformance/files/form";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { open } from "@easel/conformance/page";
import { collecting } from "@easel/conformance/policy";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { onEngines } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

interface Usage {
  counts: Record<string, { used: number; limit: number }>;
  bytes: { version: number; versions: number; data: number };
}

/** The default limits (specification 8). */
const LIMITS = {
  "kv.keys.shared": 10_000,
  "kv.keys.user": 1_000,
  "submissions.canvas": 10_000,
  "submissions.author": 1_000,
  "collections.records.canvas": 10_000,
  "files.bytes.file": 25 * 1024 ** 2,
  "files.bytes.canvas": 1024 ** 3,
  "canvases.person": 200,
  "bundles.bytes.person": 5 * 1024 ** 3,
  "files.bytes.person": 50 * 1024 ** 3,
  "versions.canvas": 50,
};
/** Quotas that apply to all canvases of an owner together. */
const OF_OWNER = ["canvases.person", "bundles.bytes.person", "files.bytes.person"];

await onEngines("usage", (target) => {
  let people: Stage["people"];
  before(async () => {
    ({ people } = await stage(target));
  });
  const board = () =>
    collecting(target, { board: { preset: "collaborative" }, other: { preset: "personal" } }, people);
  const get = (person: Person | null, { id }: Stage) =>
    manage(target, person, "GET", `/api/canvases/${id}/usage`);
  const usageOf = async (canvas: Stage): Promise<Usage> => {
    const { status, json, text } = await get(people.owner, canvas);
    assert.equal(status, 200, text);
    return json as unknown as Usage;
  };
  const usedIn = async (canvas: Stage) =>
    Object.fromEntries(
      Object.entries((await usageOf(canvas)).counts)
        .filter(([name]) => !OF_OWNER.includes(name))
        .map(([name, { used }]) => [name, used]),
    );

  it("a new canvas has no usage and the default limits", async () => {
    const { status, headers, json } = await get(people.owner, await board());
    const { counts: given, bytes } = json as unknown as Usage;
    assert.equal(status, 200);
    assert.equal(headers["cache-control"], "private, no-store");
    const counts = Object.fromEntries(
      Object.entries(LIMITS).map(([name, limit]) => [name, { used: 0, limit }]),
    );
    const owned = (json as unknown as Usage).counts["canvases.person"]?.used;
    counts["canvases.person"] = { used: Number(owned), limit: LIMITS["canvases.person"] };
    assert.ok(Number(owned) > 0);
    assert.deepEqual({ counts: given, bytes }, { counts, bytes: { version: 0, versions: 0, data: 0 } });
  });

  it("usage is counted; for limits per person it is the highest usage of one person", async () => {
    const [canvas, neighbour] = [await board(), await board()];
    const { owner, viewer } = canvas.pages;
    const guest = open(target, canvas.slug, await guestOf(target, canvas));
    for (const key of ["a", "b", "c"]) await owner.put(`/kv/${key}`, 1);
    await owner.post("/kv/d/increment", {});
    await owner.put("/kv/user/a", 1);
    for (const key of ["a", "b"]) await viewer.put(`/kv/user/${key}`, 1);
    for (const page of [owner, viewer, guest]) await page.put("/submissions/poll/mine", 1);
    await guest.put("/submissions/other/mine", 1);
    for (const page of [owner, viewer, guest]) {
      assert.equal((await page.post("/collections/board", { a: 1 })).status, 201);
      assert.equal((await page.post("/collections/other", 1)).status, 201);
    }
    const small = await upload(owner, {}, { bytes: "123" });
    assert.equal((await upload(viewer, { scope: "submission" }, { bytes: "12345" })).status, 201);
    const before = {
      "kv.keys.shared": 4,
      "kv.keys.user": 2,
      "submissions.canvas": 4,
      "submissions.author": 2,
      "collections.records.canvas": 6,
      "files.bytes.file": 5,
      "files.bytes.canvas": 8,
      "versions.canvas": 0,
    };
    assert.deepEqual(await usedIn(canvas), before);
    assert.deepEqual(new Set(Object.values(await usedIn(neighbour))), new Set([0]));
    await owner.put("/kv/a", 2);
    await owner.put("/submissions/poll/mine", 2);
    assert.deepEqual(await usedIn(canvas), before);
    await owner.delete("/kv/a");
    await viewer.delete("/kv/user/a");
    await owner.delete("/submissions/poll");
    await viewer.delete("/collections/other");
    await owner.delete(`/files/${small.json.id}`);
    assert.deepEqual(await usedIn(canvas), {
      "kv.keys.shared": 3,
      "kv.keys.user": 1,
      "submissions.canvas": 1,
      "submissions.author": 1,
      "collections.records.canvas": 5,
      "files.bytes.file": 5,
      "files.bytes.canvas": 5,
      "versions.canvas": 0,
    });
    await viewer.delete("/collections/board");
    assert.equal((await usedIn(canvas))["collections.records.canvas"], 2);
  });

  it("a limit set by an administrator is returned from the next request on", async () => {
    const canvas = await board();
    const admin = await target.signIn(target.admin);
    const limit = async (quotas: Record<string, number | null>) => {
      const { status, text } = await manage(target, admin, "PATCH", "/api/admin/settings", { quotas });
      assert.equal(status, 200, text);
    };
    const limits = async () =>
      Object.fromEntries(
        Object.entries((await usageOf(canvas)).counts).map(([name, each]) => [name, each.limit]),
      );
    const names = Object.keys(LIMITS);
    const other = Object.fromEntries(names.map((name, index) => [name, index]));
    await limit(other);
    assert.deepEqual(await limits(), other);
    await limit(Object.fromEntries(names.map((name) => [name, null])));
    assert.deepEqual(await limits(), LIMITS);
  });

  it("a limit applies at the next write", async () => {
    const canvas = await board();
    const { owner, viewer } = canvas.pages;
    const admin = await target.signIn(target.admin);
    const limit = (quotas: Record<string, number | null>) =>
      manage(target, admin, "PATCH", "/api/admin/settings", { quotas });
    await limit({ "collections.records.canvas": 1, "submissions.author": 1, "submissions.canvas": 2 });
    assert.equal((await viewer.post("/collections/board", 1)).status, 201);
    refused(await owner.post("/collections/other", 1), 409, "KEY_LIMIT");
    assert.equal((await viewer.put("/submissions/a/mine", 1)).status, 200);
    refused(await viewer.put("/submissions/b/mine", 1), 409, "KEY_LIMIT");
    assert.equal((await owner.put("/submissions/a/mine", 1)).status, 200);
    refused(await canvas.pages.editor.put("/submissions/a/mine", 1), 409, "KEY_LIMIT");
    assert.equal((await viewer.put("/submissions/a/mine", 2)).status, 200);
    await limit({ "collections.records.canvas": 2, "submissions.author": 2, "submissions.canvas": 3 });
    assert.equal((await owner.post("/collections/other", 1)).status, 201);
    assert.equal((await viewer.put("/submissions/b/mine", 1)).status, 200);
    await limit({
      "collections.records.canvas": null,
      "submissions.author": null,
      "submissions.canvas": null,
    });
    assert.equal((await owner.post("/collections/other", 1)).status, 201);
    assert.equal((await owner.put("/submissions/b/mine", 1)).status, 200);
  });

  it("bytes: of the published version, of all versions and of stored data", async () => {
    const canvas = await board();
    await publish(target, canvas, { "index.html": "x".repeat(1_000) });
    const first = (await usageOf(canvas)).bytes;
    assert.ok(first.version > 0);
    assert.deepEqual(first, { version: first.version, versions: first.version, data: 0 });
    await publish(target, canvas, { "index.html": "y".repeat(3_000), "more.txt": "z".repeat(10) });
    const second = (await usageOf(canvas)).bytes;
    assert.ok(second.version > first.version);
    assert.equal(second.versions, first.version + second.version);
  });

  it("bytes of data: keys and JSON in UTF-8, and eight for a number", async () => {
    const canvas = await board();
    const { owner, viewer } = canvas.pages;
    const data = async () => (await usageOf(canvas)).bytes.data;
    await owner.put("/kv/%C3%A4", "é");
    assert.equal(await data(), 2 + 4);
    await owner.put("/kv/user/k", 12_345);
    assert.equal(await data(), 6 + 1 + 8);
    await viewer.put("/submissions/poll/mine", "😀");
    assert.equal(await data(), 15 + 6);
    await viewer.post("/collections/board", { ü: 1 });
    await viewer.post("/collections/board", 1);
    assert.equal(await data(), 21 + 8 + 8);
    await owner.delete("/collections/board");
    await owner.delete("/submissions/poll");
    await owner.delete("/kv/%C3%A4");
    await owner.delete("/kv/user/k");
    assert.equal(await data(), 0);
  });

  it("is open to owner and editors", async () => {
    const canvas = await board();
    assert.equal((await get(people.owner, canvas)).status, 200);
    assert.deepEqual((await get(people.editor, canvas)).json, (await get(people.owner, canvas)).json);
    for (const person of [people.viewer, await guestOf(target, canvas)])
      refused(await get(person, canvas), 403, "PERMISSION_DENIED");
    const closed = await stage(target, { people });
    refused(await get(people.stranger, closed), 404, "NOT_FOUND");
    refused(await get(await target.signIn(target.admin), closed), 404, "NOT_FOUND");
    unauthenticated(await get(null, canvas));
    refused(await get(people.owner, { ...canvas, id: "none" }), 404, "NOT_FOUND");
  });

  it("can be read while the canvas is disabled, and has no other methods", async () => {
    const canvas = await board();
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const answer = await manage(target, people.owner, method, `/api/canvases/${canvas.id}/usage`, {});
      refused(answer, 405, "METHOD_NOT_ALLOWED");
    }
    await disable(target, canvas);
    assert.equal((await get(people.owner, canvas)).status, 200);
  });
});
