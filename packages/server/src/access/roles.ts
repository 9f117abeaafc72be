import type { Access, CanvasRole } from "@easel/protocol/types";

/** Who is asking: someone signed in, a guest of one canvas, or nobody. */
export type Principal =
  | { kind: "member"; id: string }
  | { kind: "guest"; id: string; canvasId: string }
  | { kind: "anonymous" };

/** What of a canvas decides over roles. */
export interface Shared {
  id: string;
  ownerId: string;
  access: Access;
  /** Whether the asking principal belongs to the canvas's home organisation. */
  inOrg: boolean;
  /** The role that the people list and the teams give the asking principal. */
  granted: "editor" | "viewer" | null;
  /** Whether Public links are on for the instance and for the owner. */
  publicLinks: boolean;
}

/** The role of a principal on a canvas, from live rows; null when there is no route in (specification 4.1, `OWNER_ONLY`). */
export function roleOf(principal: Principal, canvas: Shared): CanvasRole | null {
  if (principal.kind === "member" && principal.id === canvas.ownerId) return "owner";
  if (principal.kind === "member" && canvas.granted !== null) return canvas.granted;
  if (principal.kind === "guest" && principal.canvasId === canvas.id) return "viewer";
  if (canvas.access === "whole_org" && principal.kind === "member" && canvas.inOrg) return "viewer";
  if (canvas.access === "public_link" && canvas.publicLinks) return "viewer";
  return null;
}

/** Owners and editors manage a canvas: they pass expiry, password and the static-only rule. */
export const manages = (role: CanvasRole | null): boolean => role === "owner" || role === "editor";
