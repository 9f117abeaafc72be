import assert from "node:assert/strict";
import { before, describe, it, test } from "node:test";
import { manage, type Stage, share, stage, turn } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { open, type Page } from "@easel/conformance/page";
import { govern } from "@easel/conformance/policy";
import { devTarget } from "@easel/conformance/target";
import type { RuntimePolicy } from "@easel/protocol/policy";
import type { ChannelRights, Identity, Right, Rights } from "@easel/protocol/types";
import { onSqlite } from "../support/engines.ts";
import { startService } from "../support/service.ts";

const NO: Right = { own: false, any: false };
const OWN: Right = { own: true, any: false };
const ANY: Right = { own: true, any: true };

/** Returns rights from their parts: read, create, update, delete and increment. */
const rights = (read: Right, create: Right, update: Right, remove: Right, increment: Right): Rights => ({
  read,
  create,
  update,
  delete: remove,
  increment,
});

const channel = (
  subscribe: boolean,
  publish: boolean,
  seePresence: boolean,
  participatePresence: boolean,
) => ({
  subscribe,
  publish,
  seePresence,
  participatePresence,
});

const POLICY: RuntimePolicy = {
  collections: {
    diary: { preset: "personal" },
    votes: { preset: "submissions", aggregateCount: "viewers" },
    ideas: { preset: "contributions" },
    news: { preset: "managed" },
    board: { preset: "collaborative" },
    "count.er:1": {
      preset: "contributions",
      overrides: { update: "none", increment: "viewers", delete: "editors" },
    },
    hidden: { preset: "collaborative", overrides: { read: "none" } },
  },
  fileGroups: {
    photos: { preset: "contributions" },
    forms: { preset: "submissions", overrides: { create: "none", delete: "own" } },
  },
  channels: {
    chat: { subscribe: "viewers", publish: "viewers", seePresence: "editors", participatePresence: "none" },
    stage: { subscribe: "viewers", publish: "editors", seePresence: "none", participatePresence: "editors" },
  },
  connections: { weather: { audience: "viewers", methods: ["GET"] } },
};

type Resources = Identity["resources"];
interface Expected {
  collections: Record<string, Rights>;
  fileGroups: Record<string, Rights>;
  channels: Record<string, ChannelRights>;
}

/** The rights of owners and editors under the policy of these tests, by the table of presets (specification 2). */
const MANAGERS: Expected = {
  collections: {
    diary: rights(OWN, ANY, OWN, OWN, OWN),
    votes: rights(ANY, ANY, ANY, ANY, ANY),
    ideas: rights(ANY, ANY, ANY, ANY, ANY),
    news: rights(ANY, ANY, ANY, ANY, ANY),
    board: rights(ANY, ANY, ANY, ANY, ANY),
    "count.er:1": rights(ANY, ANY, NO, ANY, ANY),
    hidden: rights(NO, ANY, NO, NO, NO),
  },
  fileGroups: {
    photos: rights(ANY, ANY, ANY, ANY, ANY),
    forms: rights(ANY, NO, ANY, OWN, ANY),
  },
  channels: { chat: channel(true, true, true, false), stage: channel(true, true, false, true) },
};
const VIEWERS: Expected = {
  collections: {
    diary: rights(OWN, ANY, OWN, OWN, OWN),
    votes: rights(OWN, ANY, OWN, OWN, OWN),
    ideas: rights(ANY, ANY, OWN, OWN, OWN),
    news: rights(ANY, NO, NO, NO, NO),
    board: rights(ANY, ANY, ANY, ANY, ANY),
    "count.er:1": rights(ANY, ANY, NO, NO, ANY),
    hidden: rights(NO, ANY, NO, NO, NO),
  },
  fileGroups: {
    photos: rights(ANY, ANY, OWN, OWN, OWN),
    forms: rights(OWN, NO, OWN, OWN, OWN),
  },
  channels: { chat: channel(true, true, false, false), stage: channel(true, false, false, false) },
};
const NOTHING: Resources = { collections: {}, fileGroups: {}, channels: {}, connections: {}, models: [] };

const CALLERS: [who: "owner" | "editor" | "viewer" | "stranger" | "guest", expected: Expected][] = [
  ["owner", MANAGERS],
  ["editor", MANAGERS],
  ["viewer", VIEWERS],
  ["stranger", VIEWERS],
  ["guest", VIEWERS],
];

await onSqlite("GET /me → resources", (target) => {
  let canvas: Stage;
  let pages: Record<(typeof CALLERS)[number][0], Page>;
  before(async () => {
    canvas = await stage(target, { access: "whole_org" });
    pages = { ...canvas.pages, guest: open(target, canvas.slug, await guestOf(target, canvas)) };
  });
  const resourcesOf = async (page: Page) => {
    const { status, json, text } = await page.get("/me");
    assert.equal(status, 200, text);
    return json.resources as Resources;
  };

  describe("by a policy", () => {
    before(() => govern(target, canvas, POLICY));

    for (const [who, expected] of CALLERS) {
      it(`of the ${who}`, async () => {
        // `connections` is empty: a canvas has only those that administrators grant to it, and this one has none.
        assert.deepEqual(await resourcesOf(pages[who]), { ...expected, connections: {}, models: [] });
      });

      it(`of the ${who}: equal to the permissions route of each collection`, async () => {
        const { collections } = await resourcesOf(pages[who]);
        for (const [name, each] of Object.entries(collections)) {
          assert.deepEqual((await pages[who].get(`/collections/${name}/permissions`)).json, each, name);
        }
      });
    }
  });

  it("resources change with the role, from the next request on", async () => {
    await govern(target, canvas, POLICY);
    const { viewer } = canvas.pages;
    await share(target, canvas, "whole_org", { editor: "editor", viewer: "editor" });
    assert.deepEqual((await resourcesOf(viewer)).collections, MANAGERS.collections);
    await share(target, canvas, "whole_org", { editor: "editor", viewer: "viewer" });
    assert.deepEqual((await resourcesOf(viewer)).collections, VIEWERS.collections);
  });

  it("resources change with the policy, from the next request on", async () => {
    const { viewer } = canvas.pages;
    const { collections, ...others } = POLICY;
    await govern(target, canvas, others);
    assert.deepEqual((await resourcesOf(viewer)).collections, {});
    assert.deepEqual((await resourcesOf(viewer)).channels, VIEWERS.channels);
    await govern(target, canvas, {
      collections: { only: { preset: "managed" } },
      defaultMode: "collaboration",
    });
    assert.deepEqual(await resourcesOf(viewer), {
      ...NOTHING,
      collections: { only: rights(ANY, NO, NO, NO, NO) },
    });
    await govern(target, canvas, { collections });
    assert.deepEqual((await resourcesOf(viewer)).collections, VIEWERS.collections);
    for (const nothing of [{}, null]) {
      await govern(target, canvas, nothing);
      assert.deepEqual(await resourcesOf(viewer), NOTHING);
    }
  });

  it("resources are those of one canvas", async () => {
    await govern(target, canvas, POLICY);
    const other = await stage(target, { people: canvas.people });
    assert.deepEqual(await resourcesOf(other.pages.owner), NOTHING);
  });

  it("`permissions` depend on switches and roles, not on the policy", async () => {
    const own = await stage(target, { people: canvas.people });
    const permissions = async () =>
      (await own.pages.viewer.get("/me")).json.permissions as Record<string, boolean>;
    const before = await permissions();
    assert.deepEqual([before.canSubmit, before.canManageSubmissions], [true, false]);
    await govern(target, own, { collections: { votes: { preset: "managed" } } });
    assert.deepEqual(await permissions(), before);
    await turn(target, own, { kv: false });
    assert.deepEqual(await permissions(), {
      ...before,
      canReadSharedData: false,
      canSavePreferences: false,
      canSubmit: false,
    });
  });
});

test("models: for those who may use AI, while it is on; without a price a model is left out", async (t) => {
  const { base } = await startService(t, {
    SERVICE_AI_API_KEY: "key",
    SERVICE_AI_MODELS: "m, unpriced",
    SERVICE_AI_PRICES: JSON.stringify({ m: { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 } }),
  });
  const target = devTarget(base, "path");
  const canvas = await stage(target, { access: "whole_org" });
  const models = async (who: "owner" | "viewer") =>
    ((await canvas.pages[who].get("/me")).json.resources as Resources).models;
  const off = async () =>
    (await manage(target, canvas.people.owner, "GET", `/api/canvases/${canvas.id}`)).json.capabilitiesOff;
  const rows: [change: object, owner: string[], viewer: string[], off: object][] = [
    [{ aiAudience: "editors" }, ["m"], [], {}],
    [{ aiAudience: "viewers" }, ["m"], ["m"], {}],
    [{ ai: false }, [], [], { ai: "feature_off" }],
  ];
  for (const [change, owner, viewer, expected] of rows) {
    await turn(target, canvas, change);
    assert.deepEqual([await models("owner"), await models("viewer")], [owner, viewer]);
    assert.deepEqual(await off(), { authoring: "feature_off", ...expected });
  }
});
