import assert from "node:assert/strict";
import { test } from "node:test";
import { CAPABILITIES, type Capability } from "@easel/protocol/capabilities";
import type { Audience } from "@easel/protocol/policy";
import { type CanvasRole, PERMISSIONS, type Permission } from "@easel/protocol/types";
import { guestWith, userWith } from "../../test/support/principals.ts";
import { type Principal, visitor } from "./principal.ts";
import { manages, permissionsOf, type RoleFields, roleOf, type Subject } from "./roles.ts";

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
const guest: Principal = guestWith("guest:i-1", "c-1");
const foreign: Principal = guestWith("guest:i-2", "c-2");
const anonymous: Principal = visitor();

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
  ["a guest whose id is the owner's", guestWith("u-owner", "c-2"), {}, null],
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

/**
 * The expected conditions of each permission: the capability that must be on, and who has the permission. `managers` are the owner and the
 * editors. `audience` means that a setting of the canvas says who has it.
 */
const TABLE: Record<Permission, [Capability | null, "managers" | "everyone" | "audience"]> = {
  canCreateCanvas: ["authoring", "audience"],
  canEditContent: [null, "managers"],
  canManageVersions: [null, "managers"],
  canReadSharedData: ["kv", "everyone"],
  canWriteSharedData: ["kv", "managers"],
  canSavePreferences: ["kv", "everyone"],
  canSubmit: ["kv", "everyone"],
  canManageSubmissions: ["kv", "managers"],
  canUploadSharedFiles: ["files", "managers"],
  canUploadSubmissionFiles: ["files", "everyone"],
  canUseAi: ["ai", "audience"],
  canUseConnections: ["connections", "everyone"],
  canPublishSharedEvents: ["realtime", "managers"],
  canPublishParticipantEvents: ["realtime", "everyone"],
};

const audiences = (audience: Audience) => ({
  aiAudience: audience,
  connectionsAudience: audience,
  authoringAudience: audience,
  guestAi: false,
});
const ROLES: CanvasRole[] = ["owner", "editor", "viewer"];
const everything = () => true;
const of = (
  role: CanvasRole,
  capabilities: Subject["canvas"]["capabilities"],
  kind: Principal["kind"] = "member",
): Subject => ({
  user: { kind },
  role,
  canvas: { capabilities },
  mayConnect: true,
});

for (const role of ROLES) {
  for (const audience of ["editors", "viewers"] as const) {
    test(`a ${role}, where audiences are ${audience}`, () => {
      const expected = PERMISSIONS.map((permission) => {
        const whom = TABLE[permission][1];
        const granted =
          role !== "viewer" || whom === "everyone" || (whom === "audience" && audience === "viewers");
        return [permission, granted];
      });
      assert.deepEqual(
        permissionsOf(of(role, audiences(audience)), everything),
        Object.fromEntries(expected),
      );
    });
  }

  test(`a ${role}, with one capability off`, () => {
    for (const off of Object.keys(CAPABILITIES) as Capability[]) {
      const before = permissionsOf(of(role, audiences("viewers")), everything);
      const after = permissionsOf(of(role, audiences("viewers")), (capability) => capability !== off);
      const expected = PERMISSIONS.map((name) => [name, before[name] && TABLE[name][0] !== off]);
      assert.deepEqual([off, after], [off, Object.fromEntries(expected)]);
    }
  });
}

test("each audience affects its own permission only", () => {
  const opens: ["authoringAudience" | "aiAudience", Permission][] = [
    ["authoringAudience", "canCreateCanvas"],
    ["aiAudience", "canUseAi"],
  ];
  for (const [audience, permission] of opens) {
    const shut = permissionsOf(of("viewer", audiences("editors")), everything);
    const opened = permissionsOf(
      of("viewer", { ...audiences("editors"), [audience]: "viewers" }),
      everything,
    );
    assert.deepEqual(opened, { ...shut, [permission]: true });
  }
});

test("an anonymous caller is no member: publishes no canvas and uses no AI, whatever the audiences are", () => {
  const open = { ...audiences("viewers"), guestAi: true };
  const { canCreateCanvas, canUseAi } = permissionsOf(of("viewer", open, "visitor"), everything);
  assert.deepEqual({ canCreateCanvas, canUseAi }, { canCreateCanvas: false, canUseAi: false });
});

test("canUseConnections needs a Connection that the caller may use", () => {
  const subject = of("owner", audiences("viewers"));
  for (const mayConnect of [true, false]) {
    const granted = permissionsOf({ ...subject, mayConnect }, everything);
    assert.equal(granted.canUseConnections, mayConnect);
  }
});

test("a guest has the permissions of a viewer but never canCreateCanvas, and canUseAi only with guestAi", () => {
  for (const guestAi of [false, true]) {
    const given = { ...audiences("viewers"), guestAi };
    const viewer = permissionsOf(of("viewer", given), everything);
    const guest = permissionsOf(of("viewer", given, "guest"), everything);
    assert.deepEqual(guest, { ...viewer, canCreateCanvas: false, canUseAi: guestAi });
  }
});
