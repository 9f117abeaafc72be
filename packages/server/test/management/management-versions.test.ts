import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { onSqlite } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

await onSqlite("versions", (target, env) => {
  let site: Stage;
  let ids: string[];
  before(async () => {
    site = await stage(target);
    ids = [];
    for (const name of ["one", "two", "three"])
      ids.push(await publish(target, site, { "index.html": name, [name]: "" }));
  });
  const to = (version: string, canvas = site.id) =>
    manage(target, site.people.owner, "POST", `/api/canvases/${canvas}/versions/${version}/publish`);
  const page = async () => (await visit(target, site.slug, site.people.viewer)).text;

  const moves: [name: string, index: number, text: string][] = [
    ["back", 0, "one"],
    ["forward", 2, "three"],
    ["back by one", 1, "two"],
    ["to where it is", 1, "two"],
  ];
  for (const [name, index, text] of moves) {
    it(`${name}: canvas and pages are completely of that version`, async () => {
      const answer = await to(ids[index] ?? "");
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.version, ids[index]);
      assert.equal(await page(), text);
      for (const file of ["one", "two", "three"]) {
        const { status } = await visit(target, site.slug, site.people.viewer, file);
        assert.equal(status, file === text ? 200 : 404, file);
      }
      const current = await env.db.all<{ id: string }>`
        select id from versions where canvas_id = ${site.id} and replaced_at is null`;
      assert.deepEqual(
        current.map(({ id }) => id),
        [ids[index]],
      );
    });
  }

  it("a version of another canvas or an unknown one: 404 NOT_FOUND, and nothing changes", async () => {
    const other = await stage(target);
    const foreign = await publish(target, other, { "index.html": "other" });
    const rows = () => env.db.all`select id, version_id, updated_at from canvases order by id`;
    const replaced = () => env.db.all`select id, replaced_at from versions order by id`;
    const [canvases, versions] = [await rows(), await replaced()];
    for (const version of [foreign, "none", "..", "%2e%2e", "%25", "a".repeat(5000)]) {
      refused(await to(encodeURIComponent(version)), 404, "NOT_FOUND");
    }
    refused(await to("%00"), 404, "NOT_FOUND");
    assert.deepEqual([await rows(), await replaced()], [canvases, versions]);
  });

  it("with an expected version, only in its place: of two at once, one is refused", async () => {
    const path = (version = "") => `/api/canvases/${site.id}/versions/${version}/publish`;
    const put = (version: string | undefined, expectedVersion: string | null | undefined) =>
      manage(target, site.people.owner, "POST", path(version), { expectedVersion: expectedVersion ?? null });
    const [one, two, three] = ids;
    await to(two ?? "");
    for (const wrong of [three, null]) {
      const answer = await put(one, wrong);
      refused(answer, 409, "VERSION_CONFLICT");
      assert.equal(answer.json.currentVersion, two);
    }
    refused(await put("none", two), 404, "NOT_FOUND");
    const both = await Promise.all([put(one, two), put(three, two)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await put(two, both[0]?.status === 200 ? one : three)).status, 200);
    assert.equal(await page(), "two");
  });

  it("a bundle with an expected version: of two at once, one is refused and stores nothing", async () => {
    const canvas = await stage(target);
    const first = await publish(target, canvas, { "index.html": "first" });
    const deploy = (text: string, expected: string) =>
      send(target.base, {
        method: "PUT",
        path: `/api/canvases/${canvas.id}/bundle?expectedVersion=${expected}`,
        headers: [...canvas.people.owner.headers, ["content-type", "text/html"]],
        body: text,
      });
    const both = await Promise.all(["<p>a", "<p>b"].map((text) => deploy(text, first)));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    const published = both.find(({ status }) => status === 200)?.json.version;
    const conflict = both.find(({ status }) => status === 409) ?? assert.fail();
    refused(conflict, 409, "VERSION_CONFLICT");
    assert.equal(conflict.json.currentVersion, published);
    refused(await deploy("<p>c", "none"), 409, "VERSION_CONFLICT");
    const { n } = (await env.db.get<{ n: number }>`
      select count(*) as n from versions where canvas_id = ${canvas.id} and state <> 'removing'`) ?? { n: 0 };
    assert.equal(n, 2);
  });

  it("an empty body of any type expects nothing, as clients send that know no other", async () => {
    for (const type of ["application/x-www-form-urlencoded", "text/plain", "application/json"]) {
      const { status, text } = await send(target.base, {
        method: "POST",
        path: `/api/canvases/${site.id}/versions/${ids[1]}/publish`,
        headers: [...site.people.owner.headers, ["content-type", type]],
      });
      assert.equal(status, 200, `${type}: ${text}`);
    }
  });

  it("an unpublished canvas is published again by any version", async () => {
    await env.db.run`update canvases set revoked_at = ${Date.now()} where id = ${site.id}`;
    refused(await visit(target, site.slug, site.people.owner), 404, "NOT_FOUND");
    const answer = await to(ids[2] ?? "");
    assert.deepEqual([answer.json.publicationStatus, answer.json.revokedAt], ["published", null]);
    assert.equal(await page(), "three");
  });

  it("a disabled canvas: 409 DISABLED, and it can be read", async () => {
    const off = await stage(target);
    const version = await publish(target, off, { "index.html": "off" });
    await env.db.run`update canvases set disabled_at = ${Date.now()} where id = ${off.id}`;
    const path = `/api/canvases/${off.id}/versions/${version}/publish`;
    refused(await manage(target, off.people.owner, "POST", path), 409, "DISABLED");
    const { status, json } = await manage(target, off.people.owner, "GET", `/api/canvases/${off.id}`);
    assert.deepEqual([status, json.publicationStatus], [200, "disabled"]);
  });

  it("concurrent rollback and deploy leave one current version", async () => {
    const race = await stage(target);
    const first = await publish(target, race, { "index.html": "one" });
    const path = `/api/canvases/${race.id}/versions/${first}/publish`;
    const [back] = await Promise.all([
      manage(target, race.people.editor, "POST", path),
      publish(target, race, { "index.html": "two" }),
    ]);
    assert.equal(back?.status, 200);
    const { version } = (await manage(target, race.people.owner, "GET", `/api/canvases/${race.id}`)).json;
    const current = await env.db.get<{ replaced_at: number | null }>`
      select replaced_at from versions where id = ${String(version)}`;
    assert.equal(current?.replaced_at, null);
  });

  it("the list: newest first, one current, with creator, files, bytes and the files that changed", async () => {
    const listed = await stage(target);
    const from = Date.now();
    const [first, second, third] = [
      await publish(target, listed, { "index.html": "one", "a.txt": "1234567", "c.txt": "same" }),
      await publish(target, listed, { "index.html": `<p>${"long ".repeat(1000)}`, "c.txt": "same" }),
      await publish(target, listed, { "index.html": "one", "a.txt": "one", "b.txt": "one", "c.txt": "same" }),
    ];
    await manage(target, listed.people.owner, "POST", `/api/canvases/${listed.id}/versions/${first}/publish`);
    const me = (await manage(target, listed.people.owner, "GET", "/api/me")).json;
    const by = { createdBy: me.id, createdByName: me.name, message: null, releaseId: null };
    for (const role of ["owner", "editor", "viewer"] as const) {
      const answer = await manage(target, listed.people[role], "GET", `/api/canvases/${listed.id}/versions`);
      assert.equal(answer.status, 200, answer.text);
      const versions = answer.json.versions as Record<string, unknown>[];
      const times = versions.map(({ createdAt }) => Number(createdAt));
      assert.ok(times.every((time) => time >= from && time <= Date.now()));
      assert.deepEqual(
        versions.map(({ createdAt, ...rest }) => rest),
        [
          {
            ...{ id: third, ...by, files: 4, bytes: 13, current: false, published: true },
            changed: { added: 2, changed: 1, removed: 0 },
          },
          {
            ...{ id: second, ...by, files: 2, bytes: 5007, current: false, published: true },
            changed: { added: 0, changed: 1, removed: 1 },
          },
          {
            ...{ id: first, ...by, files: 3, bytes: 14, current: true, published: true },
            changed: { added: 3, changed: 0, removed: 0 },
          },
        ],
      );
    }
    refused(
      await manage(target, listed.people.stranger, "GET", `/api/canvases/${listed.id}/versions`),
      404,
      "NOT_FOUND",
    );
  });

  it("the files of a version, with their hashes: for owner and editors", async () => {
    const listed = await stage(target);
    const version = await publish(target, listed, { "index.html": "one", "a/b.txt": "" });
    const read = (role: "owner" | "editor" | "viewer" | "stranger", id = version) =>
      manage(target, listed.people[role], "GET", `/api/canvases/${listed.id}/versions/${id}/files`);
    const files = [
      { path: "a/b.txt", size: 0, mime: "text/plain; charset=utf-8", sha256: hash("sha256", "", "hex") },
      { path: "index.html", size: 3, mime: "text/html; charset=utf-8", sha256: hash("sha256", "one", "hex") },
    ];
    for (const role of ["owner", "editor"] as const)
      assert.deepEqual((await read(role)).json, { version, files, nextCursor: null });
    for (const { path, mime } of files) {
      const { headers } = await visit(target, listed.slug, listed.people.viewer, path);
      assert.equal(headers["content-type"], mime);
    }
    assert.equal((await read("viewer")).status, 403);
    refused(await read("stranger"), 404, "NOT_FOUND");
    for (const id of [ids[0] ?? "", "none"]) refused(await read("owner", id), 404, "NOT_FOUND");
  });

  it("the files in pages: with `limit` alone, or from a cursor; without, all of them", async () => {
    const listed = await stage(target);
    const names = ["b.txt", "a/ü.txt", "index.html", "a/b c.txt", "Z.txt"];
    const version = await publish(target, listed, Object.fromEntries(names.map((name) => [name, name])));
    const read = async (query: string) => {
      const path = `/api/canvases/${listed.id}/versions/${version}/files${query}`;
      const { status, json, text } = await manage(target, listed.people.owner, "GET", path);
      assert.equal(status, 200, text);
      const { files, nextCursor } = json as { files: { path: string }[]; nextCursor: string | null };
      return { paths: files.map(({ path }) => path), nextCursor };
    };
    const all = await read("");
    assert.deepEqual([all.paths.toSorted(), all.nextCursor], [names.toSorted(), null]);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof read>> = await read(
        `?limit=2&cursor=${encodeURIComponent(cursor)}`,
      );
      assert.ok(page.paths.length <= 2 && seen.length < names.length);
      seen.push(...page.paths);
      cursor = page.nextCursor;
    }
    assert.deepEqual(seen, all.paths);
    const rest = await read(`?cursor=${encodeURIComponent(all.paths[1] ?? "")}`);
    assert.deepEqual(rest, { paths: all.paths.slice(2), nextCursor: null });
    assert.equal((await read("?limit=0")).paths.length, 1);
    const path = `/api/canvases/${listed.id}/versions/${version}/files?cursor=%00`;
    refused(await manage(target, listed.people.owner, "GET", path), 400, "INVALID_BODY");
  });

  it("the list of a canvas without versions is empty", async () => {
    const draft = await stage(target);
    const answer = await manage(target, draft.people.owner, "GET", `/api/canvases/${draft.id}/versions`);
    assert.deepEqual([answer.status, answer.json], [200, { versions: [] }]);
  });
});
