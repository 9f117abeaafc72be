import type { AccessGrant, AccessRule } from "@easel/protocol/management";
import type { CanvasRole } from "@easel/protocol/types";
import type { Principal } from "../access/principal.ts";
import { manages } from "../access/roles.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import { publicationStatus } from "../canvases/publication-status.ts";

/** What is known of a person and a canvas. The sentences of an explanation are made from it. */
export interface Facts {
  canvas: Canvas;
  /** As whom the service would treat the person: as an anonymous caller if they cannot sign in. */
  principal: Principal;
  role: CanvasRole | null;
  grants: AccessGrant[];
  /** Why a person who is not anonymous cannot sign in, as a sentence; null if they can. */
  cannotSignIn: string | null;
  /** Whether the person is known only by an address. */
  isUnknown: boolean;
  now: number;
}

/** For each rule of access: the sentence that says why it passes or refuses the person to whom the facts belong. */
export const SENTENCES: Record<AccessRule, (facts: Facts, isRefused: boolean) => string> = {
  signed_in: (facts, isRefused) =>
    facts.principal.kind === "visitor"
      ? [facts.cannotSignIn, isRefused ? whyNotAnonymously(facts) : OPEN_TO_ALL].filter(Boolean).join(" ")
      : howSignedIn(facts),
  exists: (_, isRefused) => (isRefused ? "The canvas is deleted." : "The canvas exists."),
  archived: (_, isRefused) =>
    isRefused ? "The canvas is archived, so nobody can open it." : "The canvas is not archived.",
  disabled: (_, isRefused) =>
    isRefused
      ? "An administrator has disabled the canvas, so nobody can open it."
      : "No administrator has disabled the canvas.",
  other_guest: ({ principal }, isRefused) => {
    if (isRefused) return "Their invitation is for another canvas.";
    return principal.kind === "guest" ? "Their invitation is for this canvas." : "They are not a guest.";
  },
  rung: ({ grants, canvas }, isRefused) =>
    isRefused || grants[0] === undefined ? whyNoRole(canvas) : howGranted(grants[0]),
  expired: ({ canvas: { expiresAt }, role }, isRefused) => {
    if (expiresAt === null) return "Access has no end.";
    const end = `${new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
    if (isRefused) return `Access ended at ${end}, except for the owner and editors.`;
    return manages(role) ? `The end at ${end} is not for the owner and editors.` : `Access ends at ${end}.`;
  },
  password: ({ canvas, principal }, isRefused) => {
    if (isRefused) return "They have to enter the password on the page of the canvas.";
    if (canvas.passwordHash === null) return "The canvas has no password.";
    return principal.kind === "guest"
      ? "Guests need no password."
      : "The owner and editors need no password.";
  },
  static_only: ({ canvas }, isRefused) => {
    if (isRefused)
      return "The backend of a Public link works for the owner and editors only, apart from Connections that are open to its visitors.";
    return canvas.access === "public_link"
      ? "The backend of a Public link works for the owner and editors."
      : "The canvas has no Public link.";
  },
  published: ({ canvas }, isRefused) => {
    if (!isRefused) return "A version is published.";
    return canvas.versionId === null
      ? "No version has been published yet, so there is no page."
      : "The canvas is unpublished, so there is no page.";
  },
  backend: (_, isRefused) =>
    isRefused ? "The backend of the canvas is switched off." : "The backend of the canvas is switched on.",
};

const OPEN_TO_ALL = "The Public link opens without signing in.";

/** Returns how a person who is not anonymous is identified. */
function howSignedIn({ principal, isUnknown }: Facts): string {
  if (principal.kind === "guest") return "The link of their invitation signs them in.";
  return isUnknown ? "A person who signs in with this address gets this access." : "They can sign in.";
}

/** Returns why a caller who is not signed in may not open the canvas. */
function whyNotAnonymously({ canvas, now }: Facts): string {
  if (canvas.access !== "public_link") return "Only people who are signed in can open this canvas.";
  if (canvas.deletedAt !== null) return "The canvas is deleted.";
  if (!canvas.publicLinks)
    return "Public links are switched off, for this instance or for the owner of the canvas.";
  const status = publicationStatus(canvas, now);
  return `A Public link opens without signing in only while the canvas is published. Its state is ${status}.`;
}

/** Returns why nothing gives the person a role. */
function whyNoRole({ access, publicLinks }: Facts["canvas"]): string {
  const unlisted = "Neither the people list nor a team of the canvas includes them";
  if (access === "whole_org") return `${unlisted}, and they do not belong to its organisation.`;
  if (access === "public_link" && !publicLinks)
    return `${unlisted}, and Public links are switched off, for this instance or for the owner of the canvas.`;
  return `${unlisted}, and general access is private.`;
}

/** Returns what gives the person their role. */
function howGranted({ via, role, team }: AccessGrant): string {
  if (via === "owner") return "They own the canvas.";
  if (via === "person") return `The people list of the canvas has them as ${role}.`;
  if (via === "team") return `${team === undefined ? "A team" : `The team ${team}`} has access as ${role}.`;
  if (via === "invitation") return "A guest is a viewer of the canvas.";
  if (via === "organisation") return "Everyone in the organisation may view the canvas.";
  return "The Public link lets everyone view the canvas.";
}
