import assert from "node:assert/strict";
import { it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { govern } from "@easel/conformance/policy";
import { refused } from "@easel/conformance/refusal";
import { onSqlite } from "../support/engines.ts";
import {
  entries,
  filesOf,
  filled,
  governed,
  jsonLines,
  linesIn,
  resultOf,
  transfersAt,
} from "./data-archives.ts";

await onSqlite("imports of data", (target) => {
  const { exportOf, importFiles, importTo } = transfersAt(target);

  it("what was exported is imported as the data of the importer, and once only", async () => {
    const [site, other] = [await filled(target), await governed(target)];
    const { bytes } = await exportOf(site, "editor");
    const original = await filesOf(bytes);
    const first = resultOf(await importTo(other, "editor", bytes));
    const copy = await filesOf((await exportOf(other, "editor")).bytes);
    const editor = String(
      (await other.pages.editor.get("/me")).json.id ??
        (await manage(target, other.people.editor, "GET", "/api/me")).json.id,
    );
    for (const [path, text] of original) {
      if (path.startsWith("kv/")) assert.equal(copy.get(path), text, path);
      if (!path.startsWith("collections/")) continue;
      const lines = linesIn(copy.get(path));
      assert.deepEqual(
        lines.map(({ value }) => value),
        linesIn(text).map(({ value }) => value),
        path,
      );
      assert.ok(
        lines.every(({ authorId }) => authorId === editor),
        path,
      );
    }
    const index = (files: Map<string, string>) =>
      linesIn(files.get("files/index.jsonl"))
        .map(({ id, scope, name, mime, size }) => ({
          scope,
          name,
          mime,
          size,
          content: files.get(`files/${id}`),
        }))
        .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
    assert.deepEqual(index(copy), index(original));
    assert.ok(linesIn(copy.get("files/index.jsonl")).every(({ uploadedBy }) => uploadedBy === editor));
    assert.deepEqual(await entries(other, "owner", "/kv/user"), []);
    const others = first.skipped.filter(({ reason }) => reason === "OTHER_AUTHOR");
    assert.equal(
      others.reduce((sum, { count }) => sum + count, 0),
      6,
    );
    assert.deepEqual(first.imported, {
      kv: 122,
      collections: first.imported.collections,
      submissions: 0,
      files: index(original).length,
    });

    const again = resultOf(await importTo(other, "editor", bytes));
    assert.deepEqual(again.imported, { kv: 0, collections: 0, submissions: 0, files: 0 });
    assert.ok(
      again.skipped.every(({ reason }) => ["EXISTS", "OTHER_AUTHOR"].includes(reason)),
      JSON.stringify(again.skipped),
    );
    const after = await filesOf((await exportOf(other, "editor")).bytes);
    for (const path of copy.keys())
      if (path !== "manifest.json") assert.equal(after.get(path), copy.get(path), path);
  });

  it("existing=replace restores keys, own submissions and records that the caller may change", async () => {
    const canvas = await governed(target);
    const { owner, viewer } = canvas.pages;
    await owner.put("/kv/a", "before");
    await owner.put("/submissions/poll/mine", "before");
    const theirs = await viewer.post("/collections/contributions", "before");
    const personal = await owner.post("/collections/personal", "before");
    const { bytes } = await exportOf(canvas, "owner");
    await owner.put("/kv/a", "after");
    await owner.put("/submissions/poll/mine", "after");
    await owner.put(`/collections/contributions/${theirs.json.id}`, "after");
    await owner.put(`/collections/personal/${personal.json.id}`, "after");
    const read = async () => [
      (await owner.get("/kv/a")).json.value,
      (await owner.get("/submissions/poll/mine")).json.value,
      (await owner.get(`/collections/contributions/${theirs.json.id}`)).json.value,
      (await owner.get(`/collections/personal/${personal.json.id}`)).json.value,
    ];
    resultOf(await importTo(canvas, "owner", bytes));
    assert.deepEqual(await read(), ["after", "after", "after", "after"]);
    const { imported, skipped } = resultOf(await importTo(canvas, "owner", bytes, "?existing=replace"));
    assert.deepEqual(await read(), ["before", "before", "before", "before"]);
    assert.deepEqual([imported, skipped], [{ kv: 1, collections: 2, submissions: 1, files: 0 }, []]);
    const { json } = await owner.get(`/collections/contributions/${theirs.json.id}`);
    assert.equal(json.authorId, theirs.json.authorId);
    const contributions = { preset: "contributions", overrides: { update: "own" } } as const;
    await govern(target, canvas, { collections: { contributions } });
    await viewer.put(`/collections/contributions/${theirs.json.id}`, "theirs");
    const refusedOne = resultOf(await importTo(canvas, "owner", bytes, "?existing=replace")).skipped;
    assert.deepEqual(refusedOne.map(({ what, reason }) => [what, reason]).sort(), [
      ["collections/contributions.jsonl", "PERMISSION_DENIED"],
      ["collections/personal.jsonl", "COLLECTION_NOT_CONFIGURED"],
    ]);
    assert.equal((await owner.get(`/collections/contributions/${theirs.json.id}`)).json.value, "theirs");
    refused(await importTo(canvas, "owner", bytes, "?existing=both"), 400, "INVALID_BODY");
  });

  it("rights, policies and limits decide about each line, and nobody asserts an author", async () => {
    const canvas = await governed(target);
    await govern(target, canvas, {
      collections: {
        locked: { preset: "managed", overrides: { create: "none" } },
        open: { preset: "collaborative" },
      },
    });
    const own = String((await canvas.pages.owner.post("/collections/open", "x")).json.authorId);
    const viewer = String((await canvas.pages.viewer.post("/collections/open", "x")).json.authorId);
    const line = {
      id: "0190aaaa-bbbb-7000-8000-000000000000",
      authorId: viewer,
      value: "taken",
      updatedAt: 1,
    };
    const rows: [path: string, line: unknown, reason: string | null][] = [
      ["kv/shared.jsonl", { key: "fine", value: [1] }, null],
      ["kv/shared.jsonl", { key: "null", value: null }, "INVALID_BODY"],
      ["kv/shared.jsonl", { key: "absent" }, "INVALID_BODY"],
      ["kv/shared.jsonl", { key: 1, value: 1 }, "INVALID_BODY"],
      ["kv/shared.jsonl", { key: "\ud800", value: 1 }, "INVALID_BODY"],
      ["kv/shared.jsonl", [], "INVALID_BODY"],
      ["kv/shared.jsonl", { key: "", value: 1 }, "NOT_FOUND"],
      ["kv/shared.jsonl", { key: "k".repeat(513), value: 1 }, "KEY_TOO_LARGE"],
      ["kv/shared.jsonl", { key: "large", value: "v".repeat(65_535) }, "VALUE_TOO_LARGE"],
      ["kv/user.jsonl", { key: "mine", value: 1 }, null],
      ["submissions/poll.jsonl", { userId: own, value: null, updatedAt: 1 }, null],
      ["submissions/poll.jsonl", { userId: viewer, value: 1, updatedAt: 1 }, "OTHER_AUTHOR"],
      ["submissions/poll.jsonl", { value: 1 }, "INVALID_BODY"],
      ["submissions/a%20b.jsonl", { userId: own, value: 1 }, "INVALID_BODY"],
      ["collections/open.jsonl", line, null],
      ["collections/open.jsonl", { value: "without an id" }, null],
      ["collections/open.jsonl", { id: 1, value: 1 }, "INVALID_BODY"],
      ["collections/open.jsonl", { id: "other" }, "INVALID_BODY"],
      ["collections/open.jsonl", { value: "v".repeat(65_535) }, "VALUE_TOO_LARGE"],
      ["collections/locked.jsonl", { value: 1 }, "PERMISSION_DENIED"],
      ["collections/none.jsonl", { value: 1 }, "COLLECTION_NOT_CONFIGURED"],
      ["collections/constructor.jsonl", { value: 1 }, "INVALID_BODY"],
      [
        "files/index.jsonl",
        { id: "f", scope: "shared", name: "../../etc/passwd\u202e", uploadedBy: viewer },
        null,
      ],
      ["files/index.jsonl", { id: "f2", scope: "submission", name: "", mime: "text/html; x" }, null],
      ["files/index.jsonl", { id: "f", scope: "group:none" }, "NOT_FOUND"],
      ["files/index.jsonl", { id: "f", scope: "record:open", recordId: "none" }, "NOT_FOUND"],
      ["files/index.jsonl", { id: "f", scope: "elsewhere" }, "INVALID_BODY"],
      ["files/index.jsonl", { id: "../f", scope: "shared" }, "INVALID_BODY"],
      ["files/index.jsonl", { id: "missing", scope: "shared" }, "NOT_FOUND"],
      ["files/index.jsonl", 5, "INVALID_BODY"],
      ["kv/deep.jsonl", { key: "a", value: 1 }, "UNKNOWN_FILE"],
      ["other.txt", "text", "UNKNOWN_FILE"],
    ];
    const byPath = Map.groupBy(rows, ([path]) => path);
    const files = Object.fromEntries(
      [...byPath].map(([path, list]) => [path, jsonLines(...list.map((row) => row[1]))]),
    );
    files["kv/user.jsonl"] += '\n\r\nno json\n{"key":"last","value":true}';
    const { imported, skipped } = resultOf(
      await importFiles(canvas, "owner", { ...files, "files/f": "file", "files/f2": "" }),
    );
    const expected = [...byPath].flatMap(([what, list]) =>
      [
        ...Map.groupBy(
          list.flatMap(([, , reason], at) => (reason ? { reason, line: at + 1 } : [])),
          ({ reason }) => reason,
        ),
      ].map(([reason, same]) => ({
        what,
        reason,
        count: same.length,
        line: reason === "UNKNOWN_FILE" ? null : same[0]?.line,
      })),
    );
    expected.push({ what: "kv/user.jsonl", reason: "INVALID_BODY", count: 1, line: 4 });
    const order = (list: object[]) => list.map((each) => JSON.stringify(each)).sort();
    assert.deepEqual(order(skipped), order(expected));
    assert.deepEqual(imported, { kv: 3, collections: 2, submissions: 1, files: 2 });
    const records = (await entries(canvas, "owner", "/collections/open")) ?? [];
    const copy = records.find(({ value }) => value === "taken");
    assert.deepEqual([copy?.authorId, copy?.id === line.id], [own, false]);
    const [one, two] = (await entries(canvas, "owner", "/files", "files")) ?? [];
    assert.deepEqual([one?.name, one?.uploadedBy], ["passwd", own]);
    assert.deepEqual([two?.name, two?.mime], ["upload", "text/html"]);
  });

  it("records that would not be unique are left out, also when they replace others", async () => {
    const canvas = await governed(target);
    await govern(target, canvas, {
      collections: { votes: { preset: "managed", unique: ["authorId", "value.card"] } },
    });
    const made = await canvas.pages.owner.post("/collections/votes", { card: "a" });
    const other = await canvas.pages.owner.post("/collections/votes", { card: "b" });
    const lines = [
      { value: { card: "a" } },
      { value: { card: "c" } },
      { value: { card: "c" } },
      { value: { card: ["a"] } },
      { id: other.json.id, value: { card: "a" } },
      { id: made.json.id, value: { card: "a", replaced: true } },
    ];
    const { imported, skipped } = resultOf(
      await importFiles(
        canvas,
        "owner",
        { "collections/votes.jsonl": jsonLines(...lines) },
        "?existing=replace",
      ),
    );
    assert.equal(imported.collections, 2);
    assert.deepEqual(Object.fromEntries(skipped.map(({ reason, count }) => [reason, count])), {
      NOT_UNIQUE: 3,
      INVALID_BODY: 1,
    });
    const cards = (await entries(canvas, "owner", "/collections/votes"))?.map(({ value }) => value);
    assert.deepEqual(cards, [{ card: "a", replaced: true }, { card: "b" }, { card: "c" }]);
  });

  it("a full quota: what fits is imported, and the rest is reported", async () => {
    const canvas = await governed(target);
    const admin = await target.signIn(target.admin);
    const set = (quotas: object) => manage(target, admin, "PATCH", "/api/admin/settings", { quotas });
    const names = [
      "kv.keys.shared",
      "collections.records.canvas",
      "submissions.canvas",
      "files.bytes.canvas",
    ];
    await set(Object.fromEntries(names.map((name) => [name, 2])));
    const many = (make: (at: number) => unknown) => jsonLines(...[1, 2, 3, 4].map(make));
    const answer = await importFiles(canvas, "owner", {
      "kv/shared.jsonl": many((at) => ({ key: `${at}`, value: at })),
      "collections/managed.jsonl": many((at) => ({ value: at })),
      "files/index.jsonl": many((at) => ({ id: `${at}`, scope: "shared", name: `${at}` })),
      ...{ "files/1": "ab", "files/2": "c", "files/3": "", "files/4": "def" },
    });
    await set(Object.fromEntries(names.map((name) => [name, null])));
    const { imported, skipped } = resultOf(answer);
    assert.deepEqual(imported, { kv: 2, collections: 2, submissions: 0, files: 2 });
    const expected: [string, string, number][] = [
      ["kv/shared.jsonl", "KEY_LIMIT", 2],
      ["collections/managed.jsonl", "KEY_LIMIT", 2],
      ["files/index.jsonl", "QUOTA_EXCEEDED", 2],
    ];
    assert.deepEqual(
      skipped.map(({ what, reason, count }) => [what, reason, count]),
      expected,
    );
    assert.equal((await entries(canvas, "owner", "/kv"))?.length, 2);
  });
});
