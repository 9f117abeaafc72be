import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EaselJson } from "./easel-json.ts";
import { capabilitiesOff, changesFor, switchesFor, switchesOn } from "./easel-json-changes.ts";

describe("the switches for the first deploy", () => {
  const off = { kv: false, files: false, ai: false, realtime: false, authoring: false };
  const rows = [
    [undefined, { backendEnabled: true }],
    [[], { backendEnabled: false, ...off }],
    [["identity"], { backendEnabled: true, ...off }],
    [["connections", "kv"], { backendEnabled: true, ...off, kv: true }],
    [["realtime", "ai"], { backendEnabled: true, ...off, ai: true, realtime: true }],
  ] as const;
  for (const [needed, switches] of rows)
    it(`${needed === undefined ? "no list" : `[${needed}]`}`, () =>
      assert.deepEqual(switchesFor(needed), switches));
});

const CANVAS: Parameters<typeof changesFor>[1] = {
  title: "Poll",
  spa: false,
  access: "private",
  discoverability: "link_only",
  viewerRole: "owner",
  capabilities: {
    backendEnabled: true,
    kv: true,
    files: false,
    ai: false,
    realtime: true,
    authoring: false,
    aiAudience: "editors",
    connectionsAudience: "editors",
    authoringAudience: "editors",
    guestAi: false,
  },
  runtimePolicy: { collections: { ideas: { preset: "contributions", max: 5 } } } as never,
  runtimePolicyRevision: "r1",
};

const NOTHING = {
  page: undefined,
  listing: undefined,
  policy: undefined,
  audiences: undefined,
  ownerOnly: [],
};

describe("what an easel.json changes on a canvas", () => {
  const changes = (settings: object, canvas: object = {}, isNew = false) =>
    changesFor(settings as EaselJson, { ...CANVAS, ...canvas }, isNew);

  it("an empty file: nothing", () => assert.deepEqual(changes({}), NOTHING));

  it("what the canvas has already: nothing, in whatever order the fields are", () =>
    assert.deepEqual(
      changes({
        title: "Poll",
        spa: false,
        aiAudience: "editors",
        policy: { collections: { ideas: { max: 5, preset: "contributions" } } },
      }),
      NOTHING,
    ));

  it("title and routing; the title of a new canvas stays", () => {
    assert.deepEqual(changes({ title: "Vote", spa: true }).page, { title: "Vote", spa: true });
    assert.deepEqual(changes({ title: "Vote", spa: true }, {}, true).page, { spa: true });
    assert.equal(changes({ title: "Vote" }, {}, true).page, undefined);
  });

  it("a section of the policy replaces that of the canvas, the others stay", () => {
    const kv = { readers: "everyone" };
    assert.deepEqual(changes({ policy: { kv } }).policy, {
      expectedRuntimePolicy: "r1",
      runtimePolicy: { ...CANVAS.runtimePolicy, kv },
    });
    const fewer = { ideas: { preset: "contributions" } };
    assert.deepEqual(changes({ policy: { collections: fewer } }).policy?.runtimePolicy, {
      collections: fewer,
    });
    const none = { runtimePolicy: null, runtimePolicyRevision: null };
    assert.deepEqual(changes({ policy: { kv } }, none).policy, {
      expectedRuntimePolicy: null,
      runtimePolicy: { kv },
    });
  });

  it("the listing counts only where the organisation may enter", () => {
    assert.equal(changes({ listed: true }).listing, undefined);
    assert.deepEqual(changes({ listed: true }, { access: "whole_org" }).listing, {
      discoverability: "listed",
    });
    assert.equal(changes({ listed: false }, { access: "whole_org" }).listing, undefined);
  });

  it("guests' AI is the owner's alone: an editor is told", () => {
    assert.deepEqual(changes({ guestAi: true }), { ...NOTHING, audiences: { guestAi: true } });
    const editor = { viewerRole: "editor" };
    assert.deepEqual(changes({ guestAi: true }, editor), { ...NOTHING, ownerOnly: ["guestAi"] });
    assert.deepEqual(changes({ guestAi: false }, editor), NOTHING);
  });
});

describe("capabilities that an easel.json needs", () => {
  it("are off if their own switch or the backend is", () => {
    assert.deepEqual(capabilitiesOff(CANVAS, ["kv", "files", "identity"]), ["files"]);
    const capabilities = { ...CANVAS.capabilities, backendEnabled: false };
    assert.deepEqual(capabilitiesOff({ capabilities }, ["kv", "identity"]), ["kv", "identity"]);
    assert.deepEqual(capabilitiesOff(CANVAS), []);
  });

  it("are turned on with the backend, the others stay as they are", () =>
    assert.deepEqual(switchesOn(["files", "identity"]), { backendEnabled: true, files: true }));
});
