import type { Capability } from "@easel/protocol/capabilities";
import type { Audience } from "@easel/protocol/policy";
import type { Access, CanvasRole, Permission } from "@easel/protocol/types";
import type { Principal } from "./principal.ts";

/** What determines the role of a caller on a canvas: fields of the canvas, and facts about the caller, such as `inOrg`. */
export interface RoleFields {
  id: string;
  ownerId: string;
  access: Access;
  /** Whether the caller belongs to the home organisation of the canvas, whose members may view it if `access` is `whole_org`. */
  inOrg: boolean;
  /** The role that the people list of the canvas or a team gives the caller; null if neither includes the caller. */
  granted: "editor" | "viewer" | null;
  /** Whether Public links are allowed, both on the instance and for the owner of the canvas. */
  publicLinks: boolean;
}

/** A way in which a caller gets a role on a canvas. `listed` is the people list and the teams of the canvas together. */
export interface Route {
  via: "owner" | "listed" | "organisation" | "invitation" | "link";
  roleOf: (principal: Principal, canvas: RoleFields) => CanvasRole | null;
}

/** The ways in which a caller gets a role, the strongest first (specification 4.1, `OWNER_ONLY`). */
export const ROUTES: readonly Route[] = [
  {
    via: "owner",
    roleOf: ({ kind, id }, { ownerId }) => (kind === "member" && id === ownerId ? "owner" : null),
  },
  { via: "listed", roleOf: ({ kind }, { granted }) => (kind === "member" ? granted : null) },
  {
    via: "organisation",
    roleOf: ({ kind }, { access, inOrg }) =>
      kind === "member" && access === "whole_org" && inOrg ? "viewer" : null,
  },
  {
    via: "invitation",
    roleOf: (principal, { id }) => (principal.kind === "guest" && principal.guestOf === id ? "viewer" : null),
  },
  {
    via: "link",
    roleOf: (_, { access, publicLinks }) => (access === "public_link" && publicLinks ? "viewer" : null),
  },
];

/** Returns the role of a caller on a canvas, or null if the caller has no access: that of the first route that gives one. */
export function roleOf(principal: Principal, canvas: RoleFields): CanvasRole | null {
  for (const route of ROUTES) {
    const role = route.roleOf(principal, canvas);
    if (role !== null) return role;
  }
  return null;
}

/**
 * Whether a role is owner or editor. These roles are exempt from three checks of access: the expiry of the canvas, its password, and
 * `STATIC_ONLY`, which refuses API requests to a canvas with a Public link.
 */
export const manages = (role: CanvasRole | null): boolean => role === "owner" || role === "editor";

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
  user: Pick<Principal, "kind">;
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
  const admitsGuest = guests === "guestAi" && user.kind === "guest" && capabilities.guestAi;
  return guests === undefined || admitsGuest || user.kind === "member";
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
