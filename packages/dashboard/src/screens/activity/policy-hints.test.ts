import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PRESETS, type Preset, type RuntimePolicy } from "@easel/protocol/policy";
import { entryAddress } from "../backend/search.ts";
import { entryOf, rightOf } from "./policy-hints.ts";

describe("what the policy says about a refused call", () => {
  it("the entry of the policy is that of the route", () => {
    const of = (route: string) => {
      const entry = entryOf({ route });
      return entry === null ? null : entryAddress(entry);
    };
    assert.equal(of("/collections/ideas/{id}"), "collections.ideas");
    assert.equal(of("/collections/a.b%3Ac"), "collections.a.b:c");
    assert.equal(of("/connections/maps/{path}"), "connections.maps");
    for (const route of [
      "/kv/ideas",
      "/files/{id}",
      "/collections/{name}",
      "/collections",
      "/collections/%",
      "/",
    ])
      assert.equal(of(route), null);
  });

  const policy: RuntimePolicy = {
    collections: {
      ideas: { preset: "contributions" },
      votes: { preset: "personal", overrides: { update: "none" }, phases: { closed: {} } },
    },
  };
  const right = (method: string, route: string) =>
    rightOf({ method, route }, policy)?.replace(/[\u2068\u2069]/g, "");

  it("says who may do what was refused", () => {
    assert.equal(
      right("PUT", "/collections/ideas/{id}"),
      "“ideas”: People change their own; owner and editors change any.",
    );
    assert.equal(
      right("POST", "/collections/ideas"),
      "“ideas”: Everyone who may open this canvas adds records.",
    );
    assert.equal(
      right("PUT", "/collections/votes/{id}"),
      "“votes”: Nobody changes records. A phase can say otherwise.",
    );
    assert.equal(
      right("POST", "/collections/ideas/{id}/increment"),
      "“ideas”: People count up numbers in their own; owner and editors count up numbers in any.",
    );
    for (const [method, route] of [
      ["GET", "/kv/ideas"],
      ["GET", "/connections/ideas"],
      ["POST", "/collections/toString"],
      ["PUT", "/collections/ideas/phase"],
      ["PATCH", "/collections/ideas/{id}"],
    ] as const)
      assert.equal(right(method, route), undefined);
    assert.equal(rightOf({ method: "GET", route: "/collections/ideas" }, null), null);
  });

  it("has words for every operation of every preset", () => {
    for (const preset of Object.keys(PRESETS) as Preset[])
      for (const [method, route] of [
        ["GET", "/collections/x"],
        ["POST", "/collections/x"],
        ["PUT", "/collections/x/{id}"],
        ["DELETE", "/collections/x/{id}"],
        ["POST", "/collections/x/{id}/increment"],
      ] as const)
        assert.match(
          rightOf({ method, route }, { collections: { x: { preset } } }) ?? "",
          /^“.*”: [A-Z].+\.$/,
          preset,
        );
  });
});
