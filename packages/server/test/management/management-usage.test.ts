import assert from "node:assert/strict";
import { it } from "node:test";
import { upload } from "@easel/conformance/files/form";
import { manage, stage } from "@easel/conformance/fixture";
import { remove } from "@easel/conformance/lifecycle";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import type { PersonUsage } from "@easel/protocol/management";
import { reserve } from "../../src/organisation/ai/reservations.ts";
import { readSettings } from "../../src/organisation/instance-settings.ts";
import { onEngines } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

await onEngines("GET /api/me/usage", (target, env) => {
  const usageOf = async (person: Person): Promise<PersonUsage> => {
    const { status, json, text } = await manage(target, person, "GET", "/api/me/usage");
    assert.equal(status, 200, text);
    return json as unknown as PersonUsage;
  };
  const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);

  it("somebody who has nothing uses nothing of the limits of the instance", async () => {
    const { config } = env;
    assert.deepEqual(await usageOf(await target.signIn(freshEmail("new"))), {
      quotas: {
        "bundles.bytes.person": { used: 0, limit: config.quotaBundleBytes },
        "canvases.person": { used: 0, limit: config.quotaCanvases },
        "files.bytes.person": { used: 0, limit: config.quotaFilesBytes },
        "versions.canvas": { used: 0, limit: config.versionsKept },
      },
      ai: {
        day: new Date().toISOString().slice(0, 10),
        spent: 0,
        reserved: 0,
        limit: (await readSettings(env))["ai.userDailyUsd"],
      },
    });
    unauthenticated(await manage(target, null, "GET", "/api/me/usage"));
  });

  it("counts what the person owns, of all canvases and also in the trash, and nothing of others", async () => {
    const one = await stage(target);
    const { people } = one;
    const two = await stage(target, { people });
    const other = await stage(target, { people: { ...people, owner: people.editor, editor: people.owner } });
    for (let version = 0; version < 3; version++)
      await publish(target, one, { "index.html": `tea ${version}` });
    await publish(target, two, { "index.html": "coffee" });
    for (let version = 0; version < 4; version++)
      await publish(target, other, { "index.html": `water ${version}` });
    assert.equal((await upload(two.pages.owner)).status, 201);
    const before = (await usageOf(people.owner)).quotas;
    assert.deepEqual([before["canvases.person"].used, before["versions.canvas"].used], [2, 3]);
    assert.ok(before["bundles.bytes.person"].used > 0 && before["files.bytes.person"].used > 0);
    await env.db.run`insert into user_quotas (user_id, name, value)
      values (${await idOf(people.owner)}, ${"canvases.person"}, ${7})`;
    await remove(target, one);
    await remove(target, two);
    const trashed = (await usageOf(people.owner)).quotas;
    assert.deepEqual(trashed["canvases.person"], { used: 0, limit: 7 });
    assert.equal(trashed["versions.canvas"].used, 0);
    assert.equal(trashed["files.bytes.person"].used, before["files.bytes.person"].used);
    for (const { id } of [one, two])
      assert.equal((await manage(target, people.owner, "DELETE", `/api/canvases/${id}/trash`)).status, 204);
    const purged = (await usageOf(people.owner)).quotas;
    assert.deepEqual([purged["bundles.bytes.person"].used, purged["files.bytes.person"].used], [0, 0]);
    assert.equal((await usageOf(people.editor)).quotas["versions.canvas"].used, 4);
  });

  it("the AI of the day: of the person and of guests whom they invited, in US dollars, and not of other days", async () => {
    const { people, id } = await stage(target);
    const userId = await idOf(people.owner);
    const spend = (guest: boolean, startedAt: number) =>
      reserve(
        {
          userId: guest ? "guest:some" : userId,
          guest,
          invitedBy: guest ? userId : null,
          canvasId: id,
          startedAt,
        },
        { model: "tea", amount: 250_000_000 },
        { ...settings, "ai.guestUsd": 5 },
        env,
      );
    const settings = await readSettings(env);
    for (const guest of [true, false])
      for (const at of [Date.now(), Date.now() - DAY_MS])
        assert.equal(typeof (await spend(guest, at)), "object");
    const { ai } = await usageOf(people.owner);
    assert.deepEqual([ai.reserved, ai.spent], [0.5, 0]);
    assert.equal((await usageOf(people.editor)).ai.reserved, 0);
  });

  it("is for members: a guest is refused", async () => {
    const { people, id } = await stage(target);
    const { json } = await manage(target, people.owner, "POST", `/api/canvases/${id}/invites`, {
      email: "guest@example.com",
    });
    const { headers } = await fetch(String(json.url), { redirect: "manual" });
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? assert.fail("no session");
    const guest: Person = { ...people.viewer, headers: [["Cookie", cookie]] };
    refused(await manage(target, guest, "GET", "/api/me/usage"), 403, "PERMISSION_DENIED");
  });
});
