import assert from "node:assert/strict";
import { it } from "node:test";
import { disable } from "@easel/conformance/admin";
import { upload } from "@easel/conformance/files/form";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { remove } from "@easel/conformance/lifecycle";
import { refused } from "@easel/conformance/refusal";
import type { Target } from "@easel/conformance/target";
import { writeCallLog } from "../../src/canvases/call-log-store.ts";
import { purgeCanvases, purgeOwned } from "../../src/canvases/deletion.ts";
import { sweepBlobs } from "../../src/canvases/sweep.ts";
import type { Env } from "../../src/env.ts";
import { reserve } from "../../src/organisation/ai/reservations.ts";
import { countCall, takeOfDay, writeCounts } from "../../src/organisation/connections/calls.ts";
import { putGrant } from "../../src/organisation/connections/grants.ts";
import { readSettings } from "../../src/organisation/instance-settings.ts";
import { writePageViews } from "../../src/organisation/view-counts.ts";
import { callAs } from "../sign-in/oauth-client.ts";
import { connectTool } from "../support/connected-tool.ts";
import { onEngines } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { stager } from "../support/staged.ts";
import { rowsOf } from "./canvas-tables.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Creates a canvas with files, data, an AI request, a team, a guest session, an access token, a connected tool, and a device code for the canvas. */
async function furnished(target: Target, env: Env): Promise<Stage> {
  const canvas = await stage(target);
  const { people, id, slug } = canvas;
  const version = await publish(target, canvas, { "index.html": "tea" });
  const preview = `/api/canvases/${id}/versions/${version}/preview`;
  assert.equal((await manage(target, people.owner, "POST", preview)).status, 201);
  for (const scope of ["", "user/"]) {
    const put = await send(target.base, {
      method: "PUT",
      path: `/v1/c/${slug}/kv/${scope}a`,
      headers: [...people.owner.headers, ["Content-Type", "application/json"]],
      body: "1",
    });
    assert.equal(put.status, 200, put.text);
  }
  const runtimePolicy = { collections: { board: { preset: "collaborative" } } };
  const policy = { expectedRuntimePolicy: null, runtimePolicy };
  const set = await manage(target, people.owner, "PATCH", `/api/canvases/${id}/capabilities`, policy);
  assert.equal(set.status, 200, set.text);
  for (const [method, path, status] of [
    ["POST", "collections/board", 201],
    ["PUT", "submissions/lunch/mine", 200],
  ] as const) {
    const made = await send(target.base, {
      method,
      path: `/v1/c/${slug}/${path}`,
      headers: [...people.owner.headers, ["Content-Type", "application/json"]],
      body: '{"a":1}',
    });
    assert.equal(made.status, status, made.text);
  }
  assert.equal((await upload(canvas.pages.owner)).status, 201);
  const removed = await upload(canvas.pages.owner);
  assert.equal((await canvas.pages.owner.delete(`/files/${removed.json.id}`)).status, 200);
  const spender = {
    userId: "someone",
    guest: false,
    invitedBy: null,
    canvasId: id,
    startedAt: Date.now(),
  };
  const asked = await reserve(spender, { model: "tea", amount: 1 }, await readSettings(env), env);
  assert.equal(typeof asked, "object");
  await env.db.run`
    insert into connection_profiles (name, origin, methods, header_names, headers, enabled, created_at, updated_at)
    values (${"tea"}, ${"https://tea.example"}, ${"[]"}, ${"[]"}, ${null}, ${1}, ${0}, ${0}) on conflict (name) do nothing`;
  assert.ok(await putGrant("tea", id, { public: true, guests: false, limits: {} }, env));
  assert.equal(await takeOfDay(id, "tea", 1, env), null);
  countCall({ canvasId: id, profile: "tea", outcome: "2xx", ms: 1 }, env);
  await writeCounts(env);
  const begun = await stager(target, people.owner, id).begin({ "index.html": "more tea" });
  assert.equal(begun.status, 201, begun.text);
  const team = await manage(target, people.owner, "POST", "/api/teams", { name: "Tea", members: [] });
  const teams = [{ id: team.json.id, role: "viewer" }];
  assert.equal(
    (await manage(target, people.owner, "PUT", `/api/canvases/${id}/sharing`, { teams })).status,
    200,
  );
  const guest = { email: "guest@example.com" };
  const invite = await manage(target, people.owner, "POST", `/api/canvases/${id}/invites`, guest);
  const { pathname } = new URL(String(invite.json.url));
  assert.equal((await send(target.base, { method: "GET", path: pathname, headers: [] })).status, 303);
  const token = await manage(target, people.owner, "POST", "/api/tokens", { name: "Tea", canvasId: id });
  assert.equal(token.status, 201, token.text);
  const tool = await connectTool(target.base, people.owner, { canvasId: id }, env);
  await env.db.run`insert into made_canvases (canvas_id, user_id, client_id)
    select canvas_id, user_id, client_id from apps where id = ${tool.id}`;
  await env.db
    .run`insert into app_codes (secret_hash, user_id, client_id, client_name, verified, redirect_uri, challenge, scope, canvas_id,
      own_only, confirms, app_id, expires_at)
    select id, user_id, client_id, client_name, verified, '', '', scope, canvas_id, own_only, confirms, null,
      ${Date.now() + 60_000} from apps where id = ${tool.id}`;
  await env.db.run`insert into app_refresh_tokens (secret_hash, app_id, created_at, expires_at)
    values (${tool.id}, ${tool.id}, 0, ${Date.now() + 60_000})`;
  assert.equal((await canvas.pages.owner.get("/none")).status, 404);
  await writeCallLog(env);
  assert.equal((await visit(target, slug, people.owner)).status, 200);
  await writePageViews(env);
  const asking = await callAs(target.base, "/oauth/device_authorization", { canvas: id });
  assert.equal(asking.status, 200, asking.text);
  return canvas;
}

/** Returns the keys of the blobs of the bundles and of the uploaded files of a canvas. */
const blobKeys = async ({ id }: Stage, { db }: Env): Promise<string[]> =>
  (
    await db.all<{ blob_key: string }>`
      select blob_key from bundle_blobs where canvas_id = ${id} union select blob_key from files where canvas_id = ${id}`
  ).map(({ blob_key }) => blob_key);

await onEngines("purged canvases", (target, env) => {
  it("every row of a canvas deleted 30 days ago is removed, and no other", async () => {
    const [gone, late, kept] = [
      await furnished(target, env),
      await furnished(target, env),
      await furnished(target, env),
    ];
    const now = Date.now();
    await env.db.run`update canvases set deleted_at = ${now - 31 * DAY_MS} where id = ${gone.id}`;
    await env.db.run`update canvases set deleted_at = ${now - 29 * DAY_MS} where id = ${late.id}`;
    const rows = await Promise.all([gone, late, kept].map(({ id }) => rowsOf(id, env)));
    const [ofGone = [], ...ofOthers] = rows;
    assert.ok(ofGone.length >= 16, String(ofGone.map(({ table }) => table)));
    for (const { table, count } of rows.flat()) assert.ok((await count()) > 0, table);
    assert.equal(await purgeCanvases(env), 1);

    for (const { table, count } of ofGone) assert.equal(await count(), 0, table);
    for (const { table, count } of ofOthers.flat()) assert.ok((await count()) > 0, table);
    assert.deepEqual(await env.db.all`select id from canvases where id = ${gone.id}`, []);
    const sessions = await env.db.all`select id from sessions where invite_id is not null`;
    assert.equal(sessions.length, 2);

    const again = { title: "Tea", slug: gone.slug };
    assert.equal((await manage(target, gone.people.owner, "POST", "/api/canvases", again)).status, 201);
    assert.equal(await purgeCanvases(env), 0);
  });

  it("the owner removes every row and blob of a deleted canvas at once, and nothing of others", async () => {
    const [gone, kept] = [await furnished(target, env), await furnished(target, env)];
    const trash = (canvas: Stage, who: keyof Stage["people"] = "owner") =>
      manage(target, canvas.people[who], "DELETE", `/api/canvases/${canvas.id}/trash`);
    refused(await trash(gone), 404, "NOT_FOUND");
    await publish(target, gone, { "index.html": "only here", "tea.txt": "also only here" });
    await remove(target, gone);
    for (const who of ["editor", "viewer", "stranger"] as const)
      refused(await trash(gone, who), 404, "NOT_FOUND");
    refused(
      await manage(target, kept.people.owner, "DELETE", `/api/canvases/${gone.id}/trash`),
      404,
      "NOT_FOUND",
    );
    const [ofGone = [], ofKept = []] = await Promise.all([gone, kept].map(({ id }) => rowsOf(id, env)));
    const blobs = { gone: await blobKeys(gone, env), kept: await blobKeys(kept, env) };
    // The same bytes are stored once.
    blobs.gone = blobs.gone.filter((key) => !blobs.kept.includes(key));
    const stored = async () => new Set(await Array.fromAsync(env.blobs.list(Date.now() + DAY_MS)));
    const before = await stored();
    assert.ok(blobs.gone.length >= 2 && blobs.gone.every((key) => before.has(key)));
    assert.equal((await trash(gone)).status, 204);
    for (const { table, count } of ofGone) assert.equal(await count(), 0, table);
    for (const { table, count } of ofKept) assert.ok((await count()) > 0, table);
    refused(await trash(gone), 404, "NOT_FOUND");
    refused(
      await manage(target, gone.people.owner, "POST", `/api/canvases/${gone.id}/restore`),
      404,
      "NOT_FOUND",
    );
    const { json } = await manage(target, gone.people.owner, "GET", "/api/canvases?list=trash");
    assert.deepEqual(json.canvases, []);
    // Uploaded files without a row are removed by the next sweep.
    await sweepBlobs({ ...env, clock: () => Date.now() + 2 * HOUR_MS });
    const left = await stored();
    for (const key of blobs.gone) assert.ok(!left.has(key), key);
    for (const key of blobs.kept) assert.ok(left.has(key), key);
  });

  it("the owner cannot remove a canvas that an administrator has disabled, before or meanwhile", async () => {
    const site = await stage(target);
    await remove(target, site);
    await disable(target, site);
    const { owner } = site.people;
    refused(await manage(target, owner, "DELETE", `/api/canvases/${site.id}/trash`), 409, "DISABLED");
    const { json } = await manage(target, owner, "GET", "/api/me");
    await assert.rejects(purgeOwned(site.id, String(json.id), env), { code: "NOT_FOUND" });
    const rows = await env.db.all`select id from canvases where id = ${site.id} and deleted_at > 0`;
    assert.equal(rows.length, 1);
  });

  it("what a killed process has left of a removal is removed by the sweep", async () => {
    const site = await furnished(target, env);
    await env.db.run`update canvases set deleted_at = ${0} where id = ${site.id}`;
    refused(
      await manage(target, site.people.owner, "DELETE", `/api/canvases/${site.id}/trash`),
      404,
      "NOT_FOUND",
    );
    assert.equal(await purgeCanvases(env), 1);
    for (const { table, count } of await rowsOf(site.id, env)) assert.equal(await count(), 0, table);
  });
});
