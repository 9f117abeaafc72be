import assert from "node:assert/strict";
import { before, it } from "node:test";
import { amend, freshSlug, manage, type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { archive, publish, remove } from "@easel/conformance/lifecycle";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { JSON_TYPE } from "../support/client.ts";
import { onSqlite } from "../support/engines.ts";
import { everyPage, pageOf, type Row } from "./admin-list.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The fields of a canvas that administrators see. */
const FIELDS = [
  "access",
  "accessMode",
  "archivedAt",
  "createdAt",
  "deletedAt",
  "disabledAt",
  "disabledReason",
  "expiresAt",
  "hasPassword",
  "id",
  "owner",
  "publicationStatus",
  "slug",
  "title",
  "updatedAt",
  "url",
  "version",
];

await onSqlite("administration of canvases", (target, env) => {
  let admin: Person;
  before(async () => {
    admin = await target.signIn(target.admin);
  });

  const act = (id: string, what: string, body?: object) =>
    manage(target, admin, "POST", `/api/admin/canvases/${id}/${what}`, body);
  const list = async (query: string) => (await pageOf(target, admin, "canvases", query)).rows;
  const row = async ({ slug }: Stage, query = "") => (await list(`q=${slug}&${query}`))[0] as Row;
  const read = ({ id, people }: Stage) => manage(target, people.owner, "GET", `/api/canvases/${id}`);
  const setDeletedAt = (id: string, deletedAt: number) =>
    env.db.run`update canvases set deleted_at = ${deletedAt} where id = ${id}`;

  it("a row has owner and status of the canvas, but not its content, people or metadata", async () => {
    const site = await stage(target, { access: "whole_org", terms: { password: "a marked password" } });
    await publish(target, site, "<h1>marked content</h1>");
    const metadata = { about: "marked metadata" };
    await manage(target, site.people.owner, "PATCH", `/api/canvases/${site.id}`, {
      metadata,
      tags: ["marked-tag"],
    });
    const shown = await row(site);
    assert.deepEqual(Object.keys(shown).sort(), FIELDS);
    const canvas = (await read(site)).json;
    for (const field of FIELDS) {
      if (Object.hasOwn(canvas, field)) assert.deepEqual(shown[field], canvas[field], field);
    }
    assert.equal(shown.hasPassword, true);
    assert.equal(shown.publicationStatus, "published");
    assert.deepEqual(
      [shown.archivedAt, shown.disabledAt, shown.disabledReason, shown.deletedAt],
      [null, null, null, null],
    );
    const text = JSON.stringify(shown);
    for (const hidden of ["marked", site.people.editor.email, site.people.viewer.email]) {
      assert.equal(text.includes(hidden), false, hidden);
    }
  });

  it("one canvas is read as its row, also if it can be restored, and not at all after that", async () => {
    const site = await stage(target);
    const one = () => manage(target, admin, "GET", `/api/admin/canvases/${site.id}`);
    assert.deepEqual((await one()).json, await row(site));
    await remove(target, site);
    const [deleted] = await list(`q=${site.people.owner.email}&deleted=true`);
    assert.deepEqual((await one()).json, deleted);
    await setDeletedAt(site.id, Date.now() - 31 * DAY_MS);
    refused(await one(), 404, "NOT_FOUND");
    refused(await manage(target, admin, "GET", "/api/admin/canvases/none"), 404, "NOT_FOUND");
  });

  it("newest first, in pages of any length, each canvas once", async () => {
    const { people } = await stage(target);
    const mark = freshSlug();
    for (let index = 0; index < 7; index++) {
      await manage(target, people.owner, "POST", "/api/canvases", { title: `Paged ${mark} ${index}` });
    }
    const all = (await everyPage(target, admin, "canvases", 1000, `q=${mark}`)).map(({ id }) => id);
    assert.equal(new Set(all).size, 7);
    assert.deepEqual(all, all.toSorted().reverse());
    for (const limit of [1, 2, 3, 6, 7, 8]) {
      const paged = await everyPage(target, admin, "canvases", limit, `q=${mark}`);
      assert.deepEqual(
        paged.map(({ id }) => id),
        all,
      );
    }
  });

  it("q filters by title, slug and the owner's e-mail address, without wildcards", async () => {
    const owner = await target.signIn("find-me_%@canvases.example");
    const titles = ["100% Équipe", "Snake_case", "Wow!"];
    for (const [index, title] of titles.entries()) {
      await manage(target, owner, "POST", "/api/canvases", { title, slug: `findable-${index}` });
    }
    const found: [q: string, titles: string[]][] = [
      ["findable", titles],
      ["FINDABLE-1", ["Snake_case"]],
      ["me_%@canvases", titles],
      ["ME_%@", titles],
      ["0% é", ["100% Équipe"]],
      ["ÉQUIPE", ["100% Équipe"]],
      ["snake_", ["Snake_case"]],
      ["find%ble", []],
      ["find_ble", []],
      ["' or '1'='1", []],
    ];
    for (const [q, expected] of found) {
      const shown = (await list(`q=${encodeURIComponent(q)}`)).map(({ title }) => title);
      assert.deepEqual(shown.sort(), expected.toSorted(), q);
    }
  });

  it("disabled: the response, the row and the owner have time and reason", async () => {
    const site = await stage(target);
    await publish(target, site, "<h1>home</h1>");
    const from = Date.now();
    const { status, json } = await act(site.id, "disable", { reason: "  Reported as a copy. " });
    assert.equal(status, 200);
    assert.deepEqual(json, await row(site));
    assert.equal(json.disabledReason, "Reported as a copy.");
    assert.equal(json.publicationStatus, "disabled");
    assert.ok(Number(json.disabledAt) >= from && Number(json.disabledAt) <= Date.now());
    assert.ok(Number(json.updatedAt) >= from);
    assert.equal((await read(site)).json.publicationStatus, "disabled");
    for (const page of Object.values(site.pages)) refused(await page.get("/me"), 403, "DISABLED");
  });

  it("disabled: every change of its owner and editors is 409 DISABLED with the reason, reads succeed", async () => {
    const site = await stage(target);
    await publish(target, site, "<h1>home</h1>");
    const { version } = (await read(site)).json;
    await act(site.id, "disable", { reason: "It asks for passwords." });
    const at = `/api/canvases/${site.id}`;
    const previous = (await read(site)).json;
    const changes: [method: string, path: string, body?: object][] = [
      ["PATCH", at, { title: "New" }],
      ["DELETE", at],
      ["PUT", `${at}/sharing`, { access: "whole_org" }],
      ["PATCH", `${at}/capabilities`, { kv: false }],
      ["PUT", `${at}/bundle`, {}],
      ["POST", `${at}/versions/${version}/publish`],
      ["POST", `${at}/unpublish`],
      ["POST", `${at}/invites`, { email: "someone@example.com" }],
      ["PUT", `${at}/owner`, { email: site.people.editor.email }],
    ];
    for (const [method, path, body] of changes) {
      for (const who of [site.people.owner, site.people.editor]) {
        const answer = await manage(target, who, method, path, body);
        refused(answer, 409, "DISABLED");
        assert.match(String(answer.json.message), /It asks for passwords\.$/);
      }
    }
    assert.deepEqual((await read(site)).json, previous);
    for (const path of [at, `${at}/versions`, `/api/canvases?q=${site.slug}`]) {
      assert.equal((await manage(target, site.people.editor, "GET", path)).status, 200, path);
    }
    refused(
      await manage(target, site.people.viewer, "PATCH", at, { title: "New" }),
      403,
      "PERMISSION_DENIED",
    );
  });

  it("disabling again replaces the reason and keeps the time; enabling, also twice, clears both", async () => {
    const site = await stage(target);
    const first = (await act(site.id, "disable", { reason: "One." })).json;
    const second = (await act(site.id, "disable", { reason: "Two." })).json;
    assert.deepEqual([second.disabledAt, second.disabledReason], [first.disabledAt, "Two."]);
    const third = (await act(site.id, "disable")).json;
    assert.deepEqual([third.disabledAt, third.disabledReason], [first.disabledAt, null]);
    for (let times = 0; times < 2; times++) {
      const { status, json } = await act(site.id, "enable");
      assert.deepEqual([status, json.disabledAt, json.disabledReason], [200, null, null]);
    }
    assert.equal((await site.pages.viewer.get("/me")).status, 200);
    assert.equal(
      (await manage(target, site.people.owner, "PATCH", `/api/canvases/${site.id}`, {})).status,
      200,
    );
  });

  it("the body of disabling can be absent or empty, and its reason has up to 500 characters", async () => {
    const site = await stage(target);
    const path = `/api/admin/canvases/${site.id}/disable`;
    const reasonOf = async (headers: Person["headers"], body?: string) => {
      const all = [...admin.headers, ...headers];
      const answer = await send(target.base, {
        method: "POST",
        path,
        headers: all,
        ...(body === undefined ? {} : { body }),
      });
      assert.equal(answer.status, 200, answer.text);
      return answer.json.disabledReason;
    };
    assert.equal(await reasonOf([]), null);
    assert.equal(await reasonOf([JSON_TYPE], ""), null);
    assert.equal(await reasonOf([JSON_TYPE], "{}"), null);
    assert.equal(await reasonOf([JSON_TYPE], '{"reason":""}'), null);
    assert.equal(await reasonOf([JSON_TYPE], '{"reason":"  "}'), null);
    assert.equal(await reasonOf([JSON_TYPE, ["Transfer-Encoding", "chunked"]], '{"reason":"Why"}'), "Why");
    const longest = "é".repeat(500);
    assert.equal(await reasonOf([JSON_TYPE], JSON.stringify({ reason: longest })), longest);
  });

  const bodies = [
    { reason: "a".repeat(501) },
    { reason: "a\0b" },
    { reason: "two\nlines" },
    { reason: 1 },
    { reason: null },
    { why: "unknown" },
    [],
  ];
  it("any other body: 400 INVALID_BODY, and the canvas stays enabled", async () => {
    const site = await stage(target);
    for (const body of bodies) refused(await act(site.id, "disable", body), 400, "INVALID_BODY");
    const headers = [...admin.headers, JSON_TYPE];
    for (const body of ["{", " ", "null", Buffer.from([0xff]), "[".repeat(100_000)]) {
      const path = `/api/admin/canvases/${site.id}/disable`;
      refused(await send(target.base, { method: "POST", path, headers, body }), 400, "INVALID_BODY");
    }
    assert.equal((await row(site)).disabledAt, null);
  });

  it("deleted canvases are in a separate list for 30 days", async () => {
    const site = await stage(target);
    await publish(target, site, "<h1>home</h1>");
    await remove(target, site);
    assert.equal(await row(site), undefined);
    assert.equal(await row(site, "deleted=false"), undefined);
    const { id, deletedAt } = await row(site, "deleted=true");
    assert.equal(id, site.id);
    assert.ok(Number(deletedAt) > Date.now() - 60_000);
    await setDeletedAt(site.id, Date.now() - 30 * DAY_MS + 60_000);
    assert.equal((await row(site, "deleted=true")).id, site.id);
    await setDeletedAt(site.id, Date.now() - 30 * DAY_MS);
    assert.equal(await row(site, "deleted=true"), undefined);
    const live = await stage(target);
    assert.equal(await row(live, "deleted=true"), undefined);
  });

  it("a restored canvas has its slug, people, data and password again", async () => {
    const site = await stage(target, { terms: { password: "open sesame" } });
    await publish(target, site, "<h1>home</h1>");
    await site.pages.owner.put("/kv/greeting", "hello");
    const previous = (await read(site)).json;
    await remove(target, site);
    refused(await site.pages.owner.get("/me"), 404, "NOT_FOUND");
    const { status, json } = await act(site.id, "restore");
    assert.deepEqual([status, json.deletedAt], [200, null]);
    assert.deepEqual(json, await row(site));
    const { updatedAt, bundleUpdatedAt, ...now } = (await read(site)).json;
    const { updatedAt: before, bundleUpdatedAt: _, ...then } = previous;
    assert.deepEqual(now, then);
    assert.ok(Number(updatedAt) >= Number(before) && bundleUpdatedAt === updatedAt);
    assert.deepEqual((await site.pages.editor.get("/kv/greeting")).json, { value: "hello" });
    refused(await site.pages.viewer.get("/me"), 403, "PASSWORD_REQUIRED");
    assert.match((await manage(target, site.people.owner, "GET", `/c/${site.slug}/`)).text, /home/);
  });

  it("a deleted draft gives its slug to the next canvas at once, and has it again when it is restored before", async () => {
    const [site, rival] = [await stage(target), await stage(target)];
    await remove(target, site);
    assert.equal((await act(site.id, "restore")).json.slug, site.slug);
    assert.equal((await read(site)).json.slug, site.slug);
    await remove(target, site);
    const path = `/api/canvases/${rival.id}`;
    const renamed = await manage(target, rival.people.owner, "PATCH", path, { slug: site.slug });
    assert.equal(renamed.status, 200, renamed.text);
    assert.equal((await act(site.id, "restore")).json.slug, `deleted-${site.id}`);
    assert.equal((await read(rival)).json.slug, site.slug);
    await remove(target, site);
    assert.equal((await act(site.id, "restore")).json.slug, `deleted-${site.id}`);
  });

  it("restoring after 30 days or a canvas that is not deleted: 404 NOT_FOUND", async () => {
    const site = await stage(target);
    refused(await act(site.id, "restore"), 404, "NOT_FOUND");
    await setDeletedAt(site.id, Date.now() - 30 * DAY_MS);
    for (const what of ["restore", "disable", "enable"]) refused(await act(site.id, what), 404, "NOT_FOUND");
    await setDeletedAt(site.id, Date.now() - 30 * DAY_MS + 60_000);
    assert.equal((await act(site.id, "restore")).status, 200);
    refused(await act(site.id, "restore"), 404, "NOT_FOUND");
  });

  it("a deleted canvas can be disabled before it is restored, and is still disabled afterwards", async () => {
    const site = await stage(target);
    await publish(target, site, "<h1>home</h1>");
    await remove(target, site);
    const disabled = (await act(site.id, "disable", { reason: "First look." })).json;
    assert.notEqual(disabled.deletedAt, null);
    refused(await site.pages.owner.get("/me"), 404, "NOT_FOUND");
    assert.equal((await act(site.id, "restore")).json.disabledReason, "First look.");
    refused(await site.pages.owner.get("/me"), 403, "DISABLED");
  });

  it("of concurrent restores one succeeds", async () => {
    const site = await stage(target);
    await remove(target, site);
    const answers = await Promise.all(Array.from({ length: 5 }, () => act(site.id, "restore")));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404]);
  });

  it("publicationStatus and accessMode are those of the specification", async () => {
    const site = await stage(target);
    assert.equal((await row(site)).publicationStatus, "draft");
    await publish(target, site, "<h1>home</h1>");
    await amend(target, site, { access: "public_link" });
    const shown = await row(site);
    assert.deepEqual(
      [shown.access, shown.accessMode, shown.publicationStatus],
      ["public_link", "public_link", "published"],
    );
    await env.db.run`update canvases set expires_at = 1 where id = ${site.id}`;
    assert.equal((await row(site)).publicationStatus, "expired");
    await archive(target, site);
    assert.equal((await row(site)).publicationStatus, "archived");
    await act(site.id, "disable");
    assert.equal((await row(site)).publicationStatus, "disabled");
  });
});
