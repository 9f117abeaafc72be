import assert from "node:assert/strict";
import { test } from "node:test";
import { CAPABILITIES, type Capability } from "@easel/protocol/capabilities";
import type { Audience } from "@easel/protocol/policy";
import { type CanvasRole, PERMISSIONS, type Permission } from "@easel/protocol/types";
import { permissionsOf, type Subject } from "./permissions.ts";
import { anonymousUser, isMember } from "./principal.ts";

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
  guestOf: string | null = null,
  id = "ada",
): Subject => ({
  user: { id, guestOf },
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
  const anonymous = anonymousUser("192.0.2.1");
  assert.deepEqual([isMember(anonymous), isMember(null)], [false, false]);
  const open = { ...audiences("viewers"), guestAi: true };
  const { canCreateCanvas, canUseAi } = permissionsOf(of("viewer", open, null, anonymous.id), everything);
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
    const guest = permissionsOf(of("viewer", given, "canvas"), everything);
    assert.deepEqual(guest, { ...viewer, canCreateCanvas: false, canUseAi: guestAi });
  }
});
