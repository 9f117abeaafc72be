import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AUDIENCES,
  type Audience,
  CONNECTION_METHODS,
  type ConnectionMethod,
  type PolicyAudience,
} from "@easel/protocol/policy";
import type { CanvasRole } from "@easel/protocol/types";
import { allowsMethod, connectionRights, inAudience } from "./connection-rights.ts";

const ROLES: CanvasRole[] = ["owner", "editor", "viewer"];

/** The roles that each audience includes: one letter each for owner, editor and viewer, `-` for a role that is not included. */
const IN: Record<PolicyAudience, string> = { none: "---", editors: "oe-", viewers: "oev" };
const OF_CANVASES: Audience[] = ["editors", "viewers"];

/** Cases: the methods in the policy, the methods that the administrator allows, and those that a page may then use. */
const METHODS: [
  policy: ConnectionMethod[] | undefined,
  approved: ConnectionMethod[],
  left: ConnectionMethod[],
][] = [
  [undefined, ["GET", "POST"], ["GET", "POST"]],
  [undefined, [], []],
  [[], ["GET", "POST"], []],
  [["GET"], ["GET", "POST"], ["GET"]],
  [["GET"], ["HEAD"], []],
  [["HEAD"], ["GET"], []],
  [
    ["DELETE", "GET"],
    ["GET", "DELETE"],
    ["GET", "DELETE"],
  ],
  [["POST"], [], []],
  [[...CONNECTION_METHODS], ["PATCH"], ["PATCH"]],
];

for (const named of AUDIENCES)
  for (const fallback of OF_CANVASES)
    test(`entry for ${named} on a canvas for ${fallback}: the entry decides; without one, the canvas`, () => {
      for (const [index, role] of ROLES.entries()) {
        const byEntry = IN[named][index] !== "-";
        const byCanvas = IN[fallback][index] !== "-";
        assert.equal(inAudience({ audience: named }, fallback, role), byEntry, role);
        assert.equal(inAudience(undefined, fallback, role), byCanvas, role);
        for (const [methods, approved, left] of METHODS) {
          const entry = { audience: named, ...(methods && { methods }) };
          const rights = connectionRights(entry, fallback, role, approved);
          const expected = byEntry ? left : [];
          assert.deepEqual(rights, { invoke: expected.length > 0, methods: expected });
          const unnamed = connectionRights(undefined, fallback, role, approved);
          const all = byCanvas ? approved : [];
          assert.deepEqual(unnamed, { invoke: all.length > 0, methods: all });
        }
      }
    });

test("an entry without methods allows every method, and one with methods only these, case-sensitively", () => {
  for (const method of [...CONNECTION_METHODS, "OPTIONS", "get"]) {
    assert.equal(allowsMethod(undefined, method), true, method);
    assert.equal(allowsMethod({ audience: "viewers" }, method), true, method);
    assert.equal(allowsMethod({ audience: "viewers", methods: ["GET"] }, method), method === "GET", method);
    assert.equal(allowsMethod({ audience: "viewers", methods: [] }, method), false, method);
  }
});
