import type { Access, CanvasRole } from "@easel/protocol/types";
import { isMember, type Principal } from "./principal.ts";

/** The fields of a canvas that determine roles. */
export interface RoleFields {
  id: string;
  ownerId: string;
  access: Access;
  /** Whether the principal belongs to the canvas's home organisation. */
  inOrg: boolean;
  /** The role that the people list and the teams give the principal. */
  granted: "editor" | "viewer" | null;
  /** Whether Public links are on for the instance and for the owner. */
  publicLinks: boolean;
}

/** Returns the role of a principal on a canvas; null without any access (specification 4.1, `OWNER_ONLY`). */
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

/** Whether a role is owner or editor, which pass expiry, password and the static-only rule. */
export const manages = (role: CanvasRole | null): boolean => role === "owner" || role === "editor";
