import type { Access, CanvasRole } from "@easel/protocol/types";
import { isMember, type Principal } from "./principal.ts";

/** What of a canvas decides over roles. */
export interface Shared {
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

/** The role of a principal on a canvas, from live rows; null when there is no route in (specification 4.1, `OWNER_ONLY`). */
export function roleOf(principal: Principal, canvas: Shared): CanvasRole | null {
  if (isMember(principal)) {
    if (principal.id === canvas.ownerId) return "owner";
    if (canvas.granted !== null) return canvas.granted;
    if (canvas.access === "whole_org" && canvas.inOrg) return "viewer";
  }
  if (principal?.guestOf === canvas.id) return "viewer";
  if (canvas.access === "public_link" && canvas.publicLinks) return "viewer";
  return null;
}

/** Owners and editors manage a canvas: they pass expiry, password and the static-only rule. */
export const manages = (role: CanvasRole | null): boolean => role === "owner" || role === "editor";
