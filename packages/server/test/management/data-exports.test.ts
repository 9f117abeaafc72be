import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, ROLES, type Role, type Stage, stage, turn } from "@easel/conformance/fixture";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { onEngines } from "../support/engines.ts";
import { zip } from "../support/zip.ts";
import {
  COLLECTIONS,
  entries,
  filesOf,
  filled,
  jsonLines,
  linesIn,
  MANIFEST,
  POLICY,
  resultOf,
  transfersAt,
} from "./data-archives.ts";

await onEngines("exports of data", (target, env) => {
  const { exportOf, importFiles, importTo } = transfersAt(target);
  let site: Stage;
  before(async () => {
    site = await filled(target);
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
      for (const name of COLLECTIONS)
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
      COLLECTIONS.toSorted().map((name) => [name, POLICY.collections?.[name]?.preset]),
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
    const { imported, skipped } = resultOf(
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
});
