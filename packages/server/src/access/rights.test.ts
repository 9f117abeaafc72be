import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  AUDIENCES,
  OPERATIONS,
  type Operation,
  type PolicyRight,
  PRESETS,
  type Preset,
  RIGHTS,
} from "@easel/protocol/policy";
import type { CanvasRole } from "@easel/protocol/types";
import { allows, audienceIncludes, rightsOf } from "./rights.ts";

/*
 * Tests the presets and rights of record policies (specification 2) for four callers: the owner of the canvas, an editor, the author of the
 * record (a viewer), and another viewer.
 */

const CALLERS = ["owner", "editor", "author", "other"] as const;
type Caller = (typeof CALLERS)[number];

const roleOf = (caller: Caller): CanvasRole =>
  caller === "owner" || caller === "editor" ? caller : "viewer";
const isAuthor = (caller: Caller) => caller === "author";

/** The callers who may perform each operation under a preset, as one letter each: o = owner, e = editor, a = author, x = another viewer. */
const TABLE: Record<Preset, Record<Exclude<Operation, "increment">, string>> = {
  personal: { read: "--a-", create: "oeax", update: "--a-", delete: "--a-" },
  submissions: { read: "oea-", create: "oeax", update: "oea-", delete: "oea-" },
  contributions: { read: "oeax", create: "oeax", update: "oea-", delete: "oea-" },
  managed: { read: "oeax", create: "oe--", update: "oe--", delete: "oe--" },
  collaborative: { read: "oeax", create: "oeax", update: "oeax", delete: "oeax" },
};

/** The callers whom each right includes, as one letter each: o = owner, e = editor, a = author, x = another viewer. */
const BY_RIGHT: Record<PolicyRight, string> = {
  none: "----",
  own: "--a-",
  editors: "oe--",
  own_and_editors: "oea-",
  viewers: "oeax",
};

const includes = (letters: string, caller: Caller) => letters[CALLERS.indexOf(caller)] !== "-";

/** Whether a policy allows a caller an operation on a record. The author of the record is the caller "author". */
const allowed = (policy: Parameters<typeof rightsOf>[0], operation: Operation, caller: Caller) =>
  allows(rightsOf(policy, roleOf(caller))[operation], isAuthor(caller));

for (const preset of Object.keys(PRESETS) as Preset[]) {
  describe(`preset ${preset}`, () => {
    for (const operation of OPERATIONS) {
      const letters = TABLE[preset][operation === "increment" ? "update" : operation];
      test(`${operation}: ${letters}`, () => {
        for (const caller of CALLERS)
          assert.equal(allowed({ preset }, operation, caller), includes(letters, caller), caller);
      });
    }

    for (const operation of OPERATIONS) {
      const rights = operation === "create" ? AUDIENCES : (Object.keys(RIGHTS) as PolicyRight[]);
      for (const right of rights) {
        test(`${operation} with the override ${right}`, () => {
          const policy = { preset, overrides: { [operation]: right } };
          const read = operation === "read" ? BY_RIGHT[right] : TABLE[preset].read;
          for (const each of OPERATIONS) {
            const own =
              each === operation ? BY_RIGHT[right] : TABLE[preset][each === "increment" ? "update" : each];
            const needsRead = each !== "read" && each !== "create";
            for (const caller of CALLERS) {
              const expected = includes(own, caller) && (!needsRead || includes(read, caller));
              assert.equal(allowed(policy, each, caller), expected, `${each} by ${caller}`);
            }
          }
        });
      }
    }
  });
}

test("owners and editors read only their own personal records", () => {
  for (const role of ["owner", "editor", "viewer"] as const) {
    assert.deepEqual(rightsOf({ preset: "personal" }, role).read, { own: true, any: false });
  }
});

test("a right on all records includes the caller's own records", () => {
  for (const preset of Object.keys(PRESETS) as Preset[]) {
    for (const role of ["owner", "editor", "viewer"] as const) {
      for (const { own, any } of Object.values(rightsOf({ preset }, role))) assert.ok(own || !any);
    }
  }
});

test("the audiences include no role, owners and editors, or every role", () => {
  const roles = ["owner", "editor", "viewer"] as const;
  assert.deepEqual(
    AUDIENCES.map((audience) => roles.map((role) => audienceIncludes(audience, role))),
    [
      [false, false, false],
      [true, true, false],
      [true, true, true],
    ],
  );
});
