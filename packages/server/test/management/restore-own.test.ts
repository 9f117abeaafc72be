import assert from "node:assert/strict";
import { it } from "node:test";
import { disable } from "@easel/conformance/admin";
import { freshSlug, manage, type Stage, stage } from "@easel/conformance/fixture";
import { publish, remove } from "@easel/conformance/lifecycle";
import { refused } from "@easel/conformance/refusal";
import type { CanvasList } from "@easel/protocol/management";
import { onEngines } from "../support/engines.ts";
import { DAY_MS } from "../support/time.ts";

await onEngines("deleted canvases of their owner", (target, env) => {
  const restore = (canvas: Stage, who: keyof Stage["people"] = "owner", body?: object) =>
    manage(target, canvas.people[who], "POST", `/api/canvases/${canvas.id}/restore`, body);
  const read = (canvas: Stage) => manage(target, canvas.people.owner, "GET", `/api/canvases/${canvas.id}`);
  const list = async (canvas: Stage, who: keyof Stage["people"], query = "?deleted=true") => {
    const { status, json, text } = await manage(target, canvas.people[who], "GET", `/api/canvases${query}`);
    assert.equal(status, 200, text);
    return (json as unknown as CanvasList).canvases;
  };
  const setDeletedAt = (canvas: Stage, time: number) =>
    env.db.run`update canvases set deleted_at = ${time} where id = ${canvas.id}`;
  const rename = async (canvas: Stage, slug: string) => {
    const path = `/api/canvases/${canvas.id}`;
    return (await manage(target, canvas.people.owner, "PATCH", path, { slug })).status;
  };

  it("the list has the canvases that the caller deleted, with their times; that of all others has none", async () => {
    const [gone, live] = [await stage(target), await stage(target)];
    await publish(target, gone, "home");
    assert.deepEqual(await list(gone, "owner"), []);
    const before = Date.now();
    await remove(target, gone);
    const [listed = assert.fail(), ...more] = await list(gone, "owner");
    assert.deepEqual(
      [listed.id, listed.slug, listed.viewerRole, more.length],
      [gone.id, gone.slug, "owner", 0],
    );
    const { deletedAt = 0, purgeAt } = listed;
    assert.ok(deletedAt >= before && deletedAt <= Date.now());
    assert.equal(purgeAt, deletedAt + 30 * DAY_MS);
    assert.deepEqual(await list(gone, "owner", ""), []);
    assert.deepEqual(await list(gone, "editor"), []);
    assert.deepEqual(await list(live, "owner"), []);
    const [own = assert.fail()] = await list(live, "owner", "");
    assert.ok(!("deletedAt" in own) && !("purgeAt" in own));
  });

  it("the list pages, filters, and leaves out canvases after 30 days", async () => {
    const first = await stage(target);
    const { people } = first;
    const second = await stage(target, { people });
    for (const canvas of [first, second]) await remove(target, canvas);
    const ids = async (query: string) =>
      (await list(first, "owner", `?deleted=true${query}`)).map(({ id }) => id);
    assert.deepEqual(await ids(""), [second.id, first.id]);
    assert.deepEqual(await ids("&limit=1"), [second.id]);
    assert.deepEqual(await ids(`&cursor=${second.id}`), [first.id]);
    assert.deepEqual(await ids(`&q=${first.slug}`), [first.id]);
    await setDeletedAt(first, Date.now() - 30 * DAY_MS);
    assert.deepEqual(await ids(""), [second.id]);
  });

  it("an owner restores a canvas with its pages, data and people", async () => {
    const site = await stage(target);
    await publish(target, site, "home");
    await site.pages.owner.put("/kv/greeting", "hello");
    const { updatedAt: _, bundleUpdatedAt: __, ...then } = (await read(site)).json;
    await remove(target, site);
    const { status, json } = await restore(site);
    const { updatedAt, bundleUpdatedAt, ...now } = json;
    assert.deepEqual([status, now], [200, then]);
    assert.deepEqual((await site.pages.editor.get("/kv/greeting")).json, { value: "hello" });
    assert.deepEqual(await list(site, "owner"), []);
    refused(await restore(site), 404, "NOT_FOUND");
  });

  it("nobody else restores it, and nobody after 30 days", async () => {
    const site = await stage(target);
    await publish(target, site, "home");
    await remove(target, site);
    for (const who of ["editor", "viewer", "stranger"] as const)
      refused(await restore(site, who), 404, "NOT_FOUND");
    await setDeletedAt(site, Date.now() - 30 * DAY_MS);
    refused(await restore(site), 404, "NOT_FOUND");
    await setDeletedAt(site, Date.now() - 30 * DAY_MS + 60_000);
    assert.equal((await restore(site)).status, 200);
  });

  it("a draft whose slug is taken is restored under another one", async () => {
    const [site, rival] = [await stage(target), await stage(target)];
    await remove(target, site);
    assert.equal((await list(site, "owner"))[0]?.slug, site.slug);
    assert.equal(await rename(rival, site.slug), 200);
    assert.equal((await list(site, "owner"))[0]?.slug, `deleted-${site.id}`);
    refused(await restore(site), 409, "SLUG_TAKEN");
    refused(await restore(site, "owner", { slug: site.slug }), 409, "SLUG_TAKEN");
    refused(await restore(site, "owner", { slug: "A" }), 400, "INVALID_BODY");
    assert.equal((await list(site, "owner")).length, 1);
    const slug = freshSlug();
    const { status, json } = await restore(site, "owner", { slug });
    assert.deepEqual([status, json.slug], [200, slug]);
  });

  it("a draft that is restored under another slug leaves its former one free", async () => {
    const [site, rival] = [await stage(target), await stage(target)];
    await remove(target, site);
    const slug = freshSlug();
    assert.equal((await restore(site, "owner", { slug })).status, 200);
    await remove(target, site);
    assert.equal((await list(site, "owner"))[0]?.slug, slug);
    assert.equal((await restore(site)).json.slug, slug);
    assert.equal(await rename(rival, site.slug), 200);
  });

  it("a published canvas keeps its slug reserved, also when it is restored under another one", async () => {
    const [site, rival] = [await stage(target), await stage(target)];
    await publish(target, site, "home");
    await remove(target, site);
    assert.equal(await rename(rival, site.slug), 409);
    assert.equal((await restore(site, "owner", { slug: freshSlug() })).status, 200);
    assert.equal(await rename(rival, site.slug), 409);
  });

  it("a full quota of canvases refuses and changes nothing", async () => {
    const site = await stage(target);
    await remove(target, site);
    const { json } = await manage(target, site.people.owner, "GET", "/api/me");
    const full = await stage(target, { people: site.people });
    await env.db.run`insert into user_quotas (user_id, name, value)
      values (${String(json.id)}, ${"canvases.person"}, ${1})`;
    refused(await restore(site), 409, "QUOTA_EXCEEDED");
    assert.equal((await list(site, "owner"))[0]?.slug, site.slug);
    await remove(target, full);
    assert.equal((await restore(site)).status, 200);
  });

  it("a disabled canvas stays deleted", async () => {
    const site = await stage(target);
    await publish(target, site, "home");
    await remove(target, site);
    await disable(target, site);
    refused(await restore(site), 409, "DISABLED");
    assert.equal((await list(site, "owner")).length, 1);
  });

  it("of concurrent restores one succeeds", async () => {
    const site = await stage(target);
    await remove(target, site);
    const answers = await Promise.all(Array.from({ length: 5 }, () => restore(site)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404]);
  });
});
