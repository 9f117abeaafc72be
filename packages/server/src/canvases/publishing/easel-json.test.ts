import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { faultsOf, jsonSchema } from "./easel-json.ts";

const WHOLE = {
  $schema: "http://localhost:3000/schema/easel.json",
  title: "Tea",
  slug: "tea-house",
  spa: true,
  description: "What we drink.",
  policy: {
    defaultMode: "participation",
    collections: { cups: { preset: "contributions", overrides: { delete: "editors" } } },
  },
  capabilities: ["identity", "kv", "files", "ai", "realtime", "connections", "authoring"],
};

const SOUND: object[] = [{}, WHOLE, { capabilities: [] }, { spa: false }, { title: "t".repeat(200) }];

/** Contents of `easel.json` with one fault each, and the pattern of the fault's message. */
const FAULTY: [value: unknown, fault: RegExp][] = [
  [[], /^the content must be an object$/],
  [null, /^the content must be an object$/],
  ["title", /^the content must be an object$/],
  [{ polcy: {} }, /^`polcy` is unknown; did you mean `policy`\?$/],
  [{ Slug: "tea" }, /^`Slug` is unknown; did you mean `slug`\?$/],
  [{ version: 1 }, /^`version` is unknown$/],
  [{ ["x".repeat(1000)]: 1 }, /^`x{200}…` is unknown$/],
  [{ policy: { channel: {} } }, /^`policy\.channel` is unknown; did you mean `channels`\?$/],
  [
    { policy: { collections: { a: { preset: "personal", override: {} } } } },
    /^`policy\.collections\.a\.override` is unknown; did you mean `overrides`\?$/,
  ],
  [
    { policy: { collections: { title: { preset: "personal", overrides: { incremnt: "none" } } } } },
    /^`policy\.collections\.title\.overrides\.incremnt` is unknown; did you mean `increment`\?$/,
  ],
  [{ policy: { collections: { a: { preset: "all" } } } }, /^`policy\.collections\.a\.preset` must /],
  [{ title: "" }, /^`title` must /],
  [{ title: "t".repeat(201) }, /^`title` must /],
  [{ title: "a\nb" }, /^`title` must not have control characters$/],
  [{ slug: "te" }, /^`slug` must be 3 to 63/],
  [{ slug: "a_b_c" }, /^`slug` must be 3 to 63/],
  [{ spa: "yes" }, /^`spa` must /],
  [{ spa: null }, /^`spa` must /],
  [{ capabilities: "kv" }, /^`capabilities` must /],
  [{ capabilities: { kv: true } }, /^`capabilities` must /],
  [{ capabilities: ["sockets"] }, /^`capabilities\[0\]` must be .*"realtime"/],
  [{ capabilities: ["kv", "kv"] }, /^`capabilities` must not name a capability twice$/],
];

describe("easel.json", () => {
  // The JSON Schema that the service publishes, read back as another program would read it.
  const printed = z.fromJSONSchema(JSON.parse(JSON.stringify(jsonSchema())));

  for (const value of SOUND)
    it(`${JSON.stringify(value).slice(0, 40)}: has no fault, and is valid according to the JSON Schema`, () => {
      assert.deepEqual(faultsOf(JSON.stringify(value)), []);
      assert.ok(printed.safeParse(value).success);
    });

  for (const [value, fault] of FAULTY)
    it(`${JSON.stringify(value).slice(0, 60)}: ${fault}`, () => {
      const [found = "", ...others] = faultsOf(JSON.stringify(value));
      assert.match(found, fault);
      assert.deepEqual(others, []);
      assert.equal(printed.safeParse(value).success, false);
    });

  it("the service finds faults in names that the JSON Schema cannot express", () => {
    assert.match(faultsOf('{"slug":"xn--a"}')[0] ?? "", /^`slug` must not begin/);
    assert.match(
      faultsOf('{"policy":{"collections":{"a b":{"preset":"personal"}}}}')[0] ?? "",
      /^`policy\.collections\["a b"\]` is not a valid name$/,
    );
    const proto = '{"policy":{"collections":{"__proto__":{"preset":"personal"}}}}';
    assert.match(faultsOf(proto)[0] ?? "", /^`policy\.collections\.__proto__` is not a valid name$/);
  });

  for (const text of ["", "{", "{'a':1}", "\u0000", '{"title":"a",}'])
    it(`${JSON.stringify(text)} is no JSON`, () => {
      assert.match(faultsOf(text).join(), /^not valid JSON: /);
    });

  it("unknown keys at all levels are reported together", () => {
    const faults = faultsOf('{"a":1,"titel":"b","policy":{"b":1}}');
    assert.equal(faults.length, 3);
  });
});
