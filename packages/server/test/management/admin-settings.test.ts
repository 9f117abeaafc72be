import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { publish } from "@easel/conformance/lifecycle";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { onSqlite, startDev } from "../support/engines.ts";

/** The models of the default provider that canvases may use. */
const CURRENT_MODELS = ["claude-fable-5-1", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"];

/** The settings before any change (docs/operating.md#quotas-and-rates; specification 8). */
const DEFAULTS = {
  publicLinks: true,
  quotas: {
    "kv.keys.shared": 10_000,
    "kv.keys.user": 1_000,
    "files.bytes.file": 25 * 1024 * 1024,
    "files.bytes.canvas": 1024 * 1024 * 1024,
    "submissions.canvas": 10_000,
    "submissions.author": 1_000,
    "collections.records.canvas": 10_000,
    "canvases.person": 200,
    "bundles.bytes.person": 5 * 1024 ** 3,
    "files.bytes.person": 50 * 1024 ** 3,
    "versions.canvas": 50,
  },
  ai: {
    models: CURRENT_MODELS,
    userDailyUsd: 5,
    canvasMonthlyUsd: 50,
    guestUsd: 1,
    instanceMonthlyUsd: null as number | null,
  },
};
const QUOTA_NAMES = Object.keys(DEFAULTS.quotas) as (keyof typeof DEFAULTS.quotas)[];
const RESET = {
  publicLinks: null,
  quotas: Object.fromEntries(Object.keys(DEFAULTS.quotas).map((name) => [name, null])),
  ai: Object.fromEntries(Object.keys(DEFAULTS.ai).map((name) => [name, null])),
};

await onSqlite("administration of settings", (target) => {
  let admin: Person;
  before(async () => {
    admin = await target.signIn(target.admin);
  });

  const read = async () =>
    (await manage(target, admin, "GET", "/api/admin/settings")).json as typeof DEFAULTS;
  const patch = (change: object) => manage(target, admin, "PATCH", "/api/admin/settings", change);

  it("before any change: the defaults of deployment and specification", async () => {
    assert.deepEqual(await read(), DEFAULTS);
  });

  it("a patch returns the settings in effect and changes only the fields it names", async () => {
    const changes = [
      { quotas: { "kv.keys.user": 7 } },
      { ai: { models: ["one", "two"], guestUsd: 0.25 } },
      { publicLinks: false, quotas: { "files.bytes.file": 0, "kv.keys.user": 8 }, ai: { userDailyUsd: 0 } },
      {},
      { quotas: {}, ai: {} },
    ];
    const expected = structuredClone(DEFAULTS) as typeof DEFAULTS & { ai: { models: string[] } };
    for (const change of changes as Partial<typeof DEFAULTS>[]) {
      if (change.publicLinks !== undefined) expected.publicLinks = change.publicLinks;
      Object.assign(expected.quotas, change.quotas);
      Object.assign(expected.ai, change.ai);
      const { status, json } = await patch(change);
      assert.deepEqual([status, json], [200, expected]);
      assert.deepEqual(await read(), expected);
    }
    const partly = await patch({ quotas: { "kv.keys.user": null }, ai: { models: null } });
    assert.equal((partly.json as typeof DEFAULTS).quotas["kv.keys.user"], 1000);
    assert.deepEqual((partly.json as typeof DEFAULTS).ai, { ...expected.ai, models: CURRENT_MODELS });
    assert.deepEqual((await patch(RESET)).json, DEFAULTS);
    assert.deepEqual((await patch(RESET)).json, DEFAULTS);
  });

  it("quotas are whole numbers up to the greatest safe integer", async () => {
    for (const name of QUOTA_NAMES) {
      for (const value of [0, 1, Number.MAX_SAFE_INTEGER]) {
        const { json } = await patch({ quotas: { [name]: value } });
        assert.equal((json as typeof DEFAULTS).quotas[name], value);
      }
    }
    assert.deepEqual((await patch(RESET)).json, DEFAULTS);
  });

  it("amounts can have decimals, and the list of models can be empty", async () => {
    const ai = {
      models: [],
      userDailyUsd: 0.1,
      canvasMonthlyUsd: 1e-3,
      guestUsd: 12_345_678.9,
      instanceMonthlyUsd: 0.5,
    };
    assert.deepEqual(((await patch({ ai })).json as typeof DEFAULTS).ai, ai);
    await patch(RESET);
  });

  const bodies: object[] = [
    { unknown: 1 },
    { quotas: { "kv.keys": 1 } },
    { quotas: { "kv.keys.shared": -1 } },
    { quotas: { "kv.keys.shared": 1.5 } },
    { quotas: { "kv.keys.shared": 2 ** 53 } },
    { quotas: { "kv.keys.shared": 1e308 } },
    { quotas: { "kv.keys.shared": "10" } },
    { quotas: { "kv.keys.shared": true } },
    { quotas: { constructor: 1 } },
    { quotas: null },
    { quotas: [] },
    { ai: null },
    { ai: { models: "one" } },
    { ai: { models: [""] } },
    { ai: { models: ["  "] } },
    { ai: { models: [1] } },
    { ai: { models: ["a\0b"] } },
    { ai: { models: ["m".repeat(201)] } },
    { ai: { models: Array.from({ length: 101 }, (_, index) => `m${index}`) } },
    { ai: { userDailyUsd: -0.01 } },
    { ai: { userDailyUsd: "5" } },
    { ai: { guestUsd: 1e300 } },
    { ai: { apiKey: "key" } },
    { publicLinks: "off" },
    { publicLinks: 0 },
    [],
  ];
  for (const body of bodies) {
    it(`${JSON.stringify(body).slice(0, 50)}: 400 INVALID_BODY`, async () => {
      refused(await patch(body), 400, "INVALID_BODY");
    });
  }

  it("a patch with one invalid field changes nothing", async () => {
    await patch({ quotas: { "kv.keys.user": 3, "kv.keys.none": 1 } });
    await patch({ publicLinks: false, ai: { guestUsd: -1 } });
    assert.deepEqual(await read(), DEFAULTS);
  });

  it("concurrent patches of different fields all take effect", async () => {
    const names = QUOTA_NAMES;
    const changes = names.map((name, index) => patch({ quotas: { [name]: index }, ai: { guestUsd: index } }));
    assert.ok((await Promise.all(changes)).every(({ status }) => status === 200));
    const { quotas, ai } = await read();
    assert.deepEqual(quotas, Object.fromEntries(names.map((name, index) => [name, index])));
    assert.ok(Number.isInteger(ai.guestUsd) && ai.guestUsd < names.length);
    await patch(RESET);
  });

  it("a quota of keys applies at the next write, and so does the default after it", async () => {
    const { pages } = await stage(target);
    const put = async (path: string) => (await pages.owner.put(path, 1)).status;
    assert.deepEqual([await put("/kv/a"), await put("/kv/b"), await put("/kv/user/a")], [200, 200, 200]);
    await patch({ quotas: { "kv.keys.shared": 2, "kv.keys.user": 1 } });
    refused(await pages.owner.put("/kv/c", 1), 409, "KEY_LIMIT");
    refused(await pages.owner.put("/kv/user/b", 1), 409, "KEY_LIMIT");
    refused(await pages.owner.post("/kv/c/increment", {}), 409, "KEY_LIMIT");
    assert.deepEqual([await put("/kv/a"), (await pages.viewer.put("/kv/user/a", 1)).status], [200, 200]);
    await patch({ quotas: { "kv.keys.shared": 3 } });
    assert.equal(await put("/kv/c"), 200);
    refused(await pages.owner.put("/kv/d", 1), 409, "KEY_LIMIT");
    await patch({ quotas: { "kv.keys.shared": 1 } });
    assert.equal((await pages.owner.delete("/kv/a")).status, 200);
    refused(await pages.owner.put("/kv/a", 1), 409, "KEY_LIMIT");
    await patch(RESET);
    assert.deepEqual([await put("/kv/d"), await put("/kv/user/b")], [200, 200]);
  });

  it("with a quota of 0 existing keys stay readable", async () => {
    const { pages } = await stage(target);
    await pages.owner.put("/kv/a", 1);
    await patch({ quotas: { "kv.keys.shared": 0, "kv.keys.user": 0 } });
    refused(await pages.owner.put("/kv/b", 1), 409, "KEY_LIMIT");
    refused(await pages.viewer.put("/kv/user/b", 1), 409, "KEY_LIMIT");
    assert.deepEqual((await pages.viewer.get("/kv/a")).json, { value: 1 });
    assert.equal((await pages.owner.put("/kv/a", 2)).status, 200);
    await patch(RESET);
  });

  it("public links off: public canvases are refused at the next request, and none can be made public", async () => {
    const site = await stage(target, { access: "public_link" });
    await publish(target, site, "<h1>open</h1>");
    const enter = async () => (await manage(target, null, "GET", `/c/${site.slug}/`)).status;
    const mayPublish = async () =>
      (await manage(target, site.people.owner, "GET", "/api/me")).json.canPublishPublic;
    const share = () =>
      manage(target, site.people.owner, "PUT", `/api/canvases/${site.id}/sharing`, { access: "public_link" });
    assert.deepEqual([await enter(), await mayPublish()], [200, true]);
    assert.equal((await patch({ publicLinks: false })).json.publicLinks, false);
    assert.deepEqual([await enter(), await mayPublish()], [401, false]);
    refused(await share(), 403, "PUBLIC_LINKS_DISABLED");
    assert.equal((await patch({ publicLinks: true })).json.publicLinks, true);
    assert.deepEqual([await enter(), await mayPublish(), (await share()).status], [200, true, 200]);
    await patch({ publicLinks: false });
    assert.equal(await enter(), 401);
    assert.equal((await patch({ publicLinks: null })).json.publicLinks, true);
    assert.equal(await enter(), 200);
  });
});

it("administrators cannot switch public links on where the deployment has them off", async (t) => {
  const { target, env } = await startDev(t, { SERVICE_PUBLIC_LINKS: "off" });
  const admin = await target.signIn(target.admin);
  const patch = (change: object) => manage(target, admin, "PATCH", "/api/admin/settings", change);
  assert.equal((await patch({})).json.publicLinks, false);
  // Saves the setting as if the deployment had allowed it at that time.
  await env.db.run`insert into instance_settings (name, value) values ('publicLinks', 'true')`;
  assert.equal((await patch({})).json.publicLinks, false);
  const answer = await patch({ publicLinks: true, ai: { guestUsd: 3 } });
  refused(answer, 400, "INVALID_BODY");
  assert.match(String(answer.json.message), /SERVICE_PUBLIC_LINKS/);
  for (const publicLinks of [false, null]) {
    const { status, json } = await patch({ publicLinks });
    assert.deepEqual([status, json.publicLinks], [200, false]);
  }
  assert.equal(((await patch({})).json.ai as { guestUsd: number }).guestUsd, 1);
});

it("the AI settings of the deployment are the defaults until an administrator changes them", async (t) => {
  const { target } = await startDev(t, {
    SERVICE_AI_MODELS: "model-a, model-b",
    SERVICE_AI_USER_DAILY_USD: "2.5",
    SERVICE_AI_CANVAS_MONTHLY_USD: "7",
    SERVICE_AI_GUEST_USD: "0",
    SERVICE_AI_INSTANCE_MONTHLY_USD: "300",
  });
  const admin = await target.signIn(target.admin);
  const patch = async (ai: object) =>
    (await manage(target, admin, "PATCH", "/api/admin/settings", { ai })).json.ai;
  const own = {
    models: ["model-a", "model-b"],
    userDailyUsd: 2.5,
    canvasMonthlyUsd: 7,
    guestUsd: 0,
    instanceMonthlyUsd: 300,
  };
  assert.deepEqual(await patch({}), own);
  const other = {
    models: ["model-c"],
    userDailyUsd: 1,
    canvasMonthlyUsd: 0,
    guestUsd: 4,
    instanceMonthlyUsd: 0,
  };
  assert.deepEqual(await patch(other), other);
  assert.deepEqual(
    await patch({
      models: null,
      userDailyUsd: null,
      canvasMonthlyUsd: null,
      guestUsd: null,
      instanceMonthlyUsd: null,
    }),
    own,
  );
});
