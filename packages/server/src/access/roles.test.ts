import assert from "node:assert/strict";
import { test } from "node:test";
import type { CanvasRole } from "@easel/protocol/types";
import { userWith } from "../../test/support/principals.ts";
import type { Principal } from "./principal.ts";
import { manages, type RoleFields, roleOf } from "./roles.ts";

const canvas: RoleFields = {
  id: "c-1",
  ownerId: "u-owner",
  access: "private",
  granted: null,
  publicLinks: true,
  inOrg: true,
};
const owner: Principal = userWith("u-owner");
const member: Principal = userWith("u-other");
const guest: Principal = userWith("guest:i-1", "c-1");
const foreign: Principal = userWith("guest:i-2", "c-2");
const anonymous: Principal = null;

/** Callers, sharing settings, and the resulting role (specification 4.1, `OWNER_ONLY`). Null: no access. */
const rows: [what: string, who: Principal, shared: Partial<RoleFields>, role: CanvasRole | null][] = [
  ["the owner", owner, {}, "owner"],
  ["the owner, though listed as a viewer", owner, { granted: "viewer" }, "owner"],
  ["a member who is not listed", member, {}, null],
  ["a listed editor", member, { granted: "editor" }, "editor"],
  ["a listed viewer", member, { granted: "viewer" }, "viewer"],
  ["a listed editor, though everyone may view", member, { granted: "editor", access: "whole_org" }, "editor"],
  ["a member, whole org", member, { access: "whole_org" }, "viewer"],
  ["a member, public link", member, { access: "public_link" }, "viewer"],
  ["a member, public links off", member, { access: "public_link", publicLinks: false }, null],
  [
    "a listed viewer, public links off",
    member,
    { granted: "viewer", access: "public_link", publicLinks: false },
    "viewer",
  ],
  ["a guest of this canvas", guest, {}, "viewer"],
  [
    "a guest of this canvas, public links off",
    guest,
    { access: "public_link", publicLinks: false },
    "viewer",
  ],
  ["a guest of another canvas", foreign, {}, null],
  ["a guest of another canvas, whole org", foreign, { access: "whole_org" }, null],
  ["a guest whose id is the owner's", userWith("u-owner", "c-2"), {}, null],
  ["an anonymous caller", anonymous, {}, null],
  ["an anonymous caller, whole org", anonymous, { access: "whole_org" }, null],
  ["an anonymous caller, public link", anonymous, { access: "public_link" }, "viewer"],
  ["an anonymous caller, public links off", anonymous, { access: "public_link", publicLinks: false }, null],
];

for (const [what, who, shared, role] of rows) {
  test(`role of ${what}: ${role ?? "none"}`, () => assert.equal(roleOf(who, { ...canvas, ...shared }), role));
}

test("only owners and editors manage a canvas", () => {
  assert.deepEqual((["owner", "editor", "viewer", null] as const).map(manages), [true, true, false, false]);
});
