import type { Canvas } from "@easel/protocol/types";

/*
 * A canvas in words for a model, which speaks about its person, the owner and others.
 */

type Fields = Pick<Canvas, "access" | "hasPassword" | "audienceSummary" | "expiresAt" | "publicationStatus">;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Returns who may open a canvas, such as "the owner and 2 people or teams, with a password". */
export function audienceOf({ access, hasPassword, audienceSummary: { count } }: Fields): string {
  const password = hasPassword ? ", with a password" : "";
  if (access === "public_link")
    return `anyone with the address${password}; its backend is for the owner and editors only`;
  if (access === "whole_org") return `everyone in the organisation${password}`;
  if (count === null) return `people whom the owner has chosen${password}`;
  return count === 0
    ? "only the owner"
    : `the owner and ${count} ${count === 1 ? "person or team" : "people or teams"}${password}`;
}

const STATES: Record<Canvas["publicationStatus"], string> = {
  published: "online",
  draft: "without a version yet",
  unpublished: "taken offline",
  archived: "archived: opens for nobody",
  expired: "expired: opens for the owner and editors only",
  disabled: "disabled by an administrator",
};

/** Returns the state of a canvas, such as "online until 2027-01-31". */
export function stateOf({ publicationStatus, expiresAt }: Fields): string {
  const until = publicationStatus === "published" && expiresAt !== null ? ` until ${dayOf(expiresAt)}` : "";
  return STATES[publicationStatus] + until;
}

/** The role of the person in words. */
export const roleOf = ({ viewerRole }: Pick<Canvas, "viewerRole">): string =>
  `your person is its ${viewerRole}`;
