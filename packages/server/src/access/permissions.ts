import type { Capability } from "@easel/protocol/capabilities";
import type { Audience, CanvasRole, Permission } from "@easel/protocol/types";
import { manages } from "./roles.ts";

/** What a permission needs: a capability that is on, a role that manages the canvas, an audience that includes the caller. */
interface Needs {
  capability?: Capability;
  manager?: true;
  audience?: "aiAudience" | "connectionsAudience" | "authoringAudience";
}

/** The fourteen permissions of `GET /me`. */
export const PERMISSION_NEEDS: Record<Permission, Needs> = {
  canCreateCanvas: { capability: "authoring", audience: "authoringAudience" },
  canEditContent: { manager: true },
  canManageVersions: { manager: true },
  canReadSharedData: { capability: "kv" },
  canWriteSharedData: { capability: "kv", manager: true },
  canSavePreferences: { capability: "kv" },
  canSubmit: { capability: "kv" },
  canManageSubmissions: { capability: "kv", manager: true },
  canUploadSharedFiles: { capability: "files", manager: true },
  canUploadSubmissionFiles: { capability: "files" },
  canUseAi: { capability: "ai", audience: "aiAudience" },
  canUseConnections: { capability: "connections", audience: "connectionsAudience" },
  canPublishSharedEvents: { capability: "realtime", manager: true },
  canPublishParticipantEvents: { capability: "realtime" },
};

/** The permissions of a role, given which capabilities are on and who the audiences are. */
export function permissionsOf(
  role: CanvasRole,
  audiences: Record<NonNullable<Needs["audience"]>, Audience>,
  isOn: (capability: Capability) => boolean,
): Record<Permission, boolean> {
  const entries = Object.entries(PERMISSION_NEEDS).map(([permission, { capability, manager, audience }]) => {
    const editorsOnly = manager === true || (audience !== undefined && audiences[audience] === "editors");
    return [permission, (capability === undefined || isOn(capability)) && (!editorsOnly || manages(role))];
  });
  return Object.fromEntries(entries);
}
