import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ERRORS } from "@easel/protocol/errors";
import { OPERATIONS, PRESETS, type RuntimePolicy } from "@easel/protocol/policy";
import { codeOf, entryName, entryOf, hintOf, rightOf } from "./call-hints.ts";

const call = (method: string, route: string) => ({ method, route });

describe("hints about refused calls", () => {
  it("every code has one, in whole sentences", () => {
    const hints = Object.entries(ERRORS).map(([code, { status }]) => hintOf({ code, status }));
    assert.equal(new Set(hints).size, hints.length);
    for (const hint of hints) assert.match(hint, /^[A-Z].{20,}\.$/);
  });

  it("a call without a code, or with one that is not known, has the hint of its status", () => {
    const of = (status: number, code: string | null = null) => hintOf({ code, status });
    assert.match(of(401), /^Nobody was signed in/);
    assert.equal(of(302), of(401));
    assert.match(of(4429), /connected/);
    assert.match(of(4401), /lost access/);
    assert.match(of(1006), /^The service closed/);
    assert.match(of(500), /^The service failed/);
    assert.equal(of(418, "toString"), "The service refused the call.");
    assert.equal(codeOf({ code: null, status: 4429 }), "4429");
    assert.equal(codeOf({ code: "KEY_LIMIT", status: 409 }), "KEY_LIMIT");
  });

  it("the entry of the policy is that of the route", () => {
    const of = (route: string) => {
      const entry = entryOf({ route });
      return entry === null ? null : entryName(entry);
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
      votes: { preset: "personal", overrides: { update: "none", read: "viewers" }, phases: { closed: {} } },
    },
  };
  const right = (method: string, route: string) =>
    rightOf(call(method, route), policy)?.replace(/[\u2068\u2069]/g, "");

  it("says who may do what was refused", () => {
    assert.equal(
      right("PUT", "/collections/ideas/{id}"),
      "In “ideas”, the author of the record, the owner and editors may change records.",
    );
    assert.equal(
      right("POST", "/collections/ideas"),
      "In “ideas”, everyone who may open the canvas may add records.",
    );
    assert.equal(
      right("PUT", "/collections/votes/{id}"),
      "In “votes”, nobody may change records, unless its phase says otherwise.",
    );
    assert.equal(
      right("POST", "/collections/ideas/{id}/increment"),
      "In “ideas”, the author of the record, the owner and editors may count in records.",
    );
    // As in the service, an increment is not an update that was overridden.
    assert.equal(
      right("POST", "/collections/votes/{id}/increment"),
      "In “votes”, the author of the record alone may count in records, unless its phase says otherwise.",
    );
    for (const [method, route] of [
      ["GET", "/kv/ideas"],
      ["POST", "/collections/toString"],
      ["PUT", "/collections/ideas/phase"],
      ["PATCH", "/collections/ideas/{id}"],
    ] as const)
      assert.equal(right(method, route), undefined);
    assert.equal(rightOf(call("GET", "/collections/ideas"), null), null);
  });

  it("has words for every right of every preset", () => {
    for (const preset of Object.keys(PRESETS) as (keyof typeof PRESETS)[])
      for (const [method, route] of [
        ["GET", "/collections/x"],
        ["POST", "/collections/x"],
        ["PUT", "/collections/x/{id}"],
        ["DELETE", "/collections/x/{id}"],
        ["POST", "/collections/x/{id}/increment"],
      ] as const)
        assert.match(
          rightOf(call(method, route), { collections: { x: { preset } } }) ?? "",
          /^In .*, [a-z ,]+ may [a-z ]+ records\.$/,
          preset,
        );
    assert.equal(OPERATIONS.length, 5);
  });
});
