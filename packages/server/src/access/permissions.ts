import type { Capability } from "@easel/protocol/capabilities";
import type { Audience } from "@easel/protocol/policy";
import type { CanvasRole, Permission } from "@easel/protocol/types";
import { isMember, type User } from "./principal.ts";
import { manages } from "./roles.ts";

/** The conditions for one permission, such as `canUseAi`. A caller has the permission if all conditions that are present are met. */
interface Needs {
  /** This capability must be on. */
  capability?: Capability;
  /** The caller must be the owner or an editor. */
  manager?: true;
  /** If this setting of the canvas is `editors`, the caller must be the owner or an editor. */
  audience?: "aiAudience" | "authoringAudience";
  /**
   * With `never`, the caller must be a member. With `guestAi`, guests need the switch `guestAi` of the canvas, and anonymous callers are
   * refused. Absent: guests and anonymous callers count as viewers.
   */
  guests?: "never" | "guestAi";
  /** The caller must be allowed to use at least one Connection of the canvas. */
  connection?: true;
}

/** The fields of a caller and a canvas that permissions depend on. */
export interface Subject {
  user: Pick<User, "id" | "guestOf">;
  role: CanvasRole;
  canvas: {
    capabilities: Record<NonNullable<Needs["audience"]> | "connectionsAudience", Audience> & {
      guestAi: boolean;
    };
  };
  /** Whether the caller may use at least one Connection. False if it is absent. */
  mayConnect?: boolean;
}

/** For each permission that `GET /me` returns: the conditions that a caller and a canvas must meet. */
export const PERMISSION_NEEDS: Record<Permission, Needs> = {
  canCreateCanvas: { capability: "authoring", audience: "authoringAudience", guests: "never" },
  canEditContent: { manager: true },
  canManageVersions: { manager: true },
  canReadSharedData: { capability: "kv" },
  canWriteSharedData: { capability: "kv", manager: true },
  canSavePreferences: { capability: "kv" },
  canSubmit: { capability: "kv" },
  canManageSubmissions: { capability: "kv", manager: true },
  canUploadSharedFiles: { capability: "files", manager: true },
  canUploadSubmissionFiles: { capability: "files" },
  canUseAi: { capability: "ai", audience: "aiAudience", guests: "guestAi" },
  canUseConnections: { capability: "connections", connection: true },
  canPublishSharedEvents: { capability: "realtime", manager: true },
  canPublishParticipantEvents: { capability: "realtime" },
};

/** Whether a caller has a permission, provided that the capability of the permission is on. */
export function hasPermission(
  { user, role, canvas: { capabilities }, mayConnect = false }: Subject,
  name: Permission,
): boolean {
  const { manager, audience, guests, connection } = PERMISSION_NEEDS[name];
  if (connection === true && !mayConnect) return false;
  const forManagers = manager === true || (audience !== undefined && capabilities[audience] === "editors");
  if (forManagers && !manages(role)) return false;
  const admitsGuest = guests === "guestAi" && user.guestOf !== null && capabilities.guestAi;
  return guests === undefined || admitsGuest || isMember(user);
}

/** Returns for each permission whether a caller has it. `isOn` returns whether a capability is on. */
export function permissionsOf(
  subject: Subject,
  isOn: (capability: Capability) => boolean,
): Record<Permission, boolean> {
  const entries = Object.entries(PERMISSION_NEEDS).map(([name, { capability }]) => [
    name,
    (capability === undefined || isOn(capability)) && hasPermission(subject, name as Permission),
  ]);
  return Object.fromEntries(entries);
}
