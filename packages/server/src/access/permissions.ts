import type { Capability } from "@easel/protocol/capabilities";
import type { Audience } from "@easel/protocol/policy";
import type { CanvasRole, Permission } from "@easel/protocol/types";
import { manages } from "./roles.ts";

/**
 * What a permission needs: a capability that is on, a role that manages the canvas, an audience that includes the caller.
 * Guests have it as viewers do, unless never or where a switch of the canvas says so.
 */
interface Needs {
  capability?: Capability;
  manager?: true;
  audience?: "aiAudience" | "connectionsAudience" | "authoringAudience";
  guests?: "never" | "guestAi";
}

/** What of a canvas its permissions go by. */
type Given = Record<NonNullable<Needs["audience"]>, Audience> & { guestAi: boolean };

/** The fourteen permissions of `GET /me`. */
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
  canUseConnections: { capability: "connections", audience: "connectionsAudience" },
  canPublishSharedEvents: { capability: "realtime", manager: true },
  canPublishParticipantEvents: { capability: "realtime" },
};

/** The permissions of a role, given which capabilities are on and who the audiences are. */
export function permissionsOf(
  role: CanvasRole,
  given: Given,
  isOn: (capability: Capability) => boolean,
  isGuest = false,
): Record<Permission, boolean> {
  const entries = Object.entries(PERMISSION_NEEDS).map(([permission, needs]) => {
    const { capability, manager, audience, guests } = needs;
    const editorsOnly = manager === true || (audience !== undefined && given[audience] === "editors");
    const closedToGuests = guests === "never" || (guests === "guestAi" && !given.guestAi);
    const isFor = (!editorsOnly || manages(role)) && !(isGuest && closedToGuests);
    return [permission, (capability === undefined || isOn(capability)) && isFor];
  });
  return Object.fromEntries(entries);
}
