import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { before, it } from "node:test";
import { upload as uploadFile } from "@easel/conformance/files/form";
import { manage, ROLES, type Role, type Stage, share, stage, turn } from "@easel/conformance/fixture";
import { type Answer, send, start } from "@easel/conformance/http";
import { govern } from "@easel/conformance/policy";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { PRESETS, type Preset, type RuntimePolicy } from "@easel/protocol/policy";
import { fromBufferPromise } from "yauzl";
import { uploadsOf } from "../../src/canvases/publishing/upload.ts";
import { onEngines } from "../support/engines.ts";
import { type Files, forge, zip } from "../support/zip.ts";

const PRESET_NAMES = Object.keys(PRESETS) as Preset[];

const POLICY: RuntimePolicy = {
  collections: {
    ...Object.fromEntries(PRESET_NAMES.map((preset) => [preset, { preset }])),
    hidden: { preset: "contributions", overrides: { read: "none" } },
    "a:b": { preset: "collaborative" },
  },
  fileGroups: Object.fromEntries(PRESET_NAMES.map((preset) => [preset, { preset }])),
};

const MANIFEST = JSON.stringify({ format: "easel-data", version: 1 });

/** Returns the files of a zip, with their contents as text. */
async function filesOf(bytes: Buffer): Promise<Map<string, string>> {
  const archive = await fromBufferPromise(bytes, { strictFileNames: true });
  const files = new Map<string, string>();
  for await (const entry of archive.eachEntry())
    files.set(entry.fileName, String(await buffer(await archive.openReadStreamPromise(entry))));
  return files;
}

const linesIn = (text: string | undefined): Record<string, unknown>[] =>
  (text ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const jsonLines = (...lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

await onEngines("exports and imports of data", (target, env) => {
  let site: Stage;

  const exportOf = (canvas: Stage, role: Role, query = ""): Promise<Answer> =>
    manage(target, canvas.people[role], "GET", `/api/canvases/${canvas.id}/export${query}`);
  const importTo = (canvas: Stage, role: Role, body: Buffer, query = "", type = "application/zip") =>
    send(target.base, {
      method: "POST",
      path: `/api/canvases/${canvas.id}/import${query}`,
      headers: [...canvas.people[role].headers, ["Content-Type", type]],
      body,
    });
  const importFiles = async (canvas: Stage, role: Role, files: Files, query = "") =>
    importTo(canvas, role, await zip({ "manifest.json": MANIFEST, ...files }), query);
  const done = (answer: Answer) => {
    assert.equal(answer.status, 200, answer.text);
    return answer.json as {
      imported: Record<string, number>;
      skipped: { what: string; reason: string; count: number; line: number | null }[];
    };
  };
  const entries = async (canvas: Stage, role: Role, path: string, name = "entries") => {
    const answer = await canvas.pages[role].get(path);
    return answer.status === 200 ? (answer.json[name] as Record<string, unknown>[]) : null;
  };
  const governed = async (): Promise<Stage> => {
    const canvas = await stage(target);
    await govern(target, canvas, POLICY);
    return canvas;
  };
  const collections = Object.keys(POLICY.collections ?? {});

  before(async () => {
    site = await governed();
    for (const role of ["owner", "editor", "viewer"] as const) {
      const page = site.pages[role];
      await page.put("/kv/user/mine", role);
      await page.put("/submissions/poll/mine", { vote: role });
      await page.put("/submissions/A.b-c/mine", null);
      await uploadFile(page, { scope: "submission" }, { name: `${role}.txt`, bytes: `of ${role}` });
      for (const name of collections) {
        const { status, json } = await page.post(`/collections/${name}`, { name, role, deep: [null, 1e20] });
        if (status !== 201 || name === "hidden") continue;
        await uploadFile(page, { collection: name, recordId: String(json.id) }, { name: `${name}.txt` });
      }
      for (const group of PRESET_NAMES)
        await uploadFile(page, { group }, { name: "a/b", bytes: `${group} ${role}` });
    }
    await site.pages.owner.put("/kv/%E2%82%AC%00%2F", { deep: [1, "é\u2028"] });
    await Promise.all(Array.from({ length: 120 }, (_, at) => site.pages.owner.put(`/kv/key-${at}`, at)));
    await uploadFile(
      site.pages.editor,
      {},
      { name: "shared.png", type: "image/png", bytes: Buffer.alloc(70_000, 7) },
    );
    await uploadFile(site.pages.owner, {}, { name: "empty", bytes: "" });
  });

  for (const role of ["owner", "editor"] as const) {
    it(`the export of the ${role} has what the runtime API gives them`, async () => {
      const answer = await exportOf(site, role);
      assert.deepEqual([answer.status, answer.headers["content-type"]], [200, "application/zip"]);
      const files = await filesOf(answer.bytes);
      const seen = new Set(["manifest.json"]);
      const same = async (path: string, api: string, name?: string) => {
        const expected = await entries(
          site,
          role,
          `${api}${api.includes("files") ? "" : "?limit=1000"}`,
          name,
        );
        seen.add(path);
        assert.deepEqual(files.has(path) ? linesIn(files.get(path)) : null, expected, path);
        return expected ?? [];
      };
      assert.equal((await same("kv/shared.jsonl", "/kv")).length, 121);
      assert.equal((await same("kv/user.jsonl", "/kv/user")).length, 1);
      let records = 0;
      for (const name of collections)
        records += (await same(`collections/${encodeURIComponent(name)}.jsonl`, `/collections/${name}`))
          .length;
      for (const name of ["poll", "A.b-c"])
        assert.equal((await same(`submissions/${name}.jsonl`, `/submissions/${name}`)).length, 3);
      const index = await same("files/index.jsonl", "/files", "files");
      for (const { id } of index) {
        seen.add(`files/${id}`);
        assert.equal(files.get(`files/${id}`), (await site.pages[role].get(`/files/${id}/content`)).text);
      }
      assert.deepEqual([...files.keys()].sort(), [...seen].filter((path) => files.has(path)).sort());
      assert.equal([...files.keys()].at(-1), "manifest.json");
      const manifest = JSON.parse(files.get("manifest.json") ?? "");
      assert.deepEqual(
        { ...manifest, exportedAt: null },
        {
          ...{ format: "easel-data", version: 1, exportedAt: null, canvas: { id: site.id, slug: site.slug } },
          counts: { kv: 122, collections: records, submissions: 6, files: index.length },
          leftOut: [{ what: "collections/hidden.jsonl", reason: "PERMISSION_DENIED" }],
        },
      );
    });
  }

  it("who may list, export and import", async () => {
    const body = await zip({ "manifest.json": MANIFEST });
    const rows: [role: Role, status: number][] = [
      ["owner", 200],
      ["editor", 200],
      ["viewer", 403],
      ["stranger", 404],
    ];
    assert.deepEqual(
      rows.map(([role]) => role),
      [...ROLES],
    );
    const path = `/api/canvases/${site.id}`;
    for (const [role, status] of rows) {
      for (const answer of [
        await manage(target, site.people[role], "GET", `${path}/data`),
        await exportOf(site, role, "?what=kv"),
        await importTo(site, role, body),
      ])
        assert.equal(answer.status, status, `${role}: ${answer.text}`);
    }
    unauthenticated(await manage(target, null, "GET", `${path}/export`), target);
  });

  for (const [column, status, code] of [
    ["disabled_at", 403, "DISABLED"],
    ["archived_at", 404, "ARCHIVED"],
  ] as const) {
    it(`the export of a canvas with ${column}: ${status} ${code} instead of a broken response, and no audit entry`, async () => {
      const canvas = await stage(target);
      if (column === "disabled_at")
        await env.db.run`update canvases set disabled_at = ${1} where id = ${canvas.id}`;
      else await env.db.run`update canvases set archived_at = ${1} where id = ${canvas.id}`;
      for (const role of ["owner", "editor"] as const) refused(await exportOf(canvas, role), status, code);
      const audit = await env.db.all`select 1 as entry from audit
        where canvas_id = ${canvas.id} and act = 'canvas.export'`;
      assert.deepEqual(audit, []);
    });
  }

  it("access tokens: the scope decides, and a token of another canvas finds nothing", async () => {
    const body = await zip({ "manifest.json": MANIFEST });
    const other = await stage(target, { people: site.people });
    const rows: [restriction: object, data: number, exported: number, imported: number][] = [
      [{}, 200, 200, 200],
      [{ scope: "read" }, 200, 200, 403],
      [{ scope: "deploy" }, 200, 403, 403],
      [{ canvasId: site.id }, 200, 200, 200],
      [{ canvasId: other.id }, 404, 404, 404],
    ];
    for (const [restriction, ...expected] of rows) {
      const made = await manage(target, site.people.owner, "POST", "/api/tokens", {
        name: "t",
        ...restriction,
      });
      const owner = {
        ...site.people.owner,
        headers: [["Authorization", `Bearer ${made.json.token}`]] as [string, string][],
      };
      const as = { ...site, people: { ...site.people, owner } };
      const answers = [
        await manage(target, owner, "GET", `/api/canvases/${site.id}/data`),
        await exportOf(as, "owner", "?what=kv"),
        await importTo(as, "owner", body),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        expected,
        JSON.stringify(restriction),
      );
    }
  });

  it("the listing counts the data of all people", async () => {
    const count = async (text: string) =>
      Number((await env.db.get<{ n: number }>(Object.assign([text], { raw: [text] })))?.n);
    const { json } = await manage(target, site.people.editor, "GET", `/api/canvases/${site.id}/data`);
    const summary = json as unknown as {
      collections: { name: string; records: number; bytes: number; preset: string | null }[];
      files: { count: number; bytes: number };
    };
    assert.deepEqual([json.kv, json.kvUser], [121, 3]);
    assert.deepEqual(json.submissions, [
      { name: "A.b-c", entries: 3 },
      { name: "poll", entries: 3 },
    ]);
    assert.deepEqual(
      summary.collections.map(({ name, preset }) => [name, preset]),
      collections.toSorted().map((name) => [name, POLICY.collections?.[name]?.preset]),
    );
    const where = `where canvas_id = '${site.id}'`;
    const sum = (field: "records" | "bytes") =>
      summary.collections.reduce((all, each) => all + each[field], 0);
    assert.equal(sum("records"), await count(`select count(*) as n from records ${where}`));
    assert.equal(sum("bytes"), await count(`select sum(octet_length(value)) as n from records ${where}`));
    assert.equal(summary.files.count, await count(`select count(*) as n from files ${where}`));
    assert.equal(summary.files.bytes, await count(`select sum(size) as n from files ${where}`));
    const empty = await manage(
      target,
      site.people.owner,
      "GET",
      `/api/canvases/${(await stage(target, { people: site.people })).id}/data`,
    );
    assert.deepEqual(empty.json, {
      kv: 0,
      kvUser: 0,
      collections: [],
      submissions: [],
      files: { count: 0, bytes: 0 },
    });
  });

  it("`what` selects parts; a part whose capability is off is left out, and named", async () => {
    refused(await exportOf(site, "owner", "?what=kv,nothing"), 400, "INVALID_BODY");
    const some = await filesOf((await exportOf(site, "owner", "?what=submissions,files")).bytes);
    assert.deepEqual(
      [...new Set([...some.keys()].map((path) => path.split("/")[0]))],
      ["submissions", "files", "manifest.json"],
    );
    await turn(target, site, { kv: false });
    const files = await filesOf((await exportOf(site, "owner")).bytes);
    const manifest = JSON.parse(files.get("manifest.json") ?? "");
    assert.deepEqual(
      manifest.leftOut,
      ["kv", "collections", "submissions"].map((what) => ({ what, reason: "CAPABILITY_DISABLED" })),
    );
    assert.ok(
      linesIn(files.get("files/index.jsonl")).every(({ scope }) => !String(scope).startsWith("record:")),
    );
    const { imported, skipped } = done(
      await importFiles(site, "owner", { "kv/shared.jsonl": jsonLines({ key: "new", value: 1 }) }),
    );
    assert.deepEqual(
      [imported.kv, skipped],
      [0, [{ what: "kv", reason: "CAPABILITY_DISABLED", count: 1, line: null }]],
    );
    await turn(target, site, { kv: true });
    assert.equal((await site.pages.owner.get("/kv/new")).status, 404);
  });

  it("an export is in the audit log before its first byte is read", async () => {
    const blocked = Promise.withResolvers<void>();
    const { head } = env.db;
    env.db.head = async (...rest) => {
      await blocked.promise;
      return head.apply(env.db, rest) as never;
    };
    try {
      const count = async () =>
        Number(
          (await env.db.get<{ n: number }>`select count(*) as n from audit where act = 'canvas.export'`)?.n,
        );
      const earlier = await count();
      const answer = exportOf(site, "owner", "?what=kv");
      while ((await count()) === earlier) await new Promise((resolve) => setTimeout(resolve, 5));
      blocked.resolve();
      assert.equal((await answer).status, 200);
    } finally {
      env.db.head = head;
    }
  });

  it("what was exported is imported as the data of the importer, and once only", async () => {
    const other = await governed();
    const { bytes } = await exportOf(site, "editor");
    const original = await filesOf(bytes);
    const first = done(await importTo(other, "editor", bytes));
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

    const again = done(await importTo(other, "editor", bytes));
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
    const canvas = await governed();
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
    done(await importTo(canvas, "owner", bytes));
    assert.deepEqual(await read(), ["after", "after", "after", "after"]);
    const { imported, skipped } = done(await importTo(canvas, "owner", bytes, "?existing=replace"));
    assert.deepEqual(await read(), ["before", "before", "before", "before"]);
    assert.deepEqual([imported, skipped], [{ kv: 1, collections: 2, submissions: 1, files: 0 }, []]);
    const { json } = await owner.get(`/collections/contributions/${theirs.json.id}`);
    assert.equal(json.authorId, theirs.json.authorId);
    const contributions = { preset: "contributions", overrides: { update: "own" } } as const;
    await govern(target, canvas, { collections: { contributions } });
    await viewer.put(`/collections/contributions/${theirs.json.id}`, "theirs");
    const refusedOne = done(await importTo(canvas, "owner", bytes, "?existing=replace")).skipped;
    assert.deepEqual(refusedOne.map(({ what, reason }) => [what, reason]).sort(), [
      ["collections/contributions.jsonl", "PERMISSION_DENIED"],
      ["collections/personal.jsonl", "COLLECTION_NOT_CONFIGURED"],
    ]);
    assert.equal((await owner.get(`/collections/contributions/${theirs.json.id}`)).json.value, "theirs");
    refused(await importTo(canvas, "owner", bytes, "?existing=both"), 400, "INVALID_BODY");
  });

  it("rights, policies and limits decide about each line, and nobody asserts an author", async () => {
    const canvas = await governed();
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
    const { imported, skipped } = done(
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

  it("a full quota: what fits is imported, and the rest is reported", async () => {
    const canvas = await governed();
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
    const { imported, skipped } = done(answer);
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

  // The result of the following tests does not depend on the engine.
  if (!env.config.databaseUrl.startsWith("sqlite:")) return;

  it("zips that are no exports, hostile or damaged: 400, and nothing is written", async () => {
    const canvas = await governed();
    const keys = { name: "kv/shared.jsonl", content: jsonLines({ key: "a", value: 1 }) };
    const manifest = { name: "manifest.json", content: MANIFEST };
    const rows: [name: string, body: Buffer][] = [
      ["no zip", Buffer.from("PK")],
      ["nothing", Buffer.alloc(0)],
      ["cut off", (await zip({ "manifest.json": MANIFEST, [keys.name]: keys.content })).subarray(0, -3)],
      ["no manifest", forge([keys])],
      ["another format", forge([keys, { name: "manifest.json", content: '{"format":"zip","version":1}' }])],
      [
        "a later version",
        forge([keys, { name: "manifest.json", content: '{"format":"easel-data","version":2}' }]),
      ],
      [
        "a large manifest",
        await zip({ [keys.name]: keys.content, "manifest.json": MANIFEST + " ".repeat(65_536) }),
      ],
      ["a file twice", forge([manifest, keys, keys])],
      ["an encrypted file", forge([manifest, { ...keys, flags: 0x801 }])],
      ["a link", forge([manifest, { ...keys, mode: 0o120777 }])],
      ["files that overlap", forge([manifest, { ...keys, offset: 0 }])],
      ["a wrong checksum of the manifest", forge([{ ...manifest, crc: 1 }, keys])],
      [
        "a line that is too long",
        await zip({ "manifest.json": MANIFEST, [keys.name]: `"${"x".repeat(450_000)}` }),
      ],
      [
        "lines that claim to be too many bytes, in a file that is not read",
        forge([manifest, keys, { name: "other.jsonl", size: 0xfffffffe, method: 8 }]),
      ],
    ];
    for (const [name, body] of rows) {
      const answer = await importTo(canvas, "owner", body);
      assert.deepEqual([answer.status, answer.json.code], [400, "INVALID_BODY"], `${name}: ${answer.text}`);
      assert.deepEqual(await entries(canvas, "owner", "/kv"), [], name);
    }
    refused(
      await importTo(canvas, "owner", await zip({ "manifest.json": MANIFEST }), "", "text/html"),
      400,
      "INVALID_BODY",
    );
    assert.deepEqual(await readdir(uploadsOf(env)), []);
  });

  it("an editor who loses the role while the body arrives imports nothing", async () => {
    const canvas = await governed();
    const body = await zip({
      "manifest.json": MANIFEST,
      "kv/user.jsonl": jsonLines({ key: "late", value: 1 }),
    });
    const request = start(target.base, {
      method: "POST",
      path: `/api/canvases/${canvas.id}/import`,
      headers: [
        ...canvas.people.editor.headers,
        ["Content-Type", "application/zip"],
        ["Content-Length", `${body.length}`],
      ],
    });
    request.write(body.subarray(0, 10));
    while ((await readdir(uploadsOf(env)).catch(() => [])).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await share(target, canvas, "private", { editor: "viewer" });
    request.end(body.subarray(10));
    const [response] = await once(request, "response");
    response.resume();
    assert.equal(response.statusCode, 403);
    assert.deepEqual(await entries(canvas, "editor", "/kv/user"), []);
  });

  it("a client that disconnects ends the export, and the import before it has begun", async () => {
    const canvas = await governed();
    for (let index = 0; index < 4; index++)
      await uploadFile(canvas.pages.owner, {}, { bytes: Buffer.alloc(3_000_000, index) });
    const { get } = env.blobs;
    const opened: Readable[] = [];
    env.blobs.get = async (key, range) => {
      const stream = await get.call(env.blobs, key, range);
      if (stream !== null) opened.push(stream);
      return stream;
    };
    try {
      const request = start(
        target.base,
        { method: "GET", path: `/api/canvases/${canvas.id}/export`, headers: canvas.people.owner.headers },
        false,
      );
      request.end();
      const [response] = await once(request, "response");
      await once(response, "readable");
      response.destroy();
      for (const stream of opened) if (!stream.closed) await once(stream, "close");
      // Each of the four files is read twice.
      assert.ok(opened.length < 8, String(opened.length));
    } finally {
      env.blobs.get = get;
    }
    const aborted = start(
      target.base,
      {
        method: "POST",
        path: `/api/canvases/${canvas.id}/import`,
        headers: [
          ...canvas.people.owner.headers,
          ["Content-Type", "application/zip"],
          ["Content-Length", "1000"],
        ],
      },
      false,
    );
    aborted.on("error", () => {});
    aborted.write("PK");
    while ((await readdir(uploadsOf(env))).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    aborted.destroy();
    while ((await readdir(uploadsOf(env))).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});
