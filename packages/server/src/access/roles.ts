import type { Access, CanvasRole } from "@easel/protocol/types";
import { isMember, type Principal } from "./principal.ts";

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

/** Returns the role of a caller on a canvas, or null if the caller has no access (specification 4.1, `OWNER_ONLY`). */
export function roleOf(principal: Principal, canvas: RoleFields): CanvasRole | null {
  if (isMember(principal)) {
    if (principal.id === canvas.ownerId) return "owner";
    if (canvas.granted !== null) return canvas.granted;
    if (canvas.access === "whole_org" && canvas.inOrg) return "viewer";
  }
  if (principal?.guestOf === canvas.id) return "viewer";
  if (canvas.access === "public_link" && canvas.publicLinks) return "viewer";
  return null;
}

/**
 * Whether a role is owner or editor. These roles are exempt from three checks of access: the expiry of the canvas, its password, and
 * `STATIC_ONLY`, which refuses API requests to a canvas with a Public link.
 */
export const manages = (role: CanvasRole | null): boolean => role === "owner" || role === "editor";
