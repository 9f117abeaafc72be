import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { writeAudit } from "../../src/organisation/audit.ts";
import { JSON_TYPE } from "../support/client.ts";
import { onSqlite } from "../support/engines.ts";
import { upload } from "../support/publish.ts";
import { zip } from "../support/zip.ts";
import { everyPage, pageOf, type Row } from "./admin-list.ts";

await onSqlite("the audit log", (target, env) => {
  let admin: Person;
  let site: Stage;
  let adminId: string;
  before(async () => {
    admin = await target.signIn(target.admin);
    site = await stage(target);
    adminId = String((await manage(target, admin, "GET", "/api/me")).json.id);
  });

  const list = (query = "") => pageOf(target, admin, "audit", query);
  const newest = async () => (await list("limit=1")).rows[0] as Row;
  const act = (method: string, path: string, body?: object) =>
    manage(target, admin, method, `/api/admin${path}`, body);

  it("an entry has actor, act, object, time, address and details", async () => {
    const from = Date.now();
    await act("POST", `/canvases/${site.id}/disable`, { reason: "Why not." });
    const entry = await newest();
    const { id, at, ...rest } = entry;
    assert.match(id, /^[A-Za-z0-9-]{1,128}$/);
    assert.ok(Number(at) >= from && Number(at) <= Date.now());
    assert.deepEqual(rest, {
      actor: { id: adminId, email: admin.email },
      act: "canvas.disable",
      canvasId: site.id,
      canvasTitle: "Conformance",
      target: null,
      address: "127.0.0.1",
      via: null,
      details: { reason: "Why not." },
    });
    await act("POST", `/canvases/${site.id}/enable`);
    const { canvasId, details } = await newest();
    assert.deepEqual([canvasId, details], [site.id, null]);
  });

  it("entries of users, organisations and settings name the changed object", async () => {
    const { viewer } = site.people;
    const { id } = (await manage(target, viewer, "GET", "/api/me")).json;
    const recorded = async () => {
      const { act, canvasId, target, details } = await newest();
      return [act, canvasId, target, details];
    };
    await act("PATCH", `/users/${id}`, { canPublishPublic: false });
    assert.deepEqual(await recorded(), [
      "user.update",
      null,
      id,
      { email: viewer.email, canPublishPublic: false },
    ]);
    let before: object | null = null;
    for (const domains of [["AUDITED.example"], ["audited.example", "admin.example"], []]) {
      await act("PUT", "/orgs/audited", { name: "Audited", domains });
      const after = { name: "Audited", domains: domains.map((domain) => domain.toLowerCase()).sort() };
      assert.deepEqual(await recorded(), ["org.put", null, "audited", { before, after }]);
      before = after;
    }
    await act("DELETE", "/orgs/audited");
    assert.deepEqual(await recorded(), ["org.delete", null, "audited", { before, after: null }]);
    await act("PATCH", "/settings", { quotas: { "kv.keys.user": 5 } });
    assert.deepEqual(await recorded(), ["settings.update", null, null, { quotas: { "kv.keys.user": 5 } }]);
    await act("PATCH", "/settings", { quotas: { "kv.keys.user": null } });
    assert.deepEqual(await recorded(), ["settings.update", null, null, { quotas: { "kv.keys.user": null } }]);
  });

  it("changes by users are recorded, reads and refused changes are not", async () => {
    const { editor, viewer } = site.people;
    await upload(target, editor, site.id, await zip({ "index.html": "home" }));
    const { actor, act: name, canvasId } = await newest();
    assert.deepEqual(
      [(actor as { email: string }).email, name, canvasId],
      [editor.email, "canvas.deploy", site.id],
    );
    const previous = await newest();
    for (const path of ["/api/me", `/api/canvases/${site.id}`, "/api/admin/users", "/api/admin/audit"]) {
      await manage(target, admin, "GET", path);
    }
    await manage(target, viewer, "PATCH", `/api/canvases/${site.id}`, { title: "No" });
    await act("PATCH", "/users/none", {});
    await act("DELETE", "/orgs/none");
    await act("PUT", "/orgs/none", { name: "" });
    await act("PATCH", "/settings", { none: 1 });
    await act("POST", `/canvases/${site.id}/restore`);
    assert.deepEqual(await newest(), previous);
  });

  /** Writes entries about one canvas to the audit log. */
  async function writeEntries(canvas: string, count: number) {
    const actor = { id: adminId, email: admin.email };
    for (let index = 0; index < count; index++) {
      const details = index % 2 === 0 ? { index } : null;
      await writeAudit({ actor, act: "test.act", canvas, target: `t${index}`, address: "::1", details }, env);
    }
  }

  it("newest first, in pages of any length, each entry once", async () => {
    await writeEntries("paged-canvas", 11);
    await writeEntries("another-canvas", 3);
    for (const query of ["", "canvas=paged-canvas"]) {
      const all = (await everyPage(target, admin, "audit", 1000, query)).map(({ id }) => id);
      assert.equal(new Set(all).size, all.length);
      assert.deepEqual(all, all.toSorted().reverse());
      for (const limit of [1, 3, 10, 11, 12]) {
        const paged = await everyPage(target, admin, "audit", limit, query);
        assert.deepEqual(
          paged.map(({ id }) => id),
          all,
        );
      }
    }
    const times = (await everyPage(target, admin, "audit", 5)).map(({ at }) => Number(at));
    for (const [index, at] of times.slice(1).entries()) assert.ok(at <= (times[index] as number) + 100);
  });

  it("?canvas= lists the entries of that canvas alone", async () => {
    await writeEntries("one-canvas", 4);
    await writeEntries("one-canvas-more", 1);
    const { rows } = await list("canvas=one-canvas");
    assert.deepEqual(rows.map((row) => row.target).sort(), ["t0", "t1", "t2", "t3"]);
    assert.ok(rows.every(({ canvasId }) => canvasId === "one-canvas"));
    assert.deepEqual((await list("canvas=none")).rows, []);
    assert.ok((await list(`canvas=${site.id}`)).rows.some((row) => row.act === "canvas.create"));
    assert.equal((await list("canvas=&limit=1")).rows.length, 1);
  });

  it("entries added between two pages are not in later pages, and none is missing", async () => {
    await writeEntries("moving-canvas", 4);
    const first = await list("canvas=moving-canvas&limit=2");
    await writeEntries("moving-canvas", 2);
    const second = await list(`canvas=moving-canvas&limit=2&cursor=${first.nextCursor}`);
    assert.equal(second.nextCursor, null);
    const targets = [...first.rows, ...second.rows].map((row) => row.target);
    assert.deepEqual(targets.sort(), ["t0", "t1", "t2", "t3"]);
  });

  it("entries remain when their user is deactivated and their canvas deleted", async () => {
    const gone = await stage(target);
    await manage(target, gone.people.owner, "DELETE", `/api/canvases/${gone.id}`);
    const { id } = (await manage(target, gone.people.owner, "GET", "/api/me")).json;
    await act("PATCH", `/users/${id}`, { deactivated: true });
    const { rows } = await list(`canvas=${gone.id}`);
    assert.ok(rows.some((row) => row.act === "canvas.delete"));
    assert.ok(rows.every((row) => (row.actor as { email: string }).email === gone.people.owner.email));
  });

  it("no route writes or removes entries", async () => {
    const { id } = await newest();
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const headers = [...admin.headers, JSON_TYPE];
      const answer = await send(target.base, { method, path: "/api/admin/audit", headers, body: "{}" });
      refused(answer, 405, "METHOD_NOT_ALLOWED");
      refused(await act(method, `/audit/${id}`, {}), 404, "NOT_FOUND");
    }
    assert.equal((await newest()).id, id);
  });
});
