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
import { allowsMethod, connectionRights, inAudience, limitsFor } from "./connection-rights.ts";
import type { AccessFields } from "./ladder.ts";

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

const CALLERS: Record<string, { user: { id: string; guestOf: string | null }; role: CanvasRole }> = {
  o: { user: { id: "owner", guestOf: null }, role: "owner" },
  e: { user: { id: "editor", guestOf: null }, role: "editor" },
  v: { user: { id: "viewer", guestOf: null }, role: "viewer" },
  g: { user: { id: "guest:1", guestOf: "canvas" }, role: "viewer" },
  a: { user: { id: "anonymous:1", guestOf: null }, role: "viewer" },
};

/** Cases: the access to the canvas, whether the grant is public and for guests, whom it admits without limits, and whom with limits. */
const GRANTS: [
  AccessFields["access"],
  [isPublic: boolean, guests: boolean],
  free: string,
  limited: string,
][] = [
  ["private", [false, false], "oev", ""],
  ["private", [false, true], "oev", "ga"],
  ["private", [true, false], "oev", ""],
  ["whole_org", [false, false], "oev", ""],
  ["whole_org", [true, true], "oev", "ga"],
  ["public_link", [false, false], "oe", ""],
  ["public_link", [false, true], "oe", ""],
  ["public_link", [true, false], "oe", "vga"],
  ["public_link", [true, true], "oe", "vga"],
];

for (const [access, [isPublic, guests], free, limited] of GRANTS)
  test(`a grant on a ${access} canvas, public ${isPublic}, guests ${guests}: ${free} free, ${limited || "nobody"} limited`, () => {
    const limits = { paths: ["/a"], requestsPerDay: 1 };
    for (const [name, caller] of Object.entries(CALLERS)) {
      const expected = free.includes(name) ? {} : limited.includes(name) ? limits : null;
      const found = limitsFor({ public: isPublic, guests, limits }, { ...caller, canvas: { access } });
      assert.deepEqual(found, expected, name);
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
