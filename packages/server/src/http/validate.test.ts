import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { access, policy } from "../canvases/publishing/canvas-schemas.ts";
import { email, entries } from "./field-schemas.ts";
import { Refusal } from "./refusal.ts";
import { check, nearestName, validate } from "./validate.ts";

const KNOWN = ["$schema", "title", "slug", "spa", "description", "policy", "capabilities"];

const NAMES: [name: string, nearest: string | undefined][] = [
  ["polcy", "policy"],
  ["policies", "policy"],
  ["titel", "title"],
  ["Title", "title"],
  ["capabilites", "capabilities"],
  ["capability", "capabilities"],
  ["schema", "$schema"],
  ["slugs", "slug"],
  ["spaa", "spa"],
  ["desc", undefined],
  ["name", undefined],
  ["s", undefined],
  ["", undefined],
  ["x".repeat(100_000), undefined],
];

describe("the nearest known name", () => {
  for (const [name, nearest] of NAMES)
    it(`${name.slice(0, 20)}: ${nearest}`, () => assert.equal(nearestName(name, KNOWN), nearest));
});

const Body = z.strictObject({
  title: z.string().min(1).max(5).optional(),
  count: z.int().min(1).max(1000).optional(),
  score: z.number().gt(0).lt(1).optional(),
  listed: z.boolean().optional(),
  access: access.optional(),
  rung: z.union([access, z.literal("password")]).optional(),
  people: z
    .array(z.strictObject({ email, role: z.enum(["editor", "viewer"]) }))
    .min(1)
    .max(2)
    .optional(),
  headers: entries(z.string().max(3), z.string(), 2).optional(),
  policy: policy.optional(),
});

/** A body, the field of its first fault, and the message. */
const BODIES: [body: unknown, field: string | undefined, message: string][] = [
  [[], undefined, "The body must be an object."],
  [null, undefined, "The body must be an object."],
  [{ title: 1 }, "title", "`title` must be text."],
  [{ title: "" }, "title", "`title` must not be empty."],
  [{ title: "longer" }, "title", "`title` must have at most 5 characters."],
  [{ count: 1.5 }, "count", "`count` must be a whole number."],
  [{ count: 0 }, "count", "`count` must be at least 1."],
  [{ count: 1001 }, "count", "`count` must be at most 1000."],
  [{ score: 0 }, "score", "`score` must be more than 0."],
  [{ score: 1 }, "score", "`score` must be less than 1."],
  [{ listed: "yes" }, "listed", "`listed` must be true or false."],
  [
    { access: "public" },
    "access",
    '`access` must be "private", "specific_people", "whole_org" or "public_link".',
  ],
  [
    { rung: "public" },
    "rung",
    '`rung` must be "private", "specific_people", "whole_org", "public_link" or "password".',
  ],
  [{ people: {} }, "people", "`people` must be a list."],
  [{ people: [] }, "people", "`people` must not be empty."],
  [{ people: [{ email: "a@example.com" }] }, "people[0].role", "`people[0].role` is missing."],
  [
    {
      people: [
        { email: "a@example.com", role: "viewer" },
        { email: "none", role: "viewer" },
      ],
    },
    "people[1].email",
    "`people[1].email` is not an e-mail address.",
  ],
  [{ titel: "a" }, "titel", "`titel` is unknown; did you mean `title`?"],
  [{ zzz: 1 }, "zzz", "`zzz` is unknown."],
  [{ title: 1, listd: true }, "title", "`title` must be text. `listd` is unknown; did you mean `listed`?"],
  [
    { people: [{ emial: "a", role: "viewer" }] },
    "people[0].email",
    "`people[0].email` is missing. `people[0].emial` is unknown; did you mean `email`?",
  ],
  [{ headers: { a: "", b: "", c: "" } }, "headers", "`headers` must not have more than 2 entries."],
  [{ headers: { abcd: "" } }, "headers.abcd", "`headers.abcd` must have at most 3 characters."],
  [
    { policy: { collections: { votes: { presets: "personal" } } } },
    "policy.collections.votes.preset",
    "`policy.collections.votes.preset` is missing. `policy.collections.votes.presets` is unknown; did you mean `preset`?",
  ],
  [
    { policy: { channels: { "a b": {} } } },
    'policy.channels["a b"]',
    '`policy.channels["a b"]` is not a valid name.',
  ],
  // Names of fields from outside end no line and change no direction.
  [{ "a\nb": 1 }, '["a\\nb"]', '`["a\\nb"]` is unknown.'],
  [{ "a\u2028b\u202ec": 1 }, '["a b c"]', '`["a b c"]` is unknown.'],
  [{ ["k".repeat(1000)]: 1 }, `${"k".repeat(200)}…`, `\`${"k".repeat(200)}…\` is unknown.`],
];

function faultOf(body: unknown): Refusal {
  try {
    validate(body, Body);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return assert.fail("The body has no fault.");
}

describe("the message of an invalid body", () => {
  for (const [body, field, message] of BODIES)
    it(`${JSON.stringify(body).slice(0, 60)}: ${message.slice(0, 80)}`, () => {
      const refusal = faultOf(body);
      assert.deepEqual(
        { status: refusal.status, code: refusal.code, field: refusal.body.field, message: refusal.message },
        { status: 400, code: "INVALID_BODY", field, message },
      );
    });

  it("lists 20 faults at most", () => {
    const names = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`unknown-${index}`, 1]));
    assert.equal(faultOf(names).message.split(" is unknown.").length, 21);
  });
});

it("messages are made for the first 20 faults only", () => {
  let made = 0;
  const error = () => {
    made++;
    return "is wrong";
  };
  const { faults = [] } = check(Array(1_000).fill(0), z.array(z.string({ error })), "The body");
  assert.deepEqual([faults.length, made], [20, 20]);
});
